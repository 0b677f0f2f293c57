"""Which fusion should be the default? Every method over the corpora with judgements, through the product's
own code.

    .venv/bin/python -m tests.benchmarks.fusion [--limit 40 100] [--only cranfield ...] [--against "rrf k=60"]

Documents are parsed, chunked and embedded as ingest does it. Both legs are computed exactly (cosine; BM25
with Qdrant's inverse document frequency), cut at `limit` as a search would cut them, and fused by
`footnote_retriever.funnel.fuse`. cranfield: nDCG@10 of documents, each at the rank of its best chunk.
chromachunk, covidqa: share of the answer's characters that lie within passages of 1,000 tokens. p: two-sided
sign-flip test, query by query, against one of the methods.
"""

import argparse
import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from footnote_ingest.chunking.chunk_draft import ChunkDraft
from footnote_ingest.chunking.chunk_limits import ChunkLimits
from footnote_ingest.chunking.split import chunk_document
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.formats import Sniffed
from footnote_ingest.parsing.parse_limits import ParseLimits
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.plain import parse
from footnote_retriever.funnel.budget import Text, fit
from footnote_retriever.funnel.embed import QueryVectors
from footnote_retriever.funnel.feedback import PASSAGES
from footnote_retriever.funnel.fuse import fuse
from footnote_retriever.funnel.query_length import share_of_added_terms, share_of_dense, terms_of
from footnote_retriever.funnel.second_order import moved_by
from footnote_shared.contracts.search import Alpha, Fusion
from footnote_shared.embedding import sparse
from footnote_shared.embedding.load import load_embedder
from footnote_shared.embedding.protocol import Embedder
from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.settings.base import Settings, datasets_dir, load_settings
from footnote_shared.vectors.protocol import Dense, PointVectors

CORPORA = ("cranfield", "chromachunk", "covidqa")
LIMITS = ChunkLimits(size=200, overlap=0.2, limit=256)
CONTEXT_TOKENS = 1000
FLIPS = 10_000

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Method:
    """A row of the table: a fusion with its one parameter."""

    name: str
    how: Fusion
    alpha: Alpha = 0.5
    rrf_k: int = 60
    feedback: bool = False


METHODS = (
    Method("sparse", "sparse_only"),
    Method("dense", "dense_only"),
    Method("rrf k=2", "rrf", rrf_k=2),
    Method("rrf k=60", "rrf", rrf_k=60),
    Method("dbsf", "dbsf"),
    Method("blend 0.4", "weighted_blend", alpha=0.4),
    Method("blend 0.5", "weighted_blend", alpha=0.5),
    Method("blend 0.6", "weighted_blend", alpha=0.6),
    Method("blend 0.7", "weighted_blend", alpha=0.7),
    Method("blend auto", "weighted_blend", alpha="auto"),
    Method("blend 0.5, feedback", "weighted_blend", feedback=True),
    Method("blend auto, feedback", "weighted_blend", alpha="auto", feedback=True),
)


@dataclass(frozen=True, slots=True)
class Query:
    id: str
    text: str
    grades: dict[str, int]
    spans: list[tuple[str, int, int]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Chunks of all documents with both kinds of vectors; `owners[i]` is the document of chunk `i`."""

    chunks: list[ChunkDraft]
    owners: list[str]
    dense: npt.NDArray[np.float32]
    postings: dict[int, tuple[npt.NDArray[np.int64], Floats]]

    def terms_of(self, row: int) -> SparseVector:
        return sparse.embed_document(self.chunks[row].embed_text)

    def sparse_scores(self, query: SparseVector) -> Floats:
        scores = np.zeros(len(self.chunks))
        for term, weight in zip(query.indices, query.values, strict=True):
            if term in self.postings:
                rows, values = self.postings[term]
                idf = math.log(1 + (len(self.chunks) - len(rows) + 0.5) / (len(rows) + 0.5))
                scores[rows] += weight * values * idf
        return scores


def read_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def extract_text(text: str) -> Extracted:
    """As ingest reads a plain text file."""
    return parse(
        ParserInput(
            text.encode(),
            "",
            Sniffed("text/plain", "plain", "utf-8", None),
            ParseLimits.from_settings(Settings()),
        )
    )


def load_corpus(folder: Path, embedder: Embedder) -> Corpus:
    counter = TokenCounter(embedder.tokenizer)
    chunks: list[ChunkDraft] = []
    owners: list[str] = []
    for row in read_lines(folder / "corpus.jsonl"):
        if not row["text"].strip():
            continue
        extracted = extract_text(row["text"])
        assert extracted.text == row["text"], "judged spans are places in the text as it is"
        for chunk in chunk_document(extracted, counter, LIMITS, title=row.get("title") or None):
            chunks.append(chunk)
            owners.append(row["_id"])
    dense = embedder.embed_documents([chunk.embed_text for chunk in chunks])
    collected: dict[int, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    for number, chunk in enumerate(chunks):
        vector = sparse.embed_document(chunk.embed_text)
        for term, value in zip(vector.indices, vector.values, strict=True):
            collected[term][0].append(number)
            collected[term][1].append(value)
    postings = {term: (np.array(rows), np.array(values)) for term, (rows, values) in collected.items()}
    return Corpus(chunks, owners, dense, postings)


def load_queries(folder: Path) -> list[Query]:
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text().splitlines():
        query, document, grade = line.split("\t")
        grades[query][document] = int(grade)
    spans: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    path = folder / "spans.jsonl"
    for line in path.read_text().splitlines() if path.is_file() else ():
        row = json.loads(line)
        spans[row["q"]] += [(row["doc"], start, end) for start, end in row["spans"]]
    return [
        Query(row["_id"], row["text"], grades[row["_id"]], spans[row["_id"]])
        for row in read_lines(folder / "queries.jsonl")
    ]


def top(scores: Floats, limit: int, *, positive: bool) -> list[int]:
    """Rows of the best scores; a sparse leg returns nothing that shares no term."""
    order = sorted(
        np.argpartition(-scores, min(limit, len(scores) - 1))[:limit], key=lambda row: (-scores[row], row)
    )
    return [int(row) for row in order if scores[row] > 0 or not positive]


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as both legs see it, with its scores of all chunks."""

    vectors: QueryVectors
    terms: int
    dense: Floats
    sparse: Floats

    @classmethod
    def of(cls, text: str, vector: Dense, corpus: Corpus) -> "Asked":
        vectors = QueryVectors(vector, sparse.embed_query(text))
        return cls.by(vectors, terms_of(text), corpus)

    @classmethod
    def by(cls, vectors: QueryVectors, terms: int, corpus: Corpus) -> "Asked":
        assert vectors.dense is not None
        assert vectors.sparse is not None
        dense = (corpus.dense @ vectors.dense).astype(np.float64)
        return cls(vectors, terms, dense, corpus.sparse_scores(vectors.sparse))


def rank(method: Method, asked: Asked, corpus: Corpus, limit: int) -> list[int]:
    """Rows in fused order, as the funnel fuses them: the blend knows both scores of the whole union."""
    dense, sparse_scores = asked.dense, asked.sparse
    alpha = share_of_dense(method.alpha, asked.terms)
    legs = [top(dense, limit, positive=False), top(sparse_scores, limit, positive=True)]
    if method.how == "weighted_blend" and legs[1]:
        legs = [sorted({*legs[0], *legs[1]})] * 2
    one, two = (
        {f"{row:06}": float(scores[row]) for row in leg}
        for leg, scores in zip(legs, (dense, sparse_scores), strict=True)
    )
    found = fuse(method.how, one, two, alpha=alpha, rrf_k=method.rrf_k)
    if not method.feedback or not legs[1]:
        return [int(each.id) for each in found]
    best = [
        (each.score, PointVectors(corpus.dense[int(each.id)], corpus.terms_of(int(each.id))))
        for each in found[:PASSAGES]
    ]
    moved = Asked.by(moved_by(asked.vectors, best, share_of_added_terms(asked.terms)), asked.terms, corpus)
    rows = [int(each.id) for each in found]
    one, two = ({f"{row:06}": float(scores[row]) for row in rows} for scores in (moved.dense, moved.sparse))
    return [int(each.id) for each in fuse("weighted_blend", one, two, alpha=alpha, rrf_k=1)]


def ndcg_at_10(query: Query, corpus: Corpus, order: Sequence[int]) -> float:
    documents = list(dict.fromkeys(corpus.owners[row] for row in order))[:10]
    gain = sum(
        query.grades.get(document, 0) / math.log2(place + 2) for place, document in enumerate(documents)
    )
    ideal = sorted(query.grades.values(), reverse=True)[:10]
    return gain / sum(grade / math.log2(place + 2) for place, grade in enumerate(ideal))


def coverage(query: Query, corpus: Corpus, order: Sequence[int]) -> float:
    best = order[:40]
    taken = fit(
        [Text(corpus.chunks[row].text, corpus.chunks[row].tokens) for row in best],
        CONTEXT_TOKENS,
        len,
        clip=False,
    )
    shown = [best[found.rank] for found in taken]
    wanted: set[tuple[str, int]] = {
        (doc, place) for doc, start, end in query.spans for place in range(start, end)
    }
    seen: set[tuple[str, int]] = set()
    for row in shown:
        chunk = corpus.chunks[row]
        seen.update((corpus.owners[row], place) for place in range(chunk.char_start, chunk.char_end))
    return len(wanted & seen) / len(wanted)


def p_value(one: Floats, other: Floats) -> float:
    """Two-sided sign-flip test of the mean difference of paired figures."""
    difference = one - other
    if not np.any(difference):
        return 1.0
    signs = np.random.default_rng(7).choice([-1.0, 1.0], size=(FLIPS, len(difference)))
    means = np.abs(signs @ difference) / len(difference)
    return float((np.sum(means >= abs(difference.mean()) - 1e-12) + 1) / (FLIPS + 1))


def measure(folder: Path, embedder: Embedder, limits: Sequence[int]) -> dict[tuple[int, str], Floats]:
    """Figures per query by limit and method."""
    started = time.perf_counter()
    corpus = load_corpus(folder, embedder)
    queries = [query for query in load_queries(folder) if query.spans or any(query.grades.values())]
    figure: Callable[[Query, Corpus, Sequence[int]], float] = coverage if queries[0].spans else ndcg_at_10
    queries = [query for query in queries if query.spans or figure is ndcg_at_10]
    vectors = embedder.embed_queries([query.text for query in queries])
    found: dict[tuple[int, str], list[float]] = defaultdict(list)
    for query, vector in zip(queries, vectors, strict=True):
        asked = Asked.of(query.text, vector, corpus)
        for limit in limits:
            for method in METHODS:
                found[limit, method.name].append(figure(query, corpus, rank(method, asked, corpus, limit)))
    sys.stderr.write(
        f"{folder.name}: {len(corpus.chunks)} chunks, {len(queries)} queries, "
        f"{time.perf_counter() - started:.0f} s\n"
    )
    return {key: np.array(values) for key, values in found.items()}


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--limit", type=int, nargs="+", default=[40, 100], help="candidates per leg")
    arguments.add_argument("--only", nargs="+", choices=CORPORA, default=CORPORA)
    arguments.add_argument("--against", choices=[method.name for method in METHODS], default="rrf k=60")
    options = arguments.parse_args()
    embedder = load_embedder(load_settings())
    results = {name: measure(datasets_dir() / name, embedder, options.limit) for name in options.only}
    for limit in options.limit:
        table = Table(title=f"{limit} candidates per leg; p against {options.against}")
        for heading in ("method", *(f"{name}{mark}" for name in options.only for mark in ("", " p")), "mean"):
            table.add_column(heading)
        for method in METHODS:
            cells, means = [], []
            for name in options.only:
                values = results[name][limit, method.name]
                means.append(float(values.mean()))
                cells += [f"{means[-1]:.4f}", f"{p_value(values, results[name][limit, options.against]):.3f}"]
            table.add_row(method.name, *cells, f"{np.mean(means):.4f}")
        Console(width=140).print(table)


if __name__ == "__main__":
    main()
