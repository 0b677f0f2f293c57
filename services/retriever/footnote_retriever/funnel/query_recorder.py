"""Handing what was searched for to ingest, for workspaces that allow it: after the answer, and not often."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable

from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.recorded_queries import LONGEST_RECORDED
from footnote_shared.contracts.search import SearchScope
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

EVERY_S = 1.0
"""Seconds after one query in which no other of its workspace is handed on: a sample needs no more."""

_WORKSPACES = 4_096
_AT_ONCE = 16


class QueryRecorder:
    """One per process. What is searched for in a session or in memory is nobody else's, and is left out."""

    def __init__(self, ingest: IngestClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._ingest = ingest
        self._clock = clock
        self._again_at: OrderedDict[str, float] = OrderedDict()
        self._sending: set[asyncio.Task[None]] = set()

    def note(self, caller: Principal, text: str, scope: SearchScope | None) -> None:
        """Hand the query of a workspace that allows it on in the background, if its turn has come."""
        apart = caller.session_id is not None or (scope is not None and scope.memory)
        if apart or len(text) > LONGEST_RECORDED:
            return
        workspace_id, moment = caller.workspace_id, self._clock()
        if moment < self._again_at.get(workspace_id, moment) or len(self._sending) >= _AT_ONCE:
            return
        self._again_at[workspace_id] = moment + EVERY_S
        self._again_at.move_to_end(workspace_id)
        if len(self._again_at) > _WORKSPACES:
            self._again_at.popitem(last=False)
        sending = asyncio.create_task(self._send(caller, text))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)

    async def close(self) -> None:
        """Wait for what is under way. Each request has its own limit of time."""
        if self._sending:
            await asyncio.wait(self._sending)

    async def _send(self, caller: Principal, text: str) -> None:
        try:
            await self._ingest.record_query(caller, text)
        except FootnoteError as error:
            # It is one of a sample, and the search was answered.
            _log.info("search.not_recorded", reason=error.detail)
