"""Storing the final message from the resolver's closing event (docs/adr/0005)."""

import asyncio
import contextlib
from dataclasses import replace
from typing import Any

from footnote_agent.store.turns import Ending, LeasedTurn, end_turn
from footnote_agent.turns.answer_record import answer_record
from footnote_agent.turns.journal import Journal
from footnote_shared.contracts.events import Event, MessageCompleted, TurnCancelled, TurnFailed
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.polling import GrowingPause
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.5
_LONG_WAIT_S = 60.0
_log = logger(__name__)


async def closing_event(journal: Journal, turn_id: str, seen: asyncio.Event) -> Event | None:
    """Wait for the terminal event of the events stream as long as it can still come.

    None when Redis lost both streams, since nothing will close the turn then. It looks at once when the event
    was `seen` by a reader in this process, else ever less often. A blocking read would take up a connection
    for each of the turns that wait for a resolver. A long wait says in the log on which Redis it waits:
    perhaps no resolver reads that one.
    """
    pause = GrowingPause(_FIRST_PAUSE_S, _LONGEST_PAUSE_S)
    loop = asyncio.get_running_loop()
    warn_at = loop.time() + _LONG_WAIT_S
    while True:
        # There is a pause before the first look too: nobody closes a turn in the moment at which it ends.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(pause.next_s()):
                await seen.wait()
        seen.clear()
        event, can_come = await journal.closing_or_open(turn_id)
        if event is not None:
            return event
        if not can_come:
            return await journal.closing(turn_id)
        if loop.time() > warn_at:
            warn_at = loop.time() + _LONG_WAIT_S
            _log.warning("turn.no_resolver_has_ended_it", turn=turn_id, server=journal.server_of(turn_id))


def ending_of(event: Event) -> Ending:
    """What is kept of a turn, by its terminal event."""
    if event.type == "message.completed":
        done = MessageCompleted.model_validate(event.data)
        return Ending(
            "completed",
            done.text,
            [entry.model_dump(mode="json", exclude_none=True) for entry in done.citations],
            done.compliance.model_dump(mode="json"),
            done.verification.model_dump(mode="json", exclude_none=True) if done.verification else None,
            cut=done.cut,
        )
    stopped = (TurnFailed if event.type == "turn.failed" else TurnCancelled).model_validate(event.data)
    return Ending(
        "failed" if event.type == "turn.failed" else "cancelled",
        stopped.text,
        [entry.model_dump(mode="json", exclude_none=True) for entry in stopped.citations],
        stopped.compliance.model_dump(mode="json") if stopped.compliance else None,
        error=stopped.problem if isinstance(stopped, TurnFailed) else None,
    )


def lost_ending(problem: dict[str, Any]) -> Ending:
    """The end of a turn whose text is gone."""
    return Ending("failed", "", [], error=problem)


async def store_ending(
    database: Database,
    leased: LeasedTurn,
    ending: Ending,
    facts: dict[str, Any] | None = None,
    *,
    content: bool = False,
) -> bool:
    """Store answer, end and record in one transaction. Returns False if that was done before; it counts once.

    `facts` is what the engine noted; None where none ran. `content` says whether the record keeps texts.
    """
    if facts is not None:
        ending = replace(ending, retrieval_used=bool(facts.get("retrieval_used")))
    record = answer_record(leased, facts or {}, ending, now(), content=content)
    stored = await database.write_together_async(lambda session: end_turn(session, leased.id, ending, record))
    if stored:
        metrics.TURNS.labels(leased.engine, ending.status).inc()
        metrics.TURN_SECONDS.labels(leased.engine).observe((now() - leased.created_at).total_seconds())
    return stored
