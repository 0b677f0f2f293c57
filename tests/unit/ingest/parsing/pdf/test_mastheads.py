"""The name of a journal above an article, and the names of authors below its title."""

import pytest

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.mastheads import is_masthead
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, words

TEXT = "Some words of the text that are long enough to fill a line of the page, and more."
JOURNAL = "Journal of Ferries"


def line(text: str, y: float, size: float = 10) -> PdfLine:
    return PdfLine(text, size, y, y, cells=(Cell(text, 50, 300),))


@pytest.mark.parametrize(
    ("below", "is_one"),
    [
        ("August 2010, Volume 36, Issue 3.", True),
        ("ISSN 1548-7660", True),
        (f"{JOURNAL} 137 (2015) 1-5", True),
        (f"{JOURNAL}, 137, 2015", True),
        ("The volume of the harbour", False),
        (f"{JOURNAL} of the Town", False),
    ],
)
def test_a_volume_tells_the_name_of_a_journal(below: str, *, is_one: bool) -> None:
    assert is_masthead(JOURNAL, [line(JOURNAL, 700, 20), line(below, 680)]) is is_one


@pytest.mark.parametrize(("y", "is_one"), [(660, True), (659, False)])
def test_the_volume_stands_near(y: float, *, is_one: bool) -> None:
    assert is_masthead(JOURNAL, [line(JOURNAL, 700, 20), line("Volume 36", y)]) is is_one


def article(*, volume: str = "August 2010, Volume 36, Issue 3, of the harbour", mail: str = "") -> bytes:
    page = [
        words(50, 790, JOURNAL, size=24),
        words(50, 770, volume),
        words(50, 730, "How the Ferries Leave", size=17, font="bold"),
        words(50, 700, "Ann Miller", size=12, font="bold"),
        words(50, 686, mail or "Harbour of the town"),
        words(50, 650, "Abstract", size=12, font="bold"),
        paragraph(50, 630, *[TEXT] * 20),
    ]
    return drawn(page)


@pytest.mark.parametrize("mail", ["", "ann.miller@harbour.example.org"])
def test_an_article_is_called_by_its_own_title_and_its_author_is_no_heading(mail: str) -> None:
    read = parsed_here(article(mail=mail), "a.pdf")
    assert read.title == "How the Ferries Leave"
    assert [one.text for one in read.elements if one.kind == "title"] == ["How the Ferries Leave", "Abstract"]


def test_any_other_name_that_is_larger_is_the_title() -> None:
    assert parsed_here(article(volume="For all who sail"), "a.pdf").title == JOURNAL


@pytest.mark.parametrize(("size", "is_heading"), [(7, False), (8, True)])
def test_small_letters_below_an_author_are_an_address(size: float, *, is_heading: bool) -> None:
    """The text has 10 points. What stands right above text is a heading."""
    page = [
        words(50, 730, "How the Ferries Leave", size=17, font="bold"),
        words(50, 700, "Ann Miller", size=12, font="bold"),
        words(50, 686, "Harbour of the town, Research Centre of Ferries and Bells", size=size),
        words(50, 650, "Abstract", size=12, font="bold"),
        paragraph(50, 630, *[TEXT] * 20),
    ]
    found = [one.text for one in parsed_here(drawn(page), "a.pdf").elements if one.kind == "title"]
    assert ("Ann Miller" in found) is is_heading
