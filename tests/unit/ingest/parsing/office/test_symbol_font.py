"""Letters of the font Symbol are Greek letters and signs, and those of Wingdings marks."""

import io
from collections.abc import Callable

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph
from lxml import etree

from footnote_ingest.parsing.office.symbol_font import SYMBOLS, write_symbols
from tests.unit.ingest.parsing.here import parsed_here


def sign(font: str, char: str) -> Callable[[Paragraph], None]:
    def add(paragraph: Paragraph) -> None:
        element = OxmlElement("w:sym")
        element.set(qn("w:font"), font)
        element.set(qn("w:char"), char)
        paragraph.add_run()._r.append(element)

    return add


def run_in_symbol(paragraph: Paragraph) -> None:
    paragraph.add_run("\uf062").font.name = "Symbol"


@pytest.mark.parametrize(
    ("add", "text"),
    [
        (sign("Symbol", "F061"), "The angle α here."),
        (sign("Symbol", "00B3"), "The angle ≥ here."),
        (sign("Wingdings", "F0FC"), "The angle ✓ here."),
        (sign("Symbol", "no number"), "The angle  here."),
        (sign("Wingdings", "F041"), "The angle  here."),
        (run_in_symbol, "The angle β here."),
    ],
)
def test_a_sign_of_word_is_what_it_shows(add: Callable[[Paragraph], None], text: str) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The angle ")
    add(paragraph)
    paragraph.add_run(" here.")
    file = io.BytesIO()
    document.save(file)
    assert [element.text for element in parsed_here(file.getvalue(), "angle.docx").elements] == [text]


@pytest.mark.parametrize(
    ("fonts", "text"),
    [
        ({"Symbol", "Arial"}, "σ = C η"),
        ({"Symbol", "Wingdings"}, "\uf073 = C \uf068"),
        (set(), "\uf073 = C \uf068"),
    ],
)
def test_a_text_with_one_such_font_has_its_letters(fonts: set[str], text: str) -> None:
    body = etree.fromstring("<p><s>\uf073</s> = C \uf068</p>")
    write_symbols(body, fonts)
    assert "".join(map(str, body.itertext())) == text


def test_each_letter_stands_at_its_place() -> None:
    assert {chr(place - 0xF000): SYMBOLS[place] for place in (0xF041, 0xF05A, 0xF061, 0xF07A, 0xF057)} == {
        "A": "Α",
        "Z": "Ζ",
        "a": "α",
        "z": "ζ",
        "W": "Ω",
    }
    assert [SYMBOLS[place] for place in (0xF0A5, 0xF0B1, 0xF0CE, 0xF0D6, 0xF0E5, 0xF0F2)] == list("∞±∈√∑∫")
