"""Both legs of a search over points in memory: exact, and filtered before anything is scored."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from footnote_bridge.coarse_vectors import CoarseQuery, coarse_query
from footnote_bridge.held_block import Bools, Floats, HeldBlock, PointId
from footnote_bridge.held_points import HeldPart, HeldPoints

Key = TypeVar("Key", bound=Hashable)
Scores: TypeAlias = dict[PointId, float]
Places: TypeAlias = npt.NDArray[np.intp]
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

    places: Places
    scores: npt.NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class _Entries:
    """What a block holds of the query's terms, term by term: whose the entries are, and their weights.

    `known`: which of the terms it holds. `counts`: how many entries each of these has. Those of one term
    stand in the order of places.
    """

    known: npt.NDArray[np.intp]
    counts: npt.NDArray[np.int64]
    places: npt.NDArray[np.int32]
    weights: Floats

    def each(self, of_terms: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """For each entry what its term has."""
        return np.repeat(of_terms[self.known], self.counts)


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
    """The points with the highest cosines. Whole vectors of those alone are read that may be among them."""
    coarse = coarse_query(query)
    own = [np.flatnonzero(within & part.block.has_dense) for part, within in zip(parts, seen, strict=True)]
    rough = [_roughly(part, places, coarse) for part, places in zip(parts, own, strict=True)]
    least = np.concatenate([scores - off for scores, off in rough]) if rough else np.zeros(0)
    # So many points score at least this.
    enough = np.partition(least, len(least) - limit)[len(least) - limit] if len(least) > limit else -np.inf
    near = [places[scores + off >= enough] for places, (scores, off) in zip(own, rough, strict=True)]
    return _best([_products(part, places, query) for part, places in zip(parts, near, strict=True)], limit)


def _roughly(part: HeldPart, places: Places, query: CoarseQuery) -> tuple[npt.NDArray[np.floating], float]:
    """About the cosines of these points, and by how much they may be off."""
    vectors = part.block.coarse
    if len(places) < _FEW * len(vectors):
        return query.products(vectors.taken(places))
    scores, off = query.products(vectors)
    return scores if len(places) == len(scores) else scores[places], off


def _products(part: HeldPart, places: Places, query: Floats) -> "_Scored":
    """The cosines of these points."""
    # `vecdot` goes row by row in one thread. A product with the whole matrix would be spread over threads of
    # the algebra library, which wait for each other in a loop: five times the processor time.
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
        values = entries.weights * entries.each(factors)
        summed = np.asarray(np.bincount(entries.places, values, len(part.block)), np.float64)
        if values.min(initial=1.0) > 0:
            shares = summed > 0
        else:
            shares = np.zeros(len(part.block), np.bool_)
            shares[entries.places] = True
        scores.append(summed)
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
    for number, entries in enumerate(found):
        own = np.asarray([at for at, (other, _) in enumerate(places) if other == number], np.intp)
        if not len(own):
            continue
        wanted = np.asarray([places[at][1] for at in own.tolist()], np.int32)
        begin = 0
        for term, count in zip(entries.known.tolist(), entries.counts.tolist(), strict=True):
            within = entries.places[begin : begin + count]
            at = np.minimum(np.searchsorted(within, wanted), count - 1)
            having = within[at] == wanted
            scores[own[having]] += entries.weights[begin + at[having]] * factors[term]
            begin += count
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
        if counted.all():
            np.add.at(having, entries.known, entries.counts)
        elif len(entries.known):
            begins = np.cumsum(entries.counts) - entries.counts
            within = np.add.reduceat(counted[entries.places], begins, dtype=np.int64)
            np.add.at(having, entries.known, within)
    rarity = np.asarray([math.log(1 + (population - n + 0.5) / (n + 0.5)) for n in having.tolist()])
    return found, rarity * np.asarray(sparse[1], np.float64)


def _entries(block: HeldBlock, asked: npt.NDArray[np.uint32]) -> _Entries:
    at = np.minimum(np.searchsorted(block.terms, asked), max(len(block.terms) - 1, 0))
    known = np.flatnonzero(block.terms[at] == asked) if len(block.terms) else at[:0]
    begins, ends = block.starts[at[known]], block.starts[at[known] + 1]
    if not len(known):
        return _Entries(known, ends, block.places[:0], block.weights[:0])
    ranges = [slice(begin, end) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return _Entries(
        known,
        ends - begins,
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
