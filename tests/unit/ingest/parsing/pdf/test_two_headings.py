"""Headings of one level and one font below each other, which are one or two."""

import pytest

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.paragraphs import pieces_of


def line(text: str, y: float, left: float, right: float) -> PdfLine:
    return PdfLine(text, 10, y, y, bold=True, cells=(Cell(text, left, right),))


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ("11.39 The clean command", "11.40 The config command", 2),
        ("11.39 The clean command", "of the tools", 1),
        ("The clean command and", "11.40 others", 1),
    ],
)
def test_with_the_numbers_of_sections_they_are_two(first: str, second: str, count: int) -> None:
    assert len(list(pieces_of([line(first, 700, 50, 200), line(second, 688, 50, 200)], [1, 1], 1))) == count


@pytest.mark.parametrize(
    ("gap", "left", "right", "count"),
    [
        (24, 50, 160, 2),
        (17, 50, 160, 2),
        (16, 50, 160, 1),
        # Both in the middle: the second goes on with the first.
        (24, 220, 380, 1),
        (24, 221, 389, 1),
        (24, 221, 390, 2),
    ],
)
def test_one_in_the_middle_and_one_at_the_edge_are_two(
    gap: float, left: float, right: float, count: int
) -> None:
    lines = [
        line("THE COMMANDS OF THE GAME AND WHAT THEY DO", 700, 200, 400),
        line("Short Range Scan", 700 - gap, left, right),
        line("Long Range", 500, 50, 160),
        line("Status", 488, 50, 160),
    ]
    assert len(list(pieces_of(lines[:2], [1, 1], 1))) == count
