"""Removing for good what no reader sees any more.

These are deleted documents, earlier versions, and strays of a superseded version. The points that stay are
told in which folder their document lies now, and who sees it.
"""

from dataclasses import dataclass

from sqlalchemy import update
from sqlmodel import col, select

from footnote_ingest.documents import originals
from footnote_ingest.documents.access import repeated_by_points
from footnote_ingest.documents.receipt import note_found
from footnote_ingest.pipeline.fact_points import keep_points, tell_points
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.pipeline.live_lane import kept_beside, turn_to_live
from footnote_ingest.pipeline.unneeded_blobs import unneeded
from footnote_ingest.store import chunks as chunk_store
from footnote_ingest.store import facts as fact_store
from footnote_ingest.store import folders
from footnote_ingest.store.generations import raise_generation
from footnote_ingest.store.kept_texts import KeptLimits, keep_workspace_within, retire
from footnote_ingest.store.lanes import held as held_lane
from footnote_ingest.store.lanes import note_changes
from footnote_ingest.store.summaries import drop_outdated
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.settling import SETTLE_AFTER
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.db.awaited_moments import is_over
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.vectors.protocol import PayloadValue
from footnote_shared.vectors.visibility import groups_of, is_for_all


@dataclass(frozen=True, slots=True)
class RemoveResources:
    """What removing needs beside the database: the object store, and the lanes of documents and of facts.

    `kept` says how many texts of earlier versions stay.
    """

    blobs: BlobStore
    lane: LaneIndex
    facts: LaneIndex
    kept: KeptLimits


def settle(database: Database, resources: RemoveResources, document_id: str) -> bool:
    """Remove what the document has left behind. Returns False if there is nothing.

    This is safe to repeat and to race. What has to go is found by a comparison, not in a list that was made
    earlier. So this also finds what a killed or paused worker left.
    """
    with database.read() as session:
        row = session.get(DocumentRow, document_id)
        if row is None or row.settle_at is None:
            return False
        versions = list(session.exec(select(VersionRow).where(col(VersionRow.document_id) == document_id)))
        has_facts = fact_store.has_work(session, document_id)
    if row.points_lag or any(version.lane_digest for version in versions):
        turn_to_live(database, resources.lane, even_closed=True)
    if has_facts:
        _settle_facts(database, resources.facts, row)
    if row.deleted_at is not None:
        _remove_document(database, resources, row, versions)
    else:
        _remove_earlier(database, resources, row, versions)
    return True


def _settle_facts(database: Database, lane: LaneIndex, row: DocumentRow) -> None:
    """Remove the facts that went with their passages, and have the others seen by whoever sees the document.

    What a deleted document has in SQL goes with the rest of it, so that the receipt counts it.
    """
    deleted = row.deleted_at is not None
    with database.write() as session:
        if not deleted:
            fact_store.drop_dead(session, row.id)
        keep = set() if deleted else fact_store.ids_of_document(session, row.id)
    if not deleted:
        drop_outdated(database, row.id)
    keep_points(lane, row.id, keep)
    if keep and row.points_lag:
        tell_points(lane, row.id, _told(database, row.id))


def _told(database: Database, document_id: str) -> dict[str, PayloadValue]:
    """What points repeat of their document, as it is now."""
    with database.read() as session:
        row = session.get(DocumentRow, document_id)
        if row is None:
            return {}
        path = folders.path_of(session, row.folder_id)
        folder_ids = folders.ids_of_path(session, row.workspace_id, path)
    return {
        "folder_ids": folder_ids,
        "groups": groups_of(row.visibility, row.avatar_id, row.reader_groups),
        "is_public": is_for_all(row.visibility, row.is_public),
        "filename": row.filename,
        "source": row.filename,
        "url": row.url,
        "avatar_id": row.avatar_id,
    }


def _remove_document(
    database: Database, resources: RemoveResources, row: DocumentRow, versions: list[VersionRow]
) -> None:
    blobs = _blobs_to_remove(database, resources, row)
    # A document that never reached the index has no points, and the lane may not have been made yet. If it is
    # deleted already, a worker that came late has noted that it wrote some.
    late = row.status == "deleted" and row.points_lag
    has_points = late or any(version.lane_digest for version in versions)
    lanes = [resources.lane, *kept_beside(database, resources.lane)] if has_points else []
    points = sum(len(lane.of_document(row.id)) for lane in lanes)
    with database.write() as session:
        held = _still_ours(session, row)
        if held is None:
            return
        note_found(held, {"vectors": points, "blobs": len(blobs)})
        session.add(held)
        _release_bytes(session, row.id, [version.version for version in versions])
    if blobs:
        resources.blobs.delete(blobs)
    for lane in lanes:
        lane.delete_document(row.id)
    # The rows of the versions go last, because a run after a crash learns from them which bytes may go.
    hashes = [version.sha256 for version in versions]
    bytes_gone = originals.forget(database, resources.blobs, row.workspace_id, hashes)
    with database.write() as session:
        held = _still_ours(session, row)
        if held is None:
            return
        note_changes(session, held_lane(session, resources.lane.lane), [row.id], resources.lane.number)
        raise_generation(session, row.workspace_id)
        gone = {"facts": fact_store.drop_document(session, row.id)}
        gone["rows"] = chunk_store.drop_document(session, row.id)
        note_found(held, {**gone, "originals": bytes_gone})
        held.points_lag = False
        if held.status == "deleting":
            stages.end_deletion(session, held)
        else:
            held.settle_at = None
        if held.lease_until is not None and not is_over(held.lease_until, held.longest_ahead):
            # Its worker was interrupted and may write once more: look again when that is over.
            held.settle_at = held.lease_until + SETTLE_AFTER
        session.add(held)


def _remove_earlier(
    database: Database, resources: RemoveResources, row: DocumentRow, versions: list[VersionRow]
) -> None:
    # The points are listed before the versions. A version that is chunked in between counts as used and keeps
    # its points.
    indexed = any(version.lane_digest for version in versions)
    present = resources.lane.of_document(row.id) if indexed else set()
    with database.read() as session:
        current = session.get(DocumentRow, row.id)
        if current is None or current.deleted_at is not None:
            return
        used = {v for v in (current.live_version, current.version) if v is not None}
        keep = chunk_store.points_of_versions(session, row.id, sorted(used))
        told = repeated_by_points(current)
        folder_ids = folders.ids_of_path(
            session, row.workspace_id, folders.path_of(session, current.folder_id)
        )
    resources.lane.delete(sorted(present - keep))
    if indexed and current.points_lag:
        groups = groups_of(current.visibility, current.avatar_id, current.reader_groups)
        resources.lane.set_payload(
            row.id,
            {
                "folder_ids": folder_ids,
                "groups": groups,
                "is_public": is_for_all(current.visibility, current.is_public),
                "filename": current.filename,
                "source": current.filename,
                "url": current.url,
                "avatar_id": current.avatar_id,
            },
        )
    _remove_blobs(database, resources, row)
    earlier = [version for version in versions if version.version not in used]
    with database.write() as session:
        held = _still_ours(session, row)
        if held is None:
            return
        _release_bytes(session, row.id, [version.version for version in earlier])
        if held.status not in stages.IN_WORK:
            _forget_staged(session, row.id, [version.version for version in versions])
        keeps = retire(session, held, resources.kept)
    if keeps:
        keep_workspace_within(database, row.workspace_id, resources.kept)
    originals.forget(database, resources.blobs, row.workspace_id, [version.sha256 for version in earlier])
    with database.write() as session:
        held = session.get(DocumentRow, row.id, with_for_update=True)
        if held is None or held.deleted_at is not None:
            return
        # Points have gone or have other payloads. What was found before that must not be taken for new.
        note_changes(session, held_lane(session, resources.lane.lane), [row.id], resources.lane.number)
        raise_generation(session, row.workspace_id)
        if repeated_by_points(held) != told:
            # The document changed meanwhile, and what we told its points may be outdated: settle it once
            # more.
            held.points_lag = True
            held.settle_at = now()
        elif held.settle_at == row.settle_at:
            held.settle_at = None
            held.points_lag = False
        session.add(held)


def _remove_blobs(database: Database, resources: RemoveResources, row: DocumentRow) -> None:
    gone = _blobs_to_remove(database, resources, row)
    if gone:
        resources.blobs.delete(gone)


def _blobs_to_remove(database: Database, resources: RemoveResources, row: DocumentRow) -> list[str]:
    """The keys of what the document's versions have left in the object store, their originals aside."""
    listed = [
        entry.key
        for prefix in blob_keys.document_prefixes(row.workspace_id, row.id)
        for entry in resources.blobs.list(prefix)
    ]
    with database.read() as session:
        return unneeded(session, listed)


def _still_ours(session: WriteSession, row: DocumentRow) -> DocumentRow | None:
    """The row, locked; None if it was asked for anew meanwhile, because then another run ends the work."""
    held = session.get(DocumentRow, row.id, with_for_update=True)
    return held if held is not None and held.settle_at == row.settle_at else None


def _release_bytes(session: WriteSession, document_id: str, versions: list[int]) -> None:
    session.exec(
        update(VersionRow)
        .where(col(VersionRow.document_id) == document_id, col(VersionRow.version).in_(versions))
        .values(needs_bytes=False, staged=None)
        .execution_options(synchronize_session=False)
    )


def _forget_staged(session: WriteSession, document_id: str, versions: list[int]) -> None:
    """Nobody will index these vectors: another try begins from the bytes."""
    session.exec(
        update(VersionRow)
        .where(
            col(VersionRow.document_id) == document_id,
            col(VersionRow.version).in_(versions),
            col(VersionRow.staged).is_not(None),
        )
        .values(staged=None)
        .execution_options(synchronize_session=False)
    )
