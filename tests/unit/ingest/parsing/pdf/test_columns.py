"""In which order a page with columns of running text is read."""

from itertools import chain, zip_longest

import pytest

from footnote_ingest.parsing.pdf.columns import by_columns, interleaved
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, row, words


def line(left: float, right: float, top: float, *, chars: int = 40) -> PdfLine:
    return PdfLine("x" * chars, 10, top, top, cells=(Cell("x" * chars, left, right),))


def column(left: float, right: float, lines: int, *, chars: int = 40, top: float = 700) -> list[PdfLine]:
    return [line(left, right, top - 12 * at, chars=chars) for at in range(lines)]


def across(lines: int) -> list[PdfLine]:
    """Lines over the whole page, above its columns."""
    return column(50, 530, lines, top=700 + 12 * lines)


def line_by_line(one: list[PdfLine], other: list[PdfLine]) -> list[PdfLine]:
    return [line for line in chain.from_iterable(zip_longest(one, other)) if line is not None]


LEFT, RIGHT = column(50, 280, 20), column(300, 530, 20)


def test_columns_that_are_drawn_line_by_line_are_read_one_after_the_other() -> None:
    head, foot = across(2), [line(50, 530, 100)]
    assert by_columns([*head, *line_by_line(LEFT, RIGHT), *foot]) == [*head, *LEFT, *RIGHT, *foot]


def test_three_columns_too() -> None:
    columns = [column(left, left + 150, 12) for left in (50, 220, 390)]
    drawn_across = [one for lines in zip(*columns, strict=True) for one in lines]
    assert by_columns(drawn_across) == [*chain.from_iterable(columns)]


def test_a_page_that_draws_its_columns_in_their_order_is_left_alone() -> None:
    assert by_columns([*across(2), *LEFT, *RIGHT]) is None
    assert by_columns([]) is None


@pytest.mark.parametrize(("steps", "reordered"), [(11, True), (10, False)])
def test_a_quarter_of_the_lines_goes_on_in_the_other_column(steps: int, reordered: bool) -> None:
    beside = line_by_line(LEFT, RIGHT)
    rest = [one for one in beside[steps:] if one in RIGHT], [one for one in beside[steps:] if one in LEFT]
    last, other = rest if beside[steps - 1] in RIGHT else rest[::-1]
    assert (by_columns([*beside[:steps], *last, *other]) is not None) is reordered


@pytest.mark.parametrize(("gutter", "reordered"), [(8.1, True), (7.9, False), (79.9, True), (80.1, False)])
def test_a_gutter_is_nearly_a_line_wide_and_eight_at_most(gutter: float, reordered: bool) -> None:
    right = column(280 + gutter, 510 + gutter, 20)
    assert (by_columns(line_by_line(LEFT, right)) is not None) is reordered


@pytest.mark.parametrize(("left", "right", "reordered"), [(24, 6, True), (25, 6, False), (12, 5, False)])
def test_each_column_has_six_lines_and_a_fifth_of_all(left: int, right: int, reordered: bool) -> None:
    lines = line_by_line(column(50, 280, left), column(300, 530, right))
    assert (by_columns(lines) is not None) is reordered


@pytest.mark.parametrize(("count", "reordered"), [(12, True), (13, False)])
def test_three_tenths_of_the_lines_cross_the_page_at_most(count: int, reordered: bool) -> None:
    lines = line_by_line(LEFT[:14], RIGHT[:14])
    assert (by_columns([*across(count), *lines]) is not None) is reordered


@pytest.mark.parametrize(("count", "whole"), [(4, True), (5, False)])
def test_the_page_is_cut_where_a_tenth_of_the_lines_crosses(count: int, whole: bool) -> None:
    left = [*column(50, 280, 6), *column(50, 225, 12, top=628)]
    head = across(count)
    assert (by_columns([*head, *line_by_line(left, RIGHT[:18])]) == [*head, *left, *RIGHT[:18]]) is whole


@pytest.mark.parametrize(("chars", "reordered"), [(22, True), (21, False)])
def test_a_full_line_has_22_characters(chars: int, reordered: bool) -> None:
    lines = line_by_line(column(50, 280, 20, chars=chars), RIGHT)
    assert (by_columns(lines) is not None) is reordered


@pytest.mark.parametrize(("width", "reordered"), [(161.1, True), (160.9, False)])
def test_a_full_line_takes_seven_tenths_of_its_column(width: float, reordered: bool) -> None:
    right = [*RIGHT[:3], *column(300, 300 + width, 17, top=664)]
    assert (by_columns(line_by_line(LEFT, right)) is not None) is reordered


@pytest.mark.parametrize(("chars", "reordered"), [(40, True), (41, False)])
def test_half_of_the_text_is_in_full_lines(chars: int, reordered: bool) -> None:
    left = [*LEFT[:10], *column(50, 150, 10, top=580, chars=chars)]
    assert (by_columns(line_by_line(left, RIGHT)) is not None) is reordered


@pytest.mark.parametrize(("width", "reordered"), [(275.9, True), (276.1, False)])
def test_columns_are_equally_wide(width: float, reordered: bool) -> None:
    lines = line_by_line(LEFT, column(300, 300 + width, 20))
    assert (by_columns(lines) is not None) is reordered


@pytest.mark.parametrize(("rows", "beside", "may_be"), [(7, 3, True), (8, 2, False)])
def test_a_page_is_looked_at_if_a_fifth_of_its_lines_stands_beside_the_one_before(
    rows: int, beside: int, may_be: bool
) -> None:
    assert interleaved(line_by_line(LEFT[:rows], RIGHT[:beside])) is may_be


SENTENCES = ["The wheel of a cart turns on an axle and", "carries more than a man who walks along a"]


@pytest.mark.parametrize("drop", [0.0, 4.0])
def test_two_columns_of_a_page_whose_lines_are_drawn_from_the_top(drop: float) -> None:
    """Also where the lines of the right column stand a little lower."""
    page = [
        words(x, 700 - 12 * at - low, f"{name}{at:02} {SENTENCES[at % 2]}")
        for at in range(20)
        for x, low, name in ((50.0, 0.0, "a"), (300.0, drop, "b"))
    ]
    text = parsed_here(drawn(page), "a.pdf").text
    assert [word for word in text.split() if word[1:].isdecimal()] == [
        *(f"a{at:02}" for at in range(20)),
        *(f"b{at:02}" for at in range(20)),
    ]


def test_code_beside_its_comments_stays_as_it_is() -> None:
    page = [
        row(
            700 - 12 * at, (50, f"integer number_{at:02} of wheels;"), (300, f"/* How many wheels {at:02} */")
        )
        for at in range(12)
    ]
    assert "wheels; /* How" in parsed_here(drawn(page), "a.pdf").text
