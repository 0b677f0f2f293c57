"""Columns of numbers between two upright rules of a table, as in the tables of an office of statistics."""

import re
from bisect import bisect
from collections.abc import Sequence
from operator import itemgetter

from footnote_ingest.parsing.pdf.lines import Cell

_NUMBER = re.compile(
    r"[-\u2013\u2014\u2212]|\([A-Z]\)|[-+(\u2212\u2013$\u20ac\u00a3]?\d[\d.,]{0,30}[%)]?|NA|NaN|n/a"
)
_MIDDLE = itemgetter(0)
_LEAST_ROWS, _LEAST_SHARE = 3, 0.6
"""This many rows, and this share of those with words on both sides, have a number on each side of the gap."""


def number_columns(
    rows: Sequence[Sequence[Cell]], rules: Sequence[float], gaps: Sequence[float]
) -> list[float]:
    """The edges of the columns: the rules, and the gaps between words that have numbers on both sides."""
    edges = sorted(rules)
    placed = [sorted(((word.left + word.right) / 2, word.text) for word in row) for row in rows]
    found = [gap for gap in gaps if _parts_numbers(placed, edges, gap)]
    return sorted([*edges, *found])


def _parts_numbers(rows: Sequence[Sequence[tuple[float, str]]], edges: Sequence[float], gap: float) -> bool:
    """Whether a gap parts numbers; `rows` are the middles of the words and their texts, from the left."""
    place = bisect(edges, gap)
    left = edges[place - 1] if place else float("-inf")
    right = edges[place] if place < len(edges) else float("inf")
    beside = parted = 0
    for row in rows:
        at = bisect(row, gap, key=_MIDDLE)
        # Nothing is looked at but the two words beside the gap: a page may have thousands of columns.
        if 0 < at < len(row) and left < row[at - 1][0] and row[at][0] < right:
            beside += 1
            parted += all(_NUMBER.fullmatch(text) is not None for _, text in row[at - 1 : at + 1])
    return parted >= _LEAST_ROWS and parted >= _LEAST_SHARE * beside
