"""What people ask of a lane, each in one transaction: begin, switch, roll back, cancel, retire."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import func
from sqlmodel import col, select

from footnote_ingest.contracts.lanes import LaneStatus, Reembed
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.store import lanes
from footnote_ingest.store.lane_tables import LaneQueriesRow, LaneRow, LaneVersionRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, InvalidRequest, NotFound

ENDED: tuple[LaneStatus, ...] = ("cancelled", "failed", "retired")
_UNFINISHED: tuple[LaneStatus, ...] = ("building", "checking", "ready", "switching")


@dataclass(frozen=True, slots=True)
class LaneDesk:
    """Who asks, and what the answer needs: hints for workers, the models that are set, and the prefixes of
    queries and documents of those that can have no others."""

    dispatcher: Dispatcher
    caller: Principal
    models: list[str]
    set_prefixes: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def begin(self, session: WriteSession, name: str, wanted: Reembed) -> LaneVersionRow:
        """Begin the next version. Raises Conflict while another one is not finished."""
        lane = self._lane(session, name)
        live = _version(session, name, lane.live)
        if (open_one := _first(session, name, _UNFINISHED)) is not None:
            raise Conflict(
                f"Version {open_one.number} of the lane is {open_one.status}: it has to end first, or be "
                "cancelled."
            )
        model = wanted.model or live.model
        if model not in self.models:
            named = ", ".join(self.models)
            raise InvalidRequest(f"This model is not set here. There are: {named}.")
        query_prefix, document_prefix = self._prefixes(live, wanted, model)
        highest = session.exec(
            select(func.max(LaneVersionRow.number)).where(col(LaneVersionRow.lane) == name)
        ).one()
        row = LaneVersionRow(
            lane=name,
            number=(highest or lane.live) + 1,
            status="building",
            model=model,
            query_prefix=query_prefix,
            document_prefix=document_prefix,
            workspace_id=self.caller.workspace_id,
            go=wanted.switch,
            min_overlap=wanted.min_overlap,
        )
        if wanted.queries:
            given = [query.model_dump(mode="json") for query in wanted.queries]
            session.add(
                LaneQueriesRow(version_id=row.id, workspace_id=self.caller.workspace_id, queries=given)
            )
        lane.kept = [*lane.kept, row.number]
        self._changed(session, lane, row, None)
        return row

    def _prefixes(self, live: LaneVersionRow, wanted: Reembed, model: str) -> tuple[str, str]:
        """Those of queries and of documents. Raises InvalidRequest for some that the model cannot have."""
        asked = (wanted.query_prefix, wanted.document_prefix)
        of_live = (live.query_prefix, live.document_prefix) if model == live.model else ("", "")
        if model not in self.set_prefixes:
            inherited = of_live if wanted.model is None else ("", "")
            return asked[0] or inherited[0], asked[1] or inherited[1]
        of_settings = self.set_prefixes[model]
        if any(one not in ("", *pair) for one, *pair in zip(asked, of_live, of_settings, strict=True)):
            raise InvalidRequest(
                "The model of FOOTNOTE_EMBEDDING_MODEL has the prefixes of the settings. To give a version "
                "of the lane others, name the model in FOOTNOTE_EMBEDDING_MODELS too."
            )
        return of_settings

    def switch(self, session: WriteSession, name: str) -> LaneVersionRow:
        """Make the version that waits the live one. Asking twice does the same as asking once."""
        lane = self._lane(session, name)
        row = _first(session, name, ("ready", "switching"))
        if row is None:
            raise Conflict("No version of the lane is ready.")
        return self._go(session, lane, row)

    def roll_back(self, session: WriteSession, name: str) -> LaneVersionRow:
        """Make the former version the live one again. It was kept up to date meanwhile."""
        lane = self._lane(session, name)
        if (open_one := _first(session, name, _UNFINISHED)) is not None:
            raise Conflict(f"Version {open_one.number} of the lane is {open_one.status}: cancel it first.")
        row = _first(session, name, ("previous",))
        if row is None:
            raise Conflict("No former version of the lane is kept.")
        before = row.status
        row.status = "ready"
        return self._go(session, lane, row, before)

    def cancel(self, session: WriteSession, name: str) -> LaneVersionRow:
        """Give up the version that is being built or waits. Nothing that is searched changes."""
        lane = self._lane(session, name)
        row = _first(session, name, ("building", "checking", "ready"))
        if row is None:
            raise Conflict("No version of the lane is being built, or it is being switched to already.")
        return self._end(session, lane, row, "cancelled")

    def retire(self, session: WriteSession, name: str) -> LaneVersionRow:
        """Remove the former version. After that there is no way back to it."""
        lane = self._lane(session, name)
        row = _first(session, name, ("previous",))
        if row is None:
            raise Conflict("No former version of the lane is kept.")
        return self._end(session, lane, row, "retired")

    def _go(
        self, session: WriteSession, lane: LaneRow, row: LaneVersionRow, before: str | None = None
    ) -> LaneVersionRow:
        before = before or row.status
        row.go = True
        row.reason = None
        row.available_at = now()
        self._changed(session, lane, row, before)
        return row

    def _end(
        self, session: WriteSession, lane: LaneRow, row: LaneVersionRow, status: LaneStatus
    ) -> LaneVersionRow:
        before = row.status
        end_version(lane, row, status)
        self._changed(session, lane, row, before)
        return row

    def _changed(self, session: WriteSession, lane: LaneRow, row: LaneVersionRow, before: str | None) -> None:
        row.dispatched_at = now()
        session.add(lane)
        session.add(row)
        after = {"status": row.status, "model": row.model, "go": row.go}
        subject = f"{lane.name}/{row.number}"
        add_entry(session, self.caller, "lane.changed", subject, before=before, after=after)
        session.flush()
        self.dispatcher.send_after_commit(session, Task.LANE, [row.id])

    def _lane(self, session: WriteSession, name: str) -> LaneRow:
        lane = lanes.locked(session, name) if name.isprintable() else None
        if lane is None:
            raise NotFound
        return lane


def end_version(lane: LaneRow, row: LaneVersionRow, status: LaneStatus) -> None:
    """End a version that is not live. Whoever works on it finds that it is no longer theirs."""
    row.status, row.go, row.ended_at, row.rate = status, False, now(), None
    row.lease_token = row.lease_until = None
    row.attempts, row.available_at = 0, now()
    lane.kept = [number for number in lane.kept if number != row.number]


def note_moved(session: WriteSession, lane: LaneRow, row: LaneVersionRow) -> None:
    """Note that the index calls this version live now. The one before is kept, and no other."""
    if lane.live == row.number:
        return
    before = lane.live
    for number in [number for number in lane.kept if number not in (row.number, before)]:
        end_version(lane, _version(session, lane.name, number), "retired")
    former = _version(session, lane.name, before)
    former.status = "previous"
    lane.live, lane.kept = row.number, [before]
    session.add(former)


def _first(session: WriteSession, name: str, statuses: tuple[LaneStatus, ...]) -> LaneVersionRow | None:
    statement = select(LaneVersionRow).where(
        col(LaneVersionRow.lane) == name, col(LaneVersionRow.status).in_(statuses)
    )
    return session.exec(statement.order_by(col(LaneVersionRow.number).desc()).with_for_update()).first()


def _version(session: WriteSession, name: str, number: int) -> LaneVersionRow:
    statement = select(LaneVersionRow).where(
        col(LaneVersionRow.lane) == name, col(LaneVersionRow.number) == number
    )
    return session.exec(statement.with_for_update()).one()
