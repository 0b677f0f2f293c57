"""Answers of a model in Redis, under all that they depend on (spec 4.5, docs/adr/0067).

The key holds what the model is told, word for word: the question, the conversation, and the numbered passages
as the search of this moment has found them. So no entry has to be removed. While Redis does not answer there
is no cache.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any

from footnote_agent.engines.protocol import EngineOutput, Note
from footnote_agent.engines.work_places import elsewhere
from footnote_shared.contracts.events import TextDelta
from footnote_shared.contracts.identity import Principal
from footnote_shared.models.protocol import ChatMessage
from footnote_shared.redis import keys
from footnote_shared.redis.kept_texts import KeptTexts

_FORMAT = 1
"""Raise this when the same words are to get another answer."""

_PIECE = 400
"""Characters that a reader gets at once of an answer that was kept."""

_HIT = Note({"cache_hits": ["answer"]})

Answering = Callable[[], AsyncGenerator[EngineOutput, None]]
"""Has the model answer: the steps of one answer, as a reader sees them."""


class AnswerCache:
    """One per process. Equal questions at the same time are answered by one call, with or without Redis."""

    def __init__(self, texts: KeptTexts, deployment: str) -> None:
        """`deployment` names what an answer depends on and no question does: the models, and where."""
        self._texts = texts
        self._deployment = deployment
        self._being_told: dict[str, _Telling] = {}

    def key(
        self, caller: Principal, model: str, max_tokens: int, system: str, messages: Sequence[ChatMessage]
    ) -> str:
        """The key of the answer to these words, for this caller."""
        depends_on: list[Any] = [
            _FORMAT,
            self._deployment,
            caller.workspace_id,
            caller.avatar_id,
            sorted(caller.groups),
            caller.session_id,
            model,
            max_tokens,
            system,
            [[message.role, message.text] for message in messages],
        ]
        digest = hashlib.sha256(json.dumps(depends_on).encode()).hexdigest()
        return keys.model_answer(caller.workspace_id, digest)

    async def answer(self, key: str, make: Answering) -> AsyncGenerator[EngineOutput, None]:
        """The steps of the kept answer, of one that is being written, or of a new one.

        Raises what `make` raises. Kept is what the first model has said to its end. Who leaves takes the
        answer from nobody else.
        """
        telling = self._being_told.get(key)
        if telling is None:
            kept = await self._texts.get(key)
            # Another turn may have begun while Redis was asked.
            telling = self._being_told.get(key)
            if telling is None and kept:
                yield _HIT
                for start in range(0, len(kept), _PIECE):
                    yield TextDelta(text=kept[start : start + _PIECE])
                return
        first = telling is None
        if telling is None:
            telling = self._being_told[key] = _Telling()
            telling.begin(self._tell(key, telling, make))
        telling.listeners += 1
        try:
            if not first:
                yield _HIT
            async with elsewhere(), aclosing(telling.heard()) as steps:
                async for step in steps:
                    yield step
        finally:
            telling.listeners -= 1
            if not telling.listeners:
                self._forget(key, telling)
                telling.stop()

    async def _tell(self, key: str, telling: "_Telling", make: Answering) -> None:
        try:
            async with aclosing(make()) as steps:
                async for step in steps:
                    telling.say(step)
            if text := telling.whole_text():
                await self._texts.put(key, text)
        finally:
            self._forget(key, telling)

    def _forget(self, key: str, telling: "_Telling") -> None:
        if self._being_told.get(key) is telling:
            del self._being_told[key]


class _Telling:
    """An answer while it is written, for all who asked for it."""

    def __init__(self) -> None:
        self.listeners = 0
        self._said: list[EngineOutput] = []
        self._news = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    def begin(self, work: Coroutine[None, None, None]) -> None:
        self._work = asyncio.create_task(work)
        self._work.add_done_callback(lambda _: self._wake())

    def stop(self) -> None:
        """End the call if it still goes on, because nobody listens any more."""
        if self._work is not None:
            self._work.cancel()

    def say(self, step: EngineOutput) -> None:
        self._said.append(step)
        self._wake()

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    def whole_text(self) -> str:
        """The text, if nothing else was said; empty for an answer that was cut, or is another model's."""
        texts = [step.text for step in self._said if isinstance(step, TextDelta)]
        return "".join(texts) if len(texts) == len(self._said) else ""

    async def heard(self) -> AsyncGenerator[EngineOutput, None]:
        """All steps from the first on, as they come. Raises what ended the call."""
        work = self._work
        assert work is not None, "it has begun"
        at = 0
        while at < len(self._said) or not work.done():
            if at == len(self._said):
                await self._news.wait()
                continue
            yield self._said[at]
            at += 1
        work.result()
