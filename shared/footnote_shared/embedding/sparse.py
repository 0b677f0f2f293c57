"""BM25 term weights by Qdrant's own code, so that every process and every Qdrant use the same term ids.

They lack the inverse document frequency, which the index multiplies in (the IDF modifier of the sparse
vector). The average length stays at 256 words, the default: on four corpora the true value made every hybrid
search a little worse.
"""

from functools import cache

from qdrant_edge import Bm25, Bm25Config

from footnote_shared.kernel.vector_values import SparseVector


def embed_document(text: str) -> SparseVector:
    """Saturated term frequencies (k = 1.2, b = 0.75) of English stems.

    Stop words alone give an empty vector.
    """
    found = _bm25().embed_document(_encodable(text))
    return SparseVector(list(found.indices), list(found.values))


def embed_query(text: str) -> SparseVector:
    """Weight 1 for each term. Stop words alone give an empty vector: there is nothing to search for."""
    found = _bm25().embed_query(_encodable(text))
    return SparseVector(list(found.indices), list(found.values))


@cache
def _bm25() -> Bm25:
    """The model, made at first use in each process because it cannot be pickled."""
    return Bm25(Bm25Config())


def _encodable(text: str) -> str:
    """The text without halves of surrogate pairs, which are not UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
