"""The embedder over any runtime. Prefixes, tokens, batches and unit length do not depend on the runtime."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from footnote_shared.embedding.batches import even_budget, length_batches
from footnote_shared.embedding.model_files import ModelFiles
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.kernel.vector_values import LaneFingerprint

Integers: TypeAlias = npt.NDArray[np.int64]
# Texts that are tokenised at once: enough to sort them by length, few enough that their tokens need little
# memory.
_SLICE = 1024


@dataclass(frozen=True, slots=True)
class Padded:
    """Token ids and their mask, both of shape (texts, longest text)."""

    ids: Integers
    mask: Integers


Forward: TypeAlias = Callable[[Padded], npt.NDArray[np.float32]]
"""A runtime: takes one batch through the whole model and its pooling, to shape (texts, dimension)."""


class BatchingEmbedder:
    """An `Embedder` that takes texts of similar length through `forward` together.

    `at_once` batches are in `forward` at the same time, each in a thread of its own.

    For runtimes that prepare each shape, `width_step` is more than 1: batches are padded to a multiple of so
    many tokens. Queries are padded to half of that: they have a dozen tokens or two, and somebody waits for
    each token of padding.
    """

    def __init__(
        self,
        files: ModelFiles,
        forward: Forward,
        *,
        query_prefix: str = "",
        document_prefix: str = "",
        batch_tokens: int = 1024,
        width_step: int = 1,
        at_once: int = 1,
    ) -> None:
        query_prefix = query_prefix or files.query_prompt
        document_prefix = document_prefix or files.document_prompt
        if not files.pools_prompt and (query_prefix or document_prefix):
            raise Misconfigured(
                f"The embedding model {files.name} leaves its prompt out of pooling, which Footnote cannot "
                "do. Choose another model."
            )
        self._forward = forward
        self._batch_tokens = batch_tokens
        self._width_step = width_step
        self._at_once = at_once
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="batches") if at_once > 1 else None
        self._pad_id = files.pad_id
        self._tokenizer = files.tokenizer()
        self._encode = files.encoder()
        self._max_tokens = files.max_tokens
        self._dimension = int(self._run([[self._pad_id]], width_step).shape[1])
        self._fingerprint = LaneFingerprint(
            model=files.name,
            revision=files.revision(),
            dimension=self._dimension,
            query_prefix=query_prefix,
            document_prefix=document_prefix,
            normalised=True,
        )

    @property
    def fingerprint(self) -> LaneFingerprint:
        return self._fingerprint

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def max_tokens(self) -> int:
        return self._max_tokens

    @property
    def tokenizer(self) -> Tokenizer:
        return self._tokenizer

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self._fingerprint.document_prefix, texts, self._width_step)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self._fingerprint.query_prefix, texts, max(1, self._width_step // 2))

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_queries([text])[0]
        return vector

    def _embed(self, prefix: str, texts: Sequence[str], step: int) -> Vectors:
        vectors = np.empty((len(texts), self._dimension), dtype=np.float32)
        for start in range(0, len(texts), _SLICE):
            tokens = self._encode([prefix + text for text in texts[start : start + _SLICE]])
            widths = [self._width(len(ids), step) for ids in tokens]
            batches = self._batches(widths)

            def embed(batch: list[int], tokens: list[list[int]] = tokens) -> Vectors:
                return self._run([tokens[position] for position in batch], step)

            each = map(embed, batches) if self._threads is None else self._threads.map(embed, batches)
            for batch, found in zip(batches, each, strict=True):
                vectors[[start + position for position in batch]] = found
        return vectors

    def _batches(self, widths: Sequence[int]) -> list[list[int]]:
        return length_batches(widths, even_budget(widths, self._batch_tokens, self._at_once))

    def _width(self, length: int, step: int) -> int:
        """The tokens to which a text of this length is padded where it is the longest of its batch."""
        return max(1, length, min(self._max_tokens, -(-length // step) * step))

    def _run(self, tokens: list[list[int]], step: int) -> Vectors:
        width = self._width(max(map(len, tokens)), step)
        ids = np.full((len(tokens), width), self._pad_id, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, found in enumerate(tokens):
            ids[row, : len(found)] = found
            mask[row, : len(found)] = 1
        pooled = self._forward(Padded(ids, mask))
        # Some models normalise in their last layer and some do not. Doing it twice changes nothing.
        length = np.linalg.norm(pooled, axis=1, keepdims=True)
        return np.asarray(pooled / np.maximum(length, 1e-12), dtype=np.float32)
