"""Both legs of a search over points in memory: exact, and filtered before anything is scored."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from footnote_bridge.held_block import Bools, Floats, HeldBlock, PointId
from footnote_bridge.held_points import HeldPart, HeldPoints

Key = TypeVar("Key", bound=Hashable)
Scores: TypeAlias = dict[PointId, float]
Matches: TypeAlias = Callable[[HeldBlock], Bools]
Place: TypeAlias = tuple[int, int]
"""Where a point stands among some parts: the number of its part, and its place in that block."""
Terms: TypeAlias = tuple[Sequence[int], Sequence[float]]
Pair: TypeAlias = tuple[float | None, float | None]
"""Both scores of a point; None for a leg that was not asked."""
Given: TypeAlias = dict[PointId, Pair]

_FEW = 0.25
"""The share of a block up to which the vectors that a caller sees are taken out before they are multiplied.
To copy a vector takes some three times as long as to read it on the spot."""


@dataclass(frozen=True, slots=True)
class Legs(Generic[Key]):
    """Scores by point and leg."""

    cosines: dict[Key, float]
    weights: dict[Key, float]


class _Scored(NamedTuple):
    """Points of one block, and what each scores."""

    places: npt.NDArray[np.intp]
    scores: npt.NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class _Entries:
    """What a block holds of the query's terms: for each entry which term, whose it is, and its weight."""

    terms: npt.NDArray[np.intp]
    places: npt.NDArray[np.int32]
    weights: Floats


def search(
    parts: Sequence[HeldPart],
    visible: Matches,
    corpus: Matches | None,
    dense: Floats | None,
    sparse: Terms | None,
    limit: int,
    *,
    complete: bool,
) -> Legs[Place]:
    """The best `limit` points of each leg, by place. With `complete`, both legs score the points of both.

    Terms weigh by the inverse document frequency among the points of `corpus`, or of all. Only points that
    share a term with the query have a sparse score; in a complete search the others have 0.
    """
    seen = [part.alive & visible(part.block) for part in parts]
    near: dict[Place, float] = {}
    if dense is not None:
        length = float(np.linalg.norm(dense))
        dense = dense / length if length else dense
        near = _nearest(parts, seen, dense, limit)
    heavy: dict[Place, float] = {}
    if sparse is not None:
        scored, touched = _weighed(parts, corpus, sparse)
        own = [np.flatnonzero(within & shares) for within, shares in zip(seen, touched, strict=True)]
        each = zip(own, scored, strict=True)
        heavy = _best([_Scored(places, values[places]) for places, values in each], limit)
        if complete and dense is not None:
            missing = heavy.keys() - near.keys()
            heavy |= {at: float(scored[at[0]][at[1]]) for at in near.keys() - heavy.keys()}
            near |= _cosines(parts, sorted(missing), dense)
    return Legs(near, heavy)


def scores_of(
    held: HeldPoints,
    ids: Sequence[PointId],
    corpus: Matches | None,
    dense: Floats | None,
    sparse: Terms | None,
) -> Given | None:
    """The scores of given points, as a search scores them. None: they do not all stand in memory now."""
    parts = held.parts
    places = held.places(parts, ids)
    if places is None or not all(parts[number].block.has_dense[place] for number, place in places):
        return None
    return dict(zip(ids, scores_at(parts, places, corpus, dense, sparse), strict=True))


def scores_at(
    parts: Sequence[HeldPart],
    places: Sequence[Place],
    corpus: Matches | None,
    dense: Floats | None,
    sparse: Terms | None,
) -> list[Pair]:
    """The same of the points that stand at these places, in their order."""
    cosines: dict[Place, float] = {}
    if dense is not None:
        length = float(np.linalg.norm(dense))
        cosines = _cosines(parts, places, dense / length if length else dense)
    weights = [None] * len(places) if sparse is None else _weights(parts, places, corpus, sparse)
    return [(cosines.get(at), weight) for at, weight in zip(places, weights, strict=True)]


def _nearest(
    parts: Sequence[HeldPart], seen: Sequence[Bools], query: Floats, limit: int
) -> dict[Place, float]:
    masks = [within & part.block.has_dense for part, within in zip(parts, seen, strict=True)]
    return _best([_products(part, mask, query) for part, mask in zip(parts, masks, strict=True)], limit)


def _products(part: HeldPart, mask: Bools, query: Floats) -> "_Scored":
    """The cosines of the points within the mask."""
    # `vecdot` goes row by row in one thread. A product with the whole matrix would be spread over threads of
    # the algebra library, which wait for each other in a loop: five times the processor time.
    places = np.flatnonzero(mask)
    rows = part.block.dense
    if len(places) < _FEW * len(rows):
        return _Scored(places, np.vecdot(rows[places], query))
    return _Scored(places, np.vecdot(rows, query)[places])


def _cosines(parts: Sequence[HeldPart], places: Sequence[Place], query: Floats) -> dict[Place, float]:
    """Cosines of given points."""
    by_part: dict[int, list[int]] = {}
    for number, place in places:
        by_part.setdefault(number, []).append(place)
    return {
        (number, place): cosine
        for number, own in by_part.items()
        for place, cosine in zip(own, np.vecdot(parts[number].block.dense[own], query).tolist(), strict=True)
    }


def _weighed(
    parts: Sequence[HeldPart], corpus: Matches | None, sparse: Terms
) -> tuple[list[npt.NDArray[np.float64]], list[Bools]]:
    """The sparse scores of each block, and which of its points share a term with the query."""
    found, factors = _found(parts, corpus, sparse)
    scores: list[npt.NDArray[np.float64]] = []
    touched: list[Bools] = []
    for part, entries in zip(parts, found, strict=True):
        values = entries.weights * factors[entries.terms]
        scores.append(np.asarray(np.bincount(entries.places, values, len(part.block)), np.float64))
        shares = np.zeros(len(part.block), np.bool_)
        shares[entries.places] = True
        touched.append(shares)
    return scores, touched


def _weights(
    parts: Sequence[HeldPart],
    places: Sequence[Place],
    corpus: Matches | None,
    sparse: Terms,
) -> list[float]:
    """The sparse scores of given points alone, as `_weighed` sums them."""
    found, factors = _found(parts, corpus, sparse)
    scores = np.zeros(len(places))
    for number, (part, entries) in enumerate(zip(parts, found, strict=True)):
        own = np.asarray([at for at, (other, _) in enumerate(places) if other == number], np.intp)
        if not len(own):
            continue
        slots = np.full(len(part.block), -1, np.intp)
        slots[[places[at][1] for at in own.tolist()]] = np.arange(len(own))
        slot = slots[entries.places]
        wanted = np.flatnonzero(slot >= 0)
        values = entries.weights[wanted] * factors[entries.terms[wanted]]
        scores[own] = np.bincount(slot[wanted], values, len(own))
    summed: list[float] = scores.tolist()
    return summed


def _found(
    parts: Sequence[HeldPart], corpus: Matches | None, sparse: Terms
) -> tuple[list[_Entries], npt.NDArray[np.float64]]:
    """What each block holds of the terms, and by what each term counts in this corpus."""
    asked = np.asarray(sparse[0], np.uint32)
    found = [_entries(part.block, asked) for part in parts]
    population = 0
    having = np.zeros(len(asked))
    for part, entries in zip(parts, found, strict=True):
        counted = part.alive if corpus is None else part.alive & corpus(part.block)
        population += int(np.count_nonzero(counted & part.block.has_terms))
        terms = entries.terms if counted.all() else entries.terms[counted[entries.places]]
        having += np.bincount(terms, minlength=len(asked))
    rarity = np.asarray([math.log(1 + (population - n + 0.5) / (n + 0.5)) for n in having.tolist()])
    return found, rarity * np.asarray(sparse[1], np.float64)


def _entries(block: HeldBlock, asked: npt.NDArray[np.uint32]) -> _Entries:
    at = np.minimum(np.searchsorted(block.terms, asked), max(len(block.terms) - 1, 0))
    known = np.flatnonzero(block.terms[at] == asked) if len(block.terms) else at[:0]
    begins, ends = block.starts[at[known]], block.starts[at[known] + 1]
    if not len(known):
        return _Entries(known, block.places[:0], block.weights[:0])
    ranges = [slice(begin, end) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return _Entries(
        np.repeat(known, ends - begins),
        np.concatenate([block.places[one] for one in ranges]),
        np.concatenate([block.weights[one] for one in ranges]),
    )


def _best(found: Sequence["_Scored"], limit: int) -> dict[Place, float]:
    """The best points of all blocks."""
    best: list[tuple[float, Place]] = []
    for number, (places, scores) in enumerate(found):
        if len(places) > limit:
            chosen = np.argpartition(scores, len(scores) - limit)[len(scores) - limit :]
            places, scores = places[chosen], scores[chosen]
        best += [
            (score, (number, place)) for score, place in zip(scores.tolist(), places.tolist(), strict=True)
        ]
    best.sort(key=itemgetter(0), reverse=True)
    return {at: score for score, at in best[:limit]}
