"""The title of a PDF that is set like its text, in capitals."""

import pytest

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.title import title_in_capitals

TITLE = ["ON THE GROWTH OF COEFFICIENTS OF", "CERTAIN POWER SERIES"]
WHOLE = " ".join(TITLE)


def page(*lines: str, bold: tuple[str, ...] = ()) -> list[PdfLine]:
    return [
        PdfLine(text, 10, 700 - 12 * at, 700 - 12 * at, bold=text in bold, cells=(Cell(text, 50, 300),))
        for at, text in enumerate(lines)
    ]


def test_is_the_first_words_in_capitals() -> None:
    assert title_in_capitals(page(*TITLE, "Jane Q. Example", "ABSTRACT AND MORE")) == WHOLE
    assert title_in_capitals(page("Jane Q. Example", "Some words.")) is None


def test_stands_in_bold_below_the_name_of_a_journal_and_above_that_of_its_author() -> None:
    lines = page("TRANSACTIONS OF A SOCIETY", "Volume 3", *TITLE, "JANE EXAMPLE", bold=tuple(TITLE))
    assert title_in_capitals(lines) == WHOLE


@pytest.mark.parametrize(("above", "title"), [(7, "A SMALL TITLE"), (8, None)])
def test_is_among_the_first_eight_lines(above: int, title: str | None) -> None:
    assert title_in_capitals(page(*["Some words."] * above, "A SMALL TITLE")) == title


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("A TEN LETTERS", True),
        ("NINE LETTRS"[:10], False),
        ("INTRODUCTION", False),
        ("A " + "B" * 249, False),
    ],
)
def test_has_two_words_and_ten_letters(text: str, fits: bool) -> None:
    assert (title_in_capitals(page(text, "Some words.")) is not None) is fits
