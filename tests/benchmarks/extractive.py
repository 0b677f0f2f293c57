"""How good are the answers of the extractive engine? On covidqa, through the product's own code (spec 8.1).

    .venv/bin/python -m tests.benchmarks.extractive [--sentences 5]

Articles are chunked and embedded as ingest does it, and searched exactly with the default fusion (8
passages). Only questions whose whole answer span lies within the passages found count: what is measured is
the choice of sentences. covered: share of the span's characters within the quoted sentences, mean; whole:
share of questions whose span is wholly within them. Articles with even and odd numbers are shown apart; the
shipped weights were chosen with both in view. abstains: share of the questions for which the engine says that
the evidence is insufficient; cranfield's questions (aerodynamics) have no answer in these articles.
"""

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from footnote_agent.engines.extractive import is_answered
from footnote_agent.engines.part_scores import DEFAULT, Weights
from footnote_agent.engines.quotable import PassageText, Quotable
from footnote_agent.engines.salience import Selection, select
from footnote_agent.engines.word_pieces import word_rarity
from footnote_agent.tools.evidence_search import Found
from footnote_shared.embedding.load import load_embedder
from footnote_shared.kernel.text import sentences
from footnote_shared.settings.base import datasets_dir, load_settings
from footnote_testing.fake_neighbours import make_passage
from tests.benchmarks.fusion import Asked, Corpus, Method, Query, load_corpus, load_queries, rank, read_lines

TOP_K = 8
FUSION = Method("default", "weighted_blend", alpha="auto", feedback=True)

VARIANTS: dict[str, Weights] = {
    "as shipped": DEFAULT,
    "without neighbours": replace(DEFAULT, neighbours=0.0),
    "without word pairs": replace(DEFAULT, pairs=0.0),
    "without passage rank": replace(DEFAULT, rank=0.0),
    "passage rank halved": replace(DEFAULT, rank=0.25),
    "passage rank doubled": replace(DEFAULT, rank=1.0),
    "k1 1.2, b 0.75": replace(DEFAULT, k1=1.2, b=0.75),
    "without cosines": replace(DEFAULT, cosine=0.0),
    "without cut": replace(DEFAULT, cut=0.0),
    "cut 0.6": replace(DEFAULT, cut=0.6),
    "without forms": replace(DEFAULT, form=0.0, definition=0.0, opening=0.0),
    "other documents as good as its own": replace(DEFAULT, elsewhere=DEFAULT.cut),
    "other passages as good as its own": replace(DEFAULT, other=0.0),
}


class Retrieved(NamedTuple):
    """A question with the rows that were found for it, best first, and their cosines."""

    query: Query
    rows: list[int]
    cosines: list[float]


def retrieve(corpus: Corpus, query: Query, vector: npt.NDArray[np.float32]) -> Retrieved:
    asked = Asked.of(query.text, vector, corpus)
    rows = rank(FUSION, asked, corpus, 40)[:TOP_K]
    return Retrieved(query, rows, [float(cosine) for cosine in asked.dense[rows]])


def holds_answer(corpus: Corpus, found: Retrieved) -> bool:
    """Whether each span lies within one passage that was found."""
    return all(
        any(
            corpus.owners[row] == doc
            and corpus.chunks[row].char_start <= start
            and end <= corpus.chunks[row].char_end
            for row in found.rows
        )
        for doc, start, end in found.query.spans
    )


def texts_of(corpus: Corpus, found: Retrieved, titles: Mapping[str, str]) -> list[PassageText]:
    return [
        PassageText(
            corpus.owners[row],
            corpus.chunks[row].char_start,
            corpus.chunks[row].text,
            corpus.chunks[row].heading_path,
            title=titles[corpus.owners[row]],
            similarity=cosine,
        )
        for row, cosine in zip(found.rows, found.cosines, strict=True)
    ]


def quoted(chosen: list[Quotable]) -> list[tuple[str, int, int]]:
    """Ranges of the chosen sentences, as they stand in the articles."""
    return [(one.document, one.start, one.end) for one in chosen]


def covered(query: Query, ranges: list[tuple[str, int, int]]) -> float:
    wanted = {(doc, place) for doc, start, end in query.spans for place in range(start, end)}
    seen = {(doc, place) for doc, start, end in ranges for place in range(start, end)}
    return len(wanted & seen) / len(wanted)


def first_sentences(corpus: Corpus, found: Retrieved, count: int) -> list[tuple[str, int, int]]:
    """The baseline: the passages from the top."""
    ranges = []
    for row in found.rows:
        chunk = corpus.chunks[row]
        ranges += [
            (corpus.owners[row], chunk.char_start + s.start, chunk.char_start + s.end)
            for s in sentences(chunk.text)
        ]
    return ranges[:count]


def answers(corpus: Corpus, found: Retrieved, selection: Selection) -> bool:
    passages = [
        make_passage(corpus.chunks[row].text, similarity=cosine)
        for row, cosine in zip(found.rows, found.cosines, strict=True)
    ]
    return is_answered(Found(passages, sufficient=True, degraded=[], retrieval_ids=[]), selection)


def row_of(name: str, results: list[tuple[Query, float, int]]) -> list[str]:
    cells = [name]
    for parity in (0, 1):
        shares = np.array([share for query, share, _ in results if int(query.id.split("_")[0]) % 2 == parity])
        cells += [f"{shares.mean():.3f}", f"{(shares >= 0.999).mean():.3f}"]
    return [*cells, f"{np.mean([length for *_, length in results]):.0f}"]


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--sentences", type=int, default=5)
    options = arguments.parse_args()
    embedder = load_embedder(load_settings())
    corpus = load_corpus(datasets_dir() / "covidqa", embedder)
    titles = {row["_id"]: row.get("title", "") for row in read_lines(datasets_dir() / "covidqa/corpus.jsonl")}
    rarity = word_rarity()
    queries = [query for query in load_queries(datasets_dir() / "covidqa") if query.spans]
    found = [
        retrieve(corpus, q, v)
        for q, v in zip(queries, embedder.embed_queries([q.text for q in queries]), strict=True)
    ]
    answerable = [item for item in found if holds_answer(corpus, item)]
    sys.stderr.write(f"{len(queries)} questions, the answer of {len(answerable)} is in the passages found\n")

    table = Table(title=f"{options.sentences} sentences at most")
    for heading in ("choice", "even: covered", "whole", "odd: covered", "whole", "characters"):
        table.add_column(heading)
    results = []
    for item in answerable:
        ranges = first_sentences(corpus, item, options.sentences)
        results.append(
            (item.query, covered(item.query, ranges), sum(end - start for _, start, end in ranges))
        )
    table.add_row(*row_of("passages from the top", results))
    for name, by in VARIANTS.items():
        results, started = [], time.perf_counter()
        for item in answerable:
            texts = texts_of(corpus, item, titles)
            selection = select(item.query.text, texts, options.sentences, by, rarity=rarity)
            ranges = quoted(selection.chosen)
            results.append(
                (item.query, covered(item.query, ranges), sum(end - start for _, start, end in ranges))
            )
        table.add_row(*row_of(name, results))
        if by is DEFAULT:
            sys.stderr.write(
                f"{(time.perf_counter() - started) / len(answerable) * 1000:.2f} ms for a question\n"
            )
    Console(width=120).print(table)

    strange = load_queries(datasets_dir() / "cranfield")
    foreign = [
        retrieve(corpus, q, v)
        for q, v in zip(strange, embedder.embed_queries([q.text for q in strange]), strict=True)
    ]
    for name, items in (("answer in the passages", answerable), ("another field", foreign)):
        silent = [
            not answers(
                corpus,
                item,
                select(item.query.text, texts_of(corpus, item, titles), options.sentences, rarity=rarity),
            )
            for item in items
        ]
        Console().print(f"abstains, {name}: {np.mean(silent):.3f} of {len(items)}")


if __name__ == "__main__":
    main()
