"""A lane for code that is not asynchronous."""

from collections.abc import AsyncIterator, Sequence

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_shared.vectors.filters import EVERYTHING, Filter
from footnote_shared.vectors.protocol import PointRef, PointVectors
from footnote_testing.memory_vectors import MemoryVectorIndex


class Endless(MemoryVectorIndex):
    """An index of 2,001 points that counts how many of them were asked for."""

    asked = 0

    async def ids_of(
        self, lane: str, condition: Filter = EVERYTHING, after: str = ""
    ) -> AsyncIterator[PointRef]:
        for n in range(2001):
            self.asked += 1
            yield PointRef(str(n), "document", "chunk", 1)


def test_points_come_in_pages_of_1000() -> None:
    index = Endless()
    lane = LaneIndex(index, "document")
    seen: list[int] = []
    for page in lane.pages():
        assert index.asked == len(page) + sum(seen), "a page does not wait for the next one"
        seen.append(len(page))
    lane.close()
    assert seen == [1000, 1000, 1]


class Found(dict[str, PointVectors]):
    """What an index has found. It counts how often somebody writes it out."""

    written_out = 0

    def __repr__(self) -> str:
        self.written_out += 1
        return "found"


class FindingIndex(MemoryVectorIndex):
    def __init__(self) -> None:
        super().__init__()
        self.found = Found()

    async def vectors(self, lane: str, ids: Sequence[str]) -> dict[str, PointVectors]:
        return self.found


def test_what_a_call_finds_is_not_written_out_on_the_way() -> None:
    index = FindingIndex()
    lane = LaneIndex(index, "document")
    assert lane.vectors(["a"]) is index.found
    lane.close()
    assert index.found.written_out == 0
