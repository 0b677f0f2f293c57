"""Code in a font without serifs between text with serifs, and labels and heads that only look like it."""

from dataclasses import replace

import pytest

from footnote_ingest.parsing.pdf.fonts import font_named
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.sans_code import with_sans_code

SENTENCE = "The harbour keeps a list of ships, which the office reads each day. "


def line(text: str, top: float, *, left: float = 60, size: float = 9, sans: bool = True) -> PdfLine:
    return PdfLine(text, size, top, top, sans=sans, cells=(Cell(text, left, left + 5 * len(text)),))


def page(*shown: PdfLine, more: int = 6) -> list[PdfLine]:
    """Text with serifs above and below some lines."""
    text = [line(SENTENCE, 700 - 12 * at, left=50, size=10, sans=False) for at in range(more)]
    return [*text[: more // 2], *shown, *text[more // 2 :]]


def code(*pages: list[PdfLine]) -> list[str]:
    return [one.text for found in with_sans_code(pages) for one in found or () if one.mono]


PIECE = [line("set ship[3] colour green", 640), line("# paint it", 628)]
OTHER = [line("list ships where colour == red", 640)]


@pytest.mark.parametrize(
    ("name", "sans"),
    [
        ("ArialMT", True),
        ("NimbusSanL-Regu", True),
        ("ABCDEF+CMSS10", True),
        ("TimesNewRomanPSMT", False),
        ("CMR10", False),
    ],
)
def test_the_name_of_a_font_tells_that_it_has_no_serifs(name: str, *, sans: bool) -> None:
    assert font_named(name, 0).sans is sans


def test_pieces_with_marks_are_code() -> None:
    assert code(page(*PIECE), page(*OTHER)) == [one.text for one in (*PIECE, *OTHER)]


def test_one_piece_may_be_anything() -> None:
    assert code(page(*PIECE), page()) == []


@pytest.mark.parametrize(("more", "is_code"), [(3, True), (1, False)])
def test_a_document_without_serifs_has_none(more: int, *, is_code: bool) -> None:
    assert bool(code(page(*PIECE, more=more), page(*OTHER, more=more))) is is_code


@pytest.mark.parametrize(
    "other",
    [
        [line("set ship[3] colour green", 640, left=140)],
        [line("set ship[3] colour green", 640, left=40)],
        [line("set ship[3] colour green", 640, size=10.6)],
        [replace(line("set ship[3] colour green", 640), bold=True)],
        [replace(line("set ship[3] colour green", 640), italic=True)],
        [line("x_1", 640)],
        [line("paint the third ship", 640)],
        [line("The next ship[3] is green", 640), line("and the_other", 628)],
        [line("it goes to ship[3] in green and white.", 640)],
        [line("set ship[3] green", 640), line("in the evening", 628), line("and at night", 616)],
    ],
    ids=["far in", "before", "large", "bold", "italic", "short", "plain", "sentence", "its end", "few marks"],
)
def test_what_is_no_code(other: list[PdfLine]) -> None:
    assert code(page(*PIECE), page(*OTHER), page(*other)) == [one.text for one in (*PIECE, *OTHER)]


@pytest.mark.parametrize(("gap", "together"), [(16, True), (17, False)])
def test_lines_far_from_each_other_are_two_pieces(gap: float, *, together: bool) -> None:
    two = [line("set ship[3] green", 640), line("x[1]", 640 - gap)]
    assert ("x[1]" in code(page(*PIECE), page(*OTHER), page(*two))) is together
