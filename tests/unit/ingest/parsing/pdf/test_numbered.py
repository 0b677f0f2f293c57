"""Headings that only their numbers tell, just inside and just outside of what tells them."""

from dataclasses import replace

import pytest

from footnote_ingest.parsing.pdf.headings import Headings
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine

BELOW = "Some words of the text that are long enough."
SECTIONS = ("1 Use", "1.1 Installation", "1.2 First steps", "2 Care")


def line(text: str, y: float, right: float = 150) -> PdfLine:
    return PdfLine(text, 10, y, y, cells=(Cell(text, 50, right),))


def page(*headings: str, gap: float = 20, right: float = 150, below: str = BELOW) -> list[PdfLine]:
    """Each heading with two lines of text below it, whose gap is 12 points."""
    lines: list[PdfLine] = []
    y = 800.0
    for heading in headings:
        lines += [line(heading, y, right), line(below, y - 12, 250), line(below, y - 24, 250)]
        y -= 24 + gap
    return lines


def found(lines: list[PdfLine], outline: bool = False) -> dict[str, int]:
    headings = Headings({1: {"something else": 1}} if outline else {}, [lines])
    levels = headings.levels(lines, 1)
    return {line.text: level for line, level in zip(lines, levels, strict=True) if level is not None}


def test_numbers_in_order_tell_headings_and_their_levels() -> None:
    assert found(page(*SECTIONS)) == {"1 Use": 1, "1.1 Installation": 2, "1.2 First steps": 2, "2 Care": 1}


def test_an_outline_tells_them_better() -> None:
    assert found(page(*SECTIONS), outline=True) == {}


def test_a_heading_may_stand_right_above_another() -> None:
    lines = page(*SECTIONS)
    del lines[1:3]
    assert list(found(lines)) == list(SECTIONS)


@pytest.mark.parametrize(("headings", "count"), [(SECTIONS[:3], 3), (SECTIONS[:2], 0)])
def test_there_are_three_at_least(headings: tuple[str, ...], count: int) -> None:
    assert len(found(page(*headings))) == count


@pytest.mark.parametrize(
    ("headings", "count"),
    [
        ((*SECTIONS, "2.1 Oil", "7 Rust"), 6),
        ((*SECTIONS, "7 Rust"), 0),
        (("1 Use", "2 Care", "3 Rust"), 0),
        (("1.1 Use", "1.2 care", "1.3 Rust."), 0),
    ],
)
def test_four_of_five_follow_each_other(headings: tuple[str, ...], count: int) -> None:
    assert len(found(page(*headings))) == count


@pytest.mark.parametrize(("gap", "is_heading"), [(14.5, True), (14.3, False)])
def test_they_lie_apart_from_the_text_above(gap: float, is_heading: bool) -> None:
    lines = page(*SECTIONS, gap=gap)
    assert ("2 Care" in found(lines)) is is_heading


@pytest.mark.parametrize(("right", "is_heading"), [(209, True), (210, False)])
def test_they_do_not_fill_the_line(right: float, is_heading: bool) -> None:
    assert bool(found(page(*SECTIONS, right=right))) is is_heading


@pytest.mark.parametrize(("length", "is_heading"), [(40, True), (39, False)])
def test_text_stands_below_them(length: int, is_heading: bool) -> None:
    assert bool(found(page(*SECTIONS, below="x" * length))) is is_heading


@pytest.mark.parametrize(("length", "count"), [(80, 4), (81, 3)])
def test_they_are_short(length: int, count: int) -> None:
    last = "2 C".ljust(length, "a")
    assert len(found(page(*SECTIONS[:3], last))) == count


def test_a_number_may_lie_far_from_its_name() -> None:
    lines = page(*SECTIONS)
    for at in range(0, len(lines), 3):
        number, name = lines[at].text.split(" ", 1)
        lines[at] = replace(lines[at], cells=(Cell(number, 50, 58), Cell(name, 80, 150)))
    assert list(found(lines)) == list(SECTIONS)
    lines[0] = replace(lines[0], cells=(Cell("1", 50, 58), Cell("U", 80, 90), Cell("se", 120, 150)))
    assert "1 Use" not in found(lines)


@pytest.mark.parametrize(
    ("headings", "told"),
    [
        (("2.4.1 Oil", "2.4.2 Rust", "4.1.1 Rope"), True),
        (("2.4.1 Oil", "4.1.1 Rope"), False),
        (("2.4.1 Oil", "4.1.1 Rope", "2.4.2 Rust"), False),
    ],
)
def test_three_numbers_of_inner_sections_that_rise_tell_them(
    headings: tuple[str, ...], *, told: bool
) -> None:
    assert (list(found(page(*headings))) == list(headings)) is told
    assert "7 Tar" not in found(page("7 Tar", *headings))
