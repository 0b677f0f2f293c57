"""Columns of numbers between two upright rules of a table, as in the tables of an office of statistics."""

import re
from bisect import bisect
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import Cell

_NUMBER = re.compile(
    r"[-\u2013\u2014\u2212]|\([A-Z]\)|[-+(\u2212\u2013$\u20ac\u00a3]?\d[\d.,]{0,30}[%)]?|NA|NaN|n/a"
)
_LEAST_ROWS, _LEAST_SHARE = 3, 0.6
"""This many rows, and this share of those with words on both sides, have a number on each side of the gap."""


def number_columns(
    rows: Sequence[Sequence[Cell]], rules: Sequence[float], gaps: Sequence[float]
) -> list[float]:
    """The edges of the columns: the rules, and the gaps between words that have numbers on both sides."""
    edges = sorted(rules)
    found = [gap for gap in gaps if _parts_numbers(rows, edges, gap)]
    return sorted([*edges, *found])


def _parts_numbers(rows: Sequence[Sequence[Cell]], edges: Sequence[float], gap: float) -> bool:
    place = bisect(edges, gap)
    left = edges[place - 1] if place else float("-inf")
    right = edges[place] if place < len(edges) else float("inf")
    beside = parted = 0
    for row in rows:
        before = [word for word in row if left < (word.left + word.right) / 2 < gap]
        behind = [word for word in row if gap < (word.left + word.right) / 2 < right]
        if before and behind:
            beside += 1
            ends = (before[-1].text, behind[0].text)
            parted += all(_NUMBER.fullmatch(text) is not None for text in ends)
    return parted >= _LEAST_ROWS and parted >= _LEAST_SHARE * beside
