"""The version of the lane that a search looks into, whose vectors are of the model that embeds its query.

A search names the version and not the lane. So nobody compares vectors of two models at the moment at which
the lane is switched to its next version (docs/adr/0054).
"""

import asyncio

from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.vector_values import TERMS_VERSION, LaneFingerprint
from footnote_shared.telemetry.logs import logger
from footnote_shared.vectors.protocol import VectorIndex, version_name

_log = logger(__name__)


class SearchedLane:
    """Knows which version is searched, once it is open. Each search that needs it tries to open it, one at a
    time."""

    def __init__(self, index: VectorIndex, lane: str) -> None:
        self.index = index
        self.lane = lane
        self.name = lane
        """What is searched: a version of the lane, once that is open."""
        self.number: int | None = None
        """The number of this version. None: it is not open yet."""
        self.terms_version = TERMS_VERSION
        """The version of the terms that it was made with. It is known once it is open."""
        self._opening = asyncio.Lock()

    async def ensure_open(self, fingerprint: LaneFingerprint) -> None:
        """Raises `Unavailable("qdrant")` without an answer, Misconfigured for a lane of another model."""
        if self.number is not None:
            return
        async with self._opening:
            if self.number is None:
                await self._open(fingerprint)

    async def _open(self, fingerprint: LaneFingerprint) -> None:
        await self.index.open_lane(self.lane, fingerprint)
        live = await self.index.live_version(self.lane)
        if live is None or live.fingerprint != fingerprint:
            raise Unavailable("qdrant", "The lane is being switched to another version.")
        if live.terms < TERMS_VERSION:
            _log.warning(
                "lane.old_terms",
                lane=self.lane,
                found=live.terms,
                newest=TERMS_VERSION,
                action="Re-embed the lane to have identifiers found as they are.",
            )
        self.terms_version = live.terms
        self.name = version_name(self.lane, live.number)
        self.number = live.number

    def doubt(self) -> None:
        """Look again before the next search: the lane is not what it was. The store may have been emptied."""
        self.number = None
