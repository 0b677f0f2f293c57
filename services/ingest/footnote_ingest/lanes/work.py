"""The work on one version of a lane: build it, check it, make it the live one, keep it up to date, remove it.

Each call goes on from what SQL says, does a slice, and commits often. A worker that dies loses the last
portion, which is made again (docs/adr/0054).
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from sqlmodel import col, delete, select

from footnote_ingest.contracts.lanes import LaneChecks, LaneStatus
from footnote_ingest.lanes import checks as found_by
from footnote_ingest.lanes.bring import LaneTarget, bring
from footnote_ingest.lanes.compare import compare, queries_for, sample
from footnote_ingest.lanes.lane_lease import LaneLease, take_version
from footnote_ingest.lanes.recorded_queries import NONE_RECORDED, RecordedQueries
from footnote_ingest.lanes.steps import ENDED, note_moved
from footnote_ingest.pipeline.embed import EmbedderOf
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.store import lanes
from footnote_ingest.store.lane_tables import LaneChangeRow, LaneQueriesRow, LaneVersionRow
from footnote_ingest.work.recorded_work import RecordedWork
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.row_lease import WorkLost
from footnote_shared.db.engine import WriteSession
from footnote_shared.embedding.protocol import Embedder
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FootnoteError, Misconfigured, OurFault, TryLater
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

_DOCUMENTS_AT_ONCE = 16
_LOOKED_AT = 200
_SAMPLED = 32
_COUNTED_AGAIN = 3
_OLD_RATE = 0.7
"""The share of the former rate that each portion keeps, so that the estimate does not jump."""

_CHECKED = "~"
"""A cursor behind every document: the pass is over. No id sorts behind it."""

UNFINISHED: tuple[LaneStatus, ...] = ("building", "checking")
"""A version in one of these is not searched, so it can be given up."""

SLICE_S = 2.0
"""Seconds after which documents that wait to be embedded go first."""

GRACE_S = 3.0
"""Seconds for which nothing new is shown after a switch: the processes that search look every second."""


@dataclass(frozen=True, slots=True)
class LaneResources:
    """What the work needs beside SQL. `embedder_named` makes the embedder of a name and two prefixes."""

    lane: LaneIndex
    embedder_of: EmbedderOf
    embedder_named: Callable[[str, str, str], Embedder]
    recorded: RecordedQueries = NONE_RECORDED
    slice_s: float = SLICE_S
    grace_s: float = GRACE_S
    wait: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


def work_on_version(work: WorkResources, resources: LaneResources, version_id: str) -> bool:
    """Take the version a slice further. Returns False if there was nothing for us to do."""
    lease = take_version(work, version_id)
    if lease is None:
        return False
    with lease, _Recorded(work, lease):
        if lease.taken.status in UNFINISHED and lease.taken.attempts > work.policy.max_attempts:
            raise OurFault(f"The worker stopped {work.policy.max_attempts} times in this version.")
        again = _Work(work, resources, lease).go()
        lease.let_go(again=again)
    return True


class _Recorded(RecordedWork[LaneLease]):
    foreseen = (FootnoteError,)

    def record(self, error: Exception) -> None:
        if isinstance(error, WorkLost):
            _log.info("lane.work_lost", version=self.lease.taken.number)
            return
        waits = isinstance(error, TryLater)
        reason = error.detail if isinstance(error, FootnoteError) else "An unexpected error; see the log."
        _log.warning("lane.try_failed", version=self.lease.taken.number, reason=reason)
        tries = self.lease.taken.attempts
        self.lease.let_go(
            again=False,
            after=self.work.policy.back_off(3 if waits else tries),
            reason=reason,
            counts=not waits,
        )
        if isinstance(error, Misconfigured) or (not waits and tries >= self.work.policy.max_attempts):
            give_up(self.work, self.lease.taken.id, reason)


class _Work:
    """The version while we hold it."""

    def __init__(self, work: WorkResources, resources: LaneResources, lease: LaneLease) -> None:
        self._work = work
        self._database = work.database
        self._resources = resources
        self._lease = lease
        self._row = lease.taken
        self._lane = resources.lane.at(lease.taken.number)
        self._began = resources.clock()

    def go(self) -> bool:
        """Returns whether there is more to do at once."""
        status = self._row.status
        if status in ENDED:
            return self._drop()
        if status in ("live", "previous") or (status == "ready" and not self._row.go):
            return not self._bring_changes(self._target())
        if self._row.fingerprint is None:
            self._make()
        target = self._target()
        if status == "building":
            return self._copy(target)
        if status == "checking":
            return self._check(target)
        self._switch(target)
        return False

    def _over(self) -> bool:
        return self._work.stopping() or self._resources.clock() - self._began > self._resources.slice_s

    def _make(self) -> None:
        """Load the model, make the collection, and note what it is made with."""
        row = self._row
        embedder = self._resources.embedder_named(row.model, row.query_prefix, row.document_prefix)
        self._lane.make_version(row.number, embedder.fingerprint)
        terms = self._lane.terms_version()
        with self._database.read() as session:
            found = found_by.totals(session)
        with self._lease.commit() as (_, row):
            row.fingerprint, row.terms = asdict(embedder.fingerprint), terms
            row.documents_total, row.chunks_total = found.documents, found.chunks
        self._row = row

    def _target(self) -> LaneTarget:
        fingerprint = lanes.fingerprint_of(self._row.fingerprint)
        assert self._row.terms is not None, "terms are noted with the fingerprint"
        with self._database.read() as session:
            live = lanes.live_version(session, self._row.lane)
        same = None
        if live is not None and live[0].number != self._row.number and live[0].fingerprint == fingerprint:
            same = self._resources.lane.at(live[0].number)
        sealer = self._database.sealer
        return LaneTarget(
            self._lane,
            self._resources.embedder_of(fingerprint),
            self._row.terms,
            same,
            with_text=sealer is None or not sealer.seals,
        )

    def _copy(self, target: LaneTarget) -> bool:
        """Bring in the documents behind the cursor. What changes meanwhile is noted for later.

        However long the model took to load, a slice brings something in.
        """
        cursor = self._row.cursor
        while True:
            with self._database.read() as session:
                ids = found_by.following_documents(session, cursor, _DOCUMENTS_AT_ONCE)
            if not ids:
                with self._lease.commit() as (_, row):
                    row.status, row.cursor, row.attempts = "checking", "", 1
                return True
            begun = self._resources.clock()
            brought = bring(self._database, target, ids, self._lease.keep)
            cursor = ids[-1]
            with self._lease.commit() as (_, row):
                row.cursor, row.attempts = cursor, 1
                row.documents += brought.documents
                row.chunks += brought.chunks
                row.embedded += brought.embedded
                row.documents_total = max(row.documents_total, row.documents)
                row.chunks_total = max(row.chunks_total, row.chunks)
                row.rate = _smoothed(row.rate, brought.chunks, self._resources.clock() - begun)
            if self._over():
                return True

    def _bring_changes(self, target: LaneTarget, *, to_the_end: bool = False) -> bool:
        """Bring in what has changed. Returns whether none was left when we looked last."""
        while True:
            with self._database.read() as session:
                of_ours = (
                    col(LaneChangeRow.lane) == self._row.lane,
                    col(LaneChangeRow.number) == self._row.number,
                )
                statement = select(LaneChangeRow).where(*of_ours).order_by(col(LaneChangeRow.id))
                rows = list(session.exec(statement.limit(_DOCUMENTS_AT_ONCE)))
            if not rows:
                return True
            brought = bring(
                self._database, target, list(dict.fromkeys(row.document_id for row in rows)), self._lease.keep
            )
            with self._lease.commit() as (session, row):
                read = col(LaneChangeRow.id).in_([change.id for change in rows])
                session.exec(delete(LaneChangeRow).where(read).execution_options(synchronize_session=False))
                row.embedded += brought.embedded
                row.attempts = 1
            if self._over() and not to_the_end:
                return False

    def _check(self, target: LaneTarget) -> bool:
        if not self._bring_changes(target):
            return True
        while self._row.cursor != _CHECKED:
            self._look_for_gaps(target)
            if self._over():
                return True
        checks = self._checks()
        orphans = found_by.remove_orphans(self._database, self._lane)
        expected, found = self._count(target)
        if expected != found and not self._changes_wait():
            raise OurFault(f"The version has {found} points, and the database has {expected} chunks.")
        self._lease.keep()
        sampled, least = sample(self._database, target, _SAMPLED)
        if least is not None and least < found_by.LEAST_COSINE:
            raise OurFault(f"A stored vector differs from what the model makes of its text: {least:.4f}.")
        self._lease.keep()
        with self._database.read() as session:
            cut = found_by.too_long(session, target.embedder.max_tokens)
        compared = self._compared(target)
        figures = {
            "orphans": checks.orphans + orphans,
            "expected": expected,
            "found": found,
            "sampled": sampled,
            "least_cosine": least,
            "cut": cut,
        }
        checks = checks.model_copy(update=figures | compared)
        with self._lease.commit() as (session, row):
            self._forget_queries(session)
            why_not = found_by.verdict(row, checks)
            row.checks = checks.model_dump(mode="json")
            row.go = row.go and why_not is None
            row.reason = why_not
            row.status, row.rate, row.attempts = "ready", None, 1
            self._row = row
        return self._row.go

    def _forget_queries(self, session: WriteSession) -> None:
        """They are compared once, and nobody needs them after that."""
        session.exec(delete(LaneQueriesRow).where(col(LaneQueriesRow.version_id) == self._row.id))

    def _checks(self) -> LaneChecks:
        return LaneChecks.model_validate(self._row.checks or {})

    def _look_for_gaps(self, target: LaneTarget) -> None:
        with self._database.read() as session:
            ids = found_by.following_documents(session, self._row.cursor, _LOOKED_AT)
        gaps = found_by.lacking(self._database, self._lane, ids) if ids else []
        bring(self._database, target, gaps, self._lease.keep)
        with self._lease.commit() as (_, row):
            checks = self._checks()
            row.checks = checks.model_copy(update={"lacking": checks.lacking + len(gaps)}).model_dump(
                mode="json"
            )
            row.cursor = ids[-1] if ids else _CHECKED
            row.attempts = 1
        self._row = row

    def _count(self, target: LaneTarget) -> tuple[int, int]:
        """Chunks by SQL and points by the index. Documents that change meanwhile are brought in first."""
        for _ in range(_COUNTED_AGAIN):
            self._bring_changes(target, to_the_end=True)
            with self._database.read() as session:
                expected = found_by.totals(session).chunks
            found = self._lane.count()
            if expected == found:
                break
            found_by.remove_orphans(self._database, self._lane)
        return expected, found

    def _changes_wait(self) -> bool:
        """Whether documents have changed since: they are brought in before the switch."""
        with self._database.read() as session:
            statement = select(LaneChangeRow.id).where(
                col(LaneChangeRow.lane) == self._row.lane, col(LaneChangeRow.number) == self._row.number
            )
            return session.exec(statement.limit(1)).first() is not None

    def _compared(self, target: LaneTarget) -> dict[str, object]:
        with self._database.read() as session:
            known = lanes.live_version(session, self._row.lane)
        if known is None:
            return {}
        live, _ = known
        former = LaneTarget(
            self._resources.lane.at(live.number), self._resources.embedder_of(live.fingerprint), live.terms
        )
        asked = queries_for(self._database, self._row.id, self._resources.recorded)
        return compare(former, target, asked)

    def _switch(self, target: LaneTarget) -> None:
        """Make it the live one. While the lane is closed nothing new is shown, so nothing is missed.

        Each step may be done twice: a worker that dies between two of them is followed by one that begins
        anew. Searches never wait: they go on in the former version until their process has looked.
        """
        if self._row.status != "switching":
            self._bring_changes(target, to_the_end=True)
            with self._lease.commit_with_lane(change=True) as (_, row, lane):
                lane.closed = True
                row.status = "switching"
        self._bring_changes(target, to_the_end=True)
        self._lease.keep()
        self._resources.lane.switch(self._row.number)
        with self._lease.commit_with_lane(change=True) as (session, row, lane):
            note_moved(session, lane, row)
        metrics.LANE_SWITCHES.inc()
        self._resources.wait(self._resources.grace_s)
        with self._lease.commit_with_lane(change=True) as (_, row, lane):
            lane.closed = False
            row.status, row.go, row.reason, row.attempts = "live", False, None, 1
            row.live_at = now()
        _log.info("lane.switched", lane=self._row.lane, version=self._row.number)

    def _drop(self) -> bool:
        """Remove the vectors of a version that has ended."""
        self._resources.lane.drop_version(self._row.number)
        with self._lease.commit() as (session, row):
            self._forget_queries(session)
            of_ours = col(LaneChangeRow.lane) == row.lane, col(LaneChangeRow.number) == row.number
            session.exec(delete(LaneChangeRow).where(*of_ours).execution_options(synchronize_session=False))
            row.dropped_at = now()
        return False


def give_up(work: WorkResources, version_id: str, reason: str) -> None:
    """End a version that cannot be built. One that is live, was live or is becoming it waits for a person."""
    with work.database.write() as session:
        row = session.get(LaneVersionRow, version_id)
        lane = lanes.locked(session, row.lane) if row is not None else None
        row = session.get(LaneVersionRow, version_id, with_for_update=True, populate_existing=True)
        if row is None or lane is None or row.status not in UNFINISHED:
            return
        row.status, row.reason, row.ended_at = "failed", reason, now()
        row.lease_token = row.lease_until = None
        row.available_at = now()
        lane.kept = [number for number in lane.kept if number != row.number]
        session.add(row)
        session.add(lane)


def _smoothed(before: float | None, chunks: int, seconds: float) -> float:
    rate = chunks / max(seconds, 0.001)
    return rate if before is None else _OLD_RATE * before + (1 - _OLD_RATE) * rate
