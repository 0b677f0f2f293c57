"""One form for the tables of every format: each row is a line, and its cells are joined by ` | `."""

from collections.abc import Iterable, Sequence

from lxml import etree

from footnote_ingest.parsing.elements import one_line

CELL_GAP = " | "
_MOST_COLUMNS = 100
"""A cell that claims to span more columns spans so many."""


def rows_to_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows as lines.

    Line breaks in a cell become spaces; empty rows, and empty columns at the right, are left out.
    """
    cleaned = [[one_line(cell) for cell in row] for row in rows]
    width = max((index + 1 for row in cleaned for index, cell in enumerate(row) if cell), default=0)
    return "\n".join(CELL_GAP.join(row[:width]).rstrip() for row in cleaned if any(row))


def html_table_rows(html: str) -> list[list[str]]:
    """The rows of one HTML table without nested tables.

    A cell over several columns fills the first of them.
    """
    root = etree.fromstring(html, etree.HTMLParser(huge_tree=True))
    rows: list[list[str]] = []
    if root is None:
        return rows
    for row in root.iter("tr"):
        cells: list[str] = []
        for cell in row.iterchildren("td", "th"):
            cells.append(" ".join(cell.itertext()))
            span = cell.get("colspan", "1")
            cells.extend([""] * (min(int(span), _MOST_COLUMNS) - 1 if span.isdecimal() else 0))
        rows.append(cells)
    return rows
