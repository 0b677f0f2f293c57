"""The stage `indexing`: all points are written, then one flip shows the version (docs/adr/0003)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import update
from sqlmodel import col, select

from footnote_ingest.documents.access import repeated_by_points
from footnote_ingest.hints.queues import Task
from footnote_ingest.pipeline.in_work import versions_of
from footnote_ingest.pipeline.kept_points import still_there, unchanged_points
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.pipeline.live_lane import still_live, turn_to_live
from footnote_ingest.pipeline.long_work import SHORT_CHUNKS, LongWorkSlots, long_work_slot
from footnote_ingest.pipeline.staged_vectors import unpack
from footnote_ingest.store import facts, folders
from footnote_ingest.store.chunks_in_work import ChunkInWork, chunks_of_versions
from footnote_ingest.store.generations import raise_generation
from footnote_ingest.store.lanes import note_changes
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.fair import dispatch_next
from footnote_ingest.work.lease import Lease, LeasedDocument, LeaseLost
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.settling import SETTLE_AFTER, settle_soon
from footnote_ingest.work.take import take
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobMissing, BlobStore
from footnote_shared.embedding import sparse
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.counted import counted
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.vectors.protocol import LaneVersion, PointPayload, VectorPoint
from footnote_shared.vectors.visibility import groups_of, is_for_all

_DOCUMENTS_AT_ONCE = 16
_POINTS_AT_ONCE = 1000
_POINTS_APART = 200
"""A document of more chunks is written by itself: no line of text waits until its words are counted."""


@dataclass(frozen=True, slots=True)
class IndexResources:
    """What this stage needs beside the work."""

    blobs: BlobStore
    lane: LaneIndex
    slots: LongWorkSlots


@dataclass(frozen=True, slots=True)
class Ready:
    """A document all of whose points are in hand.

    `staged` is the key of its staged vectors, if these are a blob. `repeated` is what the points repeat from
    the row.
    """

    leased: LeasedDocument
    chunks: int
    staged: str | None
    repeated: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class DocumentToIndex:
    """A document with its rows, its chunks in order, and the ids of its folders, the outermost first."""

    leased: LeasedDocument
    row: DocumentRow
    version: VersionRow
    chunks: Sequence[ChunkInWork]
    folder_ids: list[str]


@dataclass(slots=True)
class Pending:
    """Documents whose points are written together. `live` is the version of the lane that they are for."""

    live: LaneVersion | None
    points: list[VectorPoint] = field(default_factory=list)
    ready: list[Ready] = field(default_factory=list)


def index_documents(work: WorkResources, resources: IndexResources, *hinted: str) -> int:
    """Make the hinted documents, and others that wait as well, visible; return how many there were for us.

    The shortest come first, so that no line of text waits for the points of somebody's book. A long document
    is written by itself and needs a slot. If there is none it goes on waiting, and whoever gives a slot back
    calls for the next one.
    """
    with work.database.read() as session:
        length = select(DocumentRow.id, DocumentRow.workspace_id).where(
            col(DocumentRow.id).in_(hinted), col(DocumentRow.chunks_in_work) > SHORT_CHUNKS
        )
        long = dict(session.exec(length).all())
    short = [document_id for document_id in hinted if document_id not in long]
    if len(hinted) == 1 and long:
        with long_work_slot(work, resources.slots, long[hinted[0]]) as found:
            return _index(work, resources, *hinted, others=0) if found else 0
    for document_id in long:
        work.dispatcher.send(Task.INDEX, document_id)
    return _index(work, resources, *short, others=max(0, _DOCUMENTS_AT_ONCE - len(short)))


def _index(work: WorkResources, resources: IndexResources, *hinted: str, others: int) -> int:
    with take(work, ("indexing",), *hinted, others=others, longest=SHORT_CHUNKS) as lease:
        live = turn_to_live(work.database, resources.lane) if lease.documents else None
        if live is None and any(leased.chunks for leased in lease.documents):
            raise Misconfigured("There is no lane for these points: its index has been removed.")
        for together in _together(lease.documents):
            pending = Pending(live)
            with lease.only(*together):
                for document in _read(work, together):
                    with lease.only(document.leased):
                        _prepare(work, resources, lease, document, pending)
            if pending.ready:
                _flush(work, resources, lease, pending)
    return len(lease.documents)


def _together(documents: Sequence[LeasedDocument]) -> list[list[LeasedDocument]]:
    """The documents whose points are written at once, those with few points first."""
    groups: list[list[LeasedDocument]] = []
    points = 0
    for leased in sorted(documents, key=lambda leased: leased.chunks):
        apart = leased.chunks > _POINTS_APART or points + leased.chunks > _POINTS_AT_ONCE
        if not groups or (points and apart):
            groups.append([])
            points = 0
        groups[-1].append(leased)
        points += leased.chunks
    return groups


def _read(work: WorkResources, documents: Sequence[LeasedDocument]) -> list[DocumentToIndex]:
    """Read the documents and their chunks in a few statements. One that was superseded is missing."""
    found: list[DocumentToIndex] = []
    with work.database.read() as session:
        versions = versions_of(session, documents)
        chunks = chunks_of_versions(session, [(leased.id, leased.version) for leased in documents])
        folder_ids: dict[str | None, list[str]] = {}
        for leased in documents:
            row, version = leased.row, versions.get(leased)
            if version is None:
                continue
            if row.folder_id not in folder_ids:
                path = folders.path_of(session, row.folder_id)
                folder_ids[row.folder_id] = folders.ids_of_path(session, row.workspace_id, path)
            own = chunks.get((leased.id, leased.version), [])
            found.append(DocumentToIndex(leased, row, version, own, folder_ids[row.folder_id]))
    return found


def _prepare(
    work: WorkResources, resources: IndexResources, lease: Lease, document: DocumentToIndex, pending: Pending
) -> None:
    leased, row, version, chunks = document.leased, document.row, document.version, document.chunks
    live = pending.live
    if chunks and live is not None and version.lane_digest != live.fingerprint.digest:
        # The lane was switched to another model after these texts had been embedded.
        _embed_again(work, lease, leased, "The lane has another model now: the vectors are made again.")
        return
    key = (
        blob_keys.vectors(leased.workspace_id, leased.id, leased.version, version.lane_digest)
        if version.lane_digest and version.staged is None
        else None
    )
    try:
        packed = resources.blobs.get(key) if key else version.staged
    except BlobMissing:
        packed = None
    vectors = unpack(packed) if packed else {}
    without = {chunk.point_id for chunk in chunks if chunk.embed_hash not in vectors}
    if without and not _stay(work, resources.lane, leased, without):
        _embed_again(work, lease, leased, "The vectors were lost on their way and are made again.")
        return
    sealed = work.database.seals
    for chunk in chunks:
        point = chunk.point_id
        if point in without:
            continue
        payload = payload_of(row, version, chunk, document.folder_ids, with_text=not sealed)
        assert live is not None, "without a lane there are no chunks"
        terms = sparse.embed_document(chunk.embed_text, chunk.language, live.terms)
        pending.points.append(VectorPoint(point, vectors[chunk.embed_hash], terms, payload))
    pending.ready.append(Ready(leased, len(chunks), key, repeated_by_points(row)))


def _stay(work: WorkResources, lane: LaneIndex, leased: LeasedDocument, points: set[str]) -> bool:
    """Whether all of these points are there and may stay as they are."""
    with work.database.read() as session:
        unchanged = unchanged_points(session, [leased])
    return points <= unchanged and points <= still_there(lane, points)


def _embed_again(work: WorkResources, lease: Lease, leased: LeasedDocument, why: str) -> None:
    try:
        with lease.commit(leased) as (session, row):
            stages.advance(session, row, "embedding", detail=why)
            stages.hand_over(row)
            work.dispatcher.send_after_commit(session, Task.EMBED, [leased.id])
    except LeaseLost:
        return


def _flush(work: WorkResources, resources: IndexResources, lease: Lease, pending: Pending) -> None:
    resources.lane.upsert(pending.points)
    settle_at = now() + SETTLE_AFTER
    published = _publish(work, resources.lane, lease, pending, settle_at)
    for ready in pending.ready:
        if ready.leased not in published:
            # The document was superseded or deleted while its points were written, so some of them may be
            # strays.
            _settle_strays(work, ready.leased)
    in_blobs = [ready for ready in pending.ready if ready.staged is not None]
    if in_blobs:
        resources.blobs.delete([ready.staged for ready in in_blobs if ready.staged is not None])
        _note_settled(work, [ready.leased.id for ready in in_blobs], settle_at)


def _publish(
    work: WorkResources, lane: LaneIndex, lease: Lease, pending: Pending, settle_at: datetime
) -> set[LeasedDocument]:
    """The flip of all these documents: one short transaction. Returns those that it published.

    After its commit every reader sees the new versions and nothing of the old ones. Staged vectors that are
    blobs still have to go. If this worker dies before that, the sweeper has the documents settled after
    `settle_at`.
    Raises `Unavailable("lane")`, and shows nothing, if the points are not those of the live version any more.
    """
    published: set[LeasedDocument] = set()
    ready = pending.ready
    with lease.commit_all([item.leased for item in ready]) as (session, rows):
        kept = still_live(session, lane, pending.live.number if pending.live else None)
        versions = versions_of(session, list(rows))
        for item in ready:
            row, version = rows.get(item.leased), versions.get(item.leased)
            if row is None or version is None:
                continue
            version.live_at = now()
            version.staged = None
            session.add(version)
            stages.publish(session, row, item.chunks, counted(item.chunks, "chunk"))
            if repeated_by_points(row) != item.repeated:
                # The document was moved, shared or withdrawn while its points were written.
                row.points_lag = True
            if row.version > 1 or row.points_lag:
                settle_soon(session, work.dispatcher, row)
            elif item.staged is not None:
                row.settle_at = row.settle_at or settle_at
            published.add(item.leased)
        note_changes(session, kept, [leased.id for leased in published], lane.number)
        # A first version without a classification has no facts: most documents cost no statement here.
        shown = [rows[leased] for leased in published]
        facts.note_live(session, [row for row in shown if row.version > 1 or facts.classification_of(row)])
        for workspace_id in sorted({leased.workspace_id for leased in published}):
            raise_generation(session, workspace_id)
            dispatch_next(session, work.dispatcher, work.policy, workspace_id)
    return published


def _note_settled(work: WorkResources, ids: list[str], settle_at: datetime) -> None:
    """Note that the staged vectors are gone. Documents that have more to settle keep their mark."""
    with work.database.write() as session:
        settled = col(DocumentRow.id).in_(ids), col(DocumentRow.settle_at) == settle_at
        in_order = select(DocumentRow.id).where(*settled).order_by(col(DocumentRow.id)).with_for_update()
        session.exec(
            update(DocumentRow)
            .where(col(DocumentRow.id).in_(list(session.exec(in_order))))
            .values(settle_at=None)
            .execution_options(synchronize_session=False)
        )


def _settle_strays(work: WorkResources, leased: LeasedDocument) -> None:
    with work.database.write() as session:
        row = session.get(DocumentRow, leased.id, with_for_update=True)
        if row is not None:
            # Some of the points that we wrote may belong to the live version too, with an outdated folder or
            # visibility.
            row.points_lag = True
            settle_soon(session, work.dispatcher, row)


def payload_of(
    row: DocumentRow,
    version: VersionRow,
    chunk: ChunkInWork,
    folder_ids: list[str],
    *,
    with_text: bool = True,
) -> PointPayload:
    """What is stored beside the vector. A search filters by it; what it shows is read from SQL.

    Texts and headings are left out where they are encrypted at rest.
    """
    return PointPayload(
        workspace_id=row.workspace_id,
        avatar_id=row.avatar_id,
        document_id=row.id,
        chunk_id=chunk.chunk_id,
        text_hash=chunk.embed_hash,
        folder_ids=tuple(folder_ids),
        connector_id=row.connector_id,
        source_type=row.source_type,
        kind=chunk.kind,
        document_type=version.mime,
        ordinal=chunk.ordinal,
        created_at=row.created_at,
        is_public=is_for_all(row.visibility, row.is_public),
        groups=groups_of(row.visibility, row.avatar_id, row.reader_groups),
        session_id=row.session_id,
        version=chunk.version,
        text=chunk.text if with_text else None,
        title=version.title,
        heading_path=tuple(chunk.heading_path) if with_text else (),
        page_start=chunk.page_start,
        page_end=chunk.page_end,
        char_start=chunk.char_start,
        char_end=chunk.char_end,
        filename=version.filename,
        source=version.filename,
        url=row.url,
    )
