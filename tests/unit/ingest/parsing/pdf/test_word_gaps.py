"""Spaces that a PDF does not draw, and fonts that do not tell their size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.parsing.pdf.word_gaps import PlaceOf, with_spaces, word_gaps
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, words


def places(text: str, gaps: dict[int, float]) -> PlaceOf:
    """Characters that are 5 points wide in a font of 10 points, with more room before some of them."""

    def place_of(at: int) -> tuple[float, float, float]:
        left = 5.0 * at + sum(gap for place, gap in gaps.items() if place <= at)
        return left, left + 5, 10.0

    return place_of


class TestWordGaps:
    @pytest.mark.parametrize(("gap", "is_space"), [(1.6, True), (1.4, False)])
    def test_are_wider_than_between_letters(self, gap: float, is_space: bool) -> None:
        text = "like awk.It copies newrules"
        found = word_gaps(text, places(text, {9: 3.0, 22: gap}))
        assert with_spaces(text, 0, found) == f"like awk. It copies new{' ' * is_space}rules"

    def test_are_looked_for_where_words_are_joined(self) -> None:
        text = "the java.util.List of newrules"
        assert word_gaps(text, places(text, {25: 3.0})) == []

    @pytest.mark.parametrize(("names", "found"), [(4, 1), (5, 0)])
    def test_are_seen_in_the_first_five_places(self, names: int, found: int) -> None:
        text = "java.Util " * names + "like awk.It"
        assert len(word_gaps(text, places(text, {len(text) - 2: 3.0}))) == found

    @pytest.mark.parametrize(
        ("gap", "after", "is_space"), [(0.9, 0.0, True), (0.7, 0.0, False), (0.9, 0.5, False)]
    )
    def test_may_be_narrow_before_a_capital_whose_letters_touch(
        self, gap: float, after: float, is_space: bool
    ) -> None:
        text = "a quickReference card"
        found = word_gaps(text, places(text, {7: gap, 8: after}))
        assert with_spaces(text, 0, found) == f"a quick{' ' * is_space}Reference card"

    @pytest.mark.parametrize(("gap", "is_space"), [(0.9, True), (0.7, False)])
    def test_may_be_narrow_behind_the_number_of_a_section(self, gap: float, is_space: bool) -> None:
        text = "some words\n5.13Altair Basic\n"
        found = word_gaps(text, places(text, {15: gap}))
        assert with_spaces(text, 0, found) == f"some words\n5.13{' ' * is_space}Altair Basic\n"
        assert word_gaps("13.3DISK2 and\n", places("13.3DISK2 and\n", {4: 0.9})) == [4]
        inside = "see 5.13Altair Basic"
        assert word_gaps(inside, places(inside, {8: gap})) == []

    @pytest.mark.parametrize(
        ("text", "draws", "found"),
        [
            ("the arrowkeys of it", True, []),
            ("the sarrowkeys of it", True, [10]),
            ("the sarrowkeys of it", False, []),
            (" ".join(["abcdefghij"] * 39 + ["sarrowkeys of"]), True, [435]),
            (" ".join(["abcdefghij"] * 40 + ["sarrowkeys of"]), True, []),
        ],
    )
    def test_within_a_long_word_are_seen_where_a_page_draws_spaces(
        self, text: str, draws: bool, found: list[int]
    ) -> None:
        gap = text.index("keys")
        assert word_gaps(text, places(text, {gap: 2.5}), draws_spaces=draws) == found

    @pytest.mark.parametrize(
        ("word", "gaps", "spread"),
        [
            ("spread", (1, 2, 3), True),
            ("spread", (1, 2), False),
            ("abc", (1, 2), True),
            ("ab", (1,), False),
            ("==.Ifthe", (2, 3, 5), False),
        ],
    )
    def test_between_most_letters_of_a_word_spread_it(
        self, word: str, gaps: tuple[int, ...], spread: bool
    ) -> None:
        text = f"the sarrowkeys and {word}"
        first = len(text) - len(word)
        room = {10: 2.5, **{first + at: 2.0 for at in gaps}}
        found = word_gaps(text, places(text, room), draws_spaces=True)
        assert found == [10, *(first + at for at in gaps if not spread)]

    @given(st.text("ab.C \n", max_size=40), st.sets(st.integers(0, 39)), st.integers(0, 40))
    def test_only_add_spaces(self, text: str, gaps: set[int], first: int) -> None:
        spaced = with_spaces(text[first:], first, sorted(gaps))
        assert spaced.replace(" ", "") == text[first:].replace(" ", "")
        inside = [at for at in gaps if first < at < len(text)]
        assert len(spaced) == len(text[first:]) + len(inside)

    def test_before_a_change_of_font_are_read_as_spaces(self) -> None:
        """The first line draws its spaces; the words of the second are drawn alone, as groff does it."""
        page = [
            words(50, 700, "It is like this, and more."),
            words(50, 680, "receives"),
            words(89, 680, "keyboard signals"),
        ]
        assert "receives keyboard signals" in parsed_here(drawn(page), "a.pdf").text

    def test_are_read_as_spaces(self) -> None:
        page = [
            words(50, 700, "It is like awk."),
            words(117.5, 700, "It copies graphs."),
            words(50, 680, "more words of the text"),
        ]
        assert "like awk. It copies" in parsed_here(drawn(page), "a.pdf").text
