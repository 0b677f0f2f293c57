"""Indexed documents without the work of an ingest: points in a vector index, live rows in the fake ingest."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from footnote_shared.contracts.documents import LiveChunk, SourceType
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.memory import MEMORY_FOLDER, MEMORY_MARK
from footnote_shared.embedding import sparse
from footnote_shared.embedding.protocol import Embedder
from footnote_shared.kernel.ids import new_id, point_id
from footnote_shared.kernel.text import text_hash
from footnote_shared.vectors.protocol import PointPayload, VectorIndex, VectorPoint
from footnote_shared.vectors.visibility import groups_of
from footnote_testing.fake_ingest import FakeIngest


@dataclass(frozen=True, slots=True)
class Book:
    """A document to be: one chunk per text.

    The defaults are those of an upload that the whole workspace may see.
    """

    title: str
    texts: Sequence[str]
    id: str = field(default_factory=new_id)
    folder_ids: tuple[str, ...] = ()
    connector_id: str | None = None
    source_type: SourceType = "upload"
    kind: str = "paragraph"
    document_type: str = "text/plain"
    created_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    session_id: str | None = None
    private: bool = False
    version: int = 1
    live: bool = True
    counted: bool = True


class Library:
    """Puts books of a workspace where a search finds them.

    With `live` false a book has points and no live rows.
    """

    def __init__(self, index: VectorIndex, lane: str, embedder: Embedder, ingest: FakeIngest) -> None:
        self._index = index
        self._lane = lane
        self._embedder = embedder
        self._ingest = ingest

    async def add(self, owner: Principal, *books: Book) -> None:
        """Open the lane, index the books, and make them live."""
        await self._index.open_lane(self._lane, self._embedder.fingerprint)
        rows = [(book, ordinal, text) for book in books for ordinal, text in enumerate(book.texts)]
        vectors = self._embedder.embed_documents([text for _, _, text in rows])
        terms_version = await self._index.terms_version(self._lane)
        points = []
        for (book, ordinal, text), dense in zip(rows, vectors, strict=True):
            tokens = (
                len(self._embedder.tokenizer.encode(text, add_special_tokens=False).ids)
                if book.counted
                else None
            )
            chunk = _chunk(book, ordinal, text, tokens)
            own = book.private or book.session_id is not None
            payload = PointPayload(
                workspace_id=owner.workspace_id,
                avatar_id=owner.avatar_id,
                document_id=book.id,
                chunk_id=chunk.chunk_id,
                text_hash=chunk.text_hash,
                folder_ids=book.folder_ids,
                connector_id=book.connector_id,
                source_type=book.source_type,
                kind=book.kind,
                document_type=book.document_type,
                ordinal=ordinal,
                created_at=book.created_at,
                session_id=book.session_id,
                groups=groups_of("private" if own else "workspace", owner.avatar_id),
                version=book.version,
            )
            points.append(
                VectorPoint(
                    point_id(book.id, chunk.chunk_id, chunk.text_hash),
                    dense,
                    sparse.embed_document(text, version=terms_version),
                    payload,
                )
            )
            if book.live:
                reader = owner.avatar_id if own else None
                self._ingest.put(
                    owner.workspace_id,
                    chunk,
                    private_to=reader,
                    folder=MEMORY_FOLDER if MEMORY_MARK in book.folder_ids else "/",
                    session_id=book.session_id,
                    folder_ids=book.folder_ids,
                )
        await self._index.upsert(self._lane, points)


def _chunk(book: Book, ordinal: int, text: str, tokens: int | None) -> LiveChunk:
    start = sum(len(other) + 1 for other in book.texts[:ordinal])
    return LiveChunk(
        document_id=book.id,
        chunk_id=f"{book.id}-{ordinal}",
        text_hash=text_hash(f"{book.title}\n{text}"),
        content_hash=text_hash(text),
        title=book.title,
        source=f"{book.title}.txt",
        text=text,
        tokens=tokens,
        ordinal=ordinal,
        kind=book.kind,
        heading_path=[book.title],
        char_start=start,
        char_end=start + len(text),
        version=book.version,
        source_type=book.source_type,
        created_at=book.created_at,
    )
