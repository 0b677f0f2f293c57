"""Passages that stand side by side: one text, nothing lost, nothing twice, and all at its place."""

from hypothesis import given
from hypothesis import strategies as st

from footnote_retriever.funnel.candidates import Live, passage_of
from footnote_retriever.funnel.neighbours import MOST, Shown, joined
from footnote_shared.contracts.search import Passage
from tests.properties.test_budget import words
from tests.properties.test_parent import Cut, chunk, documents, found


def whole(live: Live) -> tuple[Live, Passage]:
    return live, passage_of(live, live.chunk.text)


def part(live: Live, start: int, end: int) -> tuple[Live, Passage]:
    """The passage cut to these characters of its chunk."""
    return live, passage_of(live, live.chunk.text[start:end], start)


@st.composite
def shown_of(draw: st.DrawFn) -> tuple[Cut, Shown]:
    """Some chunks of a document, by rank, whole or cut at words."""
    cut = draw(documents())
    hits = draw(
        st.lists(st.sampled_from(cut.chunks), min_size=1, max_size=8, unique_by=lambda one: one.ordinal)
    )
    shown: Shown = []
    for one in hits:
        spaces = [at + 1 for at, sign in enumerate(one.text) if sign == " "]
        start, end = draw(st.sampled_from([0, *spaces])), draw(st.sampled_from([*spaces, len(one.text)]))
        shown.append(part(found(one), start, end) if one.text[start:end].strip() else whole(found(one)))
    return cut, shown


@given(shown_of())
def test_the_text_is_that_of_the_document_and_nothing_is_lost(given: tuple[Cut, Shown]) -> None:
    cut, shown = given
    kept = joined(shown)
    ranks = [shown.index(next(one for one in shown if one[0] is live)) for live, _ in kept]
    assert ranks == sorted(ranks)
    assert kept[0][0] is shown[0][0]
    for _, passage in kept:
        assert passage.text == cut.text[passage.char_start : passage.char_end]
    for live, passage in shown:
        holding = [
            one for other, one in kept if live.chunk.chunk_id in (one.section or [other.chunk.chunk_id])
        ]
        assert len(holding) == 1
        assert holding[0].char_start <= passage.char_start <= passage.char_end <= holding[0].char_end
    assert sum(words(one.text) for _, one in kept) <= sum(words(one.text) for _, one in shown)
    assert all(len(one.section) <= MOST for _, one in kept)


@given(st.lists(st.integers(2, 6), min_size=1, max_size=MOST), st.integers(0, 2))
def test_all_of_a_short_section_is_one_passage_under_the_number_of_the_best(
    sizes: list[int], shared: int
) -> None:
    text, chunks, start = "one two " * 12, [], 0
    for at, size in enumerate(sizes):
        end = start + 4 * size
        chunks.append(chunk("a", at, start, text[start:end]))
        start = max(start + 4, end - 4 * shared)
    ((live, passage),) = joined([whole(found(one)) for one in reversed(chunks)])
    assert live.chunk == chunks[-1]
    assert (passage.char_start, passage.char_end) == (0, chunks[-1].char_end)
    assert passage.section == ([one.chunk_id for one in chunks] if len(chunks) > 1 else [])
    assert not passage.clipped


def test_a_passage_that_goes_over_a_page_names_all_of_its_pages() -> None:
    first, second = chunk("a", 0, 0, "one two "), chunk("a", 1, 8, "three four ")
    pages = [
        one.model_copy(update={"page_start": at, "page_end": last})
        for one, at, last in ((first, 34, 34), (second, 35, 36))
    ]
    for order in (pages, pages[::-1]):
        ((_, passage),) = joined([whole(found(one)) for one in order])
        assert (passage.page_start, passage.page_end) == (34, 36)
    ((_, plain),) = joined([whole(found(one)) for one in (first, second)])
    assert (plain.page_start, plain.page_end) == (None, None)


def test_what_is_not_shown_between_two_keeps_them_apart() -> None:
    first, second = chunk("a", 0, 0, "one two three "), chunk("a", 1, 14, "four five six")
    beside = [part(found(first), 4, 14), part(found(second), 0, 4)]
    ((_, passage),) = joined(beside)
    assert (passage.text, passage.clipped) == ("two three four", True)
    for apart in ([part(found(first), 0, 7), beside[1]], [beside[0], part(found(second), 5, 13)]):
        assert joined(apart) == apart


def test_other_headings_versions_and_documents_stay_apart() -> None:
    first = chunk("a", 0, 0, "one ")
    for other in (
        chunk("a", 1, 4, "two", heading="another"),
        chunk("a", 1, 4, "two", version=2),
        chunk("b", 1, 4, "two"),
        chunk("a", 2, 4, "two"),
        chunk("a", 1, 9, "two"),
        chunk("a", 1, 4, "head\ntwo").model_copy(update={"char_end": 7}),
    ):
        assert len(joined([whole(found(first)), whole(found(other))])) == 2


def test_a_passage_with_facts_of_its_own_stays_by_itself() -> None:
    first, second = found(chunk("a", 0, 0, "one ")), found(chunk("a", 1, 4, "two"))
    told = Live(second.candidate._replace(facts=("f",)), second.chunk)
    assert len(joined([whole(first), whole(second)])) == 1
    assert len(joined([whole(first), whole(told)])) == 2


def test_a_better_passage_is_not_taken_away_by_a_worse_one() -> None:
    five = [whole(found(chunk("a", at, 4 * at, "one "))) for at in range(5)]
    kept = joined([five[0], five[4], five[2], five[1], five[3]])
    assert [one.section for _, one in kept] == [["a-0", "a-1", "a-2"], ["a-3", "a-4"]]
