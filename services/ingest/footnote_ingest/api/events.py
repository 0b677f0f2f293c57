"""A document's timeline, as JSON or live as server-sent events (spec 3.2)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import Response

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.api.timeline_readers import TimelineReaders
from footnote_ingest.documents.timeline import timeline_for
from footnote_ingest.store import documents as store
from footnote_shared.contracts.documents import ENDED, Status, Timeline, Transition
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.web.dependencies import Edge, Reader
from footnote_shared.web.sse import HEARTBEAT, encode_event, event_stream

router = APIRouter(tags=["documents"])
_HEARTBEAT_S = 15.0
_LAST: frozenset[Status] = ENDED | {"deleting"}


@router.get(
    "/v1/documents/{document_id}/events",
    summary="The timeline; with `Accept: text/event-stream` live until the document has ended",
    response_model=Timeline,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(
    document_id: str,
    principal: Reader,
    edge: Edge,
    resources: Resources,
    accept: Annotated[str, Header()] = "",
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    def read(session: ReadSession) -> list[Transition]:
        return timeline_for(session, principal, store.get(session, principal, document_id).row)

    rows = await edge.database.read_async(read)
    if "text/event-stream" in accept:
        after = _number(last_event_id)
        resources.readers.check_room(principal.workspace_id)
        return event_stream(follow(edge.database, resources.readers, principal, document_id, after))
    timeline = Timeline(items=rows)
    return Response(timeline.model_dump_json(), media_type="application/json")


def _number(last_event_id: str | None) -> int:
    if last_event_id is None:
        return 0
    if not last_event_id.isdecimal() or len(last_event_id) > 9:
        raise InvalidRequest(
            "Not valid: Last-Event-ID.", errors=[FieldError("Last-Event-ID", "is not an id of this stream")]
        )
    return int(last_event_id)


async def follow(
    database: Database, readers: TimelineReaders, principal: Principal, document_id: str, after: int
) -> AsyncIterator[bytes]:
    """The rows after `after` as they come, as long as the caller may see the document.

    No transaction is open between two looks.
    """

    def look(session: ReadSession) -> tuple[list[Transition], Status | None]:
        # The status is read first. If it says that the document has ended, the rows that are read next
        # include the end.
        row = store.still_seen(session, principal, document_id)
        return ([], None) if row is None else (timeline_for(session, principal, row, after), row.status)

    loop = asyncio.get_running_loop()
    quiet_since = loop.time()
    with readers.reading(principal.workspace_id):
        while True:
            rows, status = await database.read_async(look)
            for row in rows:
                after = row.seq
                yield encode_event(row.model_dump_json(), event_id=str(row.seq), event="transition")
            if status is None or status in _LAST:
                return
            if rows:
                quiet_since = loop.time()
            elif loop.time() - quiet_since >= _HEARTBEAT_S:
                quiet_since = loop.time()
                yield HEARTBEAT
            await asyncio.sleep(readers.pause_s(principal.workspace_id))
