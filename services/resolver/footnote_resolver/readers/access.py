"""Who may read a turn's stream.

What a caller may not see is not there for it, and that answer takes as long for both (spec 1.4).
"""

from pydantic import ValidationError

from footnote_resolver.store import turns
from footnote_resolver.store.turns import AnnouncedTurn, KnownTurn
from footnote_resolver.streams.turn_streams import TurnStreams
from footnote_shared.contracts.events import RawEvent
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.polling import GrowingPause, look_until_found

# A reader can be as quick as the announcement of its turn, so the turn is looked for again.
_FIRST_PAUSE_S = 0.005
_PATIENCE_S = 0.5


async def readable_turn(
    caller: Principal, turn_id: str, *, database: Database, streams: TurnStreams
) -> KnownTurn:
    """The turn. Raises NotFound for one that is unknown or not the caller's."""

    async def look() -> KnownTurn | None:
        found = await turns.readable_turn(database, caller, turn_id)
        if found is not None:
            return found
        raw = await streams.first_raw(turn_id)
        announced = _turn_of(raw) if raw is not None else None
        if announced is None or announced.turn_id != turn_id:
            return None
        may = await turns.may_read(database, caller, announced)
        return KnownTurn(turn_id, announced.conversation_id, None) if may else None

    found = await look_until_found(look, GrowingPause(_FIRST_PAUSE_S), patience_s=_PATIENCE_S)
    if found is None:
        raise NotFound
    return found


def _turn_of(raw: str) -> AnnouncedTurn | None:
    try:
        event = RawEvent.model_validate_json(raw)
    except ValidationError:
        return None
    return AnnouncedTurn(event.turn_id, event.workspace_id, event.thread_id)
