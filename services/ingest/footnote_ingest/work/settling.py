"""Asking for a document to be settled: what no reader sees goes, and its points are brought up to date."""

from datetime import timedelta

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now

SETTLE_AFTER = timedelta(seconds=30)
"""The time that a hint to settle may take. The sweeper sends another one when it is over."""


def settle_soon(session: WriteSession, dispatcher: Dispatcher, row: DocumentRow) -> None:
    """Note that the document has to be settled, and send the hint after the commit."""
    row.settle_at = now() + SETTLE_AFTER
    session.add(row)
    dispatcher.send_after_commit(session, Task.REMOVE, [row.id])
