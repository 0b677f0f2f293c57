"""The chunks of many versions at once, as embedding and indexing need them."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import class_mapper
from sqlmodel import col

from footnote_ingest.store.tables import CHUNK_TEXTS, ChunkRow
from footnote_shared.db.engine import ReadSession
from footnote_shared.kernel.ids import point_id


class ChunkInWork(NamedTuple):
    """The columns of `ChunkRow` of the same names, as plain values: rows of the ORM cost twice as much."""

    document_id: str
    version: int
    chunk_id: str
    ordinal: int
    text: str
    embed_prefix: str
    embed_hash: str
    tokens: int
    kind: str
    language: str | None
    heading_path: list[str]
    page_start: int | None
    page_end: int | None
    char_start: int
    char_end: int

    @property
    def embed_text(self) -> str:
        """What the vector is made from."""
        return self.embed_prefix + self.text

    @property
    def point_id(self) -> str:
        """The point that it has in each lane."""
        return point_id(self.document_id, self.chunk_id, self.embed_hash)


_TABLE = class_mapper(ChunkRow).local_table
_COLUMNS = [_TABLE.c[name] for name in (*ChunkInWork._fields, "workspace_id", "sealed")]


def chunks_of_versions(
    session: ReadSession, versions: Collection[tuple[str, int]]
) -> dict[tuple[str, int], list[ChunkInWork]]:
    """Every chunk of these versions, in order. Each version is the id of a document and a number.

    One statement reads all that have the same number, as new documents have. A version without chunks is
    missing.
    """
    found: dict[tuple[str, int], list[ChunkInWork]] = {}
    for number in sorted({version for _, version in versions}):
        ids = [document_id for document_id, version in versions if version == number]
        statement = (
            select(*_COLUMNS)
            .where(
                col(ChunkRow.document_id).in_(ids),
                col(ChunkRow.version) == number,
                col(ChunkRow.retired_at).is_(None),
            )
            .order_by(col(ChunkRow.document_id), col(ChunkRow.ordinal))
        )
        for *values, workspace_id, sealed in session.connection().execute(statement):
            chunk = ChunkInWork(*values)
            if sealed is not None:
                key = chunk.chunk_id, chunk.version
                chunk = chunk._replace(**CHUNK_TEXTS.opened(session, key, sealed, workspace_id))
            found.setdefault((chunk.document_id, number), []).append(chunk)
    return found
