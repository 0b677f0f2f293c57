"""Which hyphens at the ends of a PDF's lines belong to a compound, and which part a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.parsing.pdf.hyphens import told_words, with_hyphens
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.page_text import HYPHEN
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph


@pytest.mark.parametrize(
    ("elsewhere", "keeps"),
    [
        ("a one-line note", True),
        ("a One-Line note", True),
        ("it is oneline, and a one-line note, and a one-line text", True),
        ("it is oneline, and a one-line note", False),
        ("one or a line", False),
        ("one or a line, and a one-way street", True),
        ("one or a line, and a one-way street of onelined text", False),
        ("one, and a one-way street", False),
        ("a line, and a one-way street", False),
        (f"a one{HYPHEN}line note, and one more", False),
        ("", False),
    ],
)
def test_the_document_tells_a_compound(elsewhere: str, keeps: bool) -> None:
    assert told_words([elsewhere]).keeps_hyphen("one", "line") is keeps


@pytest.mark.parametrize(("first", "keeps"), [("old", True), ("in", False)])
def test_a_short_part_is_no_word_of_a_compound(first: str, keeps: bool) -> None:
    told = told_words(["in the old days, form by form", "in-house and old-house"])
    assert told.keeps_hyphen(first, "form") is keeps


@pytest.mark.parametrize(
    ("elsewhere", "first", "second", "keeps"),
    [
        ("", "non", "English", True),
        ("", "NON", "English", False),
        ("PostgreSQL", "Postgre", "SQL", False),
    ],
)
def test_a_capital_begins_another_word_unless_the_document_has_it_within(
    elsewhere: str, first: str, second: str, keeps: bool
) -> None:
    assert told_words([elsewhere]).keeps_hyphen(first, second) is keeps


def test_part_of_a_longer_compound() -> None:
    assert told_words(["the state-of-the-art wheel"]).keeps_hyphen("the", "art")


def test_cells_and_words_at_the_start_are_told_too() -> None:
    parted = f"One{HYPHEN}line no{HYPHEN}tes x{HYPHEN}3"
    line = PdfLine(parted, 10, 700, 688, cells=(Cell(parted, 50, 300),), lead=f"One{HYPHEN}line")
    ((found, _),) = (
        lines for lines in with_hyphens([[line, PdfLine("a one-line note", 10, 676, 676)]]) if lines
    )
    assert found.text == found.cells[0].text == "One-line notes x3"
    assert found.lead == "One-line"


def test_pages_without_such_a_hyphen_are_as_they_are() -> None:
    page = [PdfLine("a one-line note", 10, 700, 700)]
    assert with_hyphens([page, None, []]) == [page, None, []]


@given(st.lists(st.text(alphabet=f"ab-{HYPHEN} \u00e9\u4e2d", max_size=30)))
def test_no_letter_is_lost(texts: list[str]) -> None:
    page = [PdfLine(text, 10, 700, 700) for text in texts]
    (found,) = with_hyphens([page])
    for line, text in zip(found or [], texts, strict=True):
        assert HYPHEN not in line.text
        assert line.text.replace("-", "") == text.replace(HYPHEN, "").replace("-", "")


def test_a_page_keeps_the_hyphen_of_its_compound() -> None:
    page = paragraph(
        50,
        700,
        "A description of one line stands in the file, and it has a one-",
        "line entry for each of the packages. The one-line entry is fol-",
        "lowed by the words that tell what the package is and what it has.",
    )
    (element,) = parsed_here(drawn([page]), "a.pdf").elements
    assert "has a one-line entry" in element.text
    assert "is followed by" in element.text
