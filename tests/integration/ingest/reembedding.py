"""A deployment with documents whose lane is embedded anew, step by step, and how its worker dies."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import select

from footnote_ingest.contracts.lanes import Lane, LaneVersionView, Reembed
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.lanes.steps import LaneDesk
from footnote_ingest.lanes.view import lane_view
from footnote_ingest.maintenance.sweep_lanes import sweep_lanes
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.store.lane_tables import LaneRow, LaneVersionRow
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.vectors.filters import Match
from footnote_shared.vectors.protocol import HybridQuery
from tests.integration.ingest.workshop import LANE, Workshop, nothing, paragraphs

DOCUMENTS = (Task.PARSE, Task.EMBED, Task.INDEX, Task.REMOVE)
Ask = Callable[[LaneDesk, WriteSession], LaneVersionRow]


class Lanes:
    """A deployment with documents, and what its operator does with the lane."""

    def __init__(self, database: Database) -> None:
        self.workshop = Workshop(database)
        # No heartbeat falls into the work.
        self.workshop.with_policy(lease_s=3600, heartbeat_s=1000)
        self.tea = self.add("tea.txt", "green tea")
        self.rum = self.add("rum.txt", "white rum")

    def add(self, name: str, *topics: str) -> str:
        document = self.workshop.accept(name, paragraphs(*(topics or (name,))))
        self.workshop.run_all(*DOCUMENTS)
        return document.id

    def add_many(self, count: int) -> None:
        for n in range(count):
            self.workshop.accept(f"more-{n}.txt", f"This is told of number {n}.")
        self.workshop.run_all(*DOCUMENTS)

    def ask(self, what: Ask) -> None:
        desk = LaneDesk(Dispatcher(self.workshop.celery), self.workshop.caller, ["fake"])
        with self.workshop.database.write() as session:
            what(desk, session)

    def reembed(self, **wanted: object) -> None:
        self.ask(lambda desk, session: desk.begin(session, LANE, Reembed.model_validate(wanted)))

    def view(self) -> Lane:
        with self.workshop.database.read() as session:
            view = lane_view(session, LANE, ["fake"])
        assert view is not None
        return view

    def version(self, number: int) -> LaneVersionView:
        (found,) = (version for version in self.view().versions if version.number == number)
        return found

    def run_until(self, number: int, *statuses: str) -> None:
        """Work on the lane alone, a message at a time, until its version has one of the statuses."""
        for _ in range(30):
            if self.version(number).status in statuses:
                return
            self.step(number)
        raise AssertionError(self.version(number))

    def step(self, number: int, worker: str = "worker") -> None:
        self.workshop.celery.sent = [sent for sent in self.workshop.celery.sent if sent[0] is not Task.LANE]
        self.workshop.run(Task.LANE, self.row(number).id, worker)

    def row(self, number: int) -> LaneVersionRow:
        with self.workshop.database.read() as session:
            return session.exec(select(LaneVersionRow).where(LaneVersionRow.number == number)).one()

    def set(self, number: int, **values: object) -> None:
        with self.workshop.database.write() as session:
            row = session.exec(select(LaneVersionRow).where(LaneVersionRow.number == number)).one()
            for name, value in values.items():
                setattr(row, name, value)
            session.add(row)

    def sweep(self, keep: timedelta = timedelta(days=1)) -> None:
        sweep_lanes(
            self.workshop.database,
            Dispatcher(self.workshop.celery),
            self.workshop.policy,
            lambda queue: 0,
            keep,
        )

    def lane(self, number: int) -> LaneIndex:
        return LaneIndex(self.workshop.index, LANE).at(number)

    def holds(self, number: int) -> dict[str, int]:
        """The documents of a version, with how many points each has."""
        found: dict[str, int] = {}
        for page in self.lane(number).pages():
            for ref in page:
                found[ref.document_id] = found.get(ref.document_id, 0) + 1
        return found

    def found(self, words: str) -> list[str]:
        """What a search finds now, by the model of the version that the index calls live, best first."""
        index = LaneIndex(self.workshop.index, LANE)
        live = index.live_version()
        assert live is not None
        vector = self.workshop.embedder_of(live.fingerprint).embed_query(words)
        ours = Match("workspace_id", self.workshop.caller.workspace_id)
        hits = index.at(live.number).search(HybridQuery(vector, None, 10, ours))
        return list(dict.fromkeys(hit.payload.document_id for hit in hits.dense))


class Killed(BaseException):
    """Nothing catches it: as kill -9."""


def kill_amid_copy(lanes: Lanes) -> None:
    embedder = lanes.workshop.next_embedder
    portions: list[int] = []

    def die() -> None:
        portions.append(1)
        if len(portions) > 1:
            raise Killed

    embedder.meanwhile = die
    with pytest.raises(Killed):
        lanes.step(2)
    embedder.meanwhile = None


def kill_amid_switch(lanes: Lanes) -> None:
    """After the index calls it live, and before SQL does."""

    def die() -> None:
        raise Killed

    lanes.workshop.after_switch = die
    with pytest.raises(Killed):
        lanes.run_until(2, "live")
    lanes.workshop.after_switch = nothing
    assert lane_row(lanes).closed


def lane_row(lanes: Lanes) -> LaneRow:
    with lanes.workshop.database.read() as session:
        row = session.get(LaneRow, LANE)
    assert row is not None
    return row
