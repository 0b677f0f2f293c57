"""Trying again on request: a failed document from its start, any other one anew from its bytes."""

from footnote_ingest.documents.versions import queue_again
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work import stages
from footnote_ingest.work.fair import dispatch_next
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.errors import Conflict


def retry(session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, row: DocumentRow) -> None:
    """Queue a failed document again, as a new version; raises Conflict for one that has not failed.

    A retry is also allowed if the failure says that it cannot help: what was missing may have been installed
    since. The version is new because what the failed one left in the object store may be removed at any time,
    also by somebody who looked before the retry.
    """
    if row.status != "failed":
        raise Conflict(f"Only a failed document can be tried again; this one is {row.status}.")
    queue_again(session, row, "Tried again on request.")
    dispatch_next(session, dispatcher, policy, row.workspace_id)


def reindex(session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, row: DocumentRow) -> None:
    """Read, cut and index the same bytes anew. A document that is already in work is left alone."""
    if row.status in stages.IN_WORK:
        return
    queue_again(session, row, "Indexed anew on request.")
    dispatch_next(session, dispatcher, policy, row.workspace_id)
