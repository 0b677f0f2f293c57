"""Tables of manual pages (tbl(1)): their cells, which may hold text over several lines."""

import re
from collections.abc import Callable

_GAP = re.compile(r"tab ?\((.)\)")
_FONTS = re.compile(r"[.'][ \t]*+(?:B|I|R|BI|BR|IB|IR|RB|RI|SM|SB)[ \t]++(.*)")
_NO_ROW = frozenset("_= \t")
_SPANNED = "\\^"
"""A cell that goes on the one above it."""


def table_rows(lines: list[str], shown: Callable[[str], str]) -> list[list[str]]:
    """The rows behind the layout, which ends with a point. `shown` takes the escapes out of a text.

    Some generators write options alone, which end with a semicolon.
    """
    options = 0 if lines and lines[0].rstrip().endswith(";") else -1
    at = next((number for number, row in enumerate(lines) if row.rstrip().endswith(".")), options)
    told = _GAP.search("\n".join(lines[: at + 1]))
    gap = told.group(1) if told else "\t"
    rows: list[list[str]] = []
    block: list[str] | None = None
    layout = False
    for line in lines[at + 1 :]:
        if layout:
            layout = not line.rstrip().endswith(".")
        elif block is not None:
            if line.startswith("T}"):
                rows[-1][-1] = " ".join(filter(None, (rows[-1][-1], *block)))
                rest = line[2:].split(gap)
                rows[-1] += rest[1:]
                block = _opened(rows[-1])
            else:
                block.append(shown(_words(line)).strip())
        elif line.startswith(".T&"):
            layout = True
        elif not line.startswith((".", "'")) and set(line) - _NO_ROW:
            rows.append(line.split(gap))
            block = _opened(rows[-1])
    return [["" if cell.strip() == _SPANNED else shown(cell) for cell in row] for row in rows]


def _opened(row: list[str]) -> list[str] | None:
    """The lines of the text that the last cell opens with `T{`; None if it opens none."""
    if not row[-1].rstrip().endswith("T{"):
        return None
    row[-1] = row[-1].rstrip().removesuffix("T{")
    return []


def _words(line: str) -> str:
    """A line of a text in a cell: the words of a font, and nothing of other requests."""
    if not line.startswith((".", "'")):
        return line
    font = _FONTS.match(line)
    return font[1].replace('"', "") if font else ""
