"""Holding documents while a worker works on them (docs/adr/0001).

A result is committed only while the document still carries the token of the lease (fencing). So a worker
cannot publish if it was paused for longer than its lease, or if its version was superseded or deleted
meanwhile.
"""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from types import TracebackType
from typing import Self

from sqlalchemy import bindparam
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from footnote_ingest.hints.queues import Task
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work import stages
from footnote_ingest.work.failures import failure_of
from footnote_ingest.work.fair import dispatch_next
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.settling import settle_soon
from footnote_shared.contracts.documents import Status
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.errors import FootnoteError, TryLater, Unavailable
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


class LeaseLost(Exception):
    """The document is no longer ours: it was superseded, deleted or taken over. Our work on it is dropped."""


@dataclass(frozen=True, slots=True)
class LeasedDocument:
    """A document as it was when it was taken. `chunks` is how many the version has, once it is chunked.

    `row` is its row as it was then, of no session.
    """

    id: str
    workspace_id: str
    version: int
    status: Status
    attempt: int
    chunks: int
    row: DocumentRow = field(compare=False, repr=False)


class Lease:
    """Documents that were taken together. A heartbeat holds them while the `with` block runs.

    An exception that leaves the block is recorded on every document that is still held: the document is put
    back with a back-off, or it fails. Errors that Footnote raises on purpose end here. Any other exception
    goes on to the caller.
    """

    def __init__(self, work: WorkResources, token: str, taken: Sequence[LeasedDocument]) -> None:
        self.documents = list(taken)
        self.table = DocumentRow
        self._work = work
        self.token = token
        self._held = {leased.id: leased for leased in taken}
        self._since = {leased.id: time.monotonic() for leased in taken}

    def __enter__(self) -> Self:
        if self._held:
            self._work.renewer.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._work.renewer.remove(self)
        if error is None or isinstance(error, LeaseLost):
            return True
        for leased in list(self._held.values()):
            self._give_up(leased, error)
        return isinstance(error, FootnoteError | ParseFailed)

    @contextmanager
    def only(self, *some: LeasedDocument) -> Iterator[None]:
        """Work on some of the documents. If a part does not answer, only these are put back."""
        try:
            yield
        except TryLater as error:
            for leased in some:
                self._give_up(leased, error)

    def alone(self, leased: LeasedDocument) -> "_AloneToBlame":
        """Work on one of several documents. Whatever goes wrong is its failure alone.

        Errors that Footnote raises on purpose end there. Any other exception goes on to the caller, after the
        other documents were handed back: their try does not count.
        """
        return _AloneToBlame(self, leased)

    @property
    def held(self) -> list[LeasedDocument]:
        """The documents that are still ours, as far as the heartbeat knows."""
        return list(self._held.values())

    def hand_back(self) -> None:
        """Let go of everything, for another worker to take at once. The try does not count."""
        back = self.held
        if not back:
            return
        self._held.clear()
        with self._work.database.write() as session:
            ids: dict[Task, list[str]] = {}
            for row in self._own(session, back).values():
                row.attempts = max(0, row.attempts - 1)
                stages.hand_over(row)
                session.add(row)
                ids.setdefault(stages.TASK_OF[row.status], []).append(row.id)
            for task, of_task in ids.items():
                self._work.dispatcher.send_after_commit(session, task, of_task)
        _log.info("lease.handed_back", documents=len(back))

    def keep(self, ours: Collection[str]) -> None:
        """Drop the documents that are not among `ours`: superseded, deleted or taken over."""
        self.lose(set(self._held) - set(ours))

    def held_ids(self) -> set[str]:
        """The ids of `held`."""
        return set(self._held)

    def lose(self, ids: Collection[str]) -> None:
        """Drop these documents: superseded, deleted or taken over."""
        for lost in ids:
            self._held.pop(lost, None)

    def missed(self, reason: str) -> None:
        """A heartbeat did not come through. The next one may."""
        _log.warning("lease.not_extended", documents=len(self._held), reason=reason)

    def join(self, taken: Sequence[LeasedDocument]) -> None:
        """Hold documents that were taken with this lease's token later than the others."""
        self.documents += taken
        for leased in taken:
            self._since[leased.id] = time.monotonic()
            self._held[leased.id] = leased

    @contextmanager
    def commit(self, leased: LeasedDocument) -> Iterator[tuple[WriteSession, DocumentRow]]:
        """One transaction that counts only while the document is ours; raises LeaseLost otherwise.

        If the block lets go of the document (`stages.hand_over`, `publish` or `fail`), our work on it ends.
        """
        with self.commit_all([leased]) as (session, rows):
            row = rows.get(leased)
            if row is not None:
                yield session, row
        if row is None:
            raise LeaseLost

    @contextmanager
    def commit_all(
        self, documents: Sequence[LeasedDocument]
    ) -> Iterator[tuple[WriteSession, dict[LeasedDocument, DocumentRow]]]:
        """One transaction for several documents, with the rows of those that are still ours.

        What we wrote for the others is removed soon. A transaction for each would wait for the database's one
        writer each time.
        """
        with self._work.database.write() as session:
            rows = self._own(session, documents)
            before = {leased: row.status for leased, row in rows.items()}
            yield session, rows
            after = {leased: (row.status, row.lease_token is None) for leased, row in rows.items()}
        self._note_done({leased: before[leased] for leased in after if after[leased][0] != before[leased]})
        for leased, (_, released) in after.items():
            if released:
                self._held.pop(leased.id, None)
        self._clear_up_after_us([leased for leased in documents if leased not in rows])

    def fail_alone(self, leased: LeasedDocument, error: Exception) -> bool:
        """Record the failed try of one document. Returns whether Footnote raised the error on purpose.

        If it did not, the other documents are handed back, because the caller cannot go on.
        """
        if isinstance(error, LeaseLost):
            self._held.pop(leased.id, None)
            return True
        self._give_up(leased, error)
        if isinstance(error, FootnoteError | ParseFailed):
            return True
        try:
            self.hand_back()
        except Unavailable:
            # The leases run out by themselves, and the sweeper finds the documents.
            _log.warning("lease.not_handed_back")
        return False

    def _note_done(self, stages_done: Mapping[LeasedDocument, Status]) -> None:
        """Note how long each of the documents was in the stage that it has left: a line for each stage."""
        moment = time.monotonic()
        seconds: dict[Status, dict[str, float]] = {}
        for leased, stage in stages_done.items():
            took = moment - self._since[leased.id]
            metrics.STAGE_SECONDS.labels(stage).observe(took)
            seconds.setdefault(stage, {})[f"{leased.id}/{leased.version}"] = round(took, 3)
            self._since[leased.id] = moment
        for stage, of_stage in seconds.items():
            _log.info("documents.stage_done", stage=stage, seconds=of_stage)

    def _give_up(self, leased: LeasedDocument, error: BaseException) -> None:
        """Record the failed try and let go of the document, if it is still ours."""
        failure = failure_of(error)
        self._held.pop(leased.id, None)
        _log.warning(
            "document.try_failed",
            document=leased.id,
            code=failure.code,
            reason=failure.reason,
            attempt=leased.attempt,
        )
        try:
            with self.commit_all([leased]) as (session, rows):
                for row in rows.values():
                    stages.put_back(session, row, failure, self._work.policy)
                    if row.status == "failed":
                        dispatch_next(session, self._work.dispatcher, self._work.policy, row.workspace_id)
        except Unavailable:
            # The lease runs out by itself, and the sweeper finds the document.
            _log.warning("document.not_released", document=leased.id)

    def _own(
        self, session: WriteSession, documents: Sequence[LeasedDocument]
    ) -> dict[LeasedDocument, DocumentRow]:
        """The rows of those that are ours, locked in the order of their ids, as everybody locks several."""
        given = {"ids": [leased.id for leased in documents], "token": self.token}
        rows = {row.id: row for row in session.exec(_held_by_token(), params=given)}
        return {leased: rows[leased.id] for leased in documents if leased.id in rows}

    def _clear_up_after_us(self, lost: Sequence[LeasedDocument]) -> None:
        """Have removed what we wrote for documents that were superseded, deleted or taken over meanwhile.

        Blobs and points are written before the commit that counts, so those of a lost lease stay behind.
        """
        if not lost:
            return
        for leased in lost:
            self._held.pop(leased.id, None)
        ids = col(DocumentRow.id).in_([leased.id for leased in lost])
        with self._work.database.write() as session:
            rows = select(DocumentRow).where(ids).order_by(col(DocumentRow.id)).with_for_update()
            for row in session.exec(rows):
                settle_soon(session, self._work.dispatcher, row)


@cache
def _held_by_token() -> SelectOfScalar[DocumentRow]:
    """Every step asks this. To build it takes as long as to run it."""
    named = col(DocumentRow.id).in_(bindparam("ids", expanding=True))
    ours = select(DocumentRow).where(named, col(DocumentRow.lease_token) == bindparam("token"))
    return ours.order_by(col(DocumentRow.id)).with_for_update()


class _AloneToBlame(AbstractContextManager[None]):
    """See `Lease.alone`."""

    def __init__(self, lease: Lease, leased: LeasedDocument) -> None:
        self._lease = lease
        self._leased = leased

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        return isinstance(error, Exception) and self._lease.fail_alone(self._leased, error)
