"""The events of a turn, as server-sent events."""

from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import StreamingResponse

from footnote_resolver.api.dependencies import Resources, TurnId
from footnote_resolver.readers.access import readable_turn
from footnote_resolver.readers.shown_events import ShownEvents
from footnote_resolver.readers.stream_position import position_of_header
from footnote_shared.web.dependencies import Reader
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
    start = position_of_header(last_event_id)
    streams = resources.servers.of(turn_id).streams
    turn = await readable_turn(caller, turn_id, database=resources.database, streams=streams)
    chunks = await resources.feeds.read(turn.turn_id, start, turn.ended)
    shown = ShownEvents(resources.database, resources.rights).of(chunks, caller, turn.conversation_id)
    return event_stream(shown, {"Footnote-Turn-Id": turn.turn_id}, patience_s=resources.feeds.patience_s)
