"""What a model is shown of a conversation, over random trajectories: whole turns, whole calls, in budget."""

from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.context.tokens import count_tokens
from footnote_agent.context.trajectory import (
    ContextBudget,
    ModelReply,
    PastTurn,
    SeenPassage,
    ToolResult,
    WantedCall,
    conversation,
    newest_that_fit,
    said,
    unanswered,
)
from footnote_shared.models.protocol import ChatMessage, ToolCalls, ToolReturn

_WORDS = st.text(alphabet="ab c.[1]\n", max_size=60)
_NUMBERS = st.lists(st.integers(1, 40), max_size=6)


@st.composite
def _moves(draw: st.DrawFn, *, ended: bool) -> tuple[ModelReply | ToolResult, ...]:
    """Moves as a turn makes them; a turn that has not ended may lack its last results."""
    moves: list[ModelReply | ToolResult] = []
    for step in range(draw(st.integers(0, 4))):
        calls = tuple(
            WantedCall(id=f"s{step}c{at}", name="look", arguments=draw(_WORDS))
            for at in range(draw(st.integers(1, 4)))
        )
        moves.append(ModelReply(text=draw(_WORDS), calls=calls))
        answered = draw(st.permutations(calls))
        for call in answered[: len(calls) if ended else draw(st.integers(0, len(calls)))]:
            numbers = draw(_NUMBERS)
            text = "".join(f"[{n}] {draw(_WORDS)}\n" for n in numbers) or draw(_WORDS) * 8
            shown = tuple(SeenPassage(n=n, title=f"T{n % 3}") for n in numbers)
            moves.append(ToolResult(call_id=call.id, text=text, shown=shown))
        if unanswered(moves):
            return tuple(moves)
    return tuple(moves)


_PAST = st.lists(
    st.builds(PastTurn, question=_WORDS.map(lambda t: t + "?"), answer=_WORDS, moves=_moves(ended=True)),
    max_size=5,
)
_BUDGETS = st.builds(ContextBudget, st.integers(0, 400), st.integers(0, 400))


@given(_PAST, _moves(ended=False), _BUDGETS)
def test_every_call_is_followed_by_its_result_and_nothing_else_is(
    past: list[PastTurn], moves: tuple[ModelReply | ToolResult, ...], budget: ContextBudget
) -> None:
    waiting: list[str] = []
    seen: set[str] = set()
    for spoken in conversation(past, "Well?", moves, budget):
        if isinstance(spoken, ToolReturn):
            assert spoken.call.id == waiting.pop(0)
            continue
        assert not waiting
        if isinstance(spoken, ToolCalls):
            waiting = [call.id for call in spoken.calls]
            assert not seen & set(waiting)
            seen |= set(waiting)
    assert not waiting


@given(_PAST, _moves(ended=False), _BUDGETS)
def test_past_turns_are_the_newest_and_whole(
    past: list[PastTurn], moves: tuple[ModelReply | ToolResult, ...], budget: ContextBudget
) -> None:
    kept = newest_that_fit(past, budget.history_tokens)
    assert kept == past[len(past) - len(kept) :]
    spoken = conversation(past, "Well?", moves, budget)
    questions = [one.text for one in spoken if isinstance(one, ChatMessage) and one.role == "user"]
    assert questions[: len(kept) + 1] == [*(turn.question for turn in kept), "Well?"]


@given(_PAST, _moves(ended=False), _BUDGETS)
def test_full_results_of_the_past_fit_their_budget_and_numbers_are_never_lost(
    past: list[PastTurn], moves: tuple[ModelReply | ToolResult, ...], budget: ContextBudget
) -> None:
    kept = newest_that_fit(past, budget.history_tokens)
    results = [m for turn in kept for m in turn.moves if isinstance(m, ToolResult)]
    returns = [one for one in conversation(past, "Well?", moves, budget) if isinstance(one, ToolReturn)]
    texts = [one.text for one in returns]
    in_full = [result for result in results if result.shown and result.text in texts]
    unique = {result.text for result in in_full}
    assert sum(count_tokens(text) for text in unique) <= budget.evidence_tokens
    shown = "\n".join(texts)
    assert all(f"[{passage.n}]" in shown for result in results for passage in result.shown)


@given(_PAST, _moves(ended=False), st.integers(0, 50))
def test_what_the_last_reply_asked_for_is_never_shortened(
    past: list[PastTurn], moves: tuple[ModelReply | ToolResult, ...], evidence: int
) -> None:
    spoken = conversation(past, "Well?", moves, ContextBudget(400, evidence))
    texts = [one.text for one in spoken if isinstance(one, ToolReturn)]
    replies = [move for move in moves if isinstance(move, ModelReply)]
    last = {call.id for call in replies[-1].calls} if replies else set[str]()
    for move in moves:
        if isinstance(move, ToolResult) and move.call_id in last:
            assert move.text in texts


@given(_moves(ended=False))
def test_what_was_said_is_the_text_of_the_replies_in_order(
    moves: tuple[ModelReply | ToolResult, ...],
) -> None:
    assert said(moves) == "".join(move.text for move in moves if isinstance(move, ModelReply))
