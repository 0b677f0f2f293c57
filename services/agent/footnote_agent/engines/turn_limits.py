"""What one agentic turn may use, and what of it is used up (spec 5.1). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from footnote_agent.context.trajectory import ModelReply, ToolResult

CALLS_PER_REPLY = 16
"""Calls of one reply that are looked at. A model that writes a thousand is told so."""

_RESERVE_SHARE, _RESERVE_MOST_S = 0.2, 45.0


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """Calls of the model and of tools, tokens in and out, tools at once."""

    steps: int
    tool_calls: int
    tokens: int
    parallel_tools: int


def answer_reserve_s(turn_timeout_s: float) -> float:
    """The seconds of a turn that are left for its answer."""
    return min(_RESERVE_MOST_S, turn_timeout_s * _RESERVE_SHARE)


def used_up(
    limits: TurnLimits,
    moves: Sequence[ModelReply | ToolResult],
    tokens: int,
    seconds_left: float,
    reserve_s: float,
) -> str | None:
    """The limit that leaves nothing but to answer, in words for the model. The last step is for the answer.

    `reserve_s`: the seconds that an answer is given at the end of the turn.
    """
    if sum(isinstance(move, ModelReply) for move in moves) >= limits.steps - 1:
        return "all steps"
    if sum(isinstance(move, ToolResult) for move in moves) >= limits.tool_calls:
        return "all calls of tools"
    if tokens >= limits.tokens:
        return "all tokens"
    if seconds_left <= reserve_s:
        return "nearly all the time"
    return None
