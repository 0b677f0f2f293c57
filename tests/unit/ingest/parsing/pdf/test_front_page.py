"""A title above names and a date, and the name of a journal above a title: what is larger tells which."""

import pytest

from footnote_ingest.parsing.pdf.front_page import without_names
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine

TEXT = "Some words of the text that are long enough to fill a line."


def line(text: str, y: float, size: float) -> PdfLine:
    return PdfLine(text, size, y, y, cells=(Cell(text, 50, 250),))


def kept(first: float, second: float) -> list[str]:
    """The headings of a page that begins with two of these sizes, with a line of small words between."""
    lines = [
        line("Masts and Ropes", 800, first),
        line("A. Mariner, 3 May", 780, 10),
        line("On Knots", 750, second),
        *(line(TEXT, 720 - 12 * at, 10) for at in range(3)),
    ]
    levels = without_names([1, None, 2, None, None, None], lines, 10)
    return [one.text for one, level in zip(lines, levels, strict=True) if level is not None]


@pytest.mark.parametrize(("second", "has_title"), [(14, True), (15, True), (15.1, False)])
def test_a_smaller_heading_below_names_is_a_section(second: float, *, has_title: bool) -> None:
    assert kept(18, second) == (["Masts and Ropes", "On Knots"] if has_title else ["On Knots"])


def test_a_heading_as_large_as_the_first_is_the_title() -> None:
    assert kept(14, 14) == ["On Knots"]
