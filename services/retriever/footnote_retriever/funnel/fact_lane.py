"""The version of the lane of facts that a search looks into, asked for once a second."""

import time

from footnote_shared.vectors.protocol import LaneVersion, VectorIndex

KNOWN_FOR_S = 1.0
"""Ingest keeps the former version up to date for longer than that after a switch (docs/adr/0054)."""


class FactLane:
    """One per process. A search names the version, so it never compares vectors of two models."""

    def __init__(self, lane: str = "fact", known_for_s: float = KNOWN_FOR_S) -> None:
        self.lane = lane
        self._known_for_s = known_for_s
        self._known: LaneVersion | None = None
        self._until = 0.0

    async def live(self, index: VectorIndex) -> LaneVersion | None:
        """What is live, or was within the last second. None, which is not kept: no fact was read yet."""
        known = self._known
        if known is not None and time.monotonic() < self._until:
            return known
        asked = time.monotonic()
        self._known = await index.live_version(self.lane)
        self._until = asked + self._known_for_s
        return self._known

    def doubt(self) -> None:
        """Ask again: the version that was known is not there."""
        self._known = None
