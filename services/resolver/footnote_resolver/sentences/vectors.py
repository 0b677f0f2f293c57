"""Vectors of sentences. The model is loaded at first use, so a resolver that never compares stays small."""

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

import numpy as np

from footnote_shared.embedding.protocol import Embedder, Vectors
from footnote_shared.kernel.text import sentences
from footnote_shared.telemetry import metrics

Result = TypeVar("Result")
_KEPT_MIB = 32.0
_PER_MIB = 512
"""A vector and its text take about 2 KiB."""
_LONGEST = 600
"""Characters of a piece: the model reads little more."""
_AHEAD = 3
"""Texts embedded ahead at a time: about 10 ms of one core, which is how long a sentence may have to wait."""


class SentenceVectors:
    """Unit vectors of texts, kept for recent texts. One per process, with a thread of its own for the model.

    They are kept up to about `kept_mib` MiB. A caller may give up waiting. The work goes on, and its vectors
    are there for the next caller.
    """

    def __init__(self, load: Callable[[], Embedder], kept_mib: float = _KEPT_MIB) -> None:
        self._load = load
        self._most = int(kept_mib * _PER_MIB)
        self._embedder: Embedder | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sentence-vectors")
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    async def of(self, texts: Sequence[str]) -> Vectors:
        """Float32 of shape (len(texts), dimension), in order."""
        return await self.work(lambda vectors_of: vectors_of(texts))

    async def work(self, measure: Callable[[Callable[[Sequence[str]], Vectors]], Result]) -> Result:
        """Run `measure` in the model's thread and return its result; it is given what makes vectors."""
        return await asyncio.wrap_future(self._thread.submit(measure, self._vectors))

    def prepare(self, texts: Callable[[], Sequence[str]]) -> None:
        """Begin to make vectors that somebody will ask for soon; other callers are served in between."""
        self._thread.submit(lambda: self._prepare(deque(texts())))

    def load_soon(self) -> None:
        """Begin to load the model, which somebody will need soon."""
        if self._embedder is None:
            self._thread.submit(self._loaded)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _loaded(self) -> Embedder:
        if self._embedder is None:
            self._embedder = self._load()
        return self._embedder

    def _prepare(self, texts: deque[str]) -> None:
        """Embed a few of the texts; the rest queues again, behind the callers that have come since."""
        batch: list[str] = []
        while texts and len(batch) < _AHEAD:
            text = texts.popleft()
            if text not in self._kept:
                batch.append(text)
        if batch:
            self._keep(batch)
            self._forget_oldest()
        if texts:
            # After `close` the thread takes no more work, and nobody will ask.
            with contextlib.suppress(RuntimeError):
                self._thread.submit(self._prepare, texts)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        missing = list(dict.fromkeys(text for text in texts if text not in self._kept))
        if missing:
            self._keep(missing)
        if not texts:
            return np.zeros((0, self._loaded().dimension), dtype=np.float32)
        for text in texts:
            self._kept.move_to_end(text)
        vectors = np.stack([self._kept[text] for text in texts])
        self._forget_oldest()
        return vectors

    def _keep(self, missing: list[str]) -> None:
        with metrics.EMBED_SECONDS.labels("sentence").time():
            self._kept.update(zip(missing, self._loaded().embed_documents(missing), strict=True))

    def _forget_oldest(self) -> None:
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


@lru_cache(maxsize=1024)
def comparable(passage: str) -> tuple[str, ...]:
    """The sentences of a passage as they are compared: long ones are cut, as the model reads no more."""
    pieces = [s.text[i : i + _LONGEST] for s in sentences(passage) for i in range(0, len(s.text), _LONGEST)]
    return tuple(dict.fromkeys(pieces))
