"""The stage `indexing`: all points of a version, then the flip that readers see (docs/adr/0003)."""

from dataclasses import dataclass, field

from footnote_ingest.documents.delete import SETTLE_AFTER
from footnote_ingest.pipeline.lane import LaneIndex
from footnote_ingest.pipeline.staged_vectors import unpack
from footnote_ingest.store import chunks as chunk_store
from footnote_ingest.store import folders
from footnote_ingest.store.generations import raise_generation
from footnote_ingest.store.tables import ChunkRow, DocumentRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.fair import dispatch_next
from footnote_ingest.work.lease import Bench, Claimed, Lease, LeaseLost, claim
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobMissing, BlobStore
from footnote_shared.contracts.documents import Visibility
from footnote_shared.embedding import sparse
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import point_id
from footnote_shared.tasks.queues import Task
from footnote_shared.vectors.protocol import PointPayload, VectorPoint
from footnote_shared.vectors.visibility import groups_of

_DOCUMENTS_AT_ONCE = 16
_POINTS_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class IndexTools:
    """What this stage needs beside the bench."""

    blobs: BlobStore
    lane: LaneIndex


@dataclass(frozen=True, slots=True)
class Ready:
    """A document whose points are all in hand, made for this place; `staged` is the key of its staged vectors."""

    item: Claimed
    chunks: int
    staged: str | None
    place: tuple[str | None, Visibility]


@dataclass(slots=True)
class Pending:
    """Documents whose points go to the index together."""

    points: list[VectorPoint] = field(default_factory=list)
    ready: list[Ready] = field(default_factory=list)


def index_documents(bench: Bench, tools: IndexTools, document_id: str) -> int:
    """Make the hinted document, and others that wait as well, visible; returns how many there were for us."""
    with claim(bench, ("indexing",), document_id, others=_DOCUMENTS_AT_ONCE - 1) as lease:
        pending = Pending()
        for item in lease.claimed:
            _prepare(bench, tools, lease, item, pending)
            if len(pending.points) >= _POINTS_AT_ONCE:
                _flush(bench, tools, lease, pending)
                pending = Pending()
        _flush(bench, tools, lease, pending)
    return len(lease.claimed)


def _prepare(bench: Bench, tools: IndexTools, lease: Lease, item: Claimed, pending: Pending) -> None:
    with bench.database.read() as session:
        row = session.get(DocumentRow, item.id)
        version = session.get(VersionRow, (item.id, item.version))
        if row is None or version is None or row.version != item.version:
            return
        chunks = chunk_store.of_version(session, item.id, item.version)
        folder_ids = folders.ids_of_path(session, item.workspace_id, folders.path_of(session, row.folder_id))
    key = (
        blob_keys.vectors(item.workspace_id, item.id, item.version, version.lane_digest)
        if version.lane_digest
        else None
    )
    try:
        vectors = unpack(tools.blobs.get(key)) if key else {}
    except BlobMissing:
        vectors = {}
    if any(chunk.embed_hash not in vectors for chunk in chunks):
        _embed_again(bench, lease, item)
        return
    for chunk in chunks:
        point = point_id(item.id, chunk.chunk_id, chunk.embed_hash)
        payload = payload_of(row, version, chunk, folder_ids)
        pending.points.append(
            VectorPoint(point, vectors[chunk.embed_hash], sparse.embed_document(chunk.embed_text), payload)
        )
    pending.ready.append(Ready(item, len(chunks), key, (row.folder_id, row.visibility)))


def _embed_again(bench: Bench, lease: Lease, item: Claimed) -> None:
    try:
        with lease.commit(item) as (session, row):
            stages.advance(
                session, row, "embedding", detail="The vectors were lost on their way and are made again."
            )
            stages.hand_over(row)
            bench.dispatcher.send_after_commit(session, Task.EMBED, [item.id])
    except LeaseLost:
        return


def _flush(bench: Bench, tools: IndexTools, lease: Lease, pending: Pending) -> None:
    tools.lane.upsert(pending.points)
    for ready in pending.ready:
        try:
            _publish(bench, lease, ready)
        except LeaseLost:
            # Superseded or deleted while the points were written: whatever is not of use must not stay.
            _mark_stray(bench, ready.item)
    tools.blobs.delete([ready.staged for ready in pending.ready if ready.staged is not None])


def _publish(bench: Bench, lease: Lease, ready: Ready) -> None:
    """The flip: one short transaction. From its commit on every reader sees the new version and nothing of the old."""
    item = ready.item
    with lease.commit(item) as (session, row):
        version = session.get(VersionRow, (item.id, item.version))
        if version is None:
            raise LeaseLost
        version.live_at = now()
        session.add(version)
        stages.publish(session, row, ready.chunks, f"{ready.chunks} chunks")
        raise_generation(session, row.workspace_id)
        if (row.folder_id, row.visibility) != ready.place:
            # Changed while the points were written.
            row.points_lag = True
        if row.version > 1 or row.points_lag:
            row.settle_at = now() + SETTLE_AFTER
            bench.dispatcher.send_after_commit(session, Task.REMOVE, [row.id])
        dispatch_next(session, bench.dispatcher, bench.policy, row.workspace_id)


def _mark_stray(bench: Bench, item: Claimed) -> None:
    with bench.database.write() as session:
        row = session.get(DocumentRow, item.id, with_for_update=True)
        if row is not None:
            # What it has written may be of the live version too, and hold a folder or a visibility of before.
            row.points_lag = True
            row.settle_at = now() + SETTLE_AFTER
            session.add(row)
            bench.dispatcher.send_after_commit(session, Task.REMOVE, [row.id])


def payload_of(row: DocumentRow, version: VersionRow, chunk: ChunkRow, folder_ids: list[str]) -> PointPayload:
    """What lies beside the vector; readers take everything but the filters' keys afresh from SQL."""
    return PointPayload(
        workspace_id=row.workspace_id,
        avatar_id=row.avatar_id,
        document_id=row.id,
        chunk_id=chunk.chunk_id,
        text_hash=chunk.embed_hash,
        folder_ids=tuple(folder_ids),
        source_type=row.source_type,
        kind=chunk.kind,
        document_type=version.mime,
        ordinal=chunk.ordinal,
        created_at=row.created_at,
        is_public=row.is_public,
        groups=groups_of(row.visibility, row.avatar_id),
        session_id=row.session_id,
        version=chunk.version,
        text=chunk.text,
        title=version.title,
        heading_path=tuple(chunk.heading_path),
        page_start=chunk.page_start,
        page_end=chunk.page_end,
        char_start=chunk.char_start,
        char_end=chunk.char_end,
        filename=version.filename,
        source=version.filename,
        url=row.url,
    )
