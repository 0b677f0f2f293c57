"""One form for the tables of every format: a table of Markdown as GitHub reads it.

A row is a line, its cells are joined by ` | `, and a rule stands under the header. The pipes around a row are
left out where that is allowed, because each of them is a token (https://github.github.com/gfm/#tables-extension-).
"""

import io
import re
from collections.abc import Iterable, Iterator, Sequence

from lxml import etree

from footnote_ingest.parsing.elements import one_line

CELL_GAP = " | "
_RULE_CELL = "---"
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"(?:\| )?---(?: \| ---)*(?: \|)?")
_NUMBERS = re.compile(r"[\s|\d.,:%+\-/]+")
_MOST_COLUMNS = 100
"""A cell that claims to span more columns spans this many."""


def rows_to_text(rows: Iterable[Sequence[str]], *, whole: bool = False) -> str:
    """Rows as lines of a Markdown table.

    Line breaks in a cell become spaces; empty rows, and empty columns at the right, are left out. There is a
    rule under the first row, unless that is the only one or is no header. With `whole=True` each row has its
    pipes, and there is always a rule, as every reader of Markdown asks.
    """
    cleaned = [[one_line(cell).replace("|", "\\|") for cell in row] for row in rows]
    width = max((index + 1 for row in cleaned for index, cell in enumerate(row) if cell), default=0)
    if whole:
        drawn = [
            f"| {CELL_GAP.join([*row, *[''] * (width - len(row))][:width])} |" for row in cleaned if any(row)
        ]
        return "\n".join([*drawn[:1], f"| {CELL_GAP.join([_RULE_CELL] * width)} |", *drawn[1:]])
    lines = [_line(row[:width]) for row in cleaned if any(row)]
    if len(lines) > 1 and is_header(lines[0]):
        lines.insert(1, _line([_RULE_CELL] * width))
    return "\n".join(lines)


def is_header(row: str) -> bool:
    """Whether the first row of a table can be its header: a row of numbers is none."""
    return _NUMBERS.fullmatch(row) is None


def columns_of(row: str) -> int:
    """How many cells a line of `rows_to_text` has."""
    bars = len(_BAR.findall(row))
    return bars - 1 if row.startswith("|") else bars + 1


def is_rule(line: str) -> bool:
    """Whether a line is the rule under a header."""
    return _RULE.fullmatch(line) is not None


def _line(cells: Sequence[str]) -> str:
    """A row. It needs the pipes around it if it has one cell only, or if its first cell is empty."""
    if len(cells) == 1 or not cells[0]:
        return f"| {CELL_GAP.join(cells)} |"
    return CELL_GAP.join(cells).rstrip()


def html_table_rows(html: str) -> list[list[str]]:
    """The rows of one HTML table without nested tables.

    A cell over several columns fills the first of them.
    """
    rows: list[list[str]] = []
    for row in _read_rows(html):
        cells: list[str] = []
        for cell in row.iterchildren("td", "th"):
            cells.append(" ".join(cell.itertext()))
            span = cell.get("colspan", "1")
            cells.extend([""] * (min(int(span[:9]), _MOST_COLUMNS) - 1 if span.isdecimal() else 0))
        rows.append(cells)
    return rows


def _read_rows(html: str) -> Iterator[etree._Element]:
    """The rows of a table, each gone when the next is read: the tree of a million cells takes 300 MB."""
    if html.count("<table") > 1:
        root = etree.fromstring(html, etree.HTMLParser(huge_tree=True))
        yield from root.iter("tr") if root is not None else ()
        return
    source = io.BytesIO(html.encode("utf-8", "replace"))
    for _, row in etree.iterparse(source, tag="tr", html=True, huge_tree=True, encoding="utf-8"):
        yield row
        row.clear()
