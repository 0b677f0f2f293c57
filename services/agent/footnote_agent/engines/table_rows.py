"""Rows of tables in Markdown. Pure."""

import re
from collections.abc import Sequence

_RULE = re.compile(r"\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{3,}:?[ \t]*)*\|?")
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def is_row(line: str) -> bool:
    """Whether a line has the form of a row of a Markdown table."""
    return _CELL_BORDER.search(line) is not None


def cells_of(row: str) -> list[str]:
    """The cells of a row, with their bars where these are part of the text."""
    if "|" in row:
        return [cell.strip().replace("\\|", "|") for cell in _CELL_BORDER.split(row.strip())]
    return [cell.strip() for cell in row.split("\t" if "\t" in row else ":")]


def row_of(cells: Sequence[str]) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def is_rule(line: str) -> bool:
    """Whether a line is the rule under the head of a table."""
    return "-" in line and _RULE.fullmatch(line.strip()) is not None
