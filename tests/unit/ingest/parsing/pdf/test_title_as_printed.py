"""The title of the properties in the letters that the first page gives it."""

import pytest

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.title_as_printed import as_printed, reworded


def line(text: str, size: float = 17, y: float = 700) -> PdfLine:
    return PdfLine(text, size, y, y, cells=(Cell(text, 50, 300),))


@pytest.mark.parametrize(
    ("own", "printed", "shown"),
    [
        ("Ferries using lme4", "Ferries Using lme4", "Ferries Using lme4"),
        ("ferries - a guide", "Ferries \u2013 A Guide", "Ferries \u2013 A Guide"),
        ("Permit for the Ferry", "PERMIT FOR THE FERRY", "PERMIT FOR THE FERRY"),
        ("Ferries in R---a Guide", "Ferries in R: a Guide", "Ferries in R: a Guide"),
        ("Pages in LaTeX", "Pages in LATEX", "Pages in LaTeX"),
        ("Pages in LaTeX - a guide", "Pages in LATEX a guide", "Pages in LaTeX - a guide"),
        ("The User's Guide", "The User\u2019s Guide", "The User's Guide"),
        ("Models of ferries", "Models of Ferries \u2217", "Models of Ferries"),
        ("Models of ferries", "Models of ferry boats", "Models of ferries"),
        ("Ferry Manual", "\u2022 Ferry Manual", "Ferry Manual"),
    ],
)
def test_capitals_and_marks_are_those_of_the_page(own: str, printed: str, shown: str) -> None:
    assert as_printed(own, [line(printed)]) == shown


def test_a_title_may_take_five_lines() -> None:
    words = ["A", "Guide", "to", "All", "Ferries", "Here"]
    assert as_printed("a guide to all ferries", [line(word) for word in words]) == "A Guide to All Ferries"
    assert as_printed("a guide to all ferries here", [line(word) for word in words]) == (
        "a guide to all ferries here"
    )


def test_the_largest_letters_tell() -> None:
    page = [line("FERRIES OF THE TOWN", 9), line("Ferries of the Town"), line("ferries of the town", 10)]
    assert as_printed("ferries of the Town", page) == "Ferries of the Town"


@pytest.mark.parametrize(
    ("own", "printed", "others", "shown"),
    [
        ("Ferry Font Features", "Ferry OpenType features", "", "Ferry OpenType features"),
        ("Ferry Font Features", "Ferry OpenType features", "the Ferry Font Features", "Ferry Font Features"),
        ("Ferry Font Features", "The OpenType features", "", "Ferry Font Features"),
        ("Ferry Font Features", "Ferry and his two features", "", "Ferry Font Features"),
        ("Ferry Font Features of May", "Ferry on the river Elbe", "", "Ferry Font Features of May"),
        ("Ferry Font", "Ferry Type", "", "Ferry Font"),
        ("Ferry Font Features", None, "", "Ferry Font Features"),
    ],
)
def test_the_page_tells_a_title_whose_words_were_changed(
    own: str, printed: str | None, others: str, shown: str
) -> None:
    assert reworded(own, printed, [line(printed or ""), line(others, 10, 600)]) == shown
