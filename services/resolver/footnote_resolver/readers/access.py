"""Who may read a turn's stream. What a caller may not see is not there, and takes as long to be not there (spec 1.4)."""

import asyncio
from functools import partial

from pydantic import ValidationError

from footnote_resolver.store import turns
from footnote_resolver.store.turns import AnnouncedTurn, KnownTurn
from footnote_resolver.streams.turn_streams import TurnStreams
from footnote_shared.contracts.events import RawEvent
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import NotFound

# A reader can be as quick as the announcement of the turn: it is looked for again, with growing pauses, half a second in all.
_PAUSES_S = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.2)


async def readable_turn(
    caller: Principal, turn_id: str, *, database: Database, streams: TurnStreams
) -> KnownTurn:
    """The turn; raises NotFound for one that is unknown or not the caller's."""
    for pause in (*_PAUSES_S, None):
        found = await database.read_async(partial(turns.readable_turn, caller=caller, turn_id=turn_id))
        if found is None:
            raw = await streams.first_raw(turn_id)
            announced = _turn_of(raw) if raw is not None else None
            if announced is not None and announced.turn_id == turn_id:
                may = await database.read_async(partial(turns.may_read, caller=caller, turn=announced))
                found = KnownTurn(turn_id, None) if may else None
        if found is not None:
            return found
        if pause is not None:
            await asyncio.sleep(pause)
    raise NotFound


def _turn_of(raw: str) -> AnnouncedTurn | None:
    try:
        event = RawEvent.model_validate_json(raw)
    except ValidationError:
        return None
    return AnnouncedTurn(event.turn_id, event.workspace_id, event.thread_id)
