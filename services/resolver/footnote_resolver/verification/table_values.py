"""Whether a claim takes a value from another row or column of a table than it names (spec 2.6). Pure.

A table is two lines or more with the same number of cells between upright bars. Its first line names the
columns, and the first cell of each other line names the row.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from footnote_resolver.verification.lexicon import STOP_WORDS
from footnote_resolver.verification.words import folded
from footnote_shared.kernel.stems import stem

_RULE = re.compile(r"[\s|:=+-]+")
"""The line below the head."""
_ESCAPED = re.compile(r"\\\|")
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
_FEWEST_ROWS, _FEWEST_COLUMNS = 2, 2
_MOST_ROWS = 400
"""Rows of a passage that are read."""

Key = frozenset[str]


@dataclass(frozen=True, slots=True)
class TableOfText:
    """The words of the heads of columns and rows, and of the cells by row and column."""

    columns: tuple[Key, ...]
    rows: tuple[Key, ...]
    cells: tuple[tuple[Key, ...], ...]


@dataclass(frozen=True, slots=True)
class Tabulated:
    """The tables of a text, and the words of the rest."""

    tables: tuple[TableOfText, ...]
    prose: Key


def tabulated(text: str) -> Tabulated:
    found: list[TableOfText] = []
    prose: list[str] = []
    block: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        cells = _cells(line)
        if len(cells) >= _FEWEST_COLUMNS and (not block or len(cells) == len(block[0])):
            block.append(cells)
            continue
        if not _RULE.fullmatch(line) or not block:
            prose += _ended(block, found)
            block = [cells] if len(cells) >= _FEWEST_COLUMNS else []
            prose += [] if block else [line]
    prose += _ended(block, found)
    return Tabulated(tuple(found), _key(" ".join(prose)))


def _ended(block: Sequence[Sequence[str]], found: list[TableOfText]) -> list[str]:
    """Add the table to those that were found; what is none is prose."""
    if len(block) < _FEWEST_ROWS:
        return [" ".join(cells) for cells in block]
    head, *rows = block[:_MOST_ROWS]
    found.append(
        TableOfText(
            tuple(_key(cell) for cell in head[1:]),
            tuple(_key(row[0]) for row in rows),
            tuple(tuple(_key(cell) for cell in row[1:]) for row in rows),
        )
    )
    return []


def _cells(line: str) -> list[str]:
    if "|" not in line or _RULE.fullmatch(line):
        return []
    return [cell.strip() for cell in _ESCAPED.sub("/", line).strip().strip("|").split("|")]


def _key(text: str) -> Key:
    return frozenset(
        word.replace(",", "") if word[0].isdigit() else stem(word)
        for word in _WORD.findall(folded(text))
        if word not in STOP_WORDS
    )


def misread(claim: str, texts: Iterable[Tabulated]) -> bool:
    """Whether a value of the claim stands in the tables, and in no row and column that the claim names."""
    said = _key(claim)
    held = list(texts)
    verdicts = [_misread(said, table, text.prose) for text in held for table in text.tables]
    return any(verdicts) and not any(verdict is False for verdict in verdicts)


def _misread(said: Key, table: TableOfText, prose: Key) -> bool | None:
    """None where the table has no value of the claim, or nothing by which to tell its row and column."""
    rows, columns = _named(said, table.rows), _named(said, table.columns)
    heads = frozenset[str]().union(*(table.rows[r] for r in rows), *(table.columns[c] for c in columns))
    verdict: bool | None = None
    places: dict[Key, list[tuple[int, int]]] = {}
    for r, row in enumerate(table.cells):
        for c, cell in enumerate(row):
            figures = frozenset(word for word in cell if word[0].isdigit())
            if figures and figures <= said - heads - prose:
                places.setdefault(figures, []).append((r, c))
    for found in places.values():
        if (rows or columns) and not any(
            (not rows or r in rows) and (not columns or c in columns) for r, c in found
        ):
            return True
        verdict = False
    return verdict


def _named(said: Key, heads: Sequence[Key]) -> frozenset[int]:
    """The heads whose words the claim has; not `North` where it has `North East`."""
    there = [place for place, head in enumerate(heads) if head and head <= said]
    return frozenset(place for place in there if not any(heads[place] < heads[other] for other in there))
