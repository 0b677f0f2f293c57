"""Where results of searches are kept: in Redis for all processes, or in the memory of the only one.

No entry has to be removed, since its key holds all that a result depends on. Each ends after a while.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, Protocol

import redis.asyncio
from pydantic import ValidationError

from footnote_shared.contracts.base import from_json_of_any_release
from footnote_shared.contracts.search import SearchResult
from footnote_shared.redis.kept_texts import ANSWER_S, KeptTexts

MOST_CHARACTERS = 8_000_000
"""What a process keeps in its memory. That is some hundreds of results."""

_OF_A_PASSAGE = 3_000
"""What a passage takes beside its text, and a result beside its passages."""


class KeptResults(Protocol):
    """Results by their keys, for a while."""

    async def get(self, key: str) -> SearchResult | None: ...

    async def put(self, key: str, result: SearchResult) -> None: ...


class ResultsInRedis:
    """For all processes that share a Redis. While it does not answer there are none."""

    def __init__(
        self,
        client: redis.asyncio.Redis,
        keep_s: int,
        clock: Callable[[], float] = time.monotonic,
        answer_s: float = ANSWER_S,
    ) -> None:
        """Redis has `answer_s` seconds for an answer."""
        self._texts = KeptTexts(client, keep_s, clock, answer_s)

    async def get(self, key: str) -> SearchResult | None:
        text = await self._texts.get(key)
        if text is None:
            return None
        try:
            return from_json_of_any_release(SearchResult, text)
        except ValidationError:
            # Another release has written it.
            return None

    async def put(self, key: str, result: SearchResult) -> None:
        await self._texts.put(key, result.model_dump_json())


class _Kept(NamedTuple):
    result: SearchResult
    until: float
    characters: int


class ResultsInMemory:
    """For the only process that answers: what is not here, nobody has. The oldest make room for new ones."""

    def __init__(
        self,
        keep_s: float,
        clock: Callable[[], float] = time.monotonic,
        most_characters: int = MOST_CHARACTERS,
    ) -> None:
        self._keep_s = keep_s
        self._clock = clock
        self._most = most_characters
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._characters = 0
        self._ending: asyncio.TimerHandle | None = None

    async def get(self, key: str) -> SearchResult | None:
        found = self._kept.get(key)
        return found.result if found is not None and found.until > self._clock() else None

    async def put(self, key: str, result: SearchResult) -> None:
        self._drop(key)
        size = _OF_A_PASSAGE + sum(len(passage.text) + _OF_A_PASSAGE for passage in result.passages)
        self._kept[key] = _Kept(result, self._clock() + self._keep_s, size)
        self._characters += size
        while self._characters > self._most:
            self._drop(next(iter(self._kept)))
        self._end_later()

    def _drop(self, key: str) -> None:
        if (kept := self._kept.pop(key, None)) is not None:
            self._characters -= kept.characters

    def _end_later(self) -> None:
        """What nobody asks for again leaves memory too, when its time is over."""
        if self._ending is None and self._kept:
            until = next(iter(self._kept.values())).until
            loop = asyncio.get_running_loop()
            self._ending = loop.call_later(max(0.0, until - self._clock()), self._end)

    def _end(self) -> None:
        self._ending = None
        now = self._clock()
        while self._kept and next(iter(self._kept.values())).until <= now:
            self._drop(next(iter(self._kept)))
        self._end_later()
