"""One lane of the vector index, for Celery's tasks, which are not asynchronous."""

import asyncio
import copy
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.vectors.filters import EVERYTHING, Filter, Match
from footnote_shared.vectors.protocol import (
    HybridHits,
    HybridQuery,
    LaneVersion,
    PayloadValue,
    PointRef,
    PointVectors,
    VectorIndex,
    VectorPoint,
    version_name,
)

Answer = TypeVar("Answer")
_PAGE = 1000


class LaneIndex:
    """Runs the calls of a `VectorIndex` on an event loop of its own.

    It is made after the fork and belongs to one thread. Its points are those of the version that is live, or
    of the one that it was turned to.
    """

    def __init__(self, index: VectorIndex, lane: str) -> None:
        self.lane = lane
        self.number: int | None = None
        """The version that it was turned to."""
        self._index = index
        self._lane = lane
        self._runner = asyncio.Runner()

    def turn_to(self, number: int) -> None:
        """Mean this version of the lane from now on, whichever is live."""
        self.number = number
        self._lane = version_name(self.lane, number)

    def at(self, number: int) -> "LaneIndex":
        """Another version of the lane, over the same connection, which stays this one's to close."""
        other = copy.copy(self)
        other.turn_to(number)
        return other

    def named(self, lane: str) -> "LaneIndex":
        """Another lane, over the same connection, which stays this one's to close."""
        other = copy.copy(self)
        other.lane = other._lane = lane
        other.number = None
        return other

    def elsewhere(self, lane: str, number: int) -> "LaneIndex":
        """A version of any lane, over the same connection, which stays this one's to close."""
        other = copy.copy(self)
        other.lane = lane
        other.turn_to(number)
        return other

    def live_version(self) -> LaneVersion | None:
        """The version that the index calls live."""
        return self._run(self._index.live_version(self.lane))

    def make_version(self, number: int, fingerprint: LaneFingerprint) -> None:
        """Make a version that is not there yet, and is not live."""
        self._run(self._index.make_version(self.lane, number, fingerprint))

    def switch(self, number: int) -> None:
        """Make a version the live one for all who search."""
        self._run(self._index.switch(self.lane, number))

    def drop_version(self, number: int) -> None:
        """Remove a version with its points."""
        self._run(self._index.drop_version(self.lane, number))

    def search(self, query: HybridQuery) -> HybridHits:
        return self._run(self._index.search(self._lane, query))

    def count(self) -> int:
        """The number of its points."""
        return self._run(self._index.count(self._lane))

    def open(self, fingerprint: LaneFingerprint) -> None:
        """Make the lane ready; raises Misconfigured if it was made for another fingerprint."""
        self._run(self._index.open_lane(self.lane, fingerprint))

    def terms_version(self) -> int:
        """The version of the terms that the lane was made with, and that its points are to have."""
        return self._run(self._index.terms_version(self._lane))

    def upsert(self, points: Sequence[VectorPoint]) -> None:
        if points:
            self._run(self._index.upsert(self._lane, points))

    def vectors(self, ids: Sequence[str]) -> dict[str, PointVectors]:
        """The stored vectors by id. An id that is not there is left out."""
        return self._run(self._index.vectors(self._lane, ids)) if ids else {}

    def present(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are there."""
        return set(self._run(self._index.score(self._lane, ids, None, None))) if ids else set()

    def delete(self, ids: Sequence[str]) -> None:
        if ids:
            self._run(self._index.delete(self._lane, ids))

    def delete_document(self, document_id: str) -> None:
        self._run(self._index.delete_where(self._lane, Match("document_id", document_id)))

    def count_workspace(self, workspace_id: str) -> int:
        """The number of points of a workspace."""
        return self._run(self._index.count(self._lane, Match("workspace_id", workspace_id)))

    def delete_workspace(self, workspace_id: str) -> None:
        self._run(self._index.delete_where(self._lane, Match("workspace_id", workspace_id)))

    def set_payload(self, document_id: str, changes: Mapping[str, PayloadValue]) -> None:
        """Replace these fields on all points of a document."""
        self._run(self._index.set_payload_where(self._lane, Match("document_id", document_id), changes))

    def of_document(self, document_id: str) -> set[str]:
        """The ids of all points of a document, whatever their version."""
        return {ref.id for page in self.pages(Match("document_id", document_id)) for ref in page}

    def pages(self, condition: Filter = EVERYTHING, after: str = "") -> Iterator[list[PointRef]]:
        """All points within the filter behind an id, page by page, in the order of their ids."""
        found = self._index.ids_of(self._lane, condition, after)
        while page := self._run(_take(found, _PAGE)):
            yield page

    def close(self) -> None:
        self._run(self._index.close())
        self._runner.close()

    def _run(self, call: Coroutine[Any, Any, Answer]) -> Answer:
        # `Runner.run` looks for a handler of signals each time. On its way it writes out what its task holds,
        # which takes 30 ms for a few vectors.
        return self._runner.get_loop().run_until_complete(call)


async def _take(found: AsyncIterator[PointRef], most: int) -> list[PointRef]:
    page: list[PointRef] = []
    async for ref in found:
        page.append(ref)
        if len(page) == most:
            break
    return page
