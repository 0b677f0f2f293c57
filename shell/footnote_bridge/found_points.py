"""What a search has found, wherever its points stand: in memory, or with the engine that keeps them.

A point in memory is known by its place, which is compared in a tenth of the time that its id takes. A search
compares each of its points some fifteen times.
"""

from collections.abc import Hashable, Sequence
from typing import Protocol, TypeVar

import orjson
import qdrant_edge as qe

from footnote_bridge.given_points import score_points
from footnote_bridge.held_block import SHOWN, Floats, PointId
from footnote_bridge.held_points import HeldPart
from footnote_bridge.held_search import Legs, Matches, Pair, Place, Terms, scores_at
from footnote_bridge.query_parts import Meaning
from footnote_bridge.stored_vectors import StoredVectors, stored_vectors

Key = TypeVar("Key", bound=Hashable)


class FoundPoints(Protocol[Key]):
    """Scores of points by leg, and what else is asked about these points."""

    @property
    def legs(self) -> Legs[Key]: ...

    def id_of(self, key: Key) -> PointId: ...

    def payloads(self, keys: Sequence[Key], members: list[str] | None) -> list[bytes | None]:
        """What is wanted of each payload, or all, as JSON. None: the point was removed in the meantime."""

    def vectors(self, keys: Sequence[Key], *, terms: bool) -> list[StoredVectors] | None:
        """The vectors, with the terms where those are wanted. None: one was removed in the meantime."""

    def scores(self, keys: Sequence[Key], dense: Floats, terms: Terms | None) -> list[Pair | None]:
        """Both scores by another query. None: the point was removed in the meantime."""


class FoundInMemory:
    """Points of blocks, which never change: nothing is removed in the meantime but what the engine has."""

    def __init__(
        self,
        engine: qe.EdgeShard,
        parts: Sequence[HeldPart],
        legs: Legs[Place],
        corpus: Matches | None,
    ) -> None:
        self.legs = legs
        self._engine = engine
        self._parts = parts
        self._corpus = corpus

    def id_of(self, key: Place) -> PointId:
        number, place = key
        return self._parts[number].block.ids[place]

    def payloads(self, keys: Sequence[Place], members: list[str] | None) -> list[bytes | None]:
        if members is not None and set(members) == SHOWN:
            return [self._parts[number].block.shown[place] for number, place in keys]
        return _payloads(self._engine, [self.id_of(key) for key in keys], members)

    def vectors(self, keys: Sequence[Place], *, terms: bool) -> list[StoredVectors] | None:
        dense = [self._parts[number].block.dense[place] for number, place in keys]
        if not terms:
            return [StoredVectors(vector, (), ()) for vector in dense]
        ids = [self.id_of(key) for key in keys]
        stored = stored_vectors(self._engine, ids, dict(zip(ids, dense, strict=True)))
        return [stored[point_id] for point_id in ids] if len(stored) == len(ids) else None

    def scores(self, keys: Sequence[Place], dense: Floats, terms: Terms | None) -> list[Pair | None]:
        return [*scores_at(self._parts, keys, self._corpus, dense, terms)]


class FoundInEngine:
    """Points that the engine has found. It may have removed some since."""

    def __init__(self, engine: qe.EdgeShard, legs: Legs[PointId], corpus: Meaning | None) -> None:
        self.legs = legs
        self._engine = engine
        self._corpus = corpus

    def id_of(self, key: PointId) -> PointId:
        return key

    def payloads(self, keys: Sequence[PointId], members: list[str] | None) -> list[bytes | None]:
        return _payloads(self._engine, keys, members)

    def vectors(self, keys: Sequence[PointId], *, terms: bool) -> list[StoredVectors] | None:
        stored = stored_vectors(self._engine, keys)
        return [stored[key] for key in keys] if len(stored) == len(keys) else None

    def scores(self, keys: Sequence[PointId], dense: Floats, terms: Terms | None) -> list[Pair | None]:
        found = score_points(self._engine, None, keys, self._corpus, dense, terms)
        return [found.get(key) for key in keys]


def _payloads(engine: qe.EdgeShard, ids: Sequence[PointId], members: list[str] | None) -> list[bytes | None]:
    records = engine.retrieve(list(ids), True if members is None else members, False)
    there = {record.id: orjson.dumps(record.payload or {}) for record in records}
    return [there.get(point_id) for point_id in ids]
