"""An embedder without a model: texts that share words have vectors that point the same way."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.vector_values import LaneFingerprint

_WORD = re.compile(r"\w+")
_UNKNOWN = "[UNK]"


class FakeEmbedder:
    """Each word adds one signed unit on an axis given by its hash, the same in every process."""

    def __init__(
        self, dimension: int = 64, *, max_tokens: int = 256, query_prefix: str = "", document_prefix: str = ""
    ) -> None:
        self.dimension = dimension
        self.max_tokens = max_tokens
        self.fingerprint = LaneFingerprint(
            "fake", "1", dimension, query_prefix, document_prefix, normalised=True
        )
        self.tokenizer = Tokenizer(WordLevel({_UNKNOWN: 0}, unk_token=_UNKNOWN))
        self.tokenizer.pre_tokenizer = Whitespace()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self._embed([self.fingerprint.document_prefix + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed([self.fingerprint.query_prefix + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_queries([text])[0]
        return vector

    def _embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in _WORD.findall(text.casefold())[: self.max_tokens]:
                digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
                vectors[row, int.from_bytes(digest[:7]) % self.dimension] += 1 if digest[7] & 1 else -1
            if not vectors[row].any():
                vectors[row, 0] = 1
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32).reshape(
            len(texts), self.dimension
        )
