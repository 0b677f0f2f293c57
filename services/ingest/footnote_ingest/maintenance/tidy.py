"""Tidying up what nobody waits for: old answers, old tombstones, unneeded bytes, stray points."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import chain, islice

from sqlalchemy import ColumnElement, and_, or_, update
from sqlmodel import col, delete, select

from footnote_ingest.documents import originals
from footnote_ingest.maintenance.clock_check import may_judge_ages
from footnote_ingest.maintenance.looks import Look
from footnote_ingest.maintenance.reconcile import reconcile
from footnote_ingest.pipeline.remove import RemoveResources
from footnote_ingest.pipeline.unneeded_blobs import unneeded
from footnote_ingest.store.tables import DocumentRow, TimelineRow, VersionRow
from footnote_ingest.work.resources import WorkResources
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.db.audit_log import forget_old_entries
from footnote_shared.db.engine import WriteSession
from footnote_shared.db.idempotency import forget_old_answers
from footnote_shared.db.tables import WorkspaceRow
from footnote_shared.kernel.clock import now
from footnote_shared.telemetry import metrics

DELETED_KEPT = timedelta(days=30)
"""How long the row and the timeline of a deleted document are kept. Of one that was withdrawn before, the row
stays without its words: whoever was shown a passage of it is not shown that again (docs/adr/0021)."""

ORPHAN_AGE = timedelta(hours=1)
"""Bytes of this age cannot belong to an upload that is still under way: it commits as soon as it has written
them, and every lock and every store that it waits for has a limit of seconds."""

_AT_ONCE = 500


def tidy(work: WorkResources, resources: RemoveResources) -> None:
    """Tidy up once. If a run is killed half-way, the next one goes on.

    Where the clocks of this machine and of the database differ, what is only old stays: bytes of an
    upload that is under way would seem to be left behind.
    """
    if may_judge_ages(work.database):
        _forget_old(work, resources)
    reconcile(work, resources)


def _forget_old(work: WorkResources, resources: RemoveResources) -> None:
    while _forget_answers(work) == _AT_ONCE:
        continue
    while _forget_audit(work) == _AT_ONCE:
        continue
    while _forget_tombstones(work) == _AT_ONCE:
        continue
    while _forget_words_of_withdrawn(work) == _AT_ONCE:
        continue
    with work.database.read() as session:
        workspaces = [row.id for row in session.exec(select(WorkspaceRow))]
    for workspace_id in workspaces:
        remove_orphan_blobs(work, resources, workspace_id)
    resources.blobs.forget_unfinished()


def remove_orphan_blobs(work: WorkResources, resources: RemoveResources, workspace_id: str) -> int:
    """Remove the blobs of a workspace that nothing refers to; return how many."""
    looks = chain(orphan_originals(work, resources, workspace_id), left_behind(work, resources, workspace_id))
    return sum(look.found["blobs_without_row"] for look in looks)


def _forget_answers(work: WorkResources) -> int:
    """Drop some answers to requests of more than a day ago; return how many."""
    with work.database.write() as session:
        return forget_old_answers(session, _AT_ONCE)


def _forget_audit(work: WorkResources) -> int:
    """Drop some old entries of the audit log; return how many."""
    with work.database.write() as session:
        return forget_old_entries(session, _AT_ONCE)


def _forget_tombstones(work: WorkResources) -> int:
    """Drop some rows of documents that were deleted long ago; return how many.

    A statement has a limit of time, and what hangs on a row goes with it, so they go in portions.
    """
    with work.database.write() as session:
        gone = select(DocumentRow.id).where(_long_deleted(), col(DocumentRow.withheld_at).is_(None))
        ids = list(session.exec(gone.limit(_AT_ONCE)))
        session.exec(delete(DocumentRow).where(col(DocumentRow.id).in_(ids)))
    return len(ids)


def _forget_words_of_withdrawn(work: WorkResources) -> int:
    """Drop what some rows say of documents that were withdrawn and deleted long ago; return how many.

    The row alone tells that a citation of it is not to be shown.
    """
    with work.database.write() as session:
        told = or_(col(DocumentRow.title) != "", col(DocumentRow.filename) != "")
        kept = select(DocumentRow.id).where(_long_deleted(), col(DocumentRow.withheld_at).is_not(None), told)
        ids = list(session.exec(kept.limit(_AT_ONCE)))
        forget_words(session, ids)
    return len(ids)


def forget_words(session: WriteSession, ids: list[str]) -> None:
    """Drop what rows say of deleted documents. They tell no more than that citations are not to be shown."""
    session.exec(delete(TimelineRow).where(col(TimelineRow.document_id).in_(ids)))
    words = dict.fromkeys(("title", "filename", "sha256"), "")
    nothing = dict.fromkeys(("external_id", "url", "error_reason", "last_reason"))
    session.exec(
        update(DocumentRow)
        .where(col(DocumentRow.id).in_(ids))
        .values(**words, **nothing, attributes={})
        .execution_options(synchronize_session=False)
    )


def _long_deleted() -> ColumnElement[bool]:
    old = col(DocumentRow.deleted_at) < now() - DELETED_KEPT
    return and_(col(DocumentRow.status) == "deleted", old)


def orphan_originals(work: WorkResources, resources: RemoveResources, workspace_id: str) -> Iterator[Look]:
    """Remove originals whose upload was cut off before its commit."""
    entries = resources.blobs.list(f"originals/{workspace_id}")
    while some := list(islice(entries, _AT_ONCE)):
        old = [entry.key for entry in some if entry.modified < now() - ORPHAN_AGE]
        hashes = {key.rpartition("/")[2] for key in old}
        with work.database.read() as session:
            needed = select(VersionRow.sha256).where(
                col(VersionRow.workspace_id) == workspace_id,
                col(VersionRow.sha256).in_(hashes),
                col(VersionRow.needs_bytes).is_(True),
            )
            kept: set[str] = set(session.exec(needed))
        removed = originals.forget(work.database, resources.blobs, workspace_id, hashes - kept)
        yield _blobs(len(some), removed)


def left_behind(work: WorkResources, resources: RemoveResources, workspace_id: str) -> Iterator[Look]:
    """Remove what workers that were killed wrote for documents that are gone or went on."""
    for prefix in blob_keys.prefixes_of_documents(workspace_id):
        listed = (entry.key for entry in resources.blobs.list(prefix))
        while keys := list(islice(listed, _AT_ONCE)):
            with work.database.read() as session:
                gone = unneeded(session, keys)
            if gone:
                resources.blobs.delete(gone)
            yield _blobs(len(keys), len(gone))


def _blobs(looked_at: int, removed: int) -> Look:
    metrics.ORPHANS.labels("blob").inc(removed)
    return Look(looked_at, {"blobs_without_row": removed})
