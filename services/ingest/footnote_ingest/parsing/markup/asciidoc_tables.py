"""The tables of AsciiDoc as rows of cells (https://docs.asciidoctor.org/asciidoc/latest/tables/build-a-basic-table/)."""

import re
from collections.abc import Mapping

from footnote_ingest.parsing.markup.rst_tables import csv_table_rows

DELIMITER = re.compile(r"[|,:!]={3,}$")
_BAR = re.compile(r"(?<!\\)\|")
_SPECIFIER = re.compile(
    r"(?:(?P<across>\d{1,3})?(?:\.(?P<down>\d{1,3}))?(?P<sign>[+*]))?[<^>]?(?:\.[<^>])?[aehlmsdv]?"
)
_LONGEST_SPECIFIER = 12
_CSV_GAPS = frozenset(",;:|\t")
_COLUMN = re.compile(r"[ ]*(?:(\d{1,3})\*)?")
_MOST_COLUMNS = 100
_MOST_REPEATED = 20_000
"""At most this many characters of a table may repeat a cell or fill the cells that one spans."""


def table_rows(lines: list[str], delimiter: str, attributes: Mapping[str, str]) -> list[list[str]]:
    """The rows between two delimiters. `attributes` are those of the block, such as `cols` and `format`."""
    form = attributes.get("format", {",": "csv", ":": "dsv"}.get(delimiter[0], "psv"))
    gap = attributes.get("separator", {"csv": ",", "tsv": "\t", "dsv": ":"}.get(form, delimiter[0]))
    if form in ("csv", "tsv", "dsv"):
        rows = csv_table_rows([line for line in lines if line], "", gap if gap in _CSV_GAPS else ",")
        return rows if rows is not None else [[line] for line in lines]
    text = "\n".join(lines).strip("\n")
    if gap != "|" and len(gap) == 1:
        text = text.replace("|", "\\|").replace(gap, "|")
    cells = _cells(text)
    columns = _columns(attributes.get("cols", "")) or sum(across for _, across, _ in _first_line(cells, text))
    return _placed(cells, max(1, min(columns, _MOST_COLUMNS)))


_Cell = tuple[str, int, int]
"""The text of a cell, and how many columns and rows it spans."""


def _cells(text: str) -> list[_Cell]:
    """The cells in their order. Each begins after a bar; what stands before the bar describes the cell."""
    cells: list[_Cell] = []
    repeats, across, down, begin, spare = 1, 1, 1, 0, _MOST_REPEATED
    for bar in [*_BAR.finditer(text), None]:
        said = text[begin : bar.start()] if bar is not None else text[begin:]
        word = said[max(said.rfind(" "), said.rfind("\n")) + 1 :]
        special = _SPECIFIER.fullmatch(word) if bar and len(word) <= _LONGEST_SPECIFIER else None
        if special is not None and word:
            said = said[: len(said) - len(word)]
        if begin or said.strip():
            cost = (repeats * across * down - 1) * (len(said) + len(" | "))
            if cost > spare:
                repeats = across = down = 1
            else:
                spare -= cost
            cells += [(said.strip().replace("\\|", "|"), across, down)] * repeats
        repeats, across, down = 1, 1, 1
        if special is not None and special["sign"] == "*":
            repeats = min(int(special["across"] or 1), _MOST_COLUMNS) or 1
        elif special is not None and special["sign"] == "+":
            across = min(int(special["across"] or 1), _MOST_COLUMNS) or 1
            down = min(int(special["down"] or 1), _MOST_COLUMNS) or 1
        begin = bar.end() if bar is not None else begin
    return cells


def _first_line(cells: list[_Cell], text: str) -> list[_Cell]:
    """The cells of the first line, which give the number of columns if nothing else does."""
    return _cells(text.partition("\n")[0]) or cells[:1]


def _columns(cols: str) -> int:
    """The number of columns that the attribute `cols` describes; 0 if it says nothing."""
    if not cols.strip():
        return 0
    if cols.strip().isdecimal() and len(cols.strip()) <= 3:
        return 1
    total = 0
    for column in re.split(r"[,;]", cols[: _MOST_COLUMNS * 10]):
        several = _COLUMN.match(column)
        total += int(several[1]) if several is not None and several[1] else 1
    return total


def _placed(cells: list[_Cell], columns: int) -> list[list[str]]:
    """The cells in rows. Below a cell over several rows, and beside one over several columns, it is empty."""
    rows: list[list[str]] = []
    row: list[str] = []
    # For how many more rows a cell above covers each column.
    covered = [0] * columns
    for said, across, down in cells:
        while len(row) < columns and covered[len(row)]:
            covered[len(row)] -= 1
            row.append("")
            if len(row) == columns:
                # Rows without words are not kept, so that spans cannot make the table large.
                rows += [row] if any(row) else []
                row = []
        across = min(across, columns - len(row))
        for column in range(len(row), len(row) + across):
            covered[column] = down - 1
        row += [said, *[""] * (across - 1)]
        if len(row) == columns:
            rows.append(row)
            row = []
    return [*rows, row] if row else rows
