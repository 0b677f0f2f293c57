"""A whole workspace is deleted: nobody comes in, nothing of it is left, and no other one is touched."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from fastapi.testclient import TestClient
from redis import Redis
from sqlalchemy import select as sql_select
from sqlmodel import col, select

from footnote_ingest.contracts.workspaces import WorkspaceReceipt
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance import erased_rows
from footnote_ingest.maintenance.deletion_looks import LAST_LOOK
from footnote_ingest.maintenance.erase_workspace import erase_workspace, sweep_workspaces
from footnote_ingest.maintenance.erasure import EraseResources
from footnote_ingest.store.lane_tables import LaneVersionRow
from footnote_shared.blobs.keys import workspace_prefixes
from footnote_shared.blobs.protocol import BlobEntry
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.key_tables import WorkspaceKeyRow
from footnote_shared.db.tables import WorkspaceDeletionRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect
from footnote_shared.security.api_keys import make_key
from footnote_testing.memory_blobs import MemoryBlobs
from footnote_testing.redis_process import RedisProcess
from footnote_testing.workspace import make_caller
from tests.integration.ingest.served import Served
from tests.integration.ingest.test_lane_api import run_by
from tests.integration.ingest.whole_database import DEPLOYMENT, naming, plant, tables, texts
from tests.integration.ingest.workshop import Workshop, paragraphs

on_one_database = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""What does not depend on the database."""


TOLD = ("workspace_deletions", "audit_log", "lane_versions")
"""Tables that a deletion writes to."""


@dataclass
class Leaving:
    """A deployment: the operator's workspace, one that leaves and one that stays, each with a document."""

    served: Served
    operator: TestClient
    redis: Redis
    gone: Principal
    gone_key: str
    stays: Principal
    stays_key: str
    streams: StreamServers[Redis]

    @property
    def workshop(self) -> Workshop:
        return self.served.workshop

    @property
    def resources(self) -> EraseResources:
        return EraseResources(
            self.workshop.blobs,
            self.workshop.lane,
            self.workshop.lane.named("fact"),
            self.redis,
            self.streams,
        )

    def delete(self, name: str = "leaves") -> Any:
        return self.operator.delete(f"/v1/workspaces/{self.gone.workspace_id}", params={"name": name})

    def receipt(self) -> WorkspaceReceipt:
        answer = self.operator.get(f"/v1/workspaces/{self.gone.workspace_id}/receipt")
        assert answer.status_code == 200, answer.text
        return WorkspaceReceipt.model_validate(answer.json())

    def as_if_later(self) -> None:
        """As if the time of the lease and of the pause between two looks were over."""
        with self.workshop.database.write() as session:
            row = session.get(WorkspaceDeletionRow, self.gone.workspace_id)
            assert row is not None
            if row.due_at is not None:
                row.due_at = now() - timedelta(seconds=1)
            row.lease_until = None
            session.add(row)

    def written(self, **values: Any) -> None:
        """What a process has written into the row of the deletion."""
        with self.workshop.database.write() as session:
            row = session.get(WorkspaceDeletionRow, self.gone.workspace_id)
            assert row is not None
            session.add(row.sqlmodel_update(values))

    def swept(self) -> int:
        work = self.workshop.work()
        return sweep_workspaces(work.database, Dispatcher(self.workshop.celery), work.policy)

    def erase(self, **options: Any) -> bool:
        return erase_workspace(self.workshop.work(), self.resources, self.gone.workspace_id, **options)

    def to_its_end(self) -> WorkspaceReceipt:
        for _ in range(20):
            self.as_if_later()
            self.erase()
            if self.receipt().gone_at is not None:
                return self.receipt()
        raise AssertionError(self.receipt())

    def as_whom(self, key: str) -> int:
        """What a request with this key is answered with."""
        return self.operator.get("/v1/documents", headers={"Authorization": f"Bearer {key}"}).status_code

    def blobs_of(self, owner: Principal) -> list[str]:
        prefixes = workspace_prefixes(owner.workspace_id)
        return sorted(entry.key for prefix in prefixes for entry in self.workshop.blobs.list(prefix))


@pytest.fixture
def leaving(served: Served, redis_server: RedisProcess) -> Iterator[Leaving]:
    database = served.workshop.database
    (gone, gone_key), (stays, stays_key) = make_caller(database, "leaves"), make_caller(database, "stays")
    for owner in (gone, stays):
        served.workshop.accept("tea.txt", paragraphs("tea", "coffee"), caller=owner)
    served.work()
    client = connect(redis_server.url)
    with run_by(served, served.principal.workspace_id) as operator:
        streams = StreamServers({"one": client})
        yield Leaving(served, operator, client, gone, gone_key, stays, stays_key, streams)
    client.close()


def test_nothing_of_it_is_left_and_nobody_else_loses_anything(leaving: Leaving) -> None:
    database, gone, stays = leaving.workshop.database, leaving.gone.workspace_id, leaving.stays.workspace_id
    counts = plant(database, leaving.gone, 3)
    plant(database, leaving.stays, 3)
    with database.read() as session:
        # A new table without a column `workspace_id` has to hang on one that has it, or be named there.
        assert counts.keys() | DEPLOYMENT == {table.name for table in tables(session.connection())}
    for owner in (gone, stays):
        leaving.redis.set(keys.search_result(owner, "a" * 64), "kept")
        leaving.redis.set(keys.model_answer(owner, "a" * 64), "kept")
    before = texts(database, *TOLD)
    points = leaving.workshop.lane.count_workspace(gone)
    blobs, theirs = leaving.blobs_of(leaving.gone), leaving.blobs_of(leaving.stays)
    assert points > 0
    assert min(len(blobs), len(theirs)) > 0
    assert leaving.as_whom(leaving.gone_key) == 200

    asked = leaving.delete()
    assert asked.status_code == 202, asked.text
    assert leaving.as_whom(leaving.gone_key) == 401, "its key opens nothing from the answer on"
    listed = leaving.operator.get("/v1/workspaces").json()["items"]
    assert {one["name"] for one in listed if one.get("deletion_asked_at")} == {"leaves"}
    receipt = leaving.to_its_end()

    assert naming(database, gone) == {"workspace_deletions": 1, "audit_log": 1}
    after = texts(database, *TOLD)
    for name, rows in before.items():
        lost = set(rows) - set(after[name])
        assert not [row for row in lost if stays in row], name
        assert set(after[name]) <= set(rows), name
        assert len(lost) == receipt.removed.rows.get(name, 0), name
    assert leaving.blobs_of(leaving.gone) == []
    assert leaving.blobs_of(leaving.stays) == theirs
    assert leaving.workshop.lane.count_workspace(gone) == 0
    assert leaving.workshop.lane.count_workspace(stays) == points
    assert receipt.removed.vectors == points
    assert receipt.removed.blobs + receipt.removed.originals == len(blobs)
    assert not [name for name in leaving.redis.scan_iter() if gone in str(name)]
    assert len([name for name in leaving.redis.scan_iter() if stays in str(name)]) >= 2
    assert leaving.as_whom(leaving.stays_key) == 200

    (told,) = [row for row in texts(database)["audit_log"] if "workspace.deleted" in row]
    assert leaving.served.principal.workspace_id in told
    again = leaving.delete().json()
    assert (again["asked_at"], bool(again["gone_at"])) == (asked.json()["asked_at"], True)


@on_one_database
def test_only_the_operator_may_by_the_name_and_not_itself_nor_what_is_held(leaving: Leaving) -> None:
    path = f"/v1/workspaces/{leaving.gone.workspace_id}"
    with leaving.workshop.database.write() as session:
        writer = make_key(session, leaving.served.principal, "writer", ["read", "write"])
    for key in (leaving.gone_key, leaving.stays_key, writer):
        headers = {"Authorization": f"Bearer {key}"}
        assert leaving.operator.delete(path, params={"name": "leaves"}, headers=headers).status_code == 403
        assert leaving.operator.get(f"{path}/receipt", headers=headers).status_code == 403
        assert leaving.operator.get("/v1/workspaces", headers=headers).status_code == 403
    own = leaving.served.principal.workspace_id
    assert leaving.operator.delete(f"/v1/workspaces/{own}", params={"name": "test"}).status_code == 409
    assert leaving.delete("Leaves").status_code == 422
    assert leaving.operator.delete(path).status_code == 422
    for nobodys in (new_id(), "%00"):
        assert leaving.operator.delete(f"/v1/workspaces/{nobodys}", params={"name": "x"}).status_code == 404
    assert leaving.operator.get(f"{path}/receipt").status_code == 404

    headers = {"Authorization": f"Bearer {leaving.gone_key}"}
    (document,) = leaving.operator.get("/v1/documents", headers=headers).json()["items"]
    held = f"/v1/documents/{document['id']}"
    assert leaving.operator.patch(held, json={"legal_hold": True}, headers=headers).status_code == 200
    refused = leaving.delete()
    assert (refused.status_code, refused.json()["code"]) == (409, "legal_hold")
    assert leaving.operator.patch(held, json={"legal_hold": False}, headers=headers).status_code == 200
    assert leaving.delete().status_code == 202


@on_one_database
def test_slices_add_up_and_turns_keys_and_lanes_are_thought_of(
    leaving: Leaving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erased_rows, "AT_ONCE", 2)
    database = leaving.workshop.database
    counts = plant(database, leaving.gone, 3)
    with database.write() as session:
        session.add(WorkspaceKeyRow(workspace_id=leaving.stays.workspace_id, wrapped=b"wrapped"))
        lane = LaneVersionRow(lane="document", number=9, status="retired", model="m")
        lane.workspace_id = leaving.gone.workspace_id
        session.add(lane)
        table = next(one for one in tables(session.connection()) if one.name == "turns")
        session.connection().execute(table.update().values(status="running"))
        turn_id = str(session.connection().execute(sql_select(table.c.id).limit(1)).scalar_one())
    for name in keys.kept_of_turn(turn_id):
        leaving.redis.set(name, "x")
    leaving.delete()

    slices = 0
    while leaving.receipt().gone_at is None:
        leaving.as_if_later()
        moments = count()
        assert leaving.erase(slice_s=12, clock=lambda moments=moments: float(next(moments)))
        slices += 1
        if slices == 1:
            with database.read() as session:
                wrapped = {row.workspace_id: row.wrapped for row in session.exec(select(WorkspaceKeyRow))}
            assert wrapped.get(leaving.gone.workspace_id, b"") == b"", "the keys go before anything else"
            assert wrapped[leaving.stays.workspace_id] == b"wrapped"
        if leaving.redis.exists(keys.turn_cancel(turn_id)) and slices < 20:
            leaving.redis.set(keys.turn_events(turn_id), "written once more")
            slices = 20
    assert slices > 20
    removed = leaving.receipt().removed
    assert {name for name, planted in counts.items() if removed.rows.get(name, 0) < planted} == set()
    assert removed.keys == counts["workspace_keys"]
    assert removed.cached >= 5
    assert not leaving.redis.exists(*keys.kept_of_turn(turn_id))
    with database.read() as session:
        kept = session.exec(select(LaneVersionRow).where(col(LaneVersionRow.number) == 9)).one()
    assert kept.workspace_id == "", "a lane is the deployment's, whoever asked for it"


@on_one_database
def test_streams_on_several_redises_are_removed_from_each(
    leaving: Leaving, redis_server: RedisProcess
) -> None:
    other = connect(redis_server.url.removesuffix("0") + "1")
    leaving.streams = StreamServers({"one": leaving.redis, "two": other})
    database = leaving.workshop.database
    plant(database, leaving.gone, 1)
    with database.write() as session:
        table = next(one for one in tables(session.connection()) if one.name == "turns")
        session.connection().execute(table.update().values(status="running"))
        turn_id = str(session.connection().execute(sql_select(table.c.id).limit(1)).scalar_one())
    # An earlier list had it on the other one.
    for client in leaving.streams:
        for name in keys.kept_of_turn(turn_id):
            client.set(name, "x")
    leaving.delete()
    leaving.to_its_end()
    asked = [client for client in leaving.streams if client.exists(keys.turn_cancel(turn_id))]
    assert asked == [leaving.streams.of(turn_id)], "whoever runs the turn looks there"
    assert not any(client.exists(*keys.kept_of_turn(turn_id)) for client in leaving.streams)
    other.close()


class _Unsteady(MemoryBlobs):
    """Ends the worker in the middle of a removal, or does not answer."""

    dies = away = False

    def delete(self, names: Iterable[str]) -> None:
        if self.dies:
            raise KeyboardInterrupt
        super().delete(names)

    def list(self, prefix: str) -> Iterator[BlobEntry]:
        if self.away:
            raise Unavailable("blobs", "The disk is gone.")
        return super().list(prefix)


@on_one_database
def test_a_dead_worker_is_followed_by_another_and_what_comes_late_goes_too(leaving: Leaving) -> None:
    blobs = _Unsteady()
    for entry in leaving.workshop.blobs.list(""):
        blobs.put(entry.key, leaving.workshop.blobs.get(entry.key))
    leaving.workshop.blobs = blobs
    found = len(leaving.blobs_of(leaving.gone))
    leaving.delete()
    blobs.dies = True
    with pytest.raises(KeyboardInterrupt):
        leaving.erase()
    assert not leaving.erase(), "the lease of the dead one holds"
    blobs.dies = False
    leaving.as_if_later()
    leaving.workshop.lose_messages()
    work = leaving.workshop.work()
    assert sweep_workspaces(work.database, Dispatcher(leaving.workshop.celery), work.policy) == 1
    assert leaving.workshop.celery.sent == [(Task.ERASE, leaving.gone.workspace_id)]

    blobs.away = True
    assert leaving.erase()
    assert leaving.receipt().reason == "The disk is gone."
    blobs.away = False
    leaving.as_if_later()
    assert leaving.erase()
    receipt = leaving.receipt()
    assert (receipt.gone_at, receipt.reason) == (None, None), "a second look has to find nothing"
    assert receipt.removed.blobs + receipt.removed.originals == found

    late = f"text/{leaving.gone.workspace_id}/{new_id()}/1"
    for look in range(2):
        blobs.put(late, b"late")
        leaving.as_if_later()
        assert leaving.erase()
        assert leaving.blobs_of(leaving.gone) == []
        assert (leaving.receipt().gone_at is None) == (look == 0)
        assert leaving.to_its_end().removed.blobs > receipt.removed.blobs
    leaving.as_if_later()
    leaving.erase()
    leaving.as_if_later()
    assert not leaving.erase(), "the last look was taken"


@pytest.mark.parametrize("name", ["due_at", "lease_until"])
def test_a_clock_that_is_ahead_puts_no_look_off_to_its_own_day(leaving: Leaving, name: str) -> None:
    assert leaving.delete().status_code == 202
    leaving.written(**{name: now() + timedelta(days=1)})
    assert leaving.swept() == 1
    assert leaving.erase()
    assert leaving.blobs_of(leaving.gone) == []


@on_one_database
def test_the_last_look_is_waited_for_also_by_a_clock_that_is_a_little_behind(leaving: Leaving) -> None:
    assert leaving.delete().status_code == 202
    leaving.to_its_end()
    leaving.written(due_at=now() + LAST_LOOK + timedelta(minutes=1))
    assert leaving.swept() == 0
