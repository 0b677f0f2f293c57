"""The lane that this service searches: never searched while its vectors are of another model (spec 1.6)."""

import asyncio

from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.vectors.protocol import VectorIndex


class SearchedLane:
    """Knows whether the lane is open. Whoever needs it tries to open it until that succeeds, one at a time."""

    def __init__(self, index: VectorIndex, name: str) -> None:
        self.index = index
        self.name = name
        self._is_open = False
        self._opening = asyncio.Lock()

    async def ensure_open(self, fingerprint: LaneFingerprint) -> None:
        """Raises `Unavailable("qdrant")` when the store does not answer, `Misconfigured` when the lane is of another model."""
        if self._is_open:
            return
        async with self._opening:
            if not self._is_open:
                await self.index.open_lane(self.name, fingerprint)
                self._is_open = True

    def doubt(self) -> None:
        """The store has contradicted what we know of the lane, as when it was emptied: look again before the next use."""
        self._is_open = False
