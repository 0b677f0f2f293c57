"""Cutting a table into groups of whole rows, each with the header row before it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from footnote_ingest.chunking.chunk_limits import ChunkLimits
from footnote_ingest.chunking.prose import cut
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.parsing.elements import Element

_RULE = re.compile(r"[\s|:\-+=]+")
_NUMBERS = re.compile(r"[\s|\d.,:%+\-/]+")
_BATCH_ROWS = 2_000
"""How many rows are tokenised at once."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """Some rows of a table.

    `header` is put before them; it is empty for the first part, which begins with it.
    """

    start: int
    end: int
    tokens: int
    header: str


def cut_table(table: Element, counter: TokenCounter, limits: ChunkLimits) -> Iterator[TablePart]:
    """Groups of rows of at most `limits.size` tokens, header included. A row that is longer is cut as text.

    Rows are lines of the element's text. Groups do not overlap, because a row with its header can stand
    alone.
    """
    lines = _rows(table.text)
    header = header_of([table.text[start:end] for start, end in lines[:2]])
    header_tokens = counter.count(header) if header else 0
    if header_tokens > limits.size // 2:
        header, header_tokens = "", 0
    first_row = header.count("\n") + 1 if header else 0
    group: tuple[int, int] | None = (0, lines[first_row - 1][1]) if header else None
    group_tokens = header_tokens
    leading = True
    for (start, end), tokens in _counted(table.text, lines[first_row:], counter):
        if group is not None and group_tokens + tokens > limits.size:
            yield _part(table, group, group_tokens, "" if leading else header)
            leading, group, group_tokens = False, None, 0
        if group is None and header_tokens + tokens > limits.size:
            row = _row(table, start, end)
            for piece in cut([row], counter, limits):
                yield TablePart(piece.start, piece.end, piece.tokens, "")
            leading = False
            continue
        if group is None:
            group, group_tokens = (start, end), (0 if leading else header_tokens) + tokens
        else:
            group, group_tokens = (group[0], end), group_tokens + tokens
    if group is not None:
        yield _part(table, group, group_tokens, "" if leading else header)


def header_of(rows: list[str]) -> str:
    """The header of a table: its first row, and in Markdown the rule under it.

    A row of numbers is no header.
    """
    if not rows or _NUMBERS.fullmatch(rows[0]):
        return ""
    return "\n".join(rows) if len(rows) == 2 and "-" in rows[1] and _RULE.fullmatch(rows[1]) else rows[0]


def _rows(text: str) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        if line.strip():
            rows.append((start, start + len(line)))
        start += len(line) + 1
    return rows


def _counted(
    text: str, rows: list[tuple[int, int]], counter: TokenCounter
) -> Iterator[tuple[tuple[int, int], int]]:
    for at in range(0, len(rows), _BATCH_ROWS):
        batch = rows[at : at + _BATCH_ROWS]
        yield from zip(batch, map(len, counter.spans([text[start:end] for start, end in batch])), strict=True)


def _row(table: Element, start: int, end: int) -> Element:
    return Element(
        "table",
        table.text[start:end],
        table.page,
        table.heading_path,
        table.char_start + start,
        table.char_start + end,
    )


def _part(table: Element, group: tuple[int, int], tokens: int, header: str) -> TablePart:
    return TablePart(table.char_start + group[0], table.char_start + group[1], tokens, header)
