"""Holding the facts of a document while a worker reads them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

from sqlmodel import col, select

from footnote_ingest.store.fact_tables import FactJobRow
from footnote_ingest.store.leased_row import takeable
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.row_lease import RowLease, WorkLost, take_row
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now


class FactLease(RowLease[FactJobRow]):
    """The facts of one document in the hands of one worker."""

    named = "facts"

    @property
    def subject(self) -> Mapping[str, object]:
        return {"document": self.taken.document_id}

    @contextmanager
    def commit(self) -> Iterator[tuple[WriteSession, DocumentRow, FactJobRow]]:
        """One transaction that ends the work. Raises WorkLost if it is not ours, or the document has changed.

        The document is locked first, as everybody locks the two.
        """
        with self._work.database.write() as session:
            row = session.get(DocumentRow, self.taken.document_id, with_for_update=True)
            job = self.own(session)
            if row is None or row.deleted_at is not None or row.live_version != job.version:
                raise WorkLost
            yield session, row, job
            job.lease_token = job.lease_until = job.dispatched_at = None
            session.add(job)

    def let_go(self, after: timedelta) -> None:
        """Let go of it without having done anything. The try does not count."""
        with self._work.database.write() as session:
            job = self.own(session)
            job.lease_token = job.lease_until = job.dispatched_at = None
            job.attempts = max(0, job.attempts - 1)
            job.available_at = now() + after
            session.add(job)


def take_facts(work: WorkResources, document_id: str) -> FactLease | None:
    """Take the facts of a document, and count the try. None if another worker holds them, or they wait."""
    with work.database.write() as session:
        mine = col(FactJobRow.document_id) == document_id
        sent = col(FactJobRow.dispatched_at).is_not(None)
        job = take_row(work, session, select(FactJobRow).where(mine, takeable(FactJobRow), sent))
    return FactLease(work, job, document_id) if job is not None else None
