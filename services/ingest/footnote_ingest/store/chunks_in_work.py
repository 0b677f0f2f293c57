"""The chunks of many versions at once, as embedding and indexing need them."""

from collections.abc import Collection
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Select, bindparam, select
from sqlalchemy.orm import class_mapper

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
        given = {"ids": ids, "number": number}
        for *values, workspace_id, sealed in session.connection().execute(_of_documents(), given):
            chunk = ChunkInWork(*values)
            if sealed is not None:
                key = chunk.chunk_id, chunk.version
                chunk = chunk._replace(**CHUNK_TEXTS.opened(session, key, sealed, workspace_id))
            found.setdefault((chunk.document_id, number), []).append(chunk)
    return found


@cache
def _of_documents() -> Select[Any]:
    """To build it takes as long as to run it."""
    return (
        select(*_COLUMNS)
        .where(
            _TABLE.c.document_id.in_(bindparam("ids", expanding=True)),
            _TABLE.c.version == bindparam("number"),
            _TABLE.c.retired_at.is_(None),
        )
        .order_by(_TABLE.c.document_id, _TABLE.c.ordinal)
    )
