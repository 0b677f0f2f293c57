"""Thirty follow-ups: what they lean on, and what an answer without a model makes of them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from footnote_agent.context.asked_turn import AskedTurn, Exchange
from footnote_agent.context.query import search_query
from footnote_agent.engines.extractive import choose
from footnote_agent.engines.intent import intent_of
from footnote_agent.tools.evidence_search import Found
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import TurnSettings
from footnote_shared.kernel.follow_ups import is_follow_up
from footnote_testing.fake_neighbours import make_passage

FILE = Path(__file__).parents[2] / "corpora" / "follow_ups.toml"
CALLER = Principal(workspace_id="w", avatar_id="a", scopes=frozenset({"read", "write"}))
SENTENCES = 2
"""A sentence that begins with a pronoun brings along the one before it."""


@dataclass(frozen=True)
class FollowUp:
    """A question, the one before it with its answer, and the text that both are asked of."""

    title: str
    passage: str
    before: str
    text: str
    wanted: str
    leans: bool

    @property
    def history(self) -> tuple[Exchange, ...]:
        first = self.passage.partition(". ")[0]
        return Exchange("user", self.before), Exchange("assistant", f"{first} [citation:1].")

    def quoted(self) -> list[str]:
        """The sentences that the extractive engine quotes, best first."""
        settings = TurnSettings(answer_sentences=SENTENCES)
        turn = AskedTurn("t", "th", CALLER, self.text, settings=settings, history=self.history)
        passage = make_passage(self.passage, self.title, similarity=0.8)
        found = Found([passage], sufficient=True, degraded=[], retrieval_ids=[])
        selection = choose(turn, search_query(self.text, self.history), found).selection
        return [one.text for one in selection.chosen] if selection is not None else []


def follow_ups() -> list[FollowUp]:
    topics = tomllib.loads(FILE.read_text("utf-8"))["topic"]
    return [
        FollowUp(topic["title"], topic["text"], topic["before"], **ask)
        for topic in topics
        for ask in topic["asks"]
    ]


ALL = follow_ups()


def test_there_are_thirty_each_with_its_answer_in_the_text() -> None:
    assert len(ALL) == 30
    assert all(one.wanted in one.passage for one in ALL)


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.text)
def test_each_asks_for_knowledge_and_leans_as_a_reader_would_say(one: FollowUp) -> None:
    assert intent_of(one.text, has_history=True) == "knowledge"
    assert is_follow_up(one.text) is one.leans


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.text)
def test_two_sentences_answer_it_and_repeat_the_answer_before_for_a_pronoun_alone(one: FollowUp) -> None:
    quotes = one.quoted()
    assert any(quote.startswith(one.wanted) for quote in quotes), quotes
    repeats = one.passage.partition(". ")[0] in " ".join(quotes)
    assert not repeats or one.wanted.startswith(("They ", "Its ")), quotes
