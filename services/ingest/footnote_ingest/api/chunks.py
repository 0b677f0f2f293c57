"""Chunks: those of one document in order, and the batch read of what is live (spec 4.2.5)."""

from typing import Annotated

import orjson
from fastapi import APIRouter, Query
from fastapi.responses import Response

from footnote_ingest.documents.access import first_shown
from footnote_ingest.documents.view import chunk_view
from footnote_ingest.store import chunks as store
from footnote_ingest.store import documents, folders
from footnote_ingest.store.generations import generation, generation_now
from footnote_shared.clients.in_process import DirectCall
from footnote_shared.contracts.documents import ChunkLookup, ChunkPage, LiveChunks
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.ids import is_id
from footnote_shared.web.body_limits import LARGE_BODY, body_limit
from footnote_shared.web.dependencies import Edge, FromNeighbour, Reader, ReadUnit, require
from footnote_shared.web.paging import Cursor, Limit, cut_page, key_of
from footnote_shared.web.problems import valid_body

router = APIRouter(tags=["chunks"])

LOOKUP = "/v1/chunks:lookup"
"""The path of the batch read, which every search asks."""

_WITH_NEIGHBOURS = 100
"""Chunks whose neighbours are read in one call."""


@router.get("/v1/documents/{document_id}/chunks", summary="The live version's chunks in order")
def list_chunks(
    document_id: str,
    principal: Reader,
    session: ReadUnit,
    around: Annotated[
        str | None,
        Query(description="Only this chunk, which may be a tombstone, with two neighbours on each side."),
    ] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> ChunkPage:
    document = documents.get(session, principal, document_id)
    version = documents.live_version(session, document.row)
    title = version.title if version is not None else document.row.title
    page = ChunkPage(
        document_id=document.row.id,
        title=title,
        source=document.row.filename,
        session_id=document.row.session_id,
        items=[],
    )
    if around is not None:
        if not is_id(around):
            raise NotFound
        since = first_shown(document.row, principal)
        rows, tombstone = store.around(session, document.row, around, since)
        if not rows:
            raise NotFound
        return page.model_copy(update={"items": [chunk_view(row, tombstone=tombstone) for row in rows]})
    found = store.listed(session, document.row, limit + 1, key_of(cursor, int))
    rows, next_cursor = cut_page(found, limit, lambda row: (row.ordinal,))
    return page.model_copy(update={"items": [chunk_view(row) for row in rows], "next_cursor": next_cursor})


@router.post(
    LOOKUP,
    summary="Which chunks are live and visible, with what a passage shows",
    response_model=LiveChunks,
)
@body_limit(LARGE_BODY)
async def lookup(body: ChunkLookup, principal: Reader, from_neighbour: FromNeighbour, edge: Edge) -> Response:
    """One snapshot of SQL.

    A chunk that is missing in the answer is not live, not visible, not of this text, or on the other side of
    the line between memory and all other documents.
    """

    return Response(
        await _looked_up(edge.database, principal, body, counted=from_neighbour),
        media_type="application/json",
    )


def direct_lookup(database: Database) -> DirectCall:
    """The same for a service of this process, which has the caller from its own door."""

    async def answer(caller: Principal, body: bytes) -> bytes:
        require(caller, "read")
        asked = valid_body(ChunkLookup, body)
        return await _looked_up(database, caller, asked, counted=True)

    return answer


async def _looked_up(database: Database, principal: Principal, body: ChunkLookup, *, counted: bool) -> bytes:
    """The answer in JSON. `counted`: with the generation, which neighbours alone are told."""
    if counted and not body.refs:
        # Whoever has a result in a cache asks for nothing else.
        value = await generation_now(database, principal.workspace_id)
        return orjson.dumps({"items": [], "generation": value})

    if database.is_sqlite and not body.folders and body.around is None:
        # The generation first: what is newer than it is kept under one that nobody is given any more.
        before = await generation_now(database, principal.workspace_id) if counted else None
        few = store.live_chunks_at_once(database, principal, body.refs, memory=bool(body.memory))
        if few is not None:
            return _encoded({"items": few}, before)

    def read_and_encode(session: ReadSession) -> bytes:
        value = generation(session, principal.workspace_id) if counted else None
        items = store.live_chunks(session, principal, body.refs, memory=bool(body.memory))
        answer: dict[str, object] = {"items": items}
        if body.folders:
            lies_in = folders.of_documents(session, principal, (str(one["document_id"]) for one in items))
            for one in items:
                one["folder_ids"] = lies_in.get(str(one["document_id"]), [])
        if body.around is not None:
            answer["around"] = store.live_around(
                session, principal, items[:_WITH_NEIGHBOURS], body.around, memory=bool(body.memory)
            )
        return _encoded(answer, value)

    return await database.read_async(read_and_encode)


def _encoded(answer: dict[str, object], generation: int | None) -> bytes:
    return orjson.dumps(answer if generation is None else {**answer, "generation": generation})
