"""The port to embedding: texts in, unit vectors out.

Implementations: `footnote_shared.embedding.embedder` over onnxruntime or torch and, for tests,
`footnote_testing.fake_embedder`. All of them pass `tests/contract/test_embedder.py`.
"""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from footnote_shared.kernel.vector_values import LaneFingerprint

Vectors: TypeAlias = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Blocks, so that async code calls it in a thread; safe to share between threads; made once per process.

    Vectors have length 1, so that a dot product is a cosine. A text of more than `max_tokens` tokens is cut
    there: chunk it first if none of it may be lost. The other texts of a call change the vector of a text
    only by the rounding of floats (cosine 0.99999 or better).
    """

    @property
    def fingerprint(self) -> LaneFingerprint:
        """What makes vectors comparable. It is the same for every runtime of the same weights."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """The most tokens of one text that count, with special tokens and prefix."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, without truncation and padding, for chunking.

        Change settings only of a copy.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Float32 of shape (len(texts), dimension), in the order of the texts.

        Puts the document prefix before each.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Float32 of shape (len(texts), dimension), in the order of the texts.

        Puts the query prefix before each.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """Float32 of shape (dimension,): the same for one query."""
        ...
