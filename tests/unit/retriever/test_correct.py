"""A search that found too little is tried again: in which words, how often, and what is kept."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from footnote_retriever.funnel.candidates import Candidate, Live
from footnote_retriever.funnel.correct import merged, without
from footnote_retriever.funnel.model_words import ModelWords
from footnote_shared.contracts.documents import ChunkRef, LiveChunk
from footnote_shared.contracts.events import Usage
from footnote_shared.contracts.search import SearchResult
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.models.protocol import (
    NONE_AVOIDED,
    AnswerCut,
    Avoided,
    ChatMessage,
    ModelSwitched,
    Prompt,
)
from footnote_shared.vectors.protocol import Hit
from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes


class ScriptedModel:
    """A chat model that answers each prompt by the first of its answers whose key the instructions hold."""

    name = "scripted"

    def __init__(self, **answers: str) -> None:
        self.answers = answers
        self.prompts: list[Prompt] = []

    def has_other(self, avoid: Avoided) -> bool:
        return False

    async def stream(
        self, prompt: Prompt, *, avoid: Avoided = NONE_AVOIDED
    ) -> AsyncGenerator[str | AnswerCut | Usage | ModelSwitched, None]:
        self.prompts.append(prompt)
        yield next((said for key, said in self.answers.items() if key in prompt.system), "")


def cycles(result: SearchResult) -> list[dict[str, Any]]:
    return [report.notes for report in result.explanation or [] if report.stage == "correct"]


def titles(result: SearchResult) -> list[str]:
    return [passage.title for passage in result.passages]


async def birds(words: ModelWords | None = None) -> FunnelOnFakes:
    on = FunnelOnFakes(words=words)
    await on.add(
        Book("one", ["The gull nests on cliffs by the sea."]),
        Book("two", ["Cliffs by the sea are white with chalk."]),
        Book("three", ["A tractor ploughs the field."]),
        Book("four", ["Bread is baked in the morning."]),
    )
    return on


STRICT: dict[str, Any] = {"fusion": "sparse_only", "min_similarity": 0.999, "top_k": 4}
"""No cosine is as near as that: nothing passes, and the gate lets nothing through."""


async def test_nothing_is_tried_again_unless_it_is_asked_for() -> None:
    on = await birds()
    assert cycles(await on.search("gull", explain=True, min_similarity=0.999)) == []
    assert len(on.index.searches) == 1


async def test_two_passages_that_pass_are_enough() -> None:
    on = await birds()
    result = await on.search("gull", correct="words", explain=True)
    assert cycles(result) == [{"cycle": 1, "passed": 4}]
    assert len(on.index.searches) == 1


@pytest.mark.parametrize(("named", "looks"), [("1, 2", 1), ("1", 3), ("0", 3)])
async def test_one_passage_that_passes_is_not(named: str, looks: int) -> None:
    on = await birds(ModelWords(ScriptedModel(**{"numbered passages": named}), 60))
    result = await on.search("gull zeppelin", correct="words", grade="model", explain=True)
    assert len(on.index.searches) == looks
    assert cycles(result)[0]["passed"] == (named != "0") + (looks == 1)
    assert len(cycles(result)) == (2 if looks > 1 else 1)


async def test_words_that_no_passage_has_are_left_out_first() -> None:
    on = await birds()
    result = await on.search("zeppelin gull", correct="words", explain=True, **STRICT)
    assert cycles(result)[0]["text"] == "gull"
    assert [search.limit for search in on.index.searches] == [40, 40, 40]


async def test_what_all_looks_found_is_kept_and_the_first_look_counts_most() -> None:
    judge = {"numbered passages": "0", "other ways": "chalk", "imagine": ""}
    on = await birds(ModelWords(ScriptedModel(**judge), 60))
    plain = await on.search("gull", fusion="sparse_only")
    assert titles(plain) == ["one"]
    result = await on.search("gull", fusion="sparse_only", correct="model", grade="model", explain=True)
    assert titles(result)[0] == "one"
    assert set(titles(result)) == {"one", "two"}
    assert [passage.ranks.fused for passage in result.passages] == [1, 2]
    assert {fate.title for fate in result.candidates or []} == {"one", "two"}
    assert not result.degraded


async def test_cosines_stay_those_of_the_query_that_was_asked() -> None:
    on = await birds(ModelWords(ScriptedModel(**{"numbered passages": "0", "other ways": "chalk"}), 60))
    plain = {p.title: p.similarity for p in (await on.search("gull", top_k=4)).passages}
    result = await on.search("gull", top_k=4, correct="model", grade="model")
    assert {p.title: p.similarity for p in result.passages} == pytest.approx(plain, abs=1e-5)


async def test_a_judge_is_shown_passages_as_material_and_its_numbers_count_alone() -> None:
    model = ScriptedModel(**{"numbered passages": "99, 1. Also 2 and the year 20262027"})
    on = await birds(ModelWords(model, 60))
    result = await on.search("gull", correct="words", grade="model", explain=True)
    assert cycles(result) == [{"cycle": 1, "passed": 2}]
    shown = model.prompts[0].messages[0]
    assert isinstance(shown, ChatMessage)
    assert "<passage number=1>" in shown.text


async def test_a_judge_is_shown_the_beginnings_of_the_best_eight() -> None:
    model = ScriptedModel(**{"numbered passages": "1, 2, 9"})
    on = FunnelOnFakes(words=ModelWords(model, 60))
    await on.add(*(Book(f"book {n}", [f"gull {n} " + "x" * 600]) for n in range(9)))
    result = await on.search("gull", correct="words", grade="model", top_k=9, explain=True)
    assert cycles(result) == [{"cycle": 1, "passed": 2}]
    shown = model.prompts[0].messages[0]
    assert isinstance(shown, ChatMessage)
    assert shown.text.count("<passage") == 8
    assert {line.count("x") for line in shown.text.splitlines() if line.startswith("gull")} == {593}


async def test_without_a_model_a_judge_is_named_and_scores_tell() -> None:
    on = await birds()
    result = await on.search("gull", correct="words", grade="model")
    assert result.degraded == ["grade"]
    assert titles(result)


async def test_a_store_that_gives_no_vectors_is_named_and_the_first_look_stands() -> None:
    on = await birds()
    on.index.vectors_broken = Unavailable("qdrant", "away")
    plain = await on.search("zeppelin gull", fusion="sparse_only")
    judge = ModelWords(ScriptedModel(**{"numbered passages": "0", "other ways": "chalk"}), 60)
    on = await birds(judge)
    on.index.vectors_broken = Unavailable("qdrant", "away")
    result = await on.search("zeppelin gull", fusion="sparse_only", correct="model", grade="model")
    assert result.degraded == ["correct"]
    assert titles(result) == titles(plain)


@pytest.mark.parametrize(
    ("query", "words", "left"),
    [
        ("Where do gulls nest?", ["gulls"], "Where do nest?"),
        ("Zeppelin, gull", ["zeppelin"], "gull"),
        ("gull", ["gull"], ""),
        ("gull", [], "gull"),
    ],
)
def test_words_are_left_out_whole(query: str, words: Sequence[str], left: str) -> None:
    assert without(query, words) == left


def found(*points: str) -> list[Live]:
    return [live(point, rank) for rank, point in enumerate(points, 1)]


def live(point: str, rank: int) -> Live:
    ref = ChunkRef(document_id="d", chunk_id=point, text_hash=point)
    chunk = LiveChunk(
        **ref.model_dump(),
        title="",
        source="",
        text=point,
        ordinal=0,
        kind="prose",
        heading_path=[],
        char_start=0,
        char_end=0,
        version=1,
        source_type="upload",
        created_at=now(),
    )
    return Live(Candidate(id=point, hit=Hit(point, 0.0, ref.model_dump()), score=0.0, fused_rank=rank), chunk)


def order(*looks: Sequence[Live]) -> list[str]:
    return [one.candidate.id for one in merged(looks)]


def test_ranks_of_the_first_look_count_double() -> None:
    """What comes first in two further looks is as good as what comes first in the first one."""
    assert order(found("a"), found("b"), found("b")) == ["a", "b"]
    assert order(found("c"), found("b"), found("b")) == ["b", "c"]


def test_what_one_further_look_has_first_is_as_good_as_rank_62_of_the_first_one() -> None:
    first = [f"x{n}" for n in range(62)]
    assert order(found(*first[:61]), found("b")).index("b") == 61
    assert order(found(*first), found("b")).index("b") == 61


def test_of_no_further_look_the_order_and_the_scores_stay() -> None:
    assert merged([[]]) == []
