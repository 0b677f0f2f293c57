"""One run of a connector: take what is new or changed, find what vanished, report it all (spec 3.7).

A run has three phases. `sync` takes the pages of the source, `listing` marks what is there, `removal` deletes
what no page of this run has named; or `called` deletes only what the source has called deleted. A run goes on
from its last commit after any crash.
"""

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta

from footnote_ingest.connectors.ending import end_run
from footnote_ingest.connectors.errors import (
    ItemFailed,
    ItemSkipped,
    OwnerMustAct,
    SourceBusy,
    SourceTrouble,
)
from footnote_ingest.connectors.kinds import SourceResources, open_source
from footnote_ingest.connectors.portion import (
    Known,
    Portion,
    enter,
    known_items,
    look_after_bytes,
    revision_of,
    store,
    unfit,
)
from footnote_ingest.connectors.protocol import ItemSource, SourceItem, SyncPage
from footnote_ingest.connectors.run_lease import RunLease, put_off, take_run
from footnote_ingest.connectors.vanished import mark_listed, remove_vanished
from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.originals import forget
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_ingest.work.recorded_work import RecordedWork
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.row_lease import WorkLost
from footnote_shared.kernel.errors import CallerError, Misconfigured, TryLater
from footnote_shared.security.sealing import CannotBeOpened
from footnote_shared.telemetry import context
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

_MOST_TOGETHER = 25
_MOST_BYTES_TOGETHER = 16 * 1024 * 1024
_COMMIT_EVERY_S = 5.0
"""A portion is entered when it has this many items or bytes, or has been gathered for so long."""

_BUSY_AT_LEAST_S = 1.0
_BUSY_AT_MOST_S = 6 * 3600.0
_PAUSES_S = (5.0, 30.0, 120.0, 600.0)
"""Before a source that does not answer is asked again; the last one holds for every further try."""


@dataclass(frozen=True, slots=True)
class SyncResources:
    """What a run needs beside the work. `open` is replaced in tests."""

    acceptor: Acceptor
    sources: SourceResources
    slice_s: float
    delete_share: float
    open: Callable[[SourceResources, ConnectorRow], ItemSource] = open_source
    clock: Callable[[], float] = time.monotonic


class _SliceOver(Exception):
    """Others wait, or the worker is to stop: the run goes on later from where it is."""


def sync(work: WorkResources, resources: SyncResources, run_id: str) -> bool:
    """Take the run as far as it gets. Returns False if there was nothing for us to do."""
    lease = take_run(work, run_id)
    if lease is None:
        return False
    context.workspace_id.set(lease.connector.workspace_id)
    context.subject.set(run_id)
    with lease, _Recorded(work, lease):
        _Run(work, resources, lease).go()
    return True


class _Recorded(RecordedWork[RunLease]):
    foreseen = (_SliceOver, SourceTrouble, TryLater, Misconfigured)

    def record(self, error: Exception) -> None:
        match error:
            case WorkLost():
                _log.info("run.lost", run=self.lease.taken.id)
            case _SliceOver():
                self.lease.hand_back()
            case SourceBusy():
                wait = min(_BUSY_AT_MOST_S, max(_BUSY_AT_LEAST_S, error.retry_after))
                self.lease.hand_back(after=timedelta(seconds=wait), reason=error.reason)
            case OwnerMustAct():
                self._fail(error.reason)
            case SourceTrouble():
                self._try_again(error.reason)
            case TryLater():
                self.lease.hand_back(after=self.work.policy.back_off(3), reason=error.detail)
            case CannotBeOpened():
                _log.error("run.misconfigured", run=self.lease.taken.id, reason=error.detail)
                self._fail(f"The credentials of the connector cannot be read. {error.detail}")
            case Misconfigured():
                _log.error("run.misconfigured", run=self.lease.taken.id, reason=error.detail)
                self._fail("The server is misconfigured; its operator finds the reason in the log.")
            case _:
                self._try_again("An unexpected error; the operator finds it in the log.")

    def _try_again(self, reason: str) -> None:
        with self.lease.commit_both() as (session, run, connector):
            if run.attempts >= self.work.policy.max_attempts:
                end_run(session, self.work.dispatcher, connector, run, "failed", reason)
            else:
                pause = _PAUSES_S[min(run.attempts, len(_PAUSES_S)) - 1]
                put_off(run, timedelta(seconds=pause), f"{reason} Another try follows.")

    def _fail(self, reason: str) -> None:
        with self.lease.commit_both() as (session, run, connector):
            end_run(session, self.work.dispatcher, connector, run, "failed", reason)


class _Run:
    """The run while we hold it."""

    def __init__(self, work: WorkResources, resources: SyncResources, lease: RunLease) -> None:
        self._work = work
        self._resources = resources
        self._lease = lease
        self._id = lease.taken.id
        self._connector = lease.connector
        self._began = self._committed = resources.clock()
        self._source = resources.open(resources.sources, self._connector)

    def go(self) -> None:
        with closing(self._source):
            self._go()

    def _go(self) -> None:
        phase, cursor = self._lease.taken.phase, self._lease.taken.cursor
        if phase == "sync":
            phase, cursor = self._sync(cursor), None
        if phase == "listing":
            self._list(cursor)
        finds_all = self._source.vanishing != "never" and phase != "called"
        remove_vanished(self._work, self._lease, self._resources.delete_share, all_unseen=finds_all)

    def _phase_after(self, page: SyncPage) -> str:
        if self._source.vanishing == "by_listing":
            return "listing"
        return "removal" if page.names_all else "called"

    def _sync(self, cursor: str | None) -> str:
        """Take the pages from the cursor on; return the phase that follows."""
        while True:
            page = self._source.sync(cursor)
            items = {item.id: item for item in page.items}
            portion = Portion()
            with self._work.database.read() as session:
                known = known_items(session, self._connector.id, list(items))
            for item in items.values():
                before = known.get(item.id)
                if before is None or before.row.seen_in != self._id:
                    self._gather_or_keep(portion, item, before)
                if self._is_full(portion):
                    self._commit(portion)
                    portion = Portion()
            if page.more and page.cursor == cursor:
                raise SourceTrouble("The source gives the same page again and again.")
            self._commit(portion, page)
            if not page.more:
                return self._phase_after(page)
            cursor = page.cursor
            self._look_up()

    def _gather_or_keep(self, portion: Portion, item: SourceItem, before: Known | None) -> None:
        """Gather the item. If the source breaks off here, what was gathered before is not asked for again."""
        try:
            self._gather(portion, item, before)
        except SourceTrouble:
            if portion:
                self._commit(portion)
            raise

    def _gather(self, portion: Portion, item: SourceItem, before: Known | None) -> None:
        """Find out what became of the item, and note it in the portion."""
        reason = unfit(item) or item.left_out
        revision = revision_of(item)
        if item.deleted:
            portion.gone.append(item)
        elif reason is not None:
            portion.skipped.append((item, reason, revision or ""))
        elif before is not None and revision is not None and before.row.revision == revision:
            if before.row.skipped is not None:
                portion.skipped.append((item, before.row.skipped, revision))
            elif before.document is not None:
                portion.unchanged.append((item, revision))
            else:
                self._fetch(portion, item, None)
        else:
            self._fetch(portion, item, before)

    def _fetch(self, portion: Portion, item: SourceItem, before: Known | None) -> None:
        seen = before.row if before is not None and before.document is not None else None
        seen = seen if seen is not None and seen.revision is not None else None
        try:
            fetched = self._source.fetch(item, seen.token if seen is not None else None)
            if fetched is None:
                assert seen is not None, "only what was seen can be unchanged"
                portion.unchanged.append((item, seen.revision or ""))
                return
            portion.bytes += len(fetched.content)
            revision = revision_of(fetched.item, fetched.content)
            if seen is not None and revision is not None and seen.revision == revision:
                portion.unchanged.append((fetched.item, revision))
            else:
                portion.stored.append(store(self._resources.acceptor, self._connector, fetched))
        except ItemFailed as failed:
            portion.failed.append((item, failed.reason))
        except ItemSkipped as skipped:
            portion.skipped.append((item, skipped.reason, revision_of(item) or ""))
        except CallerError as refused:
            portion.skipped.append((item, refused.detail, revision_of(item) or ""))

    def _is_full(self, portion: Portion) -> bool:
        held = sum(len(stored.content) for stored in portion.stored)
        late = self._resources.clock() - self._committed > _COMMIT_EVERY_S and bool(portion)
        return late or len(portion.stored) >= _MOST_TOGETHER or held >= _MOST_BYTES_TOGETHER

    def _commit(self, portion: Portion, page: SyncPage | None = None) -> None:
        """Enter the portion. `page` is the one that ends with it; None within a page, whose cursor stays."""
        acceptor = self._resources.acceptor
        try:
            refused = self._enter(acceptor, portion, page)
        except WorkLost:
            # The connector was deleted, or another worker has the run, while these bytes were written.
            written = [stored.original.sha256 for stored in portion.stored]
            forget(acceptor.database, acceptor.blobs, self._connector.workspace_id, written)
            raise
        look_after_bytes(acceptor, self._connector.workspace_id, portion.stored, refused)
        self._committed = self._resources.clock()
        if page is None:
            self._look_up()

    def _enter(self, acceptor: Acceptor, portion: Portion, page: SyncPage | None) -> list[str]:
        with self._lease.commit() as (session, run):
            refused = enter(session, acceptor, self._connector, run, portion, self._id)
            # It gets on, so earlier tries do not count any more.
            run.attempts = 1
            if page is not None:
                run.cursor = page.cursor
            if page is not None and not page.more:
                run.phase = self._phase_after(page)
                run.next_cursor, run.cursor = page.cursor, None
        return refused

    def _list(self, cursor: str | None) -> None:
        while True:
            page = self._source.listing(cursor)
            with self._lease.commit() as (session, run):
                mark_listed(session, run, page.ids)
                run.attempts = 1
                run.cursor = page.cursor
                if page.cursor is None:
                    run.phase = "removal"
            if page.cursor is None:
                return
            if page.cursor == cursor:
                raise SourceTrouble("The source lists the same page again and again.")
            cursor = page.cursor
            self._look_up()

    def _look_up(self) -> None:
        """Between two commits: let others go first if it is time to."""
        if self._lease.lost:
            raise WorkLost
        over = self._resources.clock() - self._began > self._resources.slice_s
        if over or self._work.stopping():
            raise _SliceOver
