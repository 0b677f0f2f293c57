"""Neighbours that are found together: the step `neighbours` over fakes of its ports."""

from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes

WINE = Book("wine", [f"Part {at} tells of the cellar." for at in range(3)])


async def test_neighbours_in_one_document_are_one_passage_and_the_others_are_told_of() -> None:
    on = FunnelOnFakes()
    await on.add(WINE, Book("rent", ["The cellar is let from May."]))
    result = await on.search("cellar", explain=True)
    wine, _ = sorted(result.passages, key=lambda one: one.title, reverse=True)
    assert wine.text == "\n".join(WINE.texts)
    assert wine.section == [f"{WINE.id}-{at}" for at in range(3)]
    assert (wine.char_start, wine.char_end, wine.clipped) == (0, len(wine.text), False)
    fates = {fate.chunk_id: (fate.left_at, fate.why) for fate in result.candidates or []}
    assert [fates[one] for one in wine.section if one != wine.chunk_id] == [("neighbours", "neighbours")] * 2
    assert fates[wine.chunk_id] == (None, None)
    step = next(report for report in result.explanation or [] if report.stage == "neighbours")
    assert (step.taken, step.given) == (4, 2)


async def test_a_long_run_of_neighbours_keeps_several_numbers() -> None:
    on = FunnelOnFakes()
    await on.add(Book("wine", [f"Part {at} tells of the cellar." for at in range(7)]))
    result = await on.search("cellar")
    assert max(len(one.section) for one in result.passages) == 3
    assert sum(len(one.section) or 1 for one in result.passages) == 7


async def test_neighbours_stay_apart_where_that_is_asked_for() -> None:
    on = FunnelOnFakes()
    await on.add(WINE)
    result = await on.search("cellar", neighbours=False)
    assert sorted(one.text for one in result.passages) == sorted(WINE.texts)
    assert all(one.section == [] for one in result.passages)


async def test_neighbours_that_were_cut_are_joined_where_their_parts_touch_and_stay_in_the_budget() -> None:
    on = FunnelOnFakes()
    texts = [f"{'rain ' * 30}. The cellar is dry.", f"The cellar is old. {'wind ' * 30}."]
    await on.add(Book("wine", texts))
    result = await on.search("cellar", context_tokens=50)
    assert sum(len(one.text.split()) for one in result.passages) <= 50
    assert "The cellar is dry.\nThe cellar is old." in result.passages[0].text
    assert result.passages[0].clipped
