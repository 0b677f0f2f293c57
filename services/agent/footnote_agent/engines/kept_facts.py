"""What the moves of a turn say for its answer record, also where the run that made them has died. Pure."""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from footnote_agent.context.plain_name import plain_name
from footnote_agent.context.trajectory import ModelReply, SeenPassage, ToolResult, by_agent, unanswered
from footnote_shared.contracts.events import Usage

_Moves = Sequence[ModelReply | ToolResult]


def calls_in(moves: _Moves) -> list[dict[str, Any]]:
    """The calls of tools that have ended, by whichever agent of the turn, in their order."""
    wanted = {
        (move.within, call.id): call.name
        for move in moves
        if isinstance(move, ModelReply)
        for call in move.calls
    }
    return [
        {
            "tool": plain_name(wanted.get((move.within, move.call_id), "")),
            "ms": move.ms,
            "failed": move.failed,
        }
        for move in moves
        if isinstance(move, ToolResult)
    ]


def retrieval_ids_in(moves: _Moves) -> list[str]:
    """The searches whose results these moves hold."""
    return [one for move in moves if isinstance(move, ToolResult) for one in move.retrieval_ids]


def passages_in(moves: _Moves) -> list[SeenPassage]:
    """The passages that these results have shown."""
    return [seen for move in moves if isinstance(move, ToolResult) for seen in move.shown]


def usage_of(moves: _Moves) -> Usage:
    """What all agents of a turn have used whose run ended behind these moves of theirs.

    It is partial where one of them was in the middle of a reply, or failed in one, as far as moves can tell.
    """
    used = [move.usage for move in moves if isinstance(move, ModelReply)]
    return reduce(Usage.plus, used, Usage(partial=_left_in_a_reply(moves)))


def _left_in_a_reply(moves: _Moves) -> bool:
    """Whether an agent waited for its model in the end: it has no answer yet, and no call of it goes on."""
    parts = by_agent(moves)
    handed_on = {call.id for part in parts.values() for call in unanswered(part) if call.name == "task"}
    return bool(handed_on - parts.keys()) or any(
        not unanswered(part) and not _has_answered(part) for part in parts.values()
    )


def _has_answered(part: _Moves) -> bool:
    last = part[-1]
    return isinstance(last, ModelReply) and not last.calls and not last.unfinished


def facts_of(
    steps: int, calls: Sequence[Mapping[str, Any]], retrieval_ids: Sequence[str], numbers: set[int]
) -> dict[str, Any]:
    """The part of the record that tells what a turn did. `numbers` are those of the passages it was shown."""
    return {
        "steps": steps,
        "tools": list(calls),
        "retrieval_ids": list(retrieval_ids),
        "retrieval_attempted": bool(retrieval_ids),
        "retrieval_used": bool(numbers),
        "passages": len(numbers),
    }


def facts_left(moves: _Moves) -> dict[str, Any] | None:
    """The facts of a turn whose run died behind its last word. None where its engine keeps no moves."""
    if not moves:
        return None
    own = by_agent(moves).get("", ())
    numbers = {seen.n for seen in passages_in(own)}
    steps = sum(isinstance(move, ModelReply) for move in own)
    return {
        **facts_of(steps, calls_in(moves), retrieval_ids_in(own), numbers),
        "usage": usage_of(moves).model_dump(mode="json", exclude_none=True),
    }
