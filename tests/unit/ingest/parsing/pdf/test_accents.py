"""Accents that a PDF draws apart from their letters, and ligatures that it says by their places in a font."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.parsing.pdf.accents import with_accents
from footnote_ingest.parsing.pdf.cork import with_ligatures, without_ligatures
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
        ("doit ˆetre", "doit être"),
    ],
)
def test_join_the_letter_after_them(drawn_apart: str, meant: str) -> None:
    assert with_accents(drawn_apart) == meant


@pytest.mark.parametrize(
    "text",
    [
        "20 ˚C",
        "` a",
        "`a` is a name",
        "x`echo` runs",
        "`apt` and `ls`",
        "a ˆ b",
        "´",
        "˜ann",
        "ˆa",
        "ˆex",
        "2ˆexp",
        "ˆxyz",
    ],
)
def test_that_belong_to_no_letter_stay(text: str) -> None:
    assert with_accents(text) == text


def test_are_joined_in_the_text_of_a_page_but_not_in_its_code() -> None:
    acute = "\xc2"  # in the standard encoding of Adobe
    code = [words(50, 600 - 12 * n, f"x = {acute}i", font="mono") for n in (0, 1)]
    page = [words(50, 700, f"Un art{acute}iculo."), *code]
    shown = [(element.kind, element.text) for element in parsed_here(drawn(page), "a.pdf").elements]
    assert shown == [("paragraph", "Un artículo."), ("code", "x = ´i\nx = ´i")]


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("the \x1cle o\x1bers su\x1ecient \x1dow of ba\x1ffs", "the file offers sufficient flow of bafflfs"),
        ("of\x1bers \x1crst \x15 and \x10so\x11, 60\x1567", "offfers first – and “so”, 60–67"),
        ("\x88 a bullet\r\n\x88 more", "• a bullet\r\n• more"),
        # Brackets of formulas are at the same places, and stand on lines of their own.
        ("o\x1b, of\x1ber \x1crst\r\n\x10\r\nx\r\n\x11\r\n", "off, offfer first\r\n\x10\r\nx\r\n\x11\r\n"),
        ("so \x15 and \x10so\x11", "so \x15 and \x10so\x11"),
        # A page may have no ligature but at the beginning of a word.
        ("The `policy' \x1cle", "The `policy' file"),
        ("(\x1crst) and \x1dow", "(first) and flow"),
        ("changes the \x1ct.", "changes the fit."),
        # Greek letters of formulas, too.
        ("where \x1ct is and \x1cij", "where \x1ct is and \x1cij"),
        ("the \x1ctau", "the \x1ctau"),
        ("where \x1bst(v) is", "where \x1bst(v) is"),
        ("a\x88 b", "a\x88 b"),
    ],
)
def test_ligatures_by_their_places_in_an_encoding_of_tex(drawn: str, read: str) -> None:
    found = with_ligatures(drawn)
    assert (without_ligatures(found), len(found)) == (read, len(drawn))


@given(st.text("\x10\x11\x15\x16\x1b\x1c\x1f\x88a1 .\n", max_size=40))
def test_only_control_characters_are_read_anew(text: str) -> None:
    found = with_ligatures(text)
    assert len(found) == len(text)
    assert all(new == old or not old.isprintable() for new, old in zip(found, text, strict=True))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Harma\u01a9an na\u019fonal", "Harmattan national"),
        ("\u019fme", "\u019fme"),
        ("A\u01a9A a\u01a9A", "A\u01a9A a\u01a9A"),
    ],
)
def test_capitals_within_words_that_stand_for_ligatures_are_read(text: str, shown: str) -> None:
    assert without_ligatures(text) == shown


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("the \x0cle name su\x0exes, o\x0b, sti\x0b", "the file name suffixes, off, stiff"),
        ("a \x0cle with re\rections", "a file with reflections"),
        ("of the \x0b x and 2\x0cy", "of the \x0b x and 2\x0cy"),
    ],
)
def test_ligatures_in_the_first_encoding_of_tex(drawn: str, read: str) -> None:
    assert without_ligatures(with_ligatures(drawn)) == read


def test_libertine_has_other_ligatures_at_the_places_of_tex() -> None:
    drawn = "speci\x1bc So\x1cware, Abschni\x1d, \x1eelle"
    found = with_ligatures(drawn, lambda at: "ABCDEF+LinLibertineT")
    assert (without_ligatures(found), len(found)) == ("specific Software, Abschnitt, Quelle", len(drawn))
    assert without_ligatures(with_ligatures("o\x1bice", lambda at: "SFRM1000")) == "office"
