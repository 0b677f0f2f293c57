"""The events of a turn, as server-sent events."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import StreamingResponse

from footnote_resolver.api.dependencies import ResolverResources, Resources, TurnId, known_form
from footnote_resolver.readers.access import readable_turn
from footnote_resolver.readers.shown_events import ShownEvents
from footnote_resolver.readers.stream_position import position_of_header
from footnote_shared.clients.in_process import DirectStream
from footnote_shared.contracts.identity import Principal
from footnote_shared.web.dependencies import Reader, require
from footnote_shared.web.sse import event_stream

router = APIRouter(prefix="/v1/streams", tags=["streams"])


@router.get(
    "/{turn_id}", response_class=StreamingResponse, summary="A turn's events, resumable, to the terminal one"
)
async def get_stream(
    turn_id: TurnId,
    caller: Reader,
    resources: Resources,
    last_event_id: Annotated[str | None, Header(description="Go on behind this event")] = None,
) -> StreamingResponse:
    turn, events = await _events(resources, caller, turn_id, last_event_id)
    return event_stream(events, {"Footnote-Turn-Id": turn}, patience_s=resources.feeds.patience_s)


def direct_stream(resources: ResolverResources) -> DirectStream:
    """The same for a service of this process, which has the caller from its own door."""

    async def events_of(
        caller: Principal, turn_id: str, last_event_id: str | None
    ) -> AsyncGenerator[bytes, None]:
        require(caller, "read")
        _, events = await _events(resources, caller, known_form(turn_id), last_event_id)
        async with aclosing(events):
            async for chunk in events:
                yield chunk

    return events_of


async def _events(
    resources: ResolverResources, caller: Principal, turn_id: str, last_event_id: str | None
) -> tuple[str, AsyncGenerator[bytes, None]]:
    """The id of the turn, and its events behind that one as this caller may see them."""
    start = position_of_header(last_event_id)
    streams = resources.servers.of(turn_id).streams
    turn = await readable_turn(caller, turn_id, database=resources.database, streams=streams)
    chunks = await resources.feeds.read(turn.turn_id, start, turn.ended)
    shown = ShownEvents(resources.database, resources.rights).of(chunks, caller, turn.conversation_id)
    return turn.turn_id, shown
