"""The port to embedding: texts in, unit vectors out.

Implementations: `footnote_shared.embedding.embedder` over onnxruntime or torch, and for tests
`footnote_testing.fake_embedder`. All pass `tests/contract/test_embedder.py`.
"""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from footnote_shared.kernel.vector_values import LaneFingerprint

Vectors: TypeAlias = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Synchronous and safe to share between threads; async code calls it in a thread. Made per process, after a fork.

    Vectors have length 1, so that a dot product is a cosine. A text of more than `max_tokens` tokens is cut there: who
    must not lose text chunks it first. The vector of a text does not depend on its neighbours in the call beyond the
    rounding of floats (cosine 0.99999 or better).
    """

    @property
    def fingerprint(self) -> LaneFingerprint:
        """What makes vectors comparable; the same for every runtime of the same weights."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """The most tokens of one text that count, special tokens and prefix included."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer without truncation and padding, to chunk by. Copy it before you change its settings."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Float32 of shape (len(texts), dimension) in the order of the texts; the lane's document prefix is put before each."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Float32 of shape (len(texts), dimension) in the order of the texts; the lane's query prefix is put before each."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Float32 of shape (dimension,)."""
        ...
