"""How long does a search take over HTTP, and which stage takes it?

.venv/bin/python -m tests.benchmarks.search_latency [--sizes 5000 50000] [--searches 300] [--settings
'{"fusion": "dbsf"}']

Starts the vector server and the retriever as processes of their own and answers for ingest itself; fills one
workspace with passages of random words and random vectors; then asks questions that are all different, one
after the other, each embedded by the real model. Prints milliseconds, and the processor time that a search
takes of each process: that figure hardly changes when the machine has other work.
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
import psutil
from rich.console import Console
from rich.table import Table

from footnote_shared.contracts.identity import Principal
from footnote_shared.embedding.load import load_embedder
from footnote_shared.embedding.protocol import Embedder, Vectors
from footnote_shared.settings.base import Settings
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_testing.bridge_process import BridgeProcess, start_bridge
from footnote_testing.child_process import ChildProcess
from footnote_testing.fake_ingest import FakeIngest
from footnote_testing.library import Book, Library
from footnote_testing.ports import free_port
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller, make_database
from tests.system.stacks import PATIENCE

SECRET = secrets.token_urlsafe(32)
WARMING = 20
PASSAGE_WORDS = 150
PASSAGES_PER_BOOK = 50
_chance = random.Random(5)
Figures = dict[str, list[float]]


class RandomEmbedder:
    """The lane of the real embedder with random vectors, which take as long to search as any others."""

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


class Words:
    """Text of words that the model knows, by Zipf's law as in a language: few words are in most passages."""

    def __init__(self, embedder: Embedder) -> None:
        known = embedder.tokenizer.get_vocab()
        self._words = sorted(
            (word for word in known if word.isascii() and word.isalpha() and len(word) > 2),
            key=known.__getitem__,
        )

    def text(self, count: int) -> str:
        most = len(self._words) - 1
        return " ".join(self._words[min(int(_chance.paretovariate(0.6)), most)] for _ in range(count))

    def books(self, chunks: int) -> list[Book]:
        texts = [f"{self.text(PASSAGE_WORDS)}." for _ in range(PASSAGES_PER_BOOK)]
        return [
            Book(
                f"book {number}",
                [f"{number} {place} {text} {self.text(6)}." for place, text in enumerate(texts)],
            )
            for number in range(chunks // PASSAGES_PER_BOOK)
        ]


async def fill(
    bridge: BridgeProcess,
    lane: str,
    embedder: Embedder,
    ingest: FakeIngest,
    owner: Principal,
    made: list[Book],
) -> None:
    index = QdrantVectorIndex(bridge.url, api_key=bridge.key, timeout_s=60)
    library = Library(index, lane, embedder, ingest)
    for start in range(0, len(made), 10):
        await library.add(owner, *made[start : start + 10])
    await index.close()


def measure(
    client: httpx.Client,
    words: Words,
    searches: int,
    settings: dict[str, Any],
    processes: dict[str, psutil.Process],
) -> Figures:
    figures: Figures = defaultdict(list)
    for number in range(searches + WARMING):
        body = {"query": f"what is known about {words.text(6)} {number}", "settings": settings}
        if number == WARMING:
            before = {name: cpu_ms(process) for name, process in processes.items()}
        started = time.perf_counter()
        response = client.post("/v1/search", json=body)
        seconds = time.perf_counter() - started
        response.raise_for_status()
        if number >= WARMING:
            figures["over HTTP"].append(seconds * 1000)
            for stage, ms in response.json()["timings_ms"].items():
                figures[stage].append(ms)
    for name, process in processes.items():
        figures[f"processor time: {name}"] = [(cpu_ms(process) - before[name]) / searches]
    return figures


def cpu_ms(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system) * 1000


def run(folder: Path, chunks: int, searches: int, settings: dict[str, Any]) -> Figures:
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
        "FOOTNOTE_QDRANT_API_KEY": bridge.key,
        "FOOTNOTE_INGEST_URL": served.url,
        "FOOTNOTE_SERVICE_SECRET": SECRET,
        **PATIENCE,
    }
    embedder = load_embedder(Settings.model_validate({"data": folder.parent / "data"}))
    command = [sys.executable, "-m", "footnote_cli", "serve", "retriever", "--port", str(port)]
    retriever = ChildProcess(command, folder / "retriever.log", environment=environment)
    url = f"http://127.0.0.1:{port}"
    try:
        retriever.wait_until(lambda: _ready(url), "retriever", 120)
        words = Words(embedder)
        asyncio.run(
            fill(bridge, Settings().lane, RandomEmbedder(embedder), ingest, owner, words.books(chunks))
        )
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
            processes = {
                "retriever": psutil.Process(retriever.process.pid),
                "vector server": psutil.Process(bridge.process.pid),
            }
            return measure(client, words, searches, settings, processes)
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
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument(
        "--sizes", type=int, nargs="+", default=[5_000, 50_000], help="chunks in the workspace"
    )
    arguments.add_argument("--searches", type=int, default=300)
    arguments.add_argument("--settings", type=json.loads, default={}, help="settings of the search, as JSON")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as root:
        for chunks in options.sizes:
            folder = Path(root) / str(chunks)
            folder.mkdir()
            figures = run(folder, chunks, options.searches, options.settings)
            table = Table(
                "part", "p50", "p95", "p99", title=f"{chunks} chunks, {options.searches} searches, ms"
            )
            for part, values in figures.items():
                table.add_row(part, *(f"{np.percentile(values, share):.2f}" for share in (50, 95, 99)))
            Console().print(table)


if __name__ == "__main__":
    main()
