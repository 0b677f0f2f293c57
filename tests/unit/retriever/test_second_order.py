"""What was found is put in order a second time, by what its best passages have in common."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from footnote_shared.contracts.search import SearchResult
from footnote_shared.kernel.errors import Unavailable
from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes, dead, short

ASKED = "gulls nest breeding places seaside Britain described ornithologists"
"""Eight words that count, so that feedback adds terms."""


def step_of(result: SearchResult) -> dict[str, Any] | None:
    found = [report.notes for report in result.explanation or [] if report.stage == "feedback"]
    return found[0] if found else None


def titles(result: SearchResult) -> list[str]:
    return [passage.title for passage in result.passages]


async def seaside() -> FunnelOnFakes:
    """Two passages have words of the query that nothing else has, and say `kittiwake` beside them."""
    on = FunnelOnFakes()
    await on.add(
        Book("first", ["gulls nest breeding places kittiwake kittiwake kittiwake colony ledge"]),
        Book("second", ["gulls nest seaside kittiwake kittiwake kittiwake colony ledge"]),
        Book("of the kind", ["Britain kittiwake kittiwake kittiwake colony ledge"]),
        Book("of another", ["Britain tractor tractor tractor field plough"]),
        Book("far", ["ornithologists write letters about pensions"]),
    )
    return on


async def test_of_two_that_the_query_tells_little_of_the_one_like_the_best_comes_first() -> None:
    on = await seaside()
    plain = await on.search(ASKED, feedback=False, explain=True)
    result = await on.search(ASKED, explain=True)
    assert step_of(plain) is None
    assert step_of(result) == {"passages": 5}
    assert titles(result).index("of the kind") < titles(result).index("of another")
    ahead = {one.title: one.score for one in result.passages}
    before = {one.title: one.score for one in plain.passages}
    gained = (ahead["of the kind"] - ahead["of another"]) - (before["of the kind"] - before["of another"])
    assert gained > 0
    assert len(on.index.searches) == 2


async def test_what_five_passages_have_in_common_counts_however_many_are_found() -> None:
    on = await seaside()
    await on.add(Book("sixth", ["gulls breed at the coast"]), Book("seventh", ["Britain has a long coast"]))
    assert step_of(await on.search(ASKED, explain=True)) == {"passages": 5}


async def test_ingest_is_not_asked_again_about_what_it_has_told_in_this_search() -> None:
    on = await seaside()
    result = await on.search(ASKED)
    assert len(result.passages) == 5
    assert on.ingest.lookups == 1


async def test_cosines_with_the_query_stay_and_ranks_are_those_of_the_answer() -> None:
    on = await seaside()
    plain = await on.search(ASKED, feedback=False)
    result = await on.search(ASKED)
    known = {passage.chunk_id: passage.similarity for passage in plain.passages}
    assert {passage.chunk_id: passage.similarity for passage in result.passages} == known
    assert [passage.ranks.fused for passage in result.passages] == [1, 2, 3, 4, 5]
    scores = [passage.score for passage in result.passages]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    "settings", [{"fusion": "rrf"}, {"fusion": "dense_only"}, {"expand": ["rm3"]}, {"feedback": False}]
)
async def test_other_ways_to_search_have_one_order(settings: dict[str, Any]) -> None:
    on = await seaside()
    assert step_of(await on.search(ASKED, explain=True, **settings)) is None


async def test_a_store_that_gives_no_vectors_is_named_and_the_first_order_stands() -> None:
    on = await seaside()
    plain = await on.search(ASKED, feedback=False)
    on.index.vectors_broken = Unavailable("qdrant", "away")
    result = await on.search(ASKED, explain=True)
    assert result.degraded == ["feedback"]
    assert titles(result) == titles(plain)
    assert (step_of(result) or {})["failed"] == "away"


async def test_a_store_that_moves_the_query_itself_gives_the_same_order_and_is_asked_nothing_more() -> None:
    on = await seaside()
    expected = await on.search(ASKED)
    on.index.moves = True
    on.index.vectors_broken = Unavailable("qdrant", "away")
    result = await on.search(ASKED)
    assert result.degraded == []
    assert titles(result) == titles(expected)
    assert [passage.score for passage in result.passages] == [one.score for one in expected.passages]


async def test_what_will_move_up_is_asked_about_in_the_same_call() -> None:
    on = await seaside()
    await on.add(*(short("described ornithologists in their own letters", number) for number in range(30)))
    expected = await on.search(ASKED)
    assert on.ingest.lookups == 2
    on.index.moves = True
    result = await on.search(ASKED)
    assert on.ingest.lookups == 3
    assert titles(result) == titles(expected)


async def test_a_search_in_one_order_asks_for_no_other() -> None:
    on = await seaside()
    await on.search(ASKED, feedback=False)
    await on.search(ASKED)
    assert [query.feedback is not None for query in on.index.searches] == [False, True]


@pytest.mark.parametrize("book", [dead, lambda book: replace(book, title="a copy")], ids=["dead", "a copy"])
async def test_a_query_moved_by_what_ingest_does_not_confirm_or_by_a_copy_is_moved_anew(
    book: Callable[[Book], Book],
) -> None:
    on = await seaside()
    await on.add(
        book(Book("first", ["gulls nest breeding places kittiwake kittiwake kittiwake colony ledge"]))
    )
    expected = await on.search(ASKED)
    on.index.moves = True
    result = await on.search(ASKED)
    assert titles(result) == titles(expected)
    assert [passage.score for passage in result.passages] == [one.score for one in expected.passages]
    on.index.vectors_broken = Unavailable("qdrant", "away")
    assert (await on.search(ASKED)).degraded == ["feedback"]


async def test_what_ingest_does_not_confirm_changes_no_order() -> None:
    """Passages that are deleted, or that this caller may no longer see, may lie in the index for a moment."""
    on = await seaside()
    without = await on.search(ASKED)
    await on.add(dead(Book("gone", ["gulls nest breeding places seaside tractor tractor tractor plough"])))
    result = await on.search(ASKED)
    assert titles(result) == titles(without)


async def test_the_share_that_was_taken_is_in_the_answer() -> None:
    on = await seaside()
    assert (await on.search("gulls")).settings.alpha == pytest.approx(0.4)
    assert (await on.search(ASKED)).settings.alpha == pytest.approx(0.475)
    assert (await on.search(ASKED, alpha=0.9)).settings.alpha == 0.9
