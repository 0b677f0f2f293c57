"""How alike two sentences are, by the embedding model. Loaded at first use: a resolver that never compares stays small."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from footnote_shared.embedding.protocol import Embedder, Vectors
from footnote_shared.kernel.text import sentences
from footnote_shared.telemetry import metrics

_KEPT = 8192
_LONGEST = 600


class SentenceVectors:
    """Unit vectors of texts, kept for texts seen lately. One per process, with one thread that alone touches the model.

    Who waits may give up waiting; the work goes on, and its vectors are there for the next.
    """

    def __init__(self, load: Callable[[], Embedder]) -> None:
        self._load = load
        self._embedder: Embedder | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sentence-vectors")
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    async def of(self, texts: Sequence[str]) -> Vectors:
        """Float32 of shape (len(texts), dimension), in order."""
        return await asyncio.wrap_future(self._thread.submit(self._vectors, list(texts)))

    def load_soon(self) -> None:
        """Begin to load the model, for who will need it in a moment."""
        if self._embedder is None:
            self._thread.submit(self._loaded)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _loaded(self) -> Embedder:
        if self._embedder is None:
            self._embedder = self._load()
        return self._embedder

    def _vectors(self, texts: list[str]) -> Vectors:
        embedder = self._loaded()
        missing = list(dict.fromkeys(text for text in texts if text not in self._kept))
        if missing:
            with metrics.EMBED_SECONDS.labels("sentence").time():
                self._kept.update(zip(missing, embedder.embed_documents(missing), strict=True))
        for text in texts:
            self._kept.move_to_end(text)
        vectors = (
            np.stack([self._kept[text] for text in texts])
            if texts
            else np.zeros((0, embedder.dimension), dtype=np.float32)
        )
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return vectors


def comparable(passage: str) -> list[str]:
    """The sentences of a passage, for comparing; what has no end marks is cut so that nothing of it is lost to the model."""
    pieces = [s.text[i : i + _LONGEST] for s in sentences(passage) for i in range(0, len(s.text), _LONGEST)]
    return list(dict.fromkeys(pieces))
