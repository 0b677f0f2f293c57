"""Measures of one ranked list against what a question asks for (spec 8.1). Pure.

A list holds names, best first. One that comes again counts where it came first. `gains` holds the names that
are asked for, each with a grade above 0.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

Span = tuple[str, int, int]
"""A document and a range of characters in its text; the end is behind the last one."""


def ndcg(found: Sequence[str], gains: Mapping[str, int], limit: int) -> float:
    """Normalised discounted cumulative gain, the gain being the grade (Järvelin and Kekäläinen 2002)."""
    best = sorted(gains.values(), reverse=True)[:limit]
    return _discounted([gains.get(name, 0) for name in _first(found, limit)]) / _discounted(best)


def recall(found: Sequence[str], gains: Mapping[str, int], limit: int) -> float:
    """The share of what is asked for that is among the first `limit`."""
    return len(gains.keys() & set(_first(found, limit))) / len(gains)


def reciprocal_rank(found: Sequence[str], gains: Mapping[str, int], limit: int) -> float:
    """1 divided by the rank of the first that is asked for; 0 where none is among the first `limit`."""
    return next((1 / rank for rank, name in enumerate(_first(found, limit), 1) if name in gains), 0.0)


def hit(found: Sequence[str], gains: Mapping[str, int], limit: int) -> float:
    """1 where something that is asked for is among the first `limit`, else 0."""
    return float(any(name in gains for name in _first(found, limit)))


def span_recall(found: Iterable[Span], wanted: Iterable[Span]) -> float:
    """The share of the characters asked for that the found ranges cover."""
    asked = _merged(wanted)
    return _common(_merged(found), asked) / _length(asked)


def span_precision(found: Iterable[Span], wanted: Iterable[Span]) -> float:
    """The share of the found characters that are asked for; 0 where nothing is found."""
    shown = _merged(found)
    length = _length(shown)
    return _common(shown, _merged(wanted)) / length if length else 0.0


def _first(found: Sequence[str], limit: int) -> list[str]:
    return list(dict.fromkeys(found))[:limit]


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The same characters as ranges that neither touch nor overlap, in order."""
    merged: list[Span] = []
    for document, start, end in sorted(spans):
        if merged and merged[-1][0] == document and start <= merged[-1][2]:
            merged[-1] = (document, merged[-1][1], max(end, merged[-1][2]))
        elif start < end:
            merged.append((document, start, end))
    return merged


def _length(spans: Iterable[Span]) -> int:
    return sum(end - start for _, start, end in spans)


def _common(one: Sequence[Span], other: Sequence[Span]) -> int:
    """Characters in both; each list is merged, so that none counts twice."""
    by_document: dict[str, list[Span]] = {}
    for span in other:
        by_document.setdefault(span[0], []).append(span)
    return sum(
        max(0, min(end, last) - max(start, first))
        for document, start, end in one
        for _, first, last in by_document.get(document, ())
    )
