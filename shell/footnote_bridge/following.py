"""How the points in memory follow a shard: read page by page at first, then changed with each update.

All of this happens while the shard holds its lock. Where anything is in doubt, the points in memory are
forgotten and read anew: the engine's are the true ones.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import qdrant_edge as qe

from footnote_bridge.bodies import CreateCollectionBody, PointBody, SparseVectorBody
from footnote_bridge.held_block import HeldPoint, PointId
from footnote_bridge.held_points import HeldPoints

Finish: TypeAlias = Callable[[HeldPoints], None]
Follow: TypeAlias = Callable[[qe.EdgeShard], Finish]
"""To be called before the engine changes. It returns what is to be called afterwards."""

_DENSE, _SPARSE = "dense", "sparse"
_PAGE = 500
_MOST_BYTES = 256 * 2**20
"""What the points of one shard may take in memory."""

_BYTES_EACH = 5
"""What each number of a vector takes: four bytes, and one in its coarse form."""

_BYTES_BESIDE = 1_600
"""What a point takes beside its dense vector: terms, fields, what is shown, its id."""

_AGAIN = 0.9
"""The share of the most at which points that were too many are read again."""


def dimension_of(body: CreateCollectionBody) -> int | None:
    """The dimension of the vectors that a hybrid search reads; None where the collection has none."""
    dense, sparse = body.vectors.get(_DENSE), body.sparse_vectors.get(_SPARSE)
    if dense is None or sparse is None or sparse.modifier != "idf":
        return None
    return dense.size


class Following:
    """The points of one shard in memory, and how far they have been read."""

    def __init__(self, dimension: int | None) -> None:
        self._dimension = dimension
        self._most = 0 if dimension is None else _MOST_BYTES // (_BYTES_EACH * dimension + _BYTES_BESIDE)
        self._points: HeldPoints | None = None
        self._next: PointId | None = None
        self.complete: HeldPoints | None = None
        """The points once all are there. What is read from it stays as it was then."""

    def read_page(self, engine: qe.EdgeShard) -> bool:
        """Read some more points. False: there is nothing to read, or too much."""
        if self.complete is not None or self._dimension is None:
            return False
        if self._points is None:
            if engine.info().points_count > self._most * _AGAIN:
                return False
            self._points, self._next = HeldPoints(self._dimension), None
        page = qe.ScrollRequest(offset=self._next, limit=_PAGE, with_payload=True, with_vector=True)
        records, following = engine.scroll(page)
        # What was written since the first page is there already.
        self._points.put(_of_record(record) for record in records if record.id not in self._points)
        self._next = following
        if following is None:
            self.complete = self._points
        return following is not None

    @contextmanager
    def change(self, engine: qe.EdgeShard, follow: Follow | None) -> Iterator[None]:
        """Wraps a change of the engine. If the change fails, nobody knows how much of it was done."""
        finish = None
        try:
            if self._points is not None and follow is not None:
                finish = follow(engine)
            yield
            if self._points is not None and finish is not None:
                finish(self._points)
        except BaseException:
            self._forget()
            raise
        held = self._points
        if finish is None or (held is not None and (len(held) > self._most or held.is_overgrown)):
            self._forget()

    def _forget(self) -> None:
        self._points = self.complete = self._next = None


def nothing_changed() -> Follow:
    """For an update that changes no point."""
    return lambda engine: lambda held: None


def upserted(points: Sequence[PointBody]) -> Follow:
    return lambda engine: lambda held: held.put(map(_of_body, points))


def deleted(ids: Iterable[PointId]) -> Follow:
    return lambda engine: lambda held: held.remove(ids)


def deleted_where(chosen: qe.Filter) -> Follow:
    """For a deletion by filter: the engine says which points it means."""

    def follow(engine: qe.EdgeShard) -> Finish:
        ids = _ids_within(engine, chosen)
        return lambda held: held.remove(ids)

    return follow


def payload_set_where(chosen: qe.Filter) -> Follow:
    """For payloads that change by filter: the points are read again as the engine has them then."""

    def follow(engine: qe.EdgeShard) -> Finish:
        ids = _ids_within(engine, chosen)

        def finish(held: HeldPoints) -> None:
            for start in range(0, len(ids), _PAGE):
                records = engine.retrieve(ids[start : start + _PAGE], True, True)
                held.put(map(_of_record, records))

        return finish

    return follow


def _ids_within(engine: qe.EdgeShard, chosen: qe.Filter) -> list[PointId]:
    found: list[PointId] = []
    offset: PointId | None = None
    while True:
        page = qe.ScrollRequest(
            offset=offset, limit=20 * _PAGE, filter=chosen, with_payload=False, with_vector=False
        )
        records, offset = engine.scroll(page)
        found += [record.id for record in records]
        if offset is None:
            return found


def _of_body(point: PointBody) -> HeldPoint:
    dense, sparse = point.vector.get(_DENSE), point.vector.get(_SPARSE)
    return HeldPoint(
        point.id,
        dense if isinstance(dense, list) else None,
        (sparse.indices, sparse.values) if isinstance(sparse, SparseVectorBody) else None,
        point.payload or {},
    )


def _of_record(record: qe.Record) -> HeldPoint:
    vectors = record.vector if isinstance(record.vector, dict) else {}
    dense, sparse = vectors.get(_DENSE), vectors.get(_SPARSE)
    return HeldPoint(
        record.id,
        _numbers(dense),
        (sparse.indices, sparse.values) if isinstance(sparse, qe.SparseVector) else None,
        record.payload or {},
    )


def _numbers(vector: object) -> list[float] | None:
    """The dense vector of a record, which has one list of numbers."""
    return [float(number) for number in vector] if isinstance(vector, list) else None
