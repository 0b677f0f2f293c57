"""The reports of a connector's runs, as JSON or live as server-sent events (spec 3.7)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import Response

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.api.timeline_readers import TimelineReaders
from footnote_ingest.connectors.view import run_view
from footnote_ingest.store import connectors as store
from footnote_shared.contracts.base import Page
from footnote_shared.contracts.connectors import ConnectorRun
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession
from footnote_shared.kernel.errors import NotFound
from footnote_shared.web.dependencies import Edge, Reader
from footnote_shared.web.paging import Cursor, Limit, cut_page, key_of
from footnote_shared.web.sse import HEARTBEAT, encode_event, event_stream

router = APIRouter(tags=["connectors"])
_HEARTBEAT_S = 15.0
_FOLLOWED = 5
"""The newest runs of a connector, which are followed. At most one of them is open."""


@router.get(
    "/v1/connectors/{connector_id}/runs",
    summary="The reports of its syncs, newest first; with `Accept: text/event-stream` live to their end",
    response_model=Page[ConnectorRun],
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def list_runs(
    connector_id: str,
    principal: Reader,
    edge: Edge,
    resources: Resources,
    limit: Limit = 50,
    cursor: Cursor = None,
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Live, each event is the whole report of a run that has changed, the newest at first."""
    after = key_of(cursor, str)

    def read(session: ReadSession) -> Page[ConnectorRun]:
        connector = store.get(session, principal, connector_id)
        rows = store.runs(session, connector, limit + 1, after)
        page, next_cursor = cut_page(rows, limit, lambda run: (run.id,))
        return Page(items=[run_view(run, connector, principal) for run in page], next_cursor=next_cursor)

    found = await edge.database.read_async(read)
    if "text/event-stream" in accept:
        resources.readers.check_room(principal.workspace_id)
        return event_stream(follow_runs(edge.database, resources.readers, principal, connector_id))
    return Response(found.model_dump_json(), media_type="application/json")


async def follow_runs(
    database: Database, readers: TimelineReaders, principal: Principal, connector_id: str
) -> AsyncIterator[bytes]:
    """The newest run and each later one, whenever it has changed, as long as the caller sees the connector.

    No transaction is open between two looks. Who was cut off begins again with the newest run as it is.
    """

    def look(session: ReadSession) -> list[ConnectorRun] | None:
        try:
            connector = store.get(session, principal, connector_id)
        except NotFound:
            return None
        runs = store.runs(session, connector, _FOLLOWED, None)
        return [run_view(run, connector, principal) for run in reversed(runs)]

    told: dict[str, ConnectorRun] | None = None
    loop = asyncio.get_running_loop()
    quiet_since = loop.time()
    with readers.reading(principal.workspace_id):
        while True:
            runs = await database.read_async(look)
            if runs is None:
                return
            if told is None:
                # What ended before anybody listened is in the listing.
                told = {run.id: run for run in runs[:-1]}
            for run in runs:
                if told.get(run.id) != run:
                    told[run.id] = run
                    quiet_since = loop.time()
                    yield encode_event(run.model_dump_json(), event_id=None, event="run")
            if all(run.ended_at is not None for run in runs):
                return
            if loop.time() - quiet_since >= _HEARTBEAT_S:
                quiet_since = loop.time()
                yield HEARTBEAT
            await asyncio.sleep(readers.pause_s(principal.workspace_id))
