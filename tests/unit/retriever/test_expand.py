"""A query that is widened: what it finds then, and what it does without."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from footnote_retriever.funnel.expand import standalone
from footnote_retriever.funnel.model_words import ModelWords
from footnote_shared.contracts.events import Usage
from footnote_shared.contracts.search import Expansion, HistoryMessage, SearchResult
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.query_operators import UnderstoodQuery
from footnote_shared.models.protocol import (
    NONE_AVOIDED,
    AnswerCut,
    Avoided,
    ModelFailed,
    ModelSwitched,
    Prompt,
)
from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes


class SayingModel:
    """A chat model that says one thing, or fails."""

    name = "says"

    def __init__(self, text: str = "", failure: ModelFailed | None = None) -> None:
        self.text = text
        self.failure = failure

    def has_other(self, avoid: Avoided) -> bool:
        return False

    async def stream(
        self, prompt: Prompt, *, avoid: Avoided = NONE_AVOIDED
    ) -> AsyncGenerator[str | AnswerCut | Usage | ModelSwitched, None]:
        if self.failure:
            raise self.failure
        yield self.text


def steps(result: SearchResult) -> list[dict[str, Any]]:
    return [report.notes for report in result.explanation or [] if report.stage == "expand"]


async def birds(words: ModelWords | None = None) -> FunnelOnFakes:
    on = FunnelOnFakes(words=words)
    await on.add(
        Book("one", ["The gull nests on cliffs by the sea."]),
        Book("two", ["Cliffs by the sea are white with chalk."]),
        Book("three", ["A tractor ploughs the field."]),
    )
    return on


async def test_nothing_is_widened_unless_it_is_asked_for() -> None:
    on = await birds()
    result = await on.search("gull", explain=True)
    assert steps(result) == []
    assert len(on.index.searches) == 1


async def test_feedback_in_the_terms_finds_what_shares_words_with_the_best() -> None:
    on = await birds()
    plain = await on.search("gull", fusion="sparse_only")
    assert [passage.title for passage in plain.passages] == ["one"]
    widened = await on.search("gull", fusion="sparse_only", expand=["rm3"], explain=True)
    assert [passage.title for passage in widened.passages] == ["one", "two"]
    assert steps(widened)[0]["terms"] > 0
    assert not widened.degraded


async def test_feedback_in_the_dense_leg_moves_the_query_and_keeps_the_terms() -> None:
    on = await birds()
    await on.search("gull", expand=["rocchio"])
    first, second = on.index.searches
    assert first.dense is not None
    assert second.dense is not None
    assert (first.dense != second.dense).any()
    assert first.sparse == second.sparse


async def test_a_store_that_does_not_give_vectors_is_named_and_the_first_look_stands() -> None:
    on = await birds()
    on.index.vectors_broken = Unavailable("qdrant", "away")
    plain = await on.search("gull")
    result = await on.search("gull", expand=["rocchio", "rm3"], explain=True)
    assert result.degraded == ["rocchio", "rm3"]
    assert [p.chunk_id for p in result.passages] == [p.chunk_id for p in plain.passages]
    assert steps(result)[0]["failed"]


async def test_an_imagined_answer_and_other_wordings_are_searched_for() -> None:
    on = await birds(ModelWords(SayingModel("- seabird cliffs\n- chalk\n"), 60))
    result = await on.search("gull", fusion="sparse_only", expand=["multi_query"], explain=True)
    assert [passage.title for passage in result.passages] == ["one", "two"]
    assert steps(result)[0]["texts"] == ["seabird cliffs", "chalk"]
    on = await birds(ModelWords(SayingModel("A tractor ploughs the field."), 60))
    result = await on.search("gull", fusion="dense_only", expand=["hyde"], explain=True)
    assert result.passages[0].title in ("one", "three")
    assert "three" in [passage.title for passage in result.passages[:2]]


@pytest.mark.parametrize("way", ["hyde", "multi_query"])
async def test_a_model_that_fails_or_is_not_there_is_named(way: Expansion) -> None:
    failing = ModelWords(SayingModel(failure=ModelFailed("timeout", "away", before_first_token=True)), 60)
    for words in (None, failing):
        on = await birds(words)
        result = await on.search("gull", expand=[way])
        assert result.degraded == [way]
        assert result.passages[0].title == "one"


@pytest.mark.parametrize("way", ["rocchio", "hyde", "multi_query"])
async def test_passages_are_as_near_as_they_are_to_the_query_that_was_asked(way: Expansion) -> None:
    on = await birds(ModelWords(SayingModel("A tractor ploughs the field."), 60))
    plain = {p.title: p.similarity for p in (await on.search("gull")).passages}
    result = await on.search("gull", expand=[way], correct="words", grade="score")
    moved = on.index.searches[-1].dense
    assert moved is not None
    assert (moved != on.index.searches[0].dense).any()
    assert {p.title: p.similarity for p in result.passages} == pytest.approx(plain, abs=1e-5)


@pytest.mark.parametrize("way", ["rocchio", "hyde"])
async def test_no_evidence_is_enough_because_the_query_was_moved_towards_it(way: Expansion) -> None:
    on = await birds(ModelWords(SayingModel("A tractor ploughs the field."), 60))
    above_all = max(p.similarity or 0 for p in (await on.search("lighthouse")).passages) + 0.01
    assert not (await on.search("lighthouse", min_avg_similarity=above_all)).sufficient
    assert not (await on.search("lighthouse", min_avg_similarity=above_all, expand=[way])).sufficient


async def test_a_store_that_does_not_say_how_near_the_query_is_that_was_asked_is_named() -> None:
    on = await birds(ModelWords(SayingModel("A tractor ploughs the field."), 60))
    on.index.moves = True
    on.index.vectors_broken = Unavailable("qdrant", "away")
    result = await on.search("gull", expand=["hyde"], explain=True)
    assert result.degraded == ["gate"]
    assert {p.similarity for p in result.passages} == {None}
    assert [r.notes["failed"] for r in result.explanation or [] if r.stage == "as_asked"] == ["away"]


async def test_a_follow_up_is_searched_with_the_question_before_it() -> None:
    history = [
        HistoryMessage(role="user", text="Where do gulls nest?"),
        HistoryMessage(role="assistant", text="Cliffs."),
    ]
    both = standalone("and why there?", history, operators=True)
    assert both == UnderstoodQuery("Where do gulls nest? and why there?")
    by_itself = "How much does a new tractor cost in total?"
    assert standalone(by_itself, history, operators=True) == UnderstoodQuery(by_itself)
    assert standalone("and why there?", [], operators=True) == UnderstoodQuery("and why there?")
    on = await birds()
    result = await on.search("why there?", expand=["rewrite"], history=history, explain=True)
    assert result.passages[0].title == "one"
    notes = next(report.notes for report in result.explanation or [] if report.stage == "understand")
    assert notes["text"] == "Where do gulls nest? why there?"


async def test_operators_of_the_question_before_leave_nothing_out_of_a_follow_up() -> None:
    asked = 'title:one after:2040 -cliffs "gull nests" where?'
    history = [HistoryMessage(role="user", text=asked)]
    read = standalone("and -tractor there?", history, operators=True)
    assert read == UnderstoodQuery("gull nests where? and there?", left_out=("tractor",))
    plain = standalone("and there?", history, operators=False)
    assert plain == UnderstoodQuery(f"{asked} and there?")
    on = await birds()
    assert not (await on.search(asked)).passages
    result = await on.search("and there?", expand=["rewrite"], history=history)
    assert result.passages[0].title == "one"
