"""Vectors and terms of real texts, from which a benchmark makes as many chunks as it likes.

A made chunk lies between two real ones of one corpus, a little moved, and has half of the terms of each. So
its neighbours are those of real texts, and its words as frequent as theirs, without embedding half a million.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from footnote_shared.embedding import sparse
from footnote_shared.embedding.load import load_embedder
from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.settings.base import datasets_dir, load_settings
from tests.benchmarks.fusion import CORPORA, load_corpus, load_queries

_FIRST_SHARE = 0.5, 0.9
"""How much of a made vector is the first of the two real ones, at least and at most."""

_NOISE = 0.02
"""Per number, of vectors of length 1 with 384 numbers: the length of the noise is 0.4 of theirs."""

DIMENSION = 384
_RANDOM, _VOCABULARY = 4000, 30_000

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class VectorStock:
    """Real vectors of length 1. Those of corpus `i` are the rows from `corpora[i]` up to `corpora[i + 1]`;
    the terms of row `j` lie from `starts[j]` up to `starts[j + 1]`. Questions come last."""

    dense: Floats
    corpora: Rows
    starts: Rows
    terms: npt.NDArray[np.uint32]
    weights: Floats

    @classmethod
    def kept_in(cls, path: Path) -> Self:
        """What the file holds. Where it is missing, all corpora are embedded, which takes minutes."""
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            _embedded(path)
        with np.load(path) as held:
            return cls(*(held[name] for name in ("dense", "corpora", "starts", "terms", "weights")))

    @classmethod
    def random(cls) -> Self:
        """Vectors around no centre, and terms by Zipf's law: for what does not ask what is near."""
        rng = np.random.default_rng(1)
        rows = _RANDOM + _RANDOM // 4
        dense = rng.standard_normal((rows, DIMENSION), np.float32)
        dense /= np.linalg.norm(dense, axis=1, keepdims=True)
        weights = 1 / np.arange(1, _VOCABULARY + 1)
        cumulative = np.cumsum(weights / weights.sum())
        counts = np.repeat([40, 8], [_RANDOM, rows - _RANDOM])
        drawn = [np.unique(np.searchsorted(cumulative, rng.random(count))) for count in counts]
        terms = np.concatenate(drawn).astype(np.uint32)
        starts = np.cumsum([0, *map(len, drawn)])
        return cls(dense, np.array([0, _RANDOM, rows]), starts, terms, np.ones(len(terms), np.float32))

    def questions(self, rng: np.random.Generator, many: int) -> list[tuple[Floats, SparseVector]]:
        """Real questions, some more than once where so many are wanted."""
        begin, end = self.corpora[-2:]
        return [(self.dense[row], self._terms_of(int(row))) for row in rng.integers(begin, end, many)]

    def made_vectors(self, rng: np.random.Generator, many: int) -> tuple[Floats, Rows]:
        """Made vectors, and for each the two rows that it was made of."""
        one = rng.integers(0, self.corpora[-2], many)
        corpus = np.searchsorted(self.corpora, one, side="right") - 1
        begins, ends = self.corpora[corpus], self.corpora[corpus + 1]
        other = begins + (rng.random(many) * (ends - begins)).astype(np.int64)
        share = rng.uniform(*_FIRST_SHARE, (many, 1)).astype(np.float32)
        noise = _NOISE * rng.standard_normal((many, self.dense.shape[1]), np.float32)
        made = share * self.dense[one] + (1 - share) * self.dense[other] + noise
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return made, np.stack([one, other], axis=1)

    def made_terms(self, rng: np.random.Generator, rows: Rows) -> SparseVector:
        """Half of the terms of each row."""
        found: dict[int, float] = {}
        for row in rows.tolist():
            places = np.arange(self.starts[row], self.starts[row + 1])
            chosen = rng.choice(places, (len(places) + 1) // 2, replace=False)
            found |= dict(zip(self.terms[chosen].tolist(), self.weights[chosen].tolist(), strict=True))
        return SparseVector(list(found), list(found.values()))

    def _terms_of(self, row: int) -> SparseVector:
        part = slice(self.starts[row], self.starts[row + 1])
        return SparseVector(self.terms[part].tolist(), self.weights[part].tolist())


def write_stock(path: Path, groups: Iterable[tuple[Floats, Iterable[SparseVector]]]) -> None:
    """Write vectors and terms: a group for each corpus, and that of the questions last."""
    dense: list[Floats] = []
    sizes = [0]
    found: list[SparseVector] = []
    for vectors, terms in groups:
        dense.append(vectors)
        sizes.append(len(vectors))
        found += terms
    np.savez(
        path,
        dense=np.concatenate(dense),
        corpora=np.cumsum(sizes),
        starts=np.cumsum([0, *(len(each.indices) for each in found)]),
        terms=np.array([term for each in found for term in each.indices], np.uint32),
        weights=np.array([value for each in found for value in each.values], np.float32),
    )


def _embedded(path: Path) -> None:
    embedder = load_embedder(load_settings())
    groups, texts = [], []
    for name in CORPORA:
        corpus = load_corpus(datasets_dir() / name, embedder)
        groups.append((corpus.dense, [corpus.terms_of(row) for row in range(len(corpus.chunks))]))
        texts += [query.text for query in load_queries(datasets_dir() / name)]
    vectors = np.asarray(embedder.embed_queries(texts), np.float32)
    write_stock(path, [*groups, (vectors, [sparse.embed_query(text) for text in texts])])
