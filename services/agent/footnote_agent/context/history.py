"""The part of the conversation that an engine is shown: the newest whole turns that fit (spec 5.2)."""

from collections.abc import Sequence

from footnote_agent.context.asked_turn import Exchange
from footnote_agent.context.tokens import count_tokens
from footnote_agent.context.trajectory import MOVE, PastTurn, by_agent, newest_that_fit
from footnote_agent.store.moves import moves_of
from footnote_agent.store.tables import MessageRow
from footnote_agent.store.threads import latest_messages
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession

_MESSAGES_AT_MOST = 200
_MOVES_OF_TURNS = 20
"""Latest turns whose moves are read. Earlier ones are shown as question and answer."""


def recall(
    session: ReadSession, caller: Principal, thread_id: str, before: str, budget: int
) -> tuple[Exchange, ...]:
    """The history of a thread before the message with that id, within `budget` tokens."""
    return cut(latest_messages(session, caller, thread_id, before, _MESSAGES_AT_MOST), before, budget)


def past_turns(session: ReadSession, caller: Principal, thread_id: str, before: str) -> tuple[PastTurn, ...]:
    """The turns of a thread before the message with that id that have an answer, with their moves."""
    messages = latest_messages(session, caller, thread_id, before, _MESSAGES_AT_MOST)
    answers = {m.turn_id: m.text for m in messages if m.role == "assistant" and m.text.strip()}
    questions = [m for m in messages if m.role == "user" and m.turn_id in answers]
    moves = moves_of(session, caller, [m.turn_id for m in questions[-_MOVES_OF_TURNS:]])
    return tuple(
        PastTurn(
            m.text,
            answers[m.turn_id],
            by_agent([MOVE.validate_python(move) for move in moves.get(m.turn_id, ())]).get("", ()),
        )
        for m in questions
    )


def exchanges_of(past: Sequence[PastTurn], budget: int) -> tuple[Exchange, ...]:
    """Past turns as an engine without moves is given them: question and answer, within `budget` tokens."""
    return tuple(
        Exchange(role, text)
        for turn in newest_that_fit(past, budget)
        for role, text in (("user", turn.question), ("assistant", turn.answer))
    )


def cut(messages: Sequence[MessageRow], before: str, budget: int) -> tuple[Exchange, ...]:
    """Whole turns, question with answer: the newest that fit into `budget` tokens, oldest first.

    A turn without an answer, or with an empty one, is left out: half an exchange teaches a model nothing.
    """
    answers = {m.turn_id: m for m in messages if m.role == "assistant" and m.text.strip()}
    kept: list[Exchange] = []
    for question in reversed([m for m in messages if m.role == "user" and m.turn_id in answers]):
        answer = answers[question.turn_id]
        cost = count_tokens(question.text) + count_tokens(answer.text)
        if cost > budget:
            break
        budget -= cost
        kept += [Exchange("assistant", answer.text), Exchange("user", question.text)]
    return tuple(reversed(kept))
