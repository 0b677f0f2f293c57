"""Bringing documents into a version of a lane: afterwards it has what SQL says, whatever it had before.

This is safe to repeat. The first copy, a change of a document and its removal are the same step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlmodel import col, select

from footnote_ingest.pipeline.index import payload_of
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.store import chunks as chunk_store
from footnote_ingest.store import folders
from footnote_ingest.store.chunks_in_work import ChunkInWork, chunks_of_versions
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_shared.db.engine import Database
from footnote_shared.embedding import sparse
from footnote_shared.embedding.protocol import Embedder
from footnote_shared.kernel.ids import point_id
from footnote_shared.telemetry import metrics
from footnote_shared.vectors.protocol import VectorPoint

_TEXTS_AT_ONCE = 64
"""Chunks between two signs of life. They take seconds on a slow processor, and a lease lasts a minute."""

Dense = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LaneTarget:
    """A version that documents are brought into, and what makes its vectors.

    `same` is another version of equal vectors, which need not be made twice. `with_text`: points hold the
    text, which they do not where text is encrypted at rest.
    """

    lane: LaneIndex
    embedder: Embedder
    terms: int
    same: LaneIndex | None = None
    with_text: bool = True


@dataclass(frozen=True, slots=True)
class Brought:
    """How much was brought in, and how many of the texts had to be embedded."""

    documents: int = 0
    chunks: int = 0
    embedded: int = 0


@dataclass(frozen=True, slots=True)
class _Shown:
    """A document that readers see. `keep` are its points that may be in the version."""

    row: DocumentRow
    version: VersionRow
    chunks: list[ChunkInWork]
    folder_ids: list[str]
    keep: set[str]


def bring(
    database: Database, target: LaneTarget, document_ids: Sequence[str], alive: Callable[[], None]
) -> Brought:
    """Bring these documents in. A deleted one goes. `alive` is called between portions, and may raise."""
    shown = _read(database, document_ids)
    for document_id in document_ids:
        if document_id not in shown:
            target.lane.delete_document(document_id)
    wanted = [(document, chunk) for document in shown.values() for chunk in document.chunks]
    embedded = 0
    for start in range(0, len(wanted), _TEXTS_AT_ONCE):
        embedded += _write(target, wanted[start : start + _TEXTS_AT_ONCE], alive)
    for document_id, document in shown.items():
        target.lane.delete(sorted(target.lane.of_document(document_id) - document.keep))
    return Brought(len(shown), len(wanted), embedded)


def _read(database: Database, document_ids: Sequence[str]) -> dict[str, _Shown]:
    """The documents that readers see, in one snapshot."""
    with database.read() as session:
        visible = col(DocumentRow.id).in_(document_ids), col(DocumentRow.deleted_at).is_(None)
        statement = (
            select(DocumentRow, VersionRow)
            .join(VersionRow, col(VersionRow.document_id) == col(DocumentRow.id))
            .where(*visible, col(VersionRow.version) == col(DocumentRow.live_version))
        )
        rows = [(row, version) for row, version in session.exec(statement)]
        chunks = chunks_of_versions(session, [(row.id, version.version) for row, version in rows])
        return {
            row.id: _Shown(
                row,
                version,
                chunks.get((row.id, version.version), []),
                folders.ids_of_path(session, row.workspace_id, folders.path_of(session, row.folder_id)),
                # What is being indexed at the moment may be there before it is shown.
                chunk_store.points_of_versions(session, row.id, sorted({version.version, row.version})),
            )
            for row, version in rows
        }


def _write(
    target: LaneTarget, wanted: Sequence[tuple[_Shown, ChunkInWork]], alive: Callable[[], None]
) -> int:
    ids = [point_id(chunk.document_id, chunk.chunk_id, chunk.embed_hash) for _, chunk in wanted]
    have: dict[str, Dense] = {point: found.dense for point, found in target.lane.vectors(ids).items()}
    if target.same is not None:
        missing = [point for point in ids if point not in have]
        have |= {point: found.dense for point, found in target.same.vectors(missing).items()}
    texts = {
        chunk.embed_hash: chunk.embed_text
        for point, (_, chunk) in zip(ids, wanted, strict=True)
        if point not in have
    }
    made = (
        dict(zip(texts, target.embedder.embed_documents(list(texts.values())), strict=True)) if texts else {}
    )
    metrics.EMBEDDED.labels("computed").inc(len(made))
    # Whoever was paused for longer than the lease must not write over what another one has written since.
    alive()
    target.lane.upsert(
        [
            VectorPoint(
                point,
                have[point] if point in have else made[chunk.embed_hash],
                sparse.embed_document(chunk.embed_text, chunk.language, target.terms),
                payload_of(
                    document.row, document.version, chunk, document.folder_ids, with_text=target.with_text
                ),
            )
            for point, (document, chunk) in zip(ids, wanted, strict=True)
        ]
    )
    return len(made)
