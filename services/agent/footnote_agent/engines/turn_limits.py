"""What one agentic turn may use, and what of it is used up (spec 5.1). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from footnote_agent.context.trajectory import ContextBudget, ModelReply, ToolResult
from footnote_shared.contracts.answers import AnswerSettings

CALLS_PER_REPLY = 16
"""Calls of one reply that are looked at. A model that writes a thousand is told so."""

NO_TIME = "nearly all the time"

_RESERVE_SHARE, _RESERVE_MOST_S = 0.2, 45.0
_CLOSING_SHARE, _CLOSING_LEAST_S, _CLOSING_MOST_S = 0.2, 0.5, 3.0


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """Calls of the model and of tools, tokens in and out, tools at once."""

    steps: int
    tool_calls: int
    tokens: int
    parallel_tools: int


@dataclass(frozen=True, slots=True)
class AgenticBounds:
    """What the settings say about every turn."""

    limits: TurnLimits
    budget: ContextBudget
    ambient_tokens: int
    answer_tokens: int
    tool_timeout_s: float
    turn_timeout_s: float
    approval_wait_s: float


def narrowed(limits: TurnLimits, asked: AnswerSettings) -> TurnLimits:
    """The limits of a turn: those of the operator, or its own and its preset's where they are narrower."""
    return TurnLimits(
        _narrower(limits.steps, asked.max_steps),
        _narrower(limits.tool_calls, asked.max_tool_calls),
        _narrower(limits.tokens, asked.max_turn_tokens),
        _narrower(limits.parallel_tools, asked.parallel_tools),
    )


def seconds_of(turn_timeout_s: float, asked: AnswerSettings) -> float:
    """The wall time of a turn: that of the operator, or its own and its preset's where that is shorter."""
    return turn_timeout_s if asked.max_seconds is None else min(turn_timeout_s, asked.max_seconds)


def _narrower(limit: int, asked: int | None) -> int:
    return limit if asked is None else min(limit, asked)


def answer_reserve_s(turn_timeout_s: float) -> float:
    """The seconds of a turn that are left for its answer."""
    return min(_RESERVE_MOST_S, turn_timeout_s * _RESERVE_SHARE)


def closing_s(turn_timeout_s: float) -> float:
    """The seconds of that which are left for words of ours, where the model does not come to its end.

    Half a second, where the reserve has twice as much, so that a process that stands still for a moment does
    not end the turn as failed.
    """
    reserve_s = answer_reserve_s(turn_timeout_s)
    least_s = min(_CLOSING_LEAST_S, reserve_s / 2)
    return min(_CLOSING_MOST_S, max(least_s, reserve_s * _CLOSING_SHARE))


def steps_of(moves: Sequence[ModelReply | ToolResult]) -> int:
    """Calls of the model, those of subagents too."""
    return sum(1 if isinstance(move, ModelReply) else move.spent.steps for move in moves)


def calls_of(moves: Sequence[ModelReply | ToolResult]) -> int:
    """Calls of tools that have ended, those of subagents too."""
    return sum(1 + move.spent.tool_calls for move in moves if isinstance(move, ToolResult))


def used_up(
    limits: TurnLimits,
    moves: Sequence[ModelReply | ToolResult],
    tokens: int,
    seconds_left: float,
    reserve_s: float,
) -> str | None:
    """The limit that leaves nothing but to answer, in words for the model. The last step is for the answer.

    `reserve_s`: the seconds that an answer is given at the end of the turn. What subagents did counts too.
    """
    steps, calls = steps_of(moves), calls_of(moves)
    if steps >= limits.steps - 1:
        return "all steps"
    if calls >= limits.tool_calls:
        return "all calls of tools"
    if tokens >= limits.tokens:
        return "all tokens"
    if seconds_left <= reserve_s:
        return NO_TIME
    return None
