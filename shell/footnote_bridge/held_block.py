"""Points as a search reads them, in blocks that never change: vectors, terms, coded fields, what is shown.

A block is written once and read without a lock. What a deletion or an upsert takes out of it is said beside
it, by whoever holds the block.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np
import numpy.typing as npt
import orjson

from footnote_bridge.coarse_vectors import CoarseVectors, coarse_vectors, joined

PointId: TypeAlias = int | UUID | str
Floats: TypeAlias = npt.NDArray[np.float32]
Places: TypeAlias = npt.NDArray[np.int32]
Bools: TypeAlias = npt.NDArray[np.bool_]

FIELDS = (
    "workspace_id",
    "avatar_id",
    "document_id",
    "folder_ids",
    "connector_id",
    "source_type",
    "kind",
    "document_type",
    "groups",
    "session_id",
    "is_public",
    "created_at",
)
"""The payload fields that a filter over a block may name: those of a caller and a scope."""

SHOWN = frozenset({"document_id", "chunk_id", "text_hash"})
"""The payload fields that a search may ask for without a read of the store: the adapter's bare payload."""


@dataclass(frozen=True, slots=True)
class HeldPoint:
    """A point as it comes in: an absent vector is None, and terms are pairs of numbers and weights."""

    id: PointId
    dense: Sequence[float] | None
    terms: tuple[Sequence[int], Sequence[float]] | None
    payload: Mapping[str, Any]


class Names:
    """A number for each value of each field, the same in all blocks. One thread adds, any may read."""

    def __init__(self) -> None:
        self._codes: dict[str, dict[object, int]] = {name: {} for name in FIELDS}
        self._moments: list[float] = []

    def add(self, name: str, value: object) -> int:
        """The number of a value, which is new or known."""
        known = self._codes[name]
        code = known.get(_key(value))
        if code is None:
            if name == "created_at":
                self._moments.append(moment_of(value))
            code = known[_key(value)] = len(known)
        return code

    def __len__(self) -> int:
        """How many values have a number, also those that no point has any more."""
        return sum(map(len, self._codes.values()))

    def find(self, name: str, value: object) -> int:
        """The number of a value; -1, which no point has, where the value is not known."""
        return self._codes[name].get(_key(value), -1)

    def moments(self) -> npt.NDArray[np.float64]:
        """Seconds since 1970 by the numbers of `created_at`; what is no moment is no number."""
        return np.asarray(self._moments[:], np.float64)


@dataclass(frozen=True, slots=True)
class Coded:
    """The values of one field: the numbers of values, and whose they are. A list has several."""

    codes: Places
    places: Places


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class HeldBlock:
    """Points by their place. Vectors have length 1; those of points without one are 0.

    `coarse` has the same vectors with a byte for each number.
    The entries of term `terms[i]` are those from `starts[i]` up to `starts[i + 1]`, in the order of places.
    `masks` keeps which points a filter matches, by the text of the filter.
    """

    ids: list[PointId]
    dense: Floats
    coarse: CoarseVectors
    has_dense: Bools
    has_terms: Bools
    terms: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int64]
    places: Places
    weights: Floats
    fields: dict[str, Coded]
    shown: list[bytes]
    masks: dict[str, Bools] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)


def block_of(points: Sequence[HeldPoint], dimension: int, names: Names) -> HeldBlock:
    """A block of these points. Raises ValueError for a vector of another dimension."""
    dense = np.zeros((len(points), dimension), np.float32)
    for place, point in enumerate(points):
        if point.dense is not None:
            dense[place] = point.dense
    lengths = np.sqrt(np.einsum("ij,ij->i", dense, dense))
    dense /= np.where(lengths > 0, lengths, 1)[:, None]
    counts = [len(point.terms[0]) if point.terms else 0 for point in points]
    entries = sum(counts)
    given = [point.terms for point in points if point.terms]
    terms = np.fromiter(chain.from_iterable(pair[0] for pair in given), np.uint32, entries)
    weights = np.fromiter(chain.from_iterable(pair[1] for pair in given), np.float32, entries)
    owners = np.asarray(np.repeat(np.arange(len(points)), counts), np.int32)
    return HeldBlock(
        [point.id for point in points],
        dense,
        coarse_vectors(dense),
        np.fromiter((point.dense is not None for point in points), np.bool_, len(points)),
        np.asarray(counts) > 0,
        *_postings(terms, owners, weights),
        {name: _coded(name, points, names) for name in FIELDS},
        [orjson.dumps({name: p.payload[name] for name in SHOWN if name in p.payload}) for p in points],
    )


def merged(parts: Sequence[tuple[HeldBlock, Bools]]) -> HeldBlock:
    """One block of what is alive in several."""
    kept = [np.flatnonzero(alive) for _, alive in parts]
    begins = np.cumsum([0, *map(len, kept)])
    moved = []
    for (block, _), rows, begin in zip(parts, kept, begins[:-1], strict=True):
        target = np.full(len(block), -1, np.int32)
        target[rows] = np.arange(begin, begin + len(rows), dtype=np.int32)
        moved.append(target)
    blocks = [block for block, _ in parts]

    def entries(values: Sequence[npt.NDArray[Any]], owners: Sequence[Places]) -> list[npt.NDArray[Any]]:
        """Values and their owners' new places, of owners that stay."""
        targets = [target[own] for target, own in zip(moved, owners, strict=True)]
        stay = [found >= 0 for found in targets]
        return [
            np.concatenate([value[still] for value, still in zip(row, stay, strict=True)])
            for row in (values, targets)
        ]

    owners = [block.places for block in blocks]
    terms, places = entries([np.repeat(b.terms, np.diff(b.starts)) for b in blocks], owners)
    weights, _ = entries([block.weights for block in blocks], owners)
    fields = {}
    for name in FIELDS:
        columns = [block.fields[name] for block in blocks]
        fields[name] = Coded(*entries([c.codes for c in columns], [c.places for c in columns]))
    picked = list(zip(blocks, kept, strict=True))
    return HeldBlock(
        [block.ids[place] for block, rows in picked for place in rows.tolist()],
        np.concatenate([block.dense[rows] for block, rows in picked]),
        joined([block.coarse.taken(rows) for block, rows in picked]),
        np.concatenate([block.has_dense[rows] for block, rows in picked]),
        np.concatenate([block.has_terms[rows] for block, rows in picked]),
        *_postings(terms, places, weights),
        fields,
        [block.shown[place] for block, rows in picked for place in rows.tolist()],
    )


def moment_of(value: object) -> float:
    """Seconds since 1970 of an RFC 3339 text, or not a number."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return float("nan")
    return float("nan") if moment is None or moment.tzinfo is None else moment.timestamp()


def _postings(
    terms: npt.NDArray[np.uint32], owners: Places, weights: Floats
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64], Places, Floats]:
    order = np.argsort(terms, kind="stable")
    distinct, starts = np.unique(terms[order], return_index=True)
    return distinct, np.append(starts, len(terms)).astype(np.int64), owners[order], weights[order]


def _coded(name: str, points: Sequence[HeldPoint], names: Names) -> Coded:
    codes: list[int] = []
    places: list[int] = []
    for place, point in enumerate(points):
        value = point.payload.get(name)
        if value is None:
            continue
        for one in value if isinstance(value, list) else (value,):
            codes.append(names.add(name, one))
            places.append(place)
    return Coded(np.asarray(codes, np.int32), np.asarray(places, np.int32))


def _key(value: object) -> object:
    """`True` is not `1`; what cannot be a key is known by how it is written."""
    if isinstance(value, str):
        return value
    return (type(value), value if isinstance(value, int | float) else repr(value))
