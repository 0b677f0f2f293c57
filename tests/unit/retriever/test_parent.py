"""Small chunks that are found, and sections that are shown: the step `parent` over fakes of its ports."""

from dataclasses import replace

from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes, caller


def sections() -> Book:
    """Five chunks of one section, of which one speaks of the cellar."""
    return Book("wine", [f"Part {at} is about {'the cellar' if at == 2 else 'grapes'}." for at in range(5)])


async def test_a_small_chunk_is_found_and_its_section_is_shown() -> None:
    on = FunnelOnFakes()
    book = sections()
    await on.add(book, Book("rent", ["Rent is due on the first of May."]))
    result = await on.search("cellar", top_k=1, parent=True, explain=True)
    (shown,) = result.passages
    assert shown.chunk_id == f"{book.id}-2"
    assert shown.text == "\n".join(book.texts)
    assert shown.section == [f"{book.id}-{at}" for at in range(5)]
    assert (shown.char_start, shown.char_end) == (0, len(shown.text))
    step = next(report for report in result.explanation or [] if report.stage == "parent")
    assert (step.taken, step.given, step.notes["chunks"]) == (1, 1, 5)
    (small,) = (await on.search("cellar", top_k=1)).passages
    assert (small.text, small.section) == (book.texts[2], [])


async def test_passages_of_one_section_are_shown_once_and_told_of() -> None:
    on = FunnelOnFakes()
    book = sections()
    await on.add(book)
    result = await on.search("cellar grapes", top_k=5, parent=True, explain=True)
    (shown,) = result.passages
    assert shown.text == "\n".join(book.texts)
    fates = {fate.chunk_id: (fate.left_at, fate.why) for fate in result.candidates or []}
    assert fates.pop(shown.chunk_id) == (None, None)
    assert set(fates.values()) == {("parent", "parent")}


async def test_a_section_stays_within_the_budget_and_one_that_was_cut_does_not_grow() -> None:
    on = FunnelOnFakes()
    await on.add(
        Book(
            "wine",
            [f"{'cellar ' * (at == 1)}{' '.join(f'w{at}x{n}' for n in range(19))}." for at in range(6)],
        )
    )
    result = await on.search("cellar", top_k=1, parent=True, context_tokens=70)
    assert [len(passage.section) for passage in result.passages] == [3]
    assert sum(len(passage.text.split()) for passage in result.passages) <= 70
    tight = await on.search("cellar w1x1 w2x1 w3x1 w4x1", top_k=6, parent=True, context_tokens=50)
    assert all(passage.section == [] for passage in tight.passages)


async def test_without_the_neighbours_the_chunks_are_shown() -> None:
    on = FunnelOnFakes()
    await on.add(sections())
    on.ingest.refuses_neighbours = True
    result = await on.search("cellar", top_k=1, parent=True)
    assert [passage.section for passage in result.passages] == [[]]
    assert result.degraded == ["parent"]


async def test_nothing_of_a_document_that_the_caller_may_not_see_comes_with_a_section() -> None:
    on = FunnelOnFakes()
    book = sections()
    await on.add(replace(book, private=True))
    stranger = caller().model_copy(update={"avatar_id": "somebody else"})
    assert (await on.search("cellar", parent=True, by=stranger)).passages == []
