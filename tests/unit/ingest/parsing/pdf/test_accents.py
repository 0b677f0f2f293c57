"""Accents that a PDF draws apart from their letters."""

import pytest

from footnote_ingest.parsing.pdf.accents import with_accents
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, words


@pytest.mark.parametrize(
    ("drawn_apart", "meant"),
    [
        ("fran¸cais `a la cr`eme brˆul´ee", "français à la crème brûlée"),
        ("na¨ıve se˜nor ˆıle", "naïve señor île"),
        ("ˇcesky, ˝o and a ˘a", "česky, ő and a ă"),
        ("˚Angstrom K¨onig ´Etude ˙z ¯a", "Ångstrom König Étude ż ā"),
        ("citt`a, perch´e", "città, perché"),
    ],
)
def test_join_the_letter_after_them(drawn_apart: str, meant: str) -> None:
    assert with_accents(drawn_apart) == meant


@pytest.mark.parametrize(
    "text", ["20 ˚C", "` a", "`a` is a name", "x`echo` runs", "`apt` and `ls`", "a ˆ b", "´", "˜ann", "ˆa"]
)
def test_that_belong_to_no_letter_stay(text: str) -> None:
    assert with_accents(text) == text


def test_are_joined_in_the_text_of_a_page_but_not_in_its_code() -> None:
    acute = "\xc2"  # in the standard encoding of Adobe
    code = [words(50, 600 - 12 * n, f"x = {acute}i", font="mono") for n in (0, 1)]
    page = [words(50, 700, f"Un art{acute}iculo."), *code]
    shown = [(element.kind, element.text) for element in parsed_here(drawn(page), "a.pdf").elements]
    assert shown == [("paragraph", "Un artículo."), ("code", "x = ´i\nx = ´i")]
