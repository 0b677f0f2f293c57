"""Lanes in whose work the tests of ingest meddle: calls beside a write, and stores that do not answer."""

from collections.abc import Callable, Sequence

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.vectors.protocol import PointVectors, VectorIndex, VectorPoint


class MeddledLane(LaneIndex):
    """Calls the test once, just before or just after points are written. While `down`, it does not answer.

    `vectors_down` is the number of times that it does not answer who looks vectors up. `written` and
    `looked_for` are the numbers of points that were written and looked for together.
    """

    def __init__(self, index: VectorIndex, lane: str) -> None:
        super().__init__(index, lane)
        self.written: list[int] = []
        self.looked_for: list[int] = []

    before: Callable[[], None] | None = None
    after: Callable[[], None] | None = None
    down = False
    vectors_down = 0

    def vectors(self, ids: Sequence[str]) -> dict[str, PointVectors]:
        if self.vectors_down:
            self.vectors_down -= 1
            raise Unavailable("qdrant", "The vector store does not answer.")
        return super().vectors(ids)

    def upsert(self, points: Sequence[VectorPoint]) -> None:
        if self.down:
            raise Unavailable("qdrant", "The vector store does not answer.")
        self.written += [len(points)] if points else []
        before, after, self.before, self.after = self.before, self.after, None, None
        if before is not None:
            before()
        super().upsert(points)
        if after is not None:
            after()

    def present(self, ids: Sequence[str]) -> set[str]:
        self.looked_for.append(len(ids))
        return super().present(ids)


class SwitchedLane(LaneIndex):
    """Calls the test when the index has switched to another version, and SQL has not."""

    def __init__(self, index: VectorIndex, lane: str, after_switch: Callable[[], None]) -> None:
        super().__init__(index, lane)
        self._after_switch = after_switch

    def switch(self, number: int) -> None:
        super().switch(number)
        self._after_switch()
