"""What one sentence says of the query moves a passage up: the step `sentences` over fakes of its ports."""

from typing import Any

import pytest

from footnote_retriever.funnel.best_sentence import by_best_sentence
from footnote_retriever.funnel.candidates import Candidate, Live
from footnote_shared.contracts.documents import ChunkRef, LiveChunk
from footnote_shared.kernel.clock import now
from footnote_shared.vectors.protocol import Hit
from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes

TOGETHER = "Nothing else is said here. The old mill by the river burned down in spring."
APART = (
    "The old road is long. The mill is new. The river is wide. A barn burned. It rained in spring, and down "
    "fell the hail."
)
QUERY = "when did the old mill by the river burn down in spring"


async def library() -> FunnelOnFakes:
    on = FunnelOnFakes()
    others = [f"Report {at}: the harvest of the year was poor." for at in range(6)]
    await on.add(Book("together", [TOGETHER]), Book("apart", [APART]), *(Book(one, [one]) for one in others))
    return on


async def test_words_that_stand_in_one_sentence_count_more_than_words_all_over_a_passage() -> None:
    on = await library()
    results = [await on.search(QUERY, sentences=weight, min_avg_similarity=0.0) for weight in (0.0, 9.0)]
    assert [result.passages[0].title for result in results] == ["apart", "together"]
    result = await on.search(QUERY, sentences=9.0, explain=True, min_avg_similarity=0.0)
    assert "sentences" in [report.stage for report in result.explanation or []]
    assert [one.chunk_id for one in result.candidates or []][: len(result.passages)] == [
        one.chunk_id for one in result.passages
    ]


async def test_twenty_passages_are_read_however_few_are_asked_for() -> None:
    on = await library()
    result = await on.search(QUERY, sentences=9.0, top_k=1, explain=True, min_avg_similarity=0.0)
    (shown,) = result.passages
    assert shown.title == "together"
    step = next(report for report in result.explanation or [] if report.stage == "sentences")
    assert step.taken == 8


@pytest.mark.parametrize("other", [{"fusion": "rrf"}, {"correct": "words"}, {"sentences": 0.0}])
async def test_scores_that_are_no_standard_scores_stay_as_they_are(other: dict[str, Any]) -> None:
    on = await library()
    result = await on.search(QUERY, **{"sentences": 9.0, "explain": True, **other})
    assert "sentences" not in [report.stage for report in result.explanation or []]


async def test_the_weight_of_a_source_still_counts() -> None:
    on = await library()
    weights = [{"source_type": "upload", "weight": 0.5}]
    result = await on.search(QUERY, sentences=9.0, weights=weights, min_avg_similarity=0.0)
    assert result.passages[0].title == "together"


@pytest.mark.parametrize(("place", "moves"), [(2, True), (20, True), (21, False), (24, False)])
def test_one_of_the_first_twenty_passages_moves_to_the_top(place: int, moves: bool) -> None:
    texts = {place: "The ferry to Skagen leaves at nine."}
    found = [_live(at, texts.get(at, "Gulls sleep on the roof.")) for at in range(1, 25)]
    ordered = by_best_sentence("When does the ferry to Skagen leave?", found, 10.0)
    assert [one.candidate.fused_rank for one in ordered].index(place) == (0 if moves else place - 1)


def _live(at: int, text: str) -> Live:
    ref = ChunkRef(document_id=f"d{at}", chunk_id=f"c{at}", text_hash="h")
    chunk = LiveChunk(
        **ref.model_dump(),
        title="Harbour",
        source="",
        text=text,
        ordinal=0,
        kind="prose",
        heading_path=[],
        char_start=0,
        char_end=len(text),
        version=1,
        source_type="upload",
        created_at=now(),
    )
    return Live(
        Candidate(id=str(at), hit=Hit(str(at), 0.0, ref.model_dump()), score=-0.1 * at, fused_rank=at), chunk
    )
