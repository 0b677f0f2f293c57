"""What a model is shown of its conversation: which turns, which evidence in full, in which order. Pure.

A turn consists of moves: what the model replied, and what tools answered. Moves are kept as they happened.
What is cut or shortened is cut for one call of the model, and nothing of it is lost (spec 5.2).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from footnote_agent.context.plain_name import plain_name
from footnote_agent.context.tokens import count_tokens
from footnote_shared.contracts.events import Usage
from footnote_shared.kernel.citation_tokens import with_numbers
from footnote_shared.models.protocol import ChatMessage, Spoken, ToolCall, ToolCalls, ToolReturn

INTERRUPTED = "This call was interrupted and gave no result."
GO_ON = "(Your answer was interrupted here. Go on exactly where it stopped, and repeat nothing of it.)"

HIDDEN = "(Some of what this call has shown is kept from the user now, and so it is left out.)"


class _Move(BaseModel):
    model_config = ConfigDict(frozen=True)


class _KeptMove(_Move):
    """`within`: the call that a subagent works for, whose move it is. Empty for the orchestrator's."""

    within: str = ""


class WantedCall(_Move):
    """A call of a tool that the model wishes for. Its `id` is ours: step and position within the turn."""

    id: str
    name: str
    arguments: str


class ModelReply(_KeptMove):
    """What the model said in one step, exactly as readers got it, and the calls that it wished for.

    An `unfinished` reply broke off in the middle, so that nobody knows its tokens.
    """

    kind: Literal["reply"] = "reply"
    text: str = ""
    calls: tuple[WantedCall, ...] = ()
    unfinished: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    partial: bool = False

    @property
    def usage(self) -> Usage:
        """What this reply has used."""
        return Usage(
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cost=self.cost,
            partial=self.partial or self.unfinished,
        )


class SeenPassage(_Move):
    """A passage that a tool has shown: its number and the title of its source."""

    n: int
    title: str


class SpentBelow(_Move):
    """What subagents have used for a call beside tokens: it counts as used by the turn."""

    steps: int = 0
    tool_calls: int = 0


class ToolResult(_KeptMove):
    """What a tool answered. `shown` are the passages whose numbers stand in the text.

    `todos` is the plan of the turn, where this call has changed it. `spent`: by subagents, for this call.
    `ms` it took, and the searches that it made, are kept for the answer record.
    """

    kind: Literal["result"] = "result"
    call_id: str
    text: str
    shown: tuple[SeenPassage, ...] = ()
    failed: bool = False
    todos: tuple[str, ...] | None = None
    spent: SpentBelow = SpentBelow()
    ms: float = 0.0
    retrieval_ids: tuple[str, ...] = ()


Move = Annotated[ModelReply | ToolResult, Field(discriminator="kind")]
MOVE: TypeAdapter[ModelReply | ToolResult] = TypeAdapter(Move)


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn that has ended. Its answer is the final one, with `[citation:n]` tokens."""

    question: str
    answer: str
    moves: tuple[ModelReply | ToolResult, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextBudget:
    """Tokens for past turns without their full evidence, and for all tool results that stand in full."""

    history_tokens: int
    evidence_tokens: int


def conversation(
    past: Sequence[PastTurn],
    question: str,
    moves: Sequence[ModelReply | ToolResult],
    budget: ContextBudget,
) -> list[Spoken]:
    """The messages for the next call of the model.

    Past turns are whole or absent, and every call is followed by its result. The newest results stand in full
    as far as they fit; older ones are shortened to their numbers and titles. What the last reply asked for is
    never shortened.
    """
    kept = newest_that_fit(past, budget.history_tokens)
    in_full = _in_full(kept, moves, budget.evidence_tokens)
    spoken: list[Spoken] = []
    for at, turn in enumerate(kept):
        spoken.append(ChatMessage("user", turn.question))
        spoken += _calls_of(turn.moves, at, in_full, with_text=False)
        spoken.append(ChatMessage("assistant", with_numbers(turn.answer)))
    spoken.append(ChatMessage("user", question))
    spoken += _calls_of(moves, len(kept), in_full, with_text=True)
    return spoken


def newest_that_fit(past: Sequence[PastTurn], budget: int) -> list[PastTurn]:
    """The newest turns that fit whole with their evidence shortened, oldest first."""
    kept: list[PastTurn] = []
    for turn in reversed(past):
        budget -= count_tokens(turn.question) + count_tokens(turn.answer)
        for move in turn.moves:
            if isinstance(move, ToolResult):
                budget -= count_tokens(shortened(move))
            else:
                budget -= sum(count_tokens(call.name + call.arguments) for call in move.calls)
        if budget < 0:
            break
        kept.append(turn)
    return list(reversed(kept))


def shortened(result: ToolResult) -> str:
    """A result without its passages: their numbers by title, from which they can be read again."""
    if not result.shown:
        text = result.text
        return text if len(text) <= 200 else "(an earlier result, left out; call the tool again to see it)"
    by_title: dict[str, list[int]] = {}
    for passage in result.shown:
        by_title.setdefault(passage.title, []).append(passage.n)
    lines = [
        f"{plain_name(title)}: {''.join(f'[{n}]' for n in dict.fromkeys(numbers))}"
        for title, numbers in by_title.items()
    ]
    return "Passages that were shown before (read_passages shows them again):\n" + "\n".join(lines)


def without_hidden(result: ToolResult, hidden: Collection[int]) -> ToolResult:
    """The result as it is told once these numbers are hidden from the user: without any passage in full.

    Passages of one result are not told apart in its text.
    """
    left = tuple(passage for passage in result.shown if passage.n not in hidden)
    if len(left) == len(result.shown):
        return result
    rest = shortened(result.model_copy(update={"shown": left})) if left else ""
    return result.model_copy(update={"text": f"{HIDDEN}\n{rest}".strip(), "shown": left})


def by_agent(
    moves: Sequence[ModelReply | ToolResult],
) -> dict[str, tuple[ModelReply | ToolResult, ...]]:
    """The moves of a turn by the call that they were made for: those of the orchestrator under no name."""
    parts: dict[str, tuple[ModelReply | ToolResult, ...]] = {}
    for move in moves:
        parts[move.within] = (*parts.get(move.within, ()), move)
    return parts


def said(moves: Sequence[ModelReply | ToolResult]) -> str:
    """The text of these moves as readers got it."""
    return "".join(move.text for move in moves if isinstance(move, ModelReply))


def planned(moves: Sequence[ModelReply | ToolResult]) -> tuple[str, ...]:
    """The plan of the turn, as the last call that changed it has left it."""
    plans = [move.todos for move in moves if isinstance(move, ToolResult) and move.todos is not None]
    return plans[-1] if plans else ()


def unanswered(moves: Sequence[ModelReply | ToolResult]) -> list[WantedCall]:
    """The calls of the last reply that have no result yet."""
    results = {move.call_id for move in moves if isinstance(move, ToolResult)}
    replies = [move for move in moves if isinstance(move, ModelReply)]
    return [call for call in replies[-1].calls if call.id not in results] if replies else []


_Key = tuple[int, str]


def _in_full(past: Sequence[PastTurn], moves: Sequence[ModelReply | ToolResult], budget: int) -> set[_Key]:
    """Which results stand in full: those of the last reply, then the newest that fit."""
    replies = [move for move in moves if isinstance(move, ModelReply) and move.calls]
    latest = {call.id for call in replies[-1].calls} if replies else set[str]()
    chosen: set[_Key] = set()
    turns = [*(turn.moves for turn in past), tuple(moves)]
    for at in reversed(range(len(turns))):
        for move in reversed(turns[at]):
            if not isinstance(move, ToolResult):
                continue
            cost = count_tokens(move.text)
            fresh = at == len(past) and move.call_id in latest
            if not fresh and cost > budget:
                return chosen
            chosen.add((at, move.call_id))
            budget -= cost
    return chosen


def _calls_of(
    moves: Sequence[ModelReply | ToolResult], turn: int, in_full: set[_Key], *, with_text: bool
) -> Iterator[Spoken]:
    """Replies with calls, each call with its result behind it; with their text where it is not told apart."""
    results = {move.call_id: move for move in moves if isinstance(move, ToolResult)}
    for move in moves:
        if not isinstance(move, ModelReply):
            continue
        text = move.text.lstrip() if with_text else ""
        if not move.calls:
            if text:
                yield ChatMessage("assistant", text)
            if text and move.unfinished:
                yield ChatMessage("user", GO_ON)
            continue
        calls = [ToolCall(f"t{turn}{call.id}", call.name, call.arguments) for call in move.calls]
        yield ToolCalls(text, tuple(calls))
        for wanted, call in zip(move.calls, calls, strict=True):
            result = results.get(wanted.id)
            if result is None:
                yield ToolReturn(call, INTERRUPTED)
            else:
                yield ToolReturn(call, result.text if (turn, wanted.id) in in_full else shortened(result))
