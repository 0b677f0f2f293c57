"""Columns of a table that its head names, where the words below begin at the same places."""

from collections.abc import Sequence
from itertools import pairwise

from footnote_ingest.parsing.pdf.lines import Cell

_SAME_START = 2.0
"""Words begin a column if they begin at most this many points from its start."""

_LEAST_LEVEL = 3
"""So many rows have words that begin a column at its start."""

_LEAST_STARTS, _LEAST_ROWS = 0.8, 2
"""This share of the rows, and so many, with words on both sides of a start have a word that begins there."""


def begins_column(row: Sequence[Cell], start: float) -> bool:
    """Whether a word of the row begins where a column does."""
    return any(abs(word.left - start) <= _SAME_START for word in row)


def crosses(row: Sequence[Cell], start: float) -> bool:
    """Whether a word of the row goes over the start of a column."""
    return any(word.left < start - _SAME_START and word.right > start + _SAME_START for word in row)


def begin_level(rows: Sequence[Sequence[Cell]], starts: Sequence[float]) -> bool:
    """Whether the words of each of some columns begin at one place, in so many rows that it is no chance.

    `starts` are where the words begin that are furthest to the left in their column.
    """
    for start, end in pairwise([*starts, float("inf")]):
        first = [
            next((word.left for word in row if start - _SAME_START <= word.left < end - _SAME_START), None)
            for row in rows
        ]
        known = [left for left in first if left is not None]
        kept = sum(abs(left - start) <= _SAME_START for left in known)
        if kept < max(_LEAST_LEVEL, _LEAST_STARTS * len(known)):
            return False
    return bool(starts)


def named_columns(heads: Sequence[Cell], rows: Sequence[Sequence[Cell]]) -> list[float]:
    """Where the columns behind the first begin; empty if the rows do not keep to the heads.

    Rows without words in one of two columns tell nothing of them.
    """
    starts = [head.left for head in heads[1:]]
    for start in starts:
        beside = [
            row
            for row in rows
            if row and row[0].left < start - _SAME_START and row[-1].right > start + _SAME_START
        ]
        kept = sum(begins_column(row, start) for row in beside)
        if any(crosses(row, start) for row in rows) or kept < max(_LEAST_ROWS, _LEAST_STARTS * len(beside)):
            return []
    return starts
