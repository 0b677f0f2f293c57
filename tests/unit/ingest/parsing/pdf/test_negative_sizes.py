"""Fonts of a negative size, which reports of some databases draw upside down and turn back."""

from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn


def test_a_page_in_a_font_of_a_negative_size_is_read_from_its_top() -> None:
    rows = [("Apache", "44", "27,462"), ("Cochise", "55", "19,023"), ("Gila", "39", "8,338")]
    page = [
        f"BT /plain -10 Tf -1 0 0 -1 {60 + 120 * n} {700 - 14 * at} Tm ({text}) Tj ET"
        for at, cells in enumerate(rows)
        for n, text in enumerate(cells)
    ]
    (table,) = parsed_here(drawn(page), "a.pdf").elements
    assert table.kind == "table"
    assert [text.split(" | ")[0] for text in table.text.splitlines() if "---" not in text] == [
        "Apache",
        "Cochise",
        "Gila",
    ]
