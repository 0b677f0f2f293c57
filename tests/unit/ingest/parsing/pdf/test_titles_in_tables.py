"""Names of forms that are a table nearly from their top, and what stands beside a title on its line."""

import pytest

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.printed_title import title_in_table
from footnote_ingest.parsing.pdf.title import largest_words, own_title

FORM = (
    "|  | (DO NOT WRITE HERE) |\n--- | ---\nINTENT TO TAKE THE FERRY, |\nOR TO SWIM |\nINSTRUCTIONS: Read |"
)


def line(text: str, top: float, size: float = 8) -> PdfLine:
    return PdfLine(text, size, top, top, cells=(Cell(text, 50, 300),))


def table(text: str = FORM, top: float = 700) -> PdfLine:
    return PdfLine(text, 7, top, top - 100, is_table=True)


@pytest.mark.parametrize(("above", "is_title"), [(4, True), (5, False)])
def test_a_form_may_have_its_number_and_its_dates_above_its_table(above: int, is_title: bool) -> None:
    page = [line("OMB Control No. 12", 770 - 10 * at) for at in range(above)]
    shown = "INTENT TO TAKE THE FERRY, OR TO SWIM" if is_title else None
    assert title_in_table([*page, table()]) == shown


def test_a_table_below_a_text_is_no_head_of_a_form() -> None:
    assert title_in_table([line("You may complete the form online or by hand.", 720), table()]) is None


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        ("INTENT TO TAKE THE FERRY, | 3\n--- | ---\nOR TO SWIM |", "INTENT TO TAKE THE FERRY,"),
        ("INTENT TO TAKE THE FERRY, |\n--- | ---\n|  | OR TO SWIM |", "INTENT TO TAKE THE FERRY,"),
        ("INTENT TO TAKE THE FERRY, |\n--- | ---\nor to swim |", "INTENT TO TAKE THE FERRY,"),
    ],
)
def test_goes_on_only_in_a_row_without_other_cells(rows: str, shown: str) -> None:
    assert title_in_table([table(rows)]) == shown


@pytest.mark.parametrize(
    ("large", "shown"),
    [
        ("SECTION I: THE OWNER OF THE FERRY", "Ferries"),
        ("PART A - THE OWNER OF THE FERRY", "Ferries"),
        ("SECTION OF FERRIES: A GUIDE", "SECTION OF FERRIES: A GUIDE"),
        ("Part A: The Owner", "Part A: The Owner"),
    ],
)
def test_a_part_of_a_form_is_not_its_title(large: str, shown: str) -> None:
    assert largest_words([line("Ferries", 750, 14), line(large, 700, 16)], 10) == shown


@pytest.mark.parametrize(
    ("beside", "shown"),
    [("Page: 3", "All Ferries"), ("Page 1 of 4", "All Ferries"), ("2024", "All Ferries 2024")],
)
def test_the_number_of_the_page_is_no_part_of_the_title(beside: str, shown: str) -> None:
    cells = (Cell("All Ferries", 50, 120), Cell(beside, 500, 540))
    assert largest_words([PdfLine(f"All Ferries {beside}", 16, 700, 700, cells=cells)], 10) == shown


@pytest.mark.parametrize(
    ("told", "own"), [("29th October 2006", None), ("Version 3 of Ferries", "Version 3 of Ferries")]
)
def test_a_date_is_no_title(told: str, own: str | None) -> None:
    assert own_title(told) == own
