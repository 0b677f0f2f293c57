"""BM25 term weights, computed by Qdrant's own code: the same term ids in every process and on every Qdrant.

The inverse document frequency is not in them; the index multiplies it in (the sparse vector's IDF modifier). The average
length is left at 256 words, the default: measured on four corpora, the true value lowers every hybrid a little.
"""

from functools import cache

from qdrant_edge import Bm25, Bm25Config

from footnote_shared.kernel.vector_values import SparseVector


def embed_document(text: str) -> SparseVector:
    """Saturated term frequencies (k = 1.2, b = 0.75) of English stems. Empty where there are stop words alone."""
    found = _bm25().embed_document(_encodable(text))
    return SparseVector(list(found.indices), list(found.values))


def embed_query(text: str) -> SparseVector:
    """Weight 1 for each term. Empty where there are stop words alone: there is nothing to search for then."""
    found = _bm25().embed_query(_encodable(text))
    return SparseVector(list(found.indices), list(found.values))


@cache
def _bm25() -> Bm25:
    """Made on first use in each process: it cannot be pickled."""
    return Bm25(Bm25Config())


def _encodable(text: str) -> str:
    """Without halves of surrogate pairs, which are not UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
