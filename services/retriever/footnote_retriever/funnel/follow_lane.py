"""Following the lane to its next version: the model first, then the searches that begin from now on.

A search that is under way ends with the version and the model with which it began. Until the next model is
loaded the former version goes on answering; ingest keeps it up to date meanwhile (docs/adr/0054).
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from footnote_retriever.funnel.embed import QueryModel
from footnote_retriever.funnel.lane import SearchedLane
from footnote_retriever.funnel.resources import SearchResources
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger
from footnote_shared.vectors.protocol import LaneVersion

LOOK_EVERY_S = 1.0
"""Seconds between two looks at which version is live. Ingest makes nothing new visible for longer than that
after a switch."""

_log = logger(__name__)


class LaneFollower:
    """One per process. `funnel` is what a search that begins now goes through."""

    def __init__(self, funnel: SearchResources, model_of: Callable[[LaneFingerprint], QueryModel]) -> None:
        """`model_of` makes the model for vectors of a fingerprint, and does not load it yet."""
        self.funnel = funnel
        self._model_of = model_of
        self._models = [funnel.model]
        self._trouble: str | None = None

    async def run(self, put: Callable[[SearchResources], None]) -> None:
        """Look again and again until cancelled. `put` is given each funnel that takes the place of one."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                if await self.look():
                    put(self.funnel)
                self._trouble = None
            except FootnoteError as error:
                if error.detail != self._trouble:
                    _log.warning("lane.not_followed", reason=error.detail)
                self._trouble = error.detail

    async def look(self) -> bool:
        """Go over to the live version, if it is another one. Returns whether it was."""
        lane = self.funnel.lane
        number = await lane.index.live_number(lane.lane)
        if number is not None:
            metrics.LANE_BEHIND.set(0 if lane.number in (None, number) else 1)
        if number is None or number == lane.number:
            return False
        live = await lane.index.live_version(lane.lane)
        return live is not None and live.number != lane.number and await self._go_over(live)

    async def _go_over(self, live: LaneVersion) -> bool:
        lane, model = self.funnel.lane, self.funnel.model
        if not await self._makes(model, live.fingerprint):
            model = self._model_of(live.fingerprint)
            self._models.append(model)
            await model.fingerprint()
        elif lane.number is None:
            # Nothing has been searched yet: the first search opens what is live then.
            return False
        following = SearchedLane(lane.index, lane.lane)
        await following.ensure_open(live.fingerprint)
        self.funnel = replace(self.funnel, lane=following, model=model)
        metrics.LANE_BEHIND.set(0)
        _log.info("lane.followed", lane=lane.lane, version=live.number, model=live.fingerprint.model)
        return True

    async def _makes(self, model: QueryModel, fingerprint: LaneFingerprint) -> bool:
        try:
            return await model.fingerprint() == fingerprint
        except FootnoteError:
            # A model that cannot be loaded is none to wait for.
            return False

    async def close(self) -> None:
        """Wait for what is being loaded."""
        for model in self._models:
            await model.close()
