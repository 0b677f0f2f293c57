"""Displayed formulas of a PDF: their signs, and their parts as one paragraph between sentences."""

import pytest

from footnote_ingest.parsing.pdf.fonts import font_named
from footnote_ingest.parsing.pdf.formulas import is_formula_part
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.math_signs import with_signs
from footnote_ingest.parsing.pdf.paragraphs import pieces_of

ABOVE = "The coefficients are given by this formula, which we write as"
BELOW = "where the radius is arbitrary. From this we infer the assertion."


def line(text: str, y: float, *, left: float = 50, size: float = 10) -> PdfLine:
    return PdfLine(text, size, y, y, cells=(Cell(text, left, left + 5 * len(text)),))


def shown(*lines: PdfLine) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in pieces_of(lines, [None] * len(lines), 1)]


@pytest.mark.parametrize(
    ("font", "is_sign"), [("ABCDEF+CMEX10", True), ("CMEX9", True), ("CMR10", False), ("CMEXTRA", False)]
)
def test_the_large_signs_are_in_fonts_of_their_own(font: str, is_sign: bool) -> None:
    assert font_named(font, 0).signs is is_sign


@pytest.mark.parametrize(
    ("text", "read"),
    [("Z 2π", "∫ 2π"), ("X∞", "∑∞"), ("Pn", "∑n"), ("q 2", "√ 2"), ("AZ", "AZ"), ("px", "px")],
)
def test_a_letter_of_such_a_font_is_the_sign_that_it_shows(text: str, read: str) -> None:
    assert with_signs(text, lambda at: True) == read
    assert with_signs(text, lambda at: False) == text


def test_the_parts_of_a_formula_are_one_paragraph_between_sentences() -> None:
    parts = [
        line("(1) an =", 676),
        line("1", 683, left=120, size=7),
        line("2πi ∫", 669, left=118),
        line("|z|=r", 660, left=140, size=7),
        line("f(z)dz,", 676, left=150),
    ]
    assert shown(line(ABOVE, 700), *parts, line(BELOW, 640)) == [
        ("paragraph", ABOVE),
        ("paragraph", "(1) an =\n1\n2πi ∫\n|z|=r\nf(z)dz,"),
        ("paragraph", BELOW),
    ]


@pytest.mark.parametrize("left", [50, 60])
def test_a_formula_right_below_a_sentence_is_parted_from_it_by_its_number_or_its_indentation(
    left: float,
) -> None:
    numbered, indented = line("(2) x = y + z", 688, left=left), line("x = y + z", 688, left=left + 16)
    for formula in (numbered, indented):
        assert shown(line(ABOVE, 700), formula) == [("paragraph", ABOVE), ("paragraph", formula.text)]
    short = line("of x = y.", 688, left=left)
    assert shown(line(ABOVE, 700), short) == [("paragraph", f"{ABOVE}\nof x = y.")]


def test_an_item_that_has_words_or_no_bracket_before_its_number_stays_an_item() -> None:
    assert [kind for kind, _ in shown(line("(1) We set x = 1", 700), line("2. x = 3", 680))] == [
        "list",
        "list",
    ]


@pytest.mark.parametrize(
    ("text", "is_part"),
    [("lim sup xn", True), ("n→∞", True), ("sin x + cos y", True), ("if x = 1", True), ("and x = 1", False)],
)
def test_a_part_of_a_formula_has_no_words_but_names_of_functions(text: str, is_part: bool) -> None:
    assert is_formula_part(line(text, 700)) is is_part


@pytest.mark.parametrize(("gap", "pieces"), [(29.9, 1), (30.1, 2)])
def test_parts_of_a_formula_are_near(gap: float, pieces: int) -> None:
    assert len(shown(line("a =", 700), line("b +", 700 - gap), line("c", 700 - gap - 10))) == pieces
