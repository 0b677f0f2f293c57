"""What a resolver keeps of passages and sentences is bounded by the memory that it may take."""

from collections.abc import Sequence

import numpy as np

from footnote_resolver.sentences.vectors import SentenceVectors
from footnote_shared.embedding.protocol import Vectors
from footnote_testing.fake_embedder import FakeEmbedder


class Counting(FakeEmbedder):
    """Counts the texts that it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        return super().embed_documents(texts)


async def test_vectors_of_the_oldest_sentences_go_first_once_they_fill_what_they_may() -> None:
    """About two KiB each: half a MiB holds 256."""
    embedder = Counting()
    vectors = SentenceVectors(lambda: embedder, kept_mib=0.5)
    texts = [f"Sentence {n}." for n in range(257)]
    made = await vectors.of(texts[:256])
    await vectors.of(texts[:256])
    assert len(embedder.embedded) == 256
    await vectors.of(texts[256:])
    again = await vectors.of(texts[:1])
    assert embedder.embedded[256:] == [texts[256], texts[0]]
    assert np.allclose(again, made[:1])
    vectors.close()
