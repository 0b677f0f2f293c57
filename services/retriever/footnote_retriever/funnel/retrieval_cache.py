"""Results of searches. A key holds all that a result depends on, so no entry has to be removed.

While what keeps them does not answer there is no cache, and the answers are the same.
"""

import asyncio
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from footnote_retriever.funnel.kept_results import KeptResults
from footnote_shared.contracts.search import SearchResult
from footnote_shared.kernel.ids import new_id
from footnote_shared.redis import keys

_WORKSPACES = 4_096


class RetrievalCache:
    """One per process. Equal searches at the same time become one, also while Redis is away.

    It remembers the latest generation that this process has seen of a workspace. That may be an old one.
    """

    def __init__(self, kept: KeptResults, deployment: str) -> None:
        """`deployment` names what a result depends on and no request does, such as the reranker's model."""
        self._kept = kept
        self._deployment = deployment
        self._running: dict[str, asyncio.Task[SearchResult]] = {}
        self._keeping: set[asyncio.Task[None]] = set()
        self._generations: OrderedDict[str, int] = OrderedDict()

    def seen_generation(self, workspace_id: str) -> int | None:
        """The generation that was seen last, which may have grown since."""
        return self._generations.get(workspace_id)

    def see_generation(self, workspace_id: str, generation: int) -> None:
        """Remember what ingest has said."""
        self._generations[workspace_id] = generation
        self._generations.move_to_end(workspace_id)
        if len(self._generations) > _WORKSPACES:
            self._generations.popitem(last=False)

    async def result(
        self,
        workspace_id: str,
        depends_on: Sequence[Any],
        search: Callable[[], Awaitable[SearchResult]],
        holds: Callable[[], Awaitable[bool]] | None = None,
    ) -> SearchResult | None:
        """The kept result, or that of `search`. It has an id and times of its own.

        `depends_on` are JSON values. A result that had to do without a part is given and not kept. Before one
        is given that somebody else has searched for, `holds` must say that `depends_on` still holds; None if
        it does not.
        """
        started = time.perf_counter()
        plain = json.dumps([self._deployment, *depends_on], sort_keys=True)
        key = keys.search_result(workspace_id, hashlib.sha256(plain.encode()).hexdigest())
        # What is at work is kept before it leaves this process, but perhaps after it was asked for.
        running = self._running.get(key)
        found = None if running is not None else await self._kept.get(key)
        running = running or self._running.get(key)
        others = found is not None or running is not None
        if others and holds is not None and not await holds():
            return None
        if found is None:
            if running is None:
                return await self._begun(key, search)
            found = await asyncio.shield(running)
        milliseconds = round((time.perf_counter() - started) * 1000, 3)
        return found.model_copy(
            update={"retrieval_id": new_id(), "timings_ms": {"cache": milliseconds, "total": milliseconds}}
        )

    async def close(self) -> None:
        """Wait until what was found is kept."""
        if self._keeping:
            await asyncio.wait(self._keeping)

    def _begun(self, key: str, search: Callable[[], Awaitable[SearchResult]]) -> asyncio.Future[SearchResult]:
        """The result of a search that begins now. It is given first, and kept after that."""

        async def made() -> SearchResult:
            return await search()

        def ended(task: asyncio.Task[SearchResult]) -> None:
            if task.cancelled() or task.exception() is not None or task.result().degraded:
                self._running.pop(key, None)
                return
            keeping = asyncio.create_task(self._keep(key, task.result()))
            self._keeping.add(keeping)
            keeping.add_done_callback(self._keeping.discard)

        running = self._running[key] = asyncio.create_task(made())
        # One who gives up does not take the result from the others. Who waits goes on before it is kept.
        result = asyncio.shield(running)
        running.add_done_callback(ended)
        return result

    async def _keep(self, key: str, result: SearchResult) -> None:
        """Until it is kept, equal searches of this process have the result from the task that made it."""
        try:
            await self._kept.put(key, result)
        finally:
            self._running.pop(key, None)
