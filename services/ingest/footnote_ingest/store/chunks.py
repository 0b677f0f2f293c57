"""Chunks: those that are live, those that a reader lists, and the rows of one version."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Delete, Select, String, and_, any_, bindparam, insert, or_
from sqlalchemy import delete as sql_delete
from sqlalchemy import select as select_columns
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import class_mapper
from sqlalchemy.sql.elements import UnaryExpression
from sqlalchemy.sql.operators import custom_op
from sqlmodel import SQLModel, col, delete, select

from footnote_ingest.store.on_the_spot import AT_ONCE, named_at_once, padded
from footnote_ingest.store.scope import CallerToCome, in_memory, visible_documents
from footnote_ingest.store.tables import CHUNK_TEXTS, ChunkRow, DocumentRow, VersionRow
from footnote_shared.contracts.documents import ChunkRef
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.kernel.clock import rfc3339
from footnote_shared.kernel.ids import point_id

NEIGHBOURS = 2
"""How many neighbours of a chunk are shown on each side."""

LIVE = and_(
    col(ChunkRow.document_id) == col(DocumentRow.id),
    col(ChunkRow.version) == col(DocumentRow.live_version),
    col(ChunkRow.retired_at).is_(None),
)
"""The chunks that readers see, with their documents."""

_OF_VERSION = and_(
    col(VersionRow.document_id) == col(DocumentRow.id), col(VersionRow.version) == col(ChunkRow.version)
)


def _columns() -> dict[str, ColumnElement[Any]]:
    """What a passage shows, by the names of `LiveChunk`.

    These are plain columns, because rows that pass through the ORM take half as long again.
    """
    chunks, documents, versions = (
        class_mapper(table).local_table.c for table in (ChunkRow, DocumentRow, VersionRow)
    )
    own = (
        "document_id",
        "chunk_id",
        "text",
        "tokens",
        "ordinal",
        "kind",
        "language",
        "code_language",
        "heading_path",
        "page_start",
        "page_end",
        "char_start",
        "char_end",
    )
    return {
        **{name: chunks[name] for name in own},
        # The wire calls the hash of what the vector was made from `text_hash`.
        "text_hash": chunks.embed_hash,
        "content_hash": chunks.text_hash,
        "version": chunks.version,
        "sealed": chunks.sealed,
        "title": versions.title,
        "source": versions.filename,
        "source_type": documents.source_type,
        "url": documents.url,
        "created_at": documents.created_at,
    }


_SHOWN = _columns()


def live_chunks(
    session: ReadSession, principal: Principal, refs: Sequence[ChunkRef], *, memory: bool = False
) -> list[dict[str, object]]:
    """Those of the chunks that are live with exactly this text, in a document that the caller sees.

    Either documents of memory alone are looked at, or all others.

    One statement is one snapshot: all chunks of a document are of the old version, or all are of the new one.
    The answer has the JSON form of `LiveChunk`. Every search waits for it, and to make models would cost as
    much as to read the rows.
    """
    statement = _live_statement(
        session.get_bind().dialect.name, bool(principal.groups), principal.session_id is not None, memory
    )
    # PostgreSQL refuses to compare NUL.
    chunk_ids = sorted({ref.chunk_id for ref in refs if "\0" not in ref.chunk_id})
    given = {**CallerToCome.named(principal), "chunk_ids": chunk_ids}
    rows = session.connection().execute(statement, given)
    return _as_asked(refs, (_opened(session, principal, values) for values in rows))


def live_chunks_at_once(
    database: Database, principal: Principal, refs: Sequence[ChunkRef], *, memory: bool = False
) -> list[dict[str, object]] | None:
    """The same without a session, for few chunks on SQLite; None where `live_chunks` has to read them.

    A session and the way into its thread and back take ten times as long as the rows.
    """
    named = named_at_once(principal)
    if named is None or not 0 < len(refs) <= AT_ONCE:
        return None
    given = {**named, "chunk_ids": padded([ref.chunk_id for ref in refs])}
    statement = _live_statement("sqlite", bool(principal.groups), False, memory)
    rows = database.rows_at_once(statement, given)
    if rows is None:
        return None
    chunks = [_chunk(values) for values in rows]
    # To decrypt is work for a thread.
    return _as_asked(refs, chunks) if all(one.pop("sealed") is None for one in chunks) else None


def live_around(
    session: ReadSession,
    principal: Principal,
    items: Sequence[Mapping[str, Any]],
    places: int,
    *,
    memory: bool = False,
) -> list[dict[str, Any]]:
    """The live chunks at most `places` before or behind each of `items`, themselves among them, in order.

    `items` are what `live_chunks` gave. A document that the caller does not see has none here either.
    """
    if not items:
        return []
    near = or_(
        *(
            and_(
                col(ChunkRow.document_id) == item["document_id"],
                col(ChunkRow.version) == item["version"],
                col(ChunkRow.ordinal).between(item["ordinal"] - places, item["ordinal"] + places),
            )
            for item in items
        )
    )
    dialect = session.get_bind().dialect.name
    statement = (
        _shown_rows()
        .where(near, _checked_last(dialect, and_(visible_documents(principal), in_memory(principal, memory))))
        .order_by(col(ChunkRow.document_id), col(ChunkRow.ordinal))
    )
    return [_opened(session, principal, values) for values in session.connection().execute(statement)]


def _as_asked(refs: Sequence[ChunkRef], chunks: Iterable[dict[str, Any]]) -> list[dict[str, object]]:
    """Those with exactly the texts that were asked for, in the order in which they were."""
    wanted = dict.fromkeys((ref.document_id, ref.chunk_id, ref.text_hash) for ref in refs)
    found = {(chunk["document_id"], chunk["chunk_id"], chunk["text_hash"]): chunk for chunk in chunks}
    return [found[key] for key in wanted if key in found]


def _opened(session: ReadSession, principal: Principal, values: Iterable[Any]) -> dict[str, Any]:
    chunk = _chunk(values)
    sealed = chunk.pop("sealed")
    if sealed is not None:
        content = CHUNK_TEXTS.opened(
            session, (chunk["chunk_id"], chunk["version"]), sealed, principal.workspace_id
        )
        chunk["text"], chunk["heading_path"] = content["text"], content["heading_path"]
    return chunk


def _chunk(values: Iterable[Any]) -> dict[str, Any]:
    chunk = dict(zip(_SHOWN, values, strict=True))
    chunk["created_at"] = rfc3339(chunk["created_at"])
    return chunk


def _shown_rows() -> Select[Any]:
    return (
        select_columns(*_SHOWN.values())
        .join(class_mapper(DocumentRow).local_table, LIVE)
        .join(class_mapper(VersionRow).local_table, _OF_VERSION)
    )


@cache
def _live_statement(dialect: str, in_groups: bool, in_session: bool, memory: bool) -> Select[Any]:
    """To build it takes as long as to run it."""
    caller = CallerToCome.make(in_groups=in_groups, in_session=in_session)
    return _shown_rows().where(
        _among(dialect),
        _checked_last(dialect, and_(visible_documents(caller), in_memory(caller, memory))),
    )


def _among(dialect: str) -> ColumnElement[bool]:
    """On PostgreSQL the ids are one array, because a hundred separate parameters cost a millisecond."""
    if dialect == "postgresql":
        return col(ChunkRow.chunk_id) == any_(bindparam("chunk_ids", type_=ARRAY(String)))
    return col(ChunkRow.chunk_id).in_(bindparam("chunk_ids", expanding=True))


def _checked_last(dialect: str, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Keep SQLite from starting with this condition.

    It would read all chunks of all documents of the workspace. A unary plus hides a term from the choice of
    an index (https://www.sqlite.org/optoverview.html, "Disqualifying WHERE Clause Terms").
    """
    if dialect == "sqlite":
        return UnaryExpression(condition.self_group(), operator=custom_op("+"))
    return condition


def listed(session: ReadSession, document: DocumentRow, limit: int, after: int | None) -> list[ChunkRow]:
    """Chunks of the live version, in order; none before the document is live."""
    statement = select(ChunkRow).where(
        col(ChunkRow.document_id) == document.id,
        col(ChunkRow.version) == document.live_version,
        col(ChunkRow.retired_at).is_(None),
    )
    if after is not None:
        statement = statement.where(col(ChunkRow.ordinal) > after)
    return list(session.exec(statement.order_by(col(ChunkRow.ordinal)).limit(limit)))


def around(
    session: ReadSession, document: DocumentRow, chunk_id: str, since: int
) -> tuple[list[ChunkRow], bool]:
    """A chunk with its neighbours, and whether it is a tombstone.

    A tombstone stands alone. The list is empty if no version from `since` on showed such a chunk, or if its
    text is no longer kept.
    """
    shown = and_(col(VersionRow.document_id) == document.id, col(VersionRow.version) == col(ChunkRow.version))
    statement = (
        select(ChunkRow)
        .join(VersionRow, shown)
        .where(
            col(ChunkRow.document_id) == document.id,
            col(ChunkRow.chunk_id) == chunk_id,
            col(ChunkRow.version) >= since,
            col(VersionRow.live_at).is_not(None),
        )
        .order_by(col(ChunkRow.version).desc())
    )
    newest = session.exec(statement).first()
    if newest is None:
        return [], False
    if newest.version != document.live_version or newest.retired_at is not None:
        return [newest], True
    near = select(ChunkRow).where(
        col(ChunkRow.document_id) == document.id,
        col(ChunkRow.version) == document.live_version,
        col(ChunkRow.retired_at).is_(None),
        col(ChunkRow.ordinal).between(newest.ordinal - NEIGHBOURS, newest.ordinal + NEIGHBOURS),
    )
    return list(session.exec(near.order_by(col(ChunkRow.ordinal)))), False


def of_version(session: ReadSession | WriteSession, document_id: str, version: int | None) -> list[ChunkRow]:
    """Every chunk of one version, in order; none if the version is None."""
    if version is None:
        return []
    statement = select(ChunkRow).where(
        col(ChunkRow.document_id) == document_id,
        col(ChunkRow.version) == version,
        col(ChunkRow.retired_at).is_(None),
    )
    return list(session.exec(statement.order_by(col(ChunkRow.ordinal))))


def kept_texts(session: ReadSession, document_id: str, limit: int) -> list[tuple[str, int, int, str]]:
    """Every text of the document that readers have seen: id, version, ordinal and hash of each row."""
    shown = and_(col(VersionRow.document_id) == document_id, col(VersionRow.version) == col(ChunkRow.version))
    statement = (
        select(ChunkRow.chunk_id, ChunkRow.version, ChunkRow.ordinal, ChunkRow.text_hash)
        .join(VersionRow, shown)
        .where(col(ChunkRow.document_id) == document_id, col(VersionRow.live_at).is_not(None))
        .limit(limit)
    )
    return [(row[0], row[1], row[2], row[3]) for row in session.exec(statement)]


def texts(
    session: ReadSession, document_id: str, wanted: set[tuple[str, int]]
) -> dict[tuple[str, int], ChunkRow]:
    """Rows by id and version. A row that went meanwhile is missing."""
    ids = {chunk_id for chunk_id, _ in wanted}
    statement = select(ChunkRow).where(
        col(ChunkRow.document_id) == document_id,
        col(ChunkRow.chunk_id).in_(ids),
        col(ChunkRow.version).in_({version for _, version in wanted}),
    )
    return {(row.chunk_id, row.version): row for row in session.exec(statement)}


def points_of_versions(session: ReadSession, document_id: str, versions: Sequence[int]) -> set[str]:
    """The ids of the vector points of these versions."""
    statement = select(ChunkRow.chunk_id, ChunkRow.embed_hash).where(
        col(ChunkRow.document_id) == document_id,
        col(ChunkRow.version).in_(versions),
        col(ChunkRow.retired_at).is_(None),
    )
    return {point_id(document_id, chunk_id, embed_hash) for chunk_id, embed_hash in session.exec(statement)}


def live_twins(session: ReadSession, workspace_id: str, embed_hashes: Sequence[str]) -> dict[str, str]:
    """For texts that a live document of the workspace has: the point with the vector, by embed hash."""
    given = {"workspace_id": workspace_id, "hashes": embed_hashes}
    return {
        embed_hash: point_id(document_id, chunk_id, embed_hash)
        for embed_hash, document_id, chunk_id in session.connection().execute(_twins(), given)
    }


@cache
def _twins() -> Select[Any]:
    """To build it takes as long as to run it."""
    chunks = class_mapper(ChunkRow).local_table.c
    return (
        select_columns(chunks.embed_hash, chunks.document_id, chunks.chunk_id)
        .join(class_mapper(DocumentRow).local_table, LIVE)
        .where(
            chunks.workspace_id == bindparam("workspace_id"),
            chunks.embed_hash.in_(bindparam("hashes", expanding=True)),
            col(DocumentRow.deleted_at).is_(None),
        )
    )


def add(session: WriteSession, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows, each of which has a value for every column."""
    if rows:
        session.connection().execute(insert(ChunkRow), CHUNK_TEXTS.sealed_rows(session, rows))


def drop_versions(session: WriteSession, versions: Sequence[tuple[str, int]]) -> None:
    """Delete what an earlier try left of versions. Each is the id of a document and a number."""
    for number in sorted({version for _, version in versions}):
        ids = [document_id for document_id, version in versions if version == number]
        session.connection().execute(_deletion(), {"ids": ids, "number": number})


@cache
def _deletion() -> Delete:
    table = SQLModel.metadata.tables[str(ChunkRow.__tablename__)]
    named = table.c.document_id.in_(bindparam("ids", expanding=True))
    return sql_delete(table).where(named, table.c.version == bindparam("number"))


def drop_document(session: WriteSession, document_id: str) -> int:
    """Delete every chunk and version of a document; return how many rows that were."""
    chunks = session.exec(delete(ChunkRow).where(col(ChunkRow.document_id) == document_id)).rowcount
    versions = session.exec(delete(VersionRow).where(col(VersionRow.document_id) == document_id)).rowcount
    return chunks + versions
