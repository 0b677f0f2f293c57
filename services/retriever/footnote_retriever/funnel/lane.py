"""The lane that this service searches, unless its vectors are of another model (spec 1.6)."""

import asyncio

from footnote_shared.kernel.vector_values import TERMS_VERSION, LaneFingerprint
from footnote_shared.telemetry.logs import logger
from footnote_shared.vectors.protocol import VectorIndex

_log = logger(__name__)


class SearchedLane:
    """Knows whether the lane is open. Each search that needs it tries to open it, one at a time."""

    def __init__(self, index: VectorIndex, name: str) -> None:
        self.index = index
        self.name = name
        self.terms_version = TERMS_VERSION
        """The version of the terms that the lane was made with. It is known once the lane is open."""
        self._is_open = False
        self._opening = asyncio.Lock()

    async def ensure_open(self, fingerprint: LaneFingerprint) -> None:
        """Raises `Unavailable("qdrant")` without an answer, Misconfigured for a lane of another model."""
        if self._is_open:
            return
        async with self._opening:
            if not self._is_open:
                await self.index.open_lane(self.name, fingerprint)
                self.terms_version = await self.index.terms_version(self.name)
                if self.terms_version < TERMS_VERSION:
                    _log.warning(
                        "lane.old_terms",
                        lane=self.name,
                        found=self.terms_version,
                        newest=TERMS_VERSION,
                        action="Embed into a new lane to have identifiers found as they are.",
                    )
                self._is_open = True

    def doubt(self) -> None:
        """Look again before the next search: the lane is not what it was. The store may have been emptied."""
        self._is_open = False
