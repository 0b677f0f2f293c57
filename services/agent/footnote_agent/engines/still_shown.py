"""What earlier steps have shown, as far as the user may still see it: the rest is not told to a model again.

Results of tools are kept with the passages that they showed. A document can be withdrawn since, and a model
that is told its text once more would tell the user.
"""

from collections.abc import Iterable
from dataclasses import replace

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.context.trajectory import ModelReply, ToolResult, without_hidden
from footnote_agent.tools.readable import readable_numbers
from footnote_agent.tools.tool_context import ToolContext

_Moves = tuple[ModelReply | ToolResult, ...]


async def still_shown(context: ToolContext) -> AskedTurn:
    """The turn, and those before it, without the passages that the user may not see at this moment.

    Where the resolver cannot say what that is, no passage is told again.
    """
    turn = context.turn
    moves = [move for past in turn.past for move in past.moves] + list(turn.moves)
    moves += [move for part in turn.below.values() for move in part]
    numbers = sorted({seen.n for move in moves if isinstance(move, ToolResult) for seen in move.shown})
    resolver = context.resources.resolver
    hidden = set(numbers) - await readable_numbers(resolver, turn.caller, turn.thread_id, numbers)
    if not hidden:
        return turn
    past = tuple(replace(one, moves=_without(one.moves, hidden)) for one in turn.past)
    below = {call: _without(part, hidden) for call, part in turn.below.items()}
    return replace(turn, past=past, moves=_without(turn.moves, hidden), below=below)


def _without(moves: Iterable[ModelReply | ToolResult], hidden: set[int]) -> _Moves:
    return tuple(without_hidden(move, hidden) if isinstance(move, ToolResult) else move for move in moves)
