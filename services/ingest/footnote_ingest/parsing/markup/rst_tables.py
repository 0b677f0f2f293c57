"""The tables of reStructuredText as rows of cells: grids, simple ones, and those of directives."""

import csv
import re

BORDER = re.compile(r"={2,}(?:[ ]+={1,})+$")
GRID = re.compile(r"\+(?:[-=]+\+)+$")
_SPAN_RULE = re.compile(r"-+(?:[ ]+-+)*$")
_RULE = re.compile(r"[-=]{2,}")
_MOST_COLUMNS = 200


def grid_end(lines: list[str], at: int) -> int:
    """The line after the grid that begins here."""
    while at < len(lines) and lines[at].startswith(("+", "|")):
        at += 1
    return at


def grid_rows(lines: list[str]) -> list[list[str]]:
    """The rows of a grid. A cell over several columns fills the first of them."""
    columns = [at for at, char in enumerate(lines[0]) if char == "+"][: _MOST_COLUMNS + 1]
    rows: list[list[str]] = []
    row: list[list[str]] = [[] for _ in columns[:-1]]
    for line in lines[1:]:
        cells = _grid_cells(line, columns)
        ruled = [number for number, text in enumerate(cells) if "--" in text or "==" in text]
        rules = [number for number in ruled if not cells[number].strip("-=+ |")]
        if line.startswith("+") or (rules and "+" in line):
            rows.append([" ".join(words) for words in row])
            row = [[] for _ in columns[:-1]]
        for number, text in enumerate(cells):
            if number not in rules and text.strip("-=+| "):
                row[number].append(text.strip())
    rows.append([" ".join(words) for words in row])
    return [cells for cells in rows if any(cells)]


def _grid_cells(line: str, columns: list[int]) -> list[str]:
    aligned = all(line[at : at + 1] in ("|", "+", " ", "-", "=") for at in columns)
    if not aligned and line.startswith("|") and line.count("|") == len(columns):
        # Wide characters: the bars of this very line part its cells.
        return line.strip("|").split("|")
    cells = [""] * (len(columns) - 1)
    begin, slot = columns[0] + 1, 0
    for number, at in enumerate(columns[1:], 1):
        if line[at : at + 1] in ("|", "+", "") or number == len(columns) - 1:
            cells[slot] = line[begin:at] if number < len(columns) - 1 else line[begin:].rstrip("|+")
            begin, slot = at + 1, number
    return cells


def simple_end(lines: list[str], at: int) -> int | None:
    """The line after the last border of the simple table that begins here; None if it never ends."""
    for number in range(at + 1, len(lines)):
        if BORDER.match(lines[number]) and (number + 1 == len(lines) or not lines[number + 1]):
            return number + 1
    return None


def simple_rows(lines: list[str]) -> list[list[str]]:
    """The rows of a simple table. A line without a first cell continues the row above it."""
    starts = [match.start() for match in re.finditer(r"=+", lines[0])][:_MOST_COLUMNS]
    spans: list[tuple[int, int | None]] = list(zip(starts, [*starts[1:], None], strict=True))
    ruled = next((at for at in range(1, len(lines) - 1) if BORDER.match(lines[at])), 1)
    head = [_simple_cells(line, spans) for line in lines[1:ruled] if _is_row(line)]
    rows = [[" ".join(filter(None, column)) for column in zip(*head, strict=True)]] if head else []
    body_begins = len(rows)
    for line in lines[ruled:-1]:
        if not _is_row(line):
            continue
        cells = _simple_cells(line, spans)
        if not cells[0] and len(rows) > body_begins:
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    return rows


def _simple_cells(line: str, spans: list[tuple[int, int | None]]) -> list[str]:
    """The cells of a line. One whose text stands in the margin between two columns is a cell as a whole."""
    if any(line[start - 1 : start].strip() for start, _ in spans[1:]):
        return [line, *[""] * (len(spans) - 1)]
    return [line[start:end].strip() for start, end in spans]


def _is_row(line: str) -> bool:
    return bool(line) and not BORDER.match(line) and not (_SPAN_RULE.match(line) and "--" in line)


def list_table_rows(lines: list[str]) -> list[list[str]]:
    """The rows of `.. list-table::`: items of items."""
    rows: list[list[str]] = []
    for line in lines:
        text = line.strip()
        if line.startswith(("* -", "- -", "* *", "- *")):
            rows.append([text[3:].strip()])
        elif rows and (line.startswith(("  - ", "  * ")) or line in ("  -", "  *")):
            rows[-1].append(text[1:].strip())
        elif text:
            if not rows:
                rows.append([""])
            rows[-1][-1] = f"{rows[-1][-1]} {text}".strip()
    return rows


def csv_table_rows(lines: list[str], header: str, gap: str) -> list[list[str]] | None:
    """The rows of `.. csv-table::`; None if they cannot be told apart."""
    try:
        written = [*([header] if header else []), *lines]
        return list(csv.reader(written, delimiter=gap if len(gap) == 1 else ",", skipinitialspace=True))
    except csv.Error:
        return None
