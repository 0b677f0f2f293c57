"""Waiting for the end of a turn, in whichever process it runs. It has ended when SQL says so."""

import time

from footnote_agent.store.turns import find_turn_or_none
from footnote_agent.turns.crew import Crew
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession
from footnote_shared.kernel.errors import TryLater
from footnote_shared.kernel.polling import GrowingPause, look_until_found

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.25


class TurnGone(TryLater):
    """The turn that somebody waits for was taken back, or deleted with its thread."""

    code = "turn_gone"
    title = "The turn is not there any more"

    def __init__(self) -> None:
        super().__init__(
            "The turn could not begin, or its thread was deleted meanwhile. Ask again.", retry_after=2.0
        )


async def wait_for_end(
    crew: Crew, database: Database, caller: Principal, turn_id: str, patience_s: float
) -> None:
    """Return once the turn has ended or is gone, or after `patience_s` seconds."""
    deadline = time.monotonic() + patience_s
    if await crew.wait(turn_id, patience_s):
        return

    def ended(session: ReadSession) -> bool | None:
        turn = find_turn_or_none(session, caller, turn_id)
        return True if turn is None or turn.status != "running" else None

    await look_until_found(
        lambda: database.read_async(ended),
        GrowingPause(_FIRST_PAUSE_S, _LONGEST_PAUSE_S),
        patience_s=deadline - time.monotonic(),
    )
