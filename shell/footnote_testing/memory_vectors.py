"""The vector index in memory: exact, plain numpy, one process. Passes the suite of the real one."""

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from footnote_shared.kernel.errors import Misconfigured, OurFault
from footnote_shared.kernel.vector_values import TERMS_VERSION, LaneFingerprint, SparseVector
from footnote_shared.vectors.filters import EVERYTHING, Filter, HasId, matches
from footnote_shared.vectors.payloads import StoredValue, read_reference, stored, stored_changes
from footnote_shared.vectors.protocol import (
    BARE,
    Dense,
    Hit,
    HybridHits,
    HybridQuery,
    LaneVersion,
    LegScores,
    PayloadValue,
    PointRef,
    PointVectors,
    VectorPoint,
    version_name,
)


@dataclass(slots=True)
class _Stored:
    dense: Dense
    weights: dict[int, float]
    payload: dict[str, StoredValue]


@dataclass(slots=True)
class _Lane:
    fingerprint: LaneFingerprint
    terms: int = TERMS_VERSION
    points: dict[str, _Stored] = field(default_factory=dict)


class MemoryVectorIndex:
    """A `VectorIndex` for tests.

    Scores as Qdrant does: cosine, and term weights times inverse document frequency.
    """

    def __init__(self, terms: int = TERMS_VERSION) -> None:
        """`terms` is the version of the terms that its lanes say they were made with."""
        self._terms = terms
        self._lanes: dict[str, _Lane] = {}
        self._live: dict[str, int] = {}

    def lose_all(self) -> None:
        """As if the store had lost everything."""
        self._lanes.clear()
        self._live.clear()

    async def open_lane(self, lane: str, fingerprint: LaneFingerprint) -> None:
        number = self._live.get(lane, 1)
        self._made(lane, number, fingerprint, self._terms)
        self._live[lane] = number

    async def live_version(self, lane: str) -> LaneVersion | None:
        number = self._live.get(lane)
        if number is None:
            return None
        found = self._lane(lane)
        return LaneVersion(number, found.fingerprint, found.terms)

    async def live_number(self, lane: str) -> int | None:
        return self._live.get(lane)

    async def make_version(self, lane: str, number: int, fingerprint: LaneFingerprint) -> None:
        self._made(lane, number, fingerprint, TERMS_VERSION)

    def _made(self, lane: str, number: int, fingerprint: LaneFingerprint, terms: int) -> None:
        found = self._lanes.setdefault(version_name(lane, number), _Lane(fingerprint, terms))
        if found.fingerprint != fingerprint:
            raise Misconfigured(f"Lane {lane!r} holds vectors of {found.fingerprint}, not of {fingerprint}.")

    async def switch(self, lane: str, number: int) -> None:
        self._lane(version_name(lane, number))
        self._live[lane] = number

    async def drop_version(self, lane: str, number: int) -> None:
        if self._live.get(lane) == number:
            raise OurFault(f"Version {number} of the lane {lane!r} is live and cannot be removed.")
        self._lanes.pop(version_name(lane, number), None)

    async def terms_version(self, lane: str) -> int:
        return self._lane(lane).terms

    async def upsert(self, lane: str, points: Sequence[VectorPoint]) -> None:
        opened = self._lane(lane)
        if any(point.dense.shape != (opened.fingerprint.dimension,) for point in points):
            raise OurFault(
                f"A vector does not have the {opened.fingerprint.dimension} dimensions of lane {lane!r}."
            )
        for point in points:
            weights = dict(zip(point.sparse.indices, point.sparse.values, strict=True))
            opened.points[point.id] = _Stored(_unit(point.dense), weights, stored(point.payload))

    async def search(self, lane: str, query: HybridQuery) -> HybridHits:
        opened = self._lane(lane)
        found = [point_id for point_id in opened.points if self._within(opened, point_id, query.filter)]
        dense: dict[str, float] = {}
        if query.dense is not None:
            wanted = _unit(query.dense)
            dense = {point_id: float(opened.points[point_id].dense @ wanted) for point_id in found}
        sparse = self._sparse_scores(opened, found, query.sparse, query.corpus)
        hits = HybridHits(_best(opened, dense, query.limit), _best(opened, sparse, query.limit))
        if query.complete and query.dense is not None and query.sparse:
            union = {hit.id for hit in (*hits.dense, *hits.sparse)}
            dense = {point_id: dense[point_id] for point_id in union}
            sparse = {point_id: sparse.get(point_id, 0.0) for point_id in union}
            hits = HybridHits(_best(opened, dense, len(union)), _best(opened, sparse, len(union)))
        return HybridHits(_bare(hits.dense), _bare(hits.sparse)) if query.bare else hits

    async def score(
        self,
        lane: str,
        ids: Sequence[str],
        dense: Dense | None,
        sparse: SparseVector | None,
        *,
        corpus: Filter | None = None,
    ) -> dict[str, LegScores]:
        opened = self._lane(lane)
        found = [point_id for point_id in ids if point_id in opened.points]
        weights = self._sparse_scores(opened, found, sparse, corpus)
        return {
            point_id: LegScores(
                None if dense is None else float(opened.points[point_id].dense @ _unit(dense)),
                weights.get(point_id, 0.0) if sparse else None,
            )
            for point_id in found
        }

    async def vectors(self, lane: str, ids: Sequence[str]) -> dict[str, PointVectors]:
        points = self._lane(lane).points
        return {
            point_id: PointVectors(
                points[point_id].dense,
                SparseVector(list(points[point_id].weights), list(points[point_id].weights.values())),
            )
            for point_id in ids
            if point_id in points
        }

    async def delete(self, lane: str, ids: Sequence[str]) -> None:
        await self.delete_where(lane, HasId(frozenset(ids)))

    async def delete_where(self, lane: str, condition: Filter) -> None:
        opened = self._lane(lane)
        for point_id in [known for known in opened.points if self._within(opened, known, condition)]:
            del opened.points[point_id]

    async def count(self, lane: str, condition: Filter = EVERYTHING) -> int:
        opened = self._lane(lane)
        return sum(self._within(opened, point_id, condition) for point_id in opened.points)

    async def ids_of(
        self, lane: str, condition: Filter = EVERYTHING, after: str = ""
    ) -> AsyncIterator[PointRef]:
        opened = self._lane(lane)
        for point_id in sorted(opened.points):
            if point_id > after and self._within(opened, point_id, condition):
                yield read_reference(point_id, opened.points[point_id].payload)

    async def set_payload_where(
        self, lane: str, condition: Filter, changes: Mapping[str, PayloadValue]
    ) -> None:
        opened = self._lane(lane)
        plain = stored_changes(changes)
        for point_id, point in opened.points.items():
            if self._within(opened, point_id, condition):
                point.payload.update(plain)

    async def ping(self) -> None:
        return None

    async def close(self) -> None:
        return None

    def _lane(self, lane: str) -> _Lane:
        name = version_name(lane, self._live[lane]) if lane in self._live else lane
        if name not in self._lanes:
            raise Misconfigured(f"Lane {lane!r} was never opened.")
        return self._lanes[name]

    def _within(self, lane: _Lane, point_id: str, condition: Filter) -> bool:
        return matches(condition, lane.points[point_id].payload, point_id)

    def _sparse_scores(
        self, lane: _Lane, found: Sequence[str], query: SparseVector | None, corpus: Filter | None
    ) -> dict[str, float]:
        """Scores of the points that share a term with the query."""
        if not query:
            return {}
        population = [
            point
            for point_id, point in lane.points.items()
            if point.weights and (corpus is None or self._within(lane, point_id, corpus))
        ]
        weights = {
            term: weight * _rarity(len(population), sum(term in point.weights for point in population))
            for term, weight in zip(query.indices, query.values, strict=True)
        }
        scores: dict[str, float] = {}
        for point_id in found:
            shared = lane.points[point_id].weights.keys() & weights.keys()
            if shared:
                scores[point_id] = sum(lane.points[point_id].weights[term] * weights[term] for term in shared)
        return scores


def _rarity(population: int, containing: int) -> float:
    """Inverse document frequency as Qdrant's IDF modifier computes it (that of BM25, never negative)."""
    return math.log(1 + (population - containing + 0.5) / (containing + 0.5))


def _unit(vector: Dense) -> Dense:
    length = float(np.linalg.norm(vector))
    return (vector / length if length else vector).astype(np.float32)


def _bare(hits: list[Hit]) -> list[Hit]:
    return [
        hit._replace(stored={name: value for name, value in hit.stored.items() if name in BARE})
        for hit in hits
    ]


def _best(lane: _Lane, scores: dict[str, float], limit: int) -> list[Hit]:
    ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
    return [Hit(point_id, score, dict(lane.points[point_id].payload)) for point_id, score in ranked]
