"""Cutting a table into groups of whole rows, each with the header row before it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from footnote_ingest.chunking.chunk_limits import ChunkLimits
from footnote_ingest.chunking.prose import cut
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.parsing.elements import Element, one_line
from footnote_ingest.parsing.table_text import is_header

_RULE = re.compile(r"[\s|:\-+=]+")
_MOST_NOTE = 0.25
"""The note that says which rows a part holds takes at most this share of a chunk; the caption goes first."""

_BATCH_ROWS = 2_000
"""How many rows are tokenised at once."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """Some rows of a table.

    `header` is put before them: which rows they are, and the header row. It is empty for the first part,
    which begins with the header.
    """

    start: int
    end: int
    tokens: int
    header: str


def cut_table(
    table: Element,
    counter: TokenCounter,
    limits: ChunkLimits,
    *,
    caption: str = "",
    begun: Element | None = None,
    rows_before: int = 0,
) -> Iterator[TablePart]:
    """Groups of rows of at most `limits.size` tokens, header included. A row that is longer is cut as text.

    Rows are lines of the element's text. Groups do not overlap, because a row with its header can stand
    alone. A later part says which rows it holds, behind the caption if there is one. It does not say how many
    there are in all: a row more at the end of a table would change every part before it.

    `begun` is where a table begins that goes on in this element, and `rows_before` how many rows it has
    before this element. Its header is put before the first part, too, unless the page repeats it.
    """
    lines = _rows(table.text)
    header = _header(begun or table)
    has_header = bool(header) and (begun is None or _header(table) == header)
    header_tokens = counter.count(header) if header else 0
    if header_tokens > limits.size // 2:
        header, header_tokens, has_header = "", 0, False
    first_row = header.count("\n") + 1 if has_header else 0
    label = _Label(caption, header, rows_before + len(lines), counter, limits)
    group: tuple[int, int] | None = (0, lines[first_row - 1][1]) if has_header else None
    rows = tokens_held = 0
    leading = has_header or begun is None
    noted = begun is not None
    for number, ((start, end), tokens) in enumerate(
        _counted(table.text, lines[first_row:], counter), rows_before + 1
    ):
        room = limits.size - header_tokens - (label.most_tokens if noted else 0)
        if group is not None and tokens_held + tokens > room:
            yield label.part(table, group, tokens_held, number - rows, rows, leading=leading, noted=noted)
            leading, noted, group, rows, tokens_held = False, True, None, 0, 0
            room = limits.size - header_tokens - label.most_tokens
        if group is None and tokens > room:
            for piece in cut([_row(table, start, end)], counter, limits):
                yield TablePart(piece.start, piece.end, piece.tokens, "")
            leading, noted = False, True
            continue
        group = (group[0] if group is not None else start, end)
        rows, tokens_held = rows + 1, tokens_held + tokens
    if group is not None:
        first = rows_before + len(lines) - first_row + 1 - rows
        yield label.part(table, group, tokens_held, first, rows, leading=leading, noted=noted)


class _Label:
    """What is put before a later part of a table: a note which rows it holds, and the header."""

    def __init__(
        self, caption: str, header: str, rows: int, counter: TokenCounter, limits: ChunkLimits
    ) -> None:
        self._counter = counter
        self._header = header
        self._header_tokens = counter.count(header) if header else 0
        room = int(limits.size * _MOST_NOTE)
        self._caption = one_line(caption)
        self.most_tokens = self._most(rows)
        if self._caption and self.most_tokens > room:
            self._caption = ""
            self.most_tokens = self._most(rows)
        self._noted = self.most_tokens <= room
        if not self._noted:
            self.most_tokens = 0

    def _most(self, rows: int) -> int:
        """A number has no more tokens than digits."""
        return self._counter.count(self._note("", "")) + 2 * len(str(rows))

    def _note(self, first: object, last: object) -> str:
        return f"{self._caption} (rows {first} to {last})".lstrip()

    def part(
        self,
        table: Element,
        group: tuple[int, int],
        tokens: int,
        first: int,
        rows: int,
        *,
        leading: bool,
        noted: bool,
    ) -> TablePart:
        """The part with these rows, of which `first` is the number of the first one, from 1.

        A leading part begins with the header itself. `noted` asks for the note which rows it holds.
        """
        note = self._note(first, first + rows - 1) if self._noted and noted else ""
        before = "\n".join(line for line in (note, "" if leading else self._header) if line)
        note_tokens = self._counter.count(note) if note else 0
        held = tokens + self._header_tokens + note_tokens
        return TablePart(table.char_start + group[0], table.char_start + group[1], held, before)


def header_of(rows: list[str]) -> str:
    """The header of a table: its first row, and in Markdown the rule under it.

    A row of numbers is no header.
    """
    if not rows or not is_header(rows[0]):
        return ""
    return "\n".join(rows) if len(rows) == 2 and "-" in rows[1] and _RULE.fullmatch(rows[1]) else rows[0]


def count_rows(table: Element, begun: Element) -> int:
    """How many rows an element has below the header of the table's first element, which it may repeat."""
    header = _header(begun)
    repeats = header and _header(table) == header
    return len(_rows(table.text)) - (header.count("\n") + 1 if repeats else 0)


def _header(table: Element) -> str:
    lines = _rows(table.text)
    return header_of([table.text[start:end] for start, end in lines[:2]])


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
