"""One turn at a time in a thread: a turn that came while another ran waits for its end (spec 5.1)."""

import asyncio
from datetime import datetime

from footnote_agent.store.turns import LeasedTurn, mark_begun, running_before
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.polling import GrowingPause
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.5


async def wait_for_earlier_turns(database: Database, leased: LeasedTurn) -> datetime:
    """Wait until the turns of the thread that came earlier have ended. Returns the moment of that.

    SQL alone knows, since they may run in other processes. While it is away, the wait goes on.
    """
    pause = GrowingPause(_FIRST_PAUSE_S, _LONGEST_PAUSE_S)
    while True:
        try:
            if not await database.read_async(lambda session: running_before(session, leased)):
                return await database.write_async(lambda session: mark_begun(session, leased))
        except Unavailable as error:
            _log.warning("turn.order_not_asked", turn=leased.id, part=error.part)
        await asyncio.sleep(pause.next_s())
