"""Titles and headings of forms, flyers and papers of courts, whose largest words are something else."""

import pytest

from footnote_ingest.parsing.court_captions import is_caption
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.never_names import names_nothing
from footnote_ingest.parsing.pdf.title import largest_words
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, row, rule, words

TEXT = "The ferry leaves the harbour of the town at noon and comes back in the evening."


def text(y: float, count: int = 8, x: float = 50) -> str:
    return paragraph(x, y, *[TEXT] * count)


def title(*page: str, own: str = "") -> str | None:
    return parsed_here(drawn(page, title=own), "a.pdf").title


def headings(*page: str) -> list[str]:
    return [one.text for one in parsed_here(drawn(page), "a.pdf").elements if one.kind == "title"]


@pytest.mark.parametrize(
    ("line", "nothing"),
    [
        ("www.example.org", True),
        ("https://example.org/a", True),
        ("harbour@example.org", True),
        ("ferries.example.org", True),
        ("Ph: (800) 642-8279", True),
        ("1 2", True),
        ("Name: ________", True),
        ("Subtotal (A): $", True),
        ("A Guide to www.example.org", False),
        ("Call the harbour", False),
        ("Node.js", False),
        ("Ferries of 2021", False),
    ],
)
def test_an_address_a_number_and_a_blank_name_nothing(line: str, *, nothing: bool) -> None:
    assert names_nothing(line) is nothing


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("IN THE FAMILY COURT OF OHIO COUNTY, WEST VIRGINIA", True),
        ("UNITED STATES DISTRICT COURT", True),
        ("STATE OF WEST VIRGINIA", True),
        ("COUNTY, WEST VIRGINIA", True),
        ("IN THE MAGISTRATE COURT COUNTY, WEST VIRGINIA", True),
        ("In re: the ferry", True),
        ("PETITION TO THE COURT", False),
        ("Courtyards of the town", False),
        ("THE STATE OF THE ART", False),
    ],
)
def test_a_court_and_a_case_are_the_head_of_a_paper(line: str, *, is_one: bool) -> None:
    assert is_caption(line) is is_one


def test_an_address_in_large_letters_at_the_foot_is_neither_title_nor_heading() -> None:
    page = [
        words(150, 780, "Permit for the Ferry", size=14, font="bold"),
        text(740),
        words(50, 60, "www.example.org", size=20, font="bold"),
        words(50, 40, "Every ferry has a bell, and every bell has a rope of its own."),
    ]
    assert title(*page) == "Permit for the Ferry"
    assert "www.example.org" not in headings(*page)


def test_the_paper_of_a_court_is_called_by_its_own_name() -> None:
    page = [
        words(100, 780, "IN THE CIRCUIT COURT OF OHIO COUNTY", font="bold"),
        words(50, 750, "IN RE:", font="bold"),
        words(50, 730, "Petitioner"),
        words(240, 700, "PETITION FOR A FERRY", font="bold"),
        text(670),
    ]
    assert title(*page) == "PETITION FOR A FERRY"
    assert title(page[0], text(670)) == "IN THE CIRCUIT COURT OF OHIO COUNTY"


def test_the_name_of_a_court_in_the_properties_is_no_title_either() -> None:
    page = [
        words(100, 780, "IN THE CIRCUIT COURT OF OHIO COUNTY", size=14, font="bold"),
        words(180, 700, "PETITION FOR A FERRY", font="bold"),
        text(670),
    ]
    assert title(*page, own="IN THE CIRCUIT COURT OF") == "PETITION FOR A FERRY"
    assert title(page[0], text(670), own="IN THE CIRCUIT COURT OF") == "IN THE CIRCUIT COURT OF OHIO COUNTY"


def test_the_address_of_a_letterhead_is_no_title() -> None:
    page = [
        words(420, 790, "HARBOUR HEADQUARTERS", font="bold"),
        words(180, 740, "PERMIT FOR THE FERRY", font="bold"),
        text(700),
    ]
    assert title(*page) == "PERMIT FOR THE FERRY"


def test_bold_words_in_the_middle_are_a_title_below_a_letterhead() -> None:
    page = [
        words(440, 790, "12 Harbour Street"),
        words(220, 740, "Permit for the Large Ferry", font="bold"),
        words(222, 728, "and for the small ferries", font="bold"),
        text(700),
    ]
    assert title(*page) == "Permit for the Large Ferry and for the small ferries"
    assert title(text(790), *page[1:]) is None


def test_names_of_sections_may_be_larger_than_the_title_above_them() -> None:
    sections = [
        part
        for at, name in enumerate(("PRINT", "FILE", "WAIT"))
        for part in (words(50, 700 - 150 * at, name, size=30), text(670 - 150 * at, 5))
    ]
    page = [words(150, 780, "Permits for Ferries", size=20, font="bold"), *sections]
    assert title(*page) == "Permits for Ferries"
    assert title(page[0], *sections[:4]) == "PRINT"


@pytest.mark.parametrize(("chars", "above", "found"), [(80, 5, False), (79, 5, True), (80, 4, True)])
def test_what_stands_below_half_the_text_is_no_title(chars: int, above: int, *, found: bool) -> None:
    """Half is 400 characters of smaller text at least."""
    name = "Related actions"
    page = [
        PdfLine(name if at == above else "x" * chars, 12 if at == above else 10, 700 - 12 * at, 700 - 12 * at)
        for at in range(6)
    ]
    assert largest_words(page, 10) == (name if found else None)


@pytest.mark.parametrize(
    ("own", "printed", "found"),
    [
        ("Adoption", "Adoption Instructions", "Adoption Instructions"),
        ("Ferries", "The Book of Ferries", "The Book of Ferries"),
        ("Ferries", "Ferries 2021", "Ferries"),
        ("Ferries", "Boats and Rafts", "Ferries"),
        ("Ferries", "All of the very many words about our old Ferries", "Ferries"),
    ],
)
def test_a_printed_title_that_holds_that_of_the_properties_is_the_fuller_one(
    own: str, printed: str, found: str
) -> None:
    assert title(words(50, 780, printed, size=20), text(740), own=own) == found


def test_a_form_that_begins_as_a_table_is_called_by_words_in_capitals_in_it() -> None:
    grid = [rule(50, y, 550, y) for y in (800, 770, 740)] + [rule(x, 740, x, 800) for x in (50, 300, 550)]
    cells = [
        row(780, (60, "COVER SHEET OF FERRIES"), (310, "DOCKET")),
        row(750, (60, "Name"), (310, "Place")),
    ]
    assert title(*grid, *cells, text(700)) == "COVER SHEET OF FERRIES"


def test_a_bold_row_of_the_names_of_fields_is_no_heading() -> None:
    page = [
        text(780, 6),
        words(50, 680, "Children", font="bold"),
        text(660, 4),
        row(590, (50, "Name"), (180, "Date of Birth"), (330, "Name"), (430, "Place"), font="bold"),
        text(560, 6),
    ]
    assert headings(*page) == ["Children"]
