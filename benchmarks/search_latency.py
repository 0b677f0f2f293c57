"""How long does a search take over HTTP, and which stage takes it?

    .venv/bin/python benchmarks/search_latency.py [--sizes 5000 50000] [--searches 300] [--settings '{"fusion": "dbsf"}']

Starts the vector server and the retriever as processes of their own and answers for ingest itself; fills one workspace
with passages of random words and random vectors; then asks questions that are all different, one after the other, each
embedded by the real model. Prints milliseconds.
"""

import argparse
import asyncio
import json
import random
import secrets
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from rich.console import Console
from rich.table import Table

from footnote_shared.contracts.identity import Principal
from footnote_shared.embedded.supervisor import free_port
from footnote_shared.embedding.load import load_embedder
from footnote_shared.embedding.protocol import Embedder, Vectors
from footnote_shared.settings.base import Settings
from footnote_shared.testing.bridge_process import start_bridge
from footnote_shared.testing.child_process import ChildProcess
from footnote_shared.testing.fake_ingest import FakeIngest
from footnote_shared.testing.library import Book, Library
from footnote_shared.testing.served_app import ServedApp
from footnote_shared.testing.workspace import make_caller, make_database
from footnote_shared.vectors.qdrant import QdrantVectorIndex

SECRET = secrets.token_urlsafe(32)
PASSAGE_WORDS = 150
PASSAGES_PER_BOOK = 50
_chance = random.Random(5)  # noqa: S311 (words, not secrets)
WORDS = ["".join(_chance.choices("abcdefghijklmnopqrstuvwxyz", k=_chance.randint(3, 9))) for _ in range(20_000)]


class RandomEmbedder:
    """The lane of the real embedder with random vectors in it: what is searched does not change how long a search takes."""

    def __init__(self, real: Embedder) -> None:
        self.real = real
        self.fingerprint = real.fingerprint
        self.dimension = real.dimension
        self.max_tokens = real.max_tokens
        self.tokenizer = real.tokenizer
        self._random = np.random.default_rng(3)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        vectors = self._random.standard_normal((len(texts), self.dimension)).astype(np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    embed_queries = embed_documents

    def embed_query(self, text: str) -> Vectors:
        return self.real.embed_query(text)


def words(count: int) -> str:
    # Zipf's law, as in a language: few words are in most passages.
    return " ".join(WORDS[min(int(_chance.paretovariate(0.6)), len(WORDS) - 1)] for _ in range(count))


def books(chunks: int) -> list[Book]:
    texts = [f"{words(PASSAGE_WORDS)}." for _ in range(PASSAGES_PER_BOOK)]
    return [
        Book(f"book {number}", [f"{number}-{place} {text} {words(6)}" for place, text in enumerate(texts)])
        for number in range(chunks // PASSAGES_PER_BOOK)
    ]


async def fill(url: str, lane: str, embedder: Embedder, ingest: FakeIngest, owner: Principal, chunks: int) -> None:
    index = QdrantVectorIndex(url, timeout_s=60)
    library = Library(index, lane, embedder, ingest)
    made = books(chunks)
    for start in range(0, len(made), 10):
        await library.add(owner, *made[start : start + 10])
    await index.close()


def measure(client: httpx.Client, searches: int, settings: dict[str, Any]) -> dict[str, list[float]]:
    figures: dict[str, list[float]] = defaultdict(list)
    for number in range(searches + 20):
        body = {"query": f"what is known about {words(6)} {number}", "settings": settings}
        started = time.perf_counter()
        response = client.post("/v1/search", json=body)
        seconds = time.perf_counter() - started
        response.raise_for_status()
        if number >= 20:
            figures["over HTTP"].append(seconds * 1000)
            for stage, ms in response.json()["timings_ms"].items():
                figures[stage].append(ms)
    return figures


def run(folder: Path, chunks: int, searches: int, settings: dict[str, Any]) -> dict[str, list[float]]:
    bridge = start_bridge(folder / "vectors")
    ingest = FakeIngest(SECRET)
    served = ServedApp(ingest.app).start()
    database = make_database(f"sqlite:///{folder / 'bench.db'}")
    owner, key = make_caller(database)
    port = free_port()
    environment = {
        "FOOTNOTE_DATA": str(folder.parent / "data"),
        "FOOTNOTE_DATABASE_URL": database.url,
        "FOOTNOTE_QDRANT_URL": bridge.url,
        "FOOTNOTE_INGEST_URL": served.url,
        "FOOTNOTE_SERVICE_SECRET": SECRET,
    }
    embedder = load_embedder(Settings.model_validate({"data": folder.parent / "data"}))
    command = [sys.executable, "-m", "footnote_shared.cli", "serve", "retriever", "--port", str(port)]
    retriever = ChildProcess(command, folder / "retriever.log", environment=environment)
    url = f"http://127.0.0.1:{port}"
    try:
        retriever.wait_until(lambda: _ready(url), "retriever", 120)
        asyncio.run(fill(bridge.url, Settings().lane, RandomEmbedder(embedder), ingest, owner, chunks))
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
            return measure(client, searches, settings)
    finally:
        retriever.stop()
        served.stop()
        bridge.stop()
        database.close()


def _ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[5_000, 50_000], help="chunks in the workspace")
    arguments.add_argument("--searches", type=int, default=300)
    arguments.add_argument("--settings", type=json.loads, default={}, help="settings of the search, as JSON")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as root:
        for chunks in options.sizes:
            folder = Path(root) / str(chunks)
            folder.mkdir()
            figures = run(folder, chunks, options.searches, options.settings)
            table = Table("part", "p50", "p95", "p99", title=f"{chunks} chunks, {options.searches} searches, ms")
            for part, values in figures.items():
                table.add_row(part, *(f"{np.percentile(values, share):.2f}" for share in (50, 95, 99)))
            Console().print(table)


if __name__ == "__main__":
    main()
