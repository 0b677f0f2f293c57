"""Tables of OpenDocument, in texts, sheets and slides alike (ODF 1.3 part 3, clause 9).

A file says how often a cell or a row is repeated, up to a million times, so what is written out is bounded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from footnote_ingest.parsing.office.open_document import OFFICE, TABLE, paragraph_text, paragraphs_of

MOST_COLUMNS = 2_000
MOST_REPEATS = 1_000
"""This many times a row that holds something is written at most."""

_OFFICE_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value")
_ROW_BOXES = frozenset(f"{TABLE}{name}" for name in ("table-rows", "table-header-rows", "table-row-group"))
_CELLS = (f"{TABLE}table-cell", f"{TABLE}covered-table-cell")


@dataclass(frozen=True, slots=True)
class OpenRow:
    """The cells of a row up to its last with content, and how many times they stand one below the other.

    `cut` says that cells or rows were left out, because there are too many.
    """

    node: etree._Element
    cells: Sequence[str]
    times: int
    cut: bool


def rows_of(table: etree._Element) -> Iterator[OpenRow]:
    """The rows of a table, without those of tables within its cells. An empty row comes once."""
    waiting = list(reversed(table))
    while waiting:
        node = waiting.pop()
        if node.tag in _ROW_BOXES:
            waiting.extend(reversed(node))
        elif node.tag == f"{TABLE}table-row":
            cells, cut = _cells(node)
            times = _times(node, "number-rows-repeated") if cells else 1
            yield OpenRow(node, cells, min(times, MOST_REPEATS), cut or times > MOST_REPEATS)


def row_texts(table: etree._Element) -> Iterator[Sequence[str]]:
    """The cells of each row, repeated ones written out."""
    for row in rows_of(table):
        for _ in range(row.times):
            yield row.cells


def columns_of(row: etree._Element) -> Iterator[tuple[int, etree._Element]]:
    """The cells of a row, each with the number of its first column, from 1."""
    column = 1
    for cell in row.iterchildren(*_CELLS):
        yield column, cell
        column += _times(cell, "number-columns-repeated")


def _cells(row: etree._Element) -> tuple[list[str], bool]:
    """The texts of the cells. Cells that another one covers are empty."""
    texts: list[str] = []
    for column, cell in columns_of(row):
        if text := _text(cell) if cell.tag == _CELLS[0] else "":
            texts.extend([""] * (min(column - 1, MOST_COLUMNS) - len(texts)))
            wanted = _times(cell, "number-columns-repeated")
            texts.extend([text] * min(wanted, MOST_COLUMNS - len(texts)))
            if column - 1 + wanted > MOST_COLUMNS:
                return texts, True
    return texts, False


def _text(cell: etree._Element) -> str:
    """What a cell shows, or else the value that it has."""
    shown = " ".join(paragraph_text(paragraph) for paragraph in paragraphs_of(cell)).strip()
    return shown or next((said for name in _OFFICE_VALUES if (said := cell.get(f"{OFFICE}{name}"))), "")


def _times(node: etree._Element, name: str) -> int:
    said = node.get(f"{TABLE}{name}", "1")
    digits = "".join(islice(said, 9))
    return max(1, int(digits)) if digits.isascii() and digits.isdecimal() else 1
