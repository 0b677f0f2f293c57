"""Going on with a turn whose run died, in the replica that has taken its lease (spec 5.1)."""

import asyncio
from typing import Any

from redis.asyncio import Redis

from footnote_agent.context.trajectory import MOVE
from footnote_agent.engines.kept_facts import facts_left
from footnote_agent.engines.turn_limits import seconds_of
from footnote_agent.store.moves import moves_of
from footnote_agent.store.turns import LeasedTurn
from footnote_agent.turns.cancel import is_cancelled
from footnote_agent.turns.engine_run import TurnResources, problem_for, run_turn
from footnote_agent.turns.journal import StreamLost
from footnote_agent.turns.options import kept_settings
from footnote_agent.turns.takeover_plan import takeover_plan
from footnote_shared.contracts.events import Progress, TurnCancelled, TurnFailed, Usage
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


class TurnInterrupted(FootnoteError):
    """The run of the turn died. What it had written is kept."""

    status = 500
    code = "interrupted"
    title = "The answer was interrupted"


class EngineMissing(FootnoteError):
    """This replica cannot run the engine of a turn that it has taken over. One that can has to take it."""

    status = 503
    code = "engine_missing"
    title = "The engine of the turn is not configured here"


async def go_on(
    resources: TurnResources, servers: StreamServers[Redis], leased: LeasedTurn, stop: asyncio.Event
) -> dict[str, Any] | None:
    """Go on with a turn whose lease this replica has just taken.

    Returns what the engine noted; where none had to run, what the moves of earlier runs say, or None. Raises
    StreamLost, StreamEnded, and what `run_turn` raises.
    """
    journal = resources.journal
    if await journal.closing(leased.id) is not None:
        return await _left_by_earlier_runs(resources, leased)
    state = await journal.state(leased.id)
    if not state.exists and leased.announced:
        raise StreamLost(leased.id)
    # For a run that died before it had opened the stream. A resolver that is told twice does nothing twice.
    await journal.open(leased)
    if state.exists and not state.ended:
        # The first write under the new fence shuts the old run out. After that, what it wrote is final.
        await journal.append(
            leased, "progress", Progress(stage="thinking", label="Picking the work up again")
        )
        state = await journal.state(leased.id)
    spent_s = (now() - leased.time_began_at).total_seconds()
    own, _ = kept_settings(leased.request.settings)
    overdue = not leased.waits and spent_s > seconds_of(resources.settings.turn_timeout_s, own)
    engine = resources.engines.get(leased.engine)
    left = takeover_plan(
        ended=state.ended,
        text=state.text,
        continuable=engine is not None and (engine.deterministic or engine.keeps_moves),
        cancelled=await is_cancelled(servers, leased.id),
        overdue=overdue,
        runs=leased.fence,
    )
    _log.info("turn.taken_over", turn=leased.id, plan=left.plan)
    metrics.TURNS_TAKEN_OVER.inc()
    if left.plan in ("run", "continue"):
        if engine is None:
            raise EngineMissing(f"The engine `{leased.engine}` is not configured in this replica.")
        return await run_turn(resources, leased, stop, state.text)
    facts = await _left_by_earlier_runs(resources, leased)
    told = [] if facts is None else [journal.event(leased, "usage", Usage.model_validate(facts["usage"]))]
    if left.plan == "cancel":
        end = journal.event(leased, "turn.cancelled", TurnCancelled(message_id=leased.message_id))
        await journal.append_all(leased, [*told, end])
    elif left.plan == "fail":
        failed = TurnFailed(
            message_id=leased.message_id, problem=problem_for(leased, TurnInterrupted(left.reason))
        )
        await journal.append_all(leased, [*told, journal.event(leased, "turn.failed", failed)])
    return facts


async def _left_by_earlier_runs(resources: TurnResources, leased: LeasedTurn) -> dict[str, Any] | None:
    moves = await resources.database.read_async(
        lambda session: moves_of(session, leased.caller, [leased.id]).get(leased.id, [])
    )
    return facts_left([MOVE.validate_python(move) for move in moves])
