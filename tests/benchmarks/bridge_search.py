"""What does one search take within the vector bridge, by its engine and over points in memory?

.venv/bin/python -m tests.benchmarks.bridge_search [--sizes 12000 50000] [--searches 60]

Fills a collection directly, in this process and without a server: random vectors in clusters, texts of the
words of cranfield's abstracts, payloads and indexes as ingest writes them. Then it makes the same searches
both ways in turn. Prints milliseconds of processor time, which other work on the machine changes little, and
how many of the best ten the two ways share.
"""

import argparse
import random
import tempfile
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from rich.console import Console
from rich.table import Table

from footnote_bridge.bodies import CreateCollectionBody, CreateIndexBody, UpsertBody
from footnote_bridge.collections import Collections
from footnote_bridge.hybrid import HybridBody, hybrid, hybrid_in_engine
from footnote_bridge.operations import create_index, upsert
from footnote_cli.bench.texts import abstracts
from footnote_shared.contracts.identity import Principal
from footnote_shared.embedding import sparse
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.vectors.bridge_search import body_of
from footnote_shared.vectors.protocol import HybridQuery, PointPayload, VectorPoint
from footnote_shared.vectors.qdrant_convert import to_point
from footnote_shared.vectors.schema import payload_indexes
from footnote_shared.vectors.visibility import corpus_of, visible_to

NAME = "lane"
DIMENSION = 384
CLUSTERS = 200
WORDS = 90
LIMIT = 40
PAGE = 1_000
LAYOUT = {
    "vectors": {"dense": {"size": DIMENSION, "distance": "Cosine"}},
    "sparse_vectors": {"sparse": {"modifier": "idf"}},
}
_chance = random.Random(3)
_numbers = np.random.default_rng(4)
_centres = 0.6 * _numbers.standard_normal(DIMENSION) + _numbers.standard_normal((CLUSTERS, DIMENSION))


def vectors(count: int) -> Vectors:
    found = _centres[_numbers.integers(CLUSTERS, size=count)] + _numbers.standard_normal((count, DIMENSION))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def fill(collections: Collections, size: int, words: list[str]) -> None:
    collections.create(NAME, CreateCollectionBody.model_validate(LAYOUT))
    for field, schema in payload_indexes().items():
        body = {"field_name": field, "field_schema": schema.model_dump(mode="json", exclude_none=True)}
        create_index(collections, NAME, CreateIndexBody.model_validate(body))
    for start in range(0, size, PAGE):
        page = range(start, min(start + PAGE, size))
        made = [point(number, dense, words) for number, dense in zip(page, vectors(len(page)), strict=True)]
        points = [to_point(one) for one in made]
        upsert(collections, NAME, UpsertBody.model_validate_json(orjson.dumps({"points": points})))


def point(number: int, dense: Vectors, words: list[str]) -> VectorPoint:
    text = " ".join(_chance.choices(words, k=WORDS))
    payload = PointPayload(
        workspace_id="w1",
        avatar_id="a1",
        document_id=f"document-{number // 50}",
        chunk_id=f"chunk-{number}",
        text_hash=f"{number:064x}",
        folder_ids=("root",),
        source_type="upload",
        kind="prose",
        document_type="text",
        ordinal=number % 50,
        created_at=datetime(2026, 11, 1, tzinfo=UTC),
        version=1,
        text=text,
        title="A title",
    )
    terms = sparse.embed_document(text)
    return VectorPoint(str(uuid.uuid5(uuid.NAMESPACE_OID, str(number))), dense, terms, payload)


def questions(count: int, words: list[str]) -> list[HybridBody]:
    me = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
    long = [word for word in words if len(word) > 5]
    found = []
    for dense in vectors(count):
        terms = sparse.embed_query(" ".join(_chance.choices(long, k=6)))
        query = HybridQuery(dense, terms, LIMIT, visible_to(me), corpus_of(me), complete=True, bare=True)
        found.append(HybridBody.model_validate_json(body_of(query)))
    return found


def best(answer: Any) -> set[str]:
    scored = zip(answer["ids"], answer["dense"], strict=True)
    return {str(point_id) for point_id, _ in sorted(scored, key=lambda pair: -pair[1])[:10]}


def measure(collections: Collections, bodies: list[HybridBody]) -> tuple[dict[str, float], float]:
    ways: dict[str, Callable[[Collections, str, HybridBody], object]] = {
        "engine": hybrid_in_engine,
        "memory": hybrid,
    }
    times = dict.fromkeys(ways, 0.0)
    shared = 0
    for body in bodies:
        answers = []
        for way, run in ways.items():
            begun = time.process_time()
            answers.append(run(collections, NAME, body))
            times[way] += time.process_time() - begun
        shared += len(best(answers[0]) & best(answers[1]))
    return {way: 1_000 * spent / len(bodies) for way, spent in times.items()}, shared / (10 * len(bodies))


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--sizes", type=int, nargs="+", default=[12_000, 50_000], help="points")
    arguments.add_argument("--searches", type=int, default=60)
    options = arguments.parse_args()
    words = [word for text in abstracts(1_200) for word in text.split()]
    table = Table("points", "engine, ms", "memory, ms", "shared of the best ten")
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            collections = Collections.load(Path(folder))
            fill(collections, size, words)
            times, shared = measure(collections, questions(options.searches, words))
            collections.close()
        table.add_row(str(size), f"{times['engine']:.2f}", f"{times['memory']:.2f}", f"{shared:.3f}")
    Console().print(table)


if __name__ == "__main__":
    main()
