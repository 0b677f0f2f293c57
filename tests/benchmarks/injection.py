"""Does a sentence without a citation get the right one, and how fast? On covidqa, by the resolver's own code.

    .venv/bin/python -m tests.benchmarks.injection [--questions 1380] [--least 0.6]

Articles are chunked and embedded as ingest does it, and searched exactly with the default fusion (8
passages). For each question whose answering sentence is in a passage found, sentences are made from it by
rule (`footnote_cli.evaluation.statements`): forms that it supports, and forms that nothing found supports.
right: share of the former that get a passage which holds the sentence; wrong: another one; uncited: share of
the latter that get none. The weights of `footnote_resolver.injection.match` were taken from articles with
even numbers; those with odd numbers are shown apart. The times are of one sentence with the passages
prepared, as a turn has them when its model begins to write.
"""

import argparse
import asyncio
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from footnote_cli.evaluation.statements import (
    SUPPORTED,
    UNSUPPORTED,
    Statement,
    holds,
    names_in,
    new_parts,
    sentence_at,
    supported_statements,
    unsupported_statements,
    usable,
)
from footnote_resolver.injection.live import wants_match
from footnote_resolver.injection.match import SentenceMatcher, index_of
from footnote_resolver.sentences.claims import answer_sentences, plain
from footnote_resolver.sentences.vectors import SentenceVectors
from footnote_resolver.store.entries import ShownPassage
from footnote_shared.embedding.load import load_embedder
from footnote_shared.settings.base import datasets_dir, load_settings
from tests.benchmarks.extractive import retrieve
from tests.benchmarks.fusion import Corpus, load_corpus, load_queries, read_lines

SEED = 7
NAMES_KEPT = 200


@dataclass(frozen=True, slots=True)
class Case:
    """A question's article, the passages found, which hold its answer, and claims made from that."""

    question: str
    article: str
    passages: list[ShownPassage]
    right: frozenset[int]
    statements: list[Statement]


@dataclass(frozen=True, slots=True)
class Judged:
    case: Case
    statement: Statement
    found: int | None
    seconds: float


def cases(corpus: Corpus, count: int) -> Iterator[Case]:
    folder, embedder = datasets_dir() / "covidqa", load_embedder(load_settings())
    rows = {row["_id"]: row for row in read_lines(folder / "corpus.jsonl")}
    names = {name: names_in(row["text"])[:NAMES_KEPT] for name, row in rows.items()}
    chance = random.Random(SEED)
    queries = [query for query in load_queries(folder) if query.spans]
    queries = chance.sample(queries, min(count, len(queries)))
    gold = [
        (doc, sentence_at(rows[doc]["text"], (a, b)), rows[doc]["text"][a:b])
        for (doc, a, b), *_ in (q.spans for q in queries)
    ]
    asked = embedder.embed_queries([query.text for query in queries])
    for query, vector, (article, sentence, answer) in zip(queries, asked, gold, strict=True):
        found = retrieve(corpus, query, vector).rows
        texts = [corpus.chunks[row].text for row in found]
        right = frozenset(n for n, text in enumerate(texts, start=1) if holds(text, sentence))
        if not right or not usable(sentence):
            continue
        shown = {corpus.owners[row] for row in found}
        foreign = next(
            strange
            for doc, strange, _ in iter(lambda: chance.choice(gold), None)
            if doc not in shown and usable(strange) and not any(holds(text, strange) for text in texts)
        )
        others = [
            name for doc in chance.sample([d for d in names if d not in shown], 5) for name in names[doc]
        ]
        made = unsupported_statements(sentence, foreign, others, chance)
        everything = "\n".join(texts)
        sure = [
            c
            for c in made
            if c.form in ("foreign", "negated") or not any(p in everything for p in new_parts(c, sentence))
        ]
        yield Case(
            query.text,
            article,
            [
                ShownPassage(n, text, rows[corpus.owners[row]]["title"])
                for n, (row, text) in enumerate(zip(found, texts, strict=True), start=1)
            ],
            right,
            [*supported_statements(sentence, answer), *sure],
        )


async def judge(case: Case, matcher: SentenceMatcher, vectors: SentenceVectors) -> tuple[float, list[Judged]]:
    """The seconds to prepare the passages, then every statement."""
    begun = time.perf_counter()
    await vectors.of(index_of(tuple(case.passages)).pieces)
    ahead = time.perf_counter() - begun
    found = []
    for statement in case.statements:
        parts = answer_sentences(statement.text, case.question)
        begun = time.perf_counter()
        wanted = len(parts) == 1 and wants_match(parts[0])
        number = await matcher.best(plain(statement.text), case.passages) if wanted else None
        found.append(Judged(case, statement, number, time.perf_counter() - begun))
    return ahead, found


def outcome(one: Judged) -> str:
    if one.found is None:
        return "none"
    return "right" if one.statement.supported and one.found in one.case.right else "wrong"


def half_of(one: Judged) -> int:
    return int(one.case.article.split("_")[0]) % 2


def show(judged: Sequence[Judged]) -> None:
    table = Table(title="share of sentences")
    for heading in ("form", "sentences", "even: right", "wrong", "none", "odd: right", "wrong", "none"):
        table.add_column(heading)
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        groups[one.statement.form].append(one)
        groups["supported" if one.statement.supported else "unsupported"].append(one)
    for form in (*SUPPORTED, "supported", *UNSUPPORTED, "unsupported"):
        cells = [form, str(len(groups[form]))]
        for half in (0, 1):
            counts = Counter(outcome(one) for one in groups[form] if half_of(one) == half)
            cells += [f"{counts[name] / max(1, counts.total()):.3f}" for name in ("right", "wrong", "none")]
        table.add_row(*cells)
    Console(width=120).print(table)


async def measure(options: argparse.Namespace) -> None:
    embedder = load_embedder(load_settings())
    corpus = load_corpus(datasets_dir() / "covidqa", embedder)
    vectors = SentenceVectors(lambda: embedder)
    matcher = SentenceMatcher(vectors, options.least, 1.0)
    judged: list[Judged] = []
    ahead: list[float] = []
    busy = time.process_time()
    for number, case in enumerate(cases(corpus, options.questions)):
        seconds, found = await judge(case, matcher, vectors)
        ahead.append(seconds)
        judged += found
        if number % 100 == 99:
            sys.stderr.write(f"{number + 1} questions, {len(judged)} sentences\n")
    vectors.close()
    show(judged)
    times = 1000 * np.array([one.seconds for one in judged])
    Console().print(
        f"a sentence: p50 {np.percentile(times, 50):.1f} ms, p95 {np.percentile(times, 95):.1f} ms,"
        f" p99 {np.percentile(times, 99):.1f} ms;"
        f" to prepare a turn's passages: p50 {np.percentile(1000 * np.array(ahead), 50):.0f} ms;"
        f" processor time of all: {time.process_time() - busy:.0f} s"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--questions", type=int, default=1380)
    arguments.add_argument("--least", type=float, default=load_settings().injection_similarity)
    asyncio.run(measure(arguments.parse_args()))


if __name__ == "__main__":
    main()
