"""Many workspaces in one lane: is a small tenant quick beside a big one, and is what it finds right?

    .venv/bin/python -m tests.benchmarks.many_workspaces --stock FILE --data FOLDER fill
    .venv/bin/python -m tests.benchmarks.many_workspaces --stock FILE --data FOLDER graph
    .venv/bin/python -m tests.benchmarks.many_workspaces --stock FILE --data FOLDER measure

[--chunks 500000] [--workspaces 1000] [--searches 200] [--quantisation scalar]

Starts the vector server over FOLDER, fills it through its HTTP routes, waits until it has built its graph,
and measures; `all` does the three in a folder that is removed. Half of the chunks belong to one workspace,
the others are spread over the rest. FILE has vectors and terms of real texts (`vector_stock`), which are
embedded once; without it they are random. Prints what searches take, with questions of their own and 40
candidates per leg: of a small workspace alone and while the big one is searched without a pause, of the big
one, and of it within a scope of 10,000 documents; "with feedback" is a search with its second order. Recall
is that of the ten nearest within the filter, against all of its vectors. The index of each filterable key is
looked up at the end. Memory is that of the vector server: its own, and pages of its files, which the system
takes back where it needs them.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import httpx
import numpy as np
from rich.console import Console
from rich.table import Table

from footnote_bridge.catalogue import read_catalogue
from footnote_retriever.funnel.second_order import feedback_of
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import SearchScope
from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.settings.stores import Quantisation
from footnote_shared.vectors.protocol import HybridQuery, PointPayload, VectorPoint
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_shared.vectors.schema import alias_of, payload_indexes
from footnote_shared.vectors.visibility import corpus_of, visible_to
from footnote_testing.bridge_process import BridgeProcess, start_bridge
from tests.benchmarks.vector_stock import DIMENSION, Floats, Rows, VectorStock

LANE = "bench"
FINGERPRINT = LaneFingerprint("bench", "1", DIMENSION, "", "", True)
CHUNKS_PER_DOCUMENT = 2
SCOPE = 10_000
BATCH = 2000
BIG, SMALL = 0, 1
WARMING = 10
FEEDBACK = feedback_of(alpha=0.5, terms=8)
CANDIDATES = 40

_made = datetime(2026, 1, 1, tzinfo=UTC)


class Population:
    """Chunks that are the same for the same numbers, so that nothing has to be kept."""

    def __init__(self, chunks: int, workspaces: int, stock: VectorStock) -> None:
        half = chunks // 2
        self.sizes = [half, *[(chunks - half) // (workspaces - 1)] * (workspaces - 1)]
        self.stock = stock

    def slices(self, workspace: int) -> Iterator[tuple[int, Floats, Rows]]:
        """The first chunk of each slice, its unit vectors, and the real rows that they were made of."""
        for start in range(0, self.sizes[workspace], BATCH):
            rng = np.random.default_rng([2, workspace, start])
            yield start, *self.stock.made_vectors(rng, min(BATCH, self.sizes[workspace] - start))

    def vectors(self, workspace: int) -> Floats:
        """Unit vectors of all chunks of a workspace."""
        return np.concatenate([vectors for _, vectors, _ in self.slices(workspace)])

    def points(self, workspace: int) -> Iterator[VectorPoint]:
        owner = caller_of(workspace)
        rng = np.random.default_rng([4, workspace])
        for start, vectors, rows in self.slices(workspace):
            for chunk, (vector, parents) in enumerate(zip(vectors, rows, strict=True), start):
                payload = PointPayload(
                    workspace_id=owner.workspace_id,
                    avatar_id=owner.avatar_id,
                    document_id=document_of(workspace, chunk),
                    chunk_id=f"{workspace}-{chunk}",
                    text_hash="0" * 32,
                    source_type="upload",
                    kind="paragraph",
                    document_type="text/plain",
                    ordinal=chunk % CHUNKS_PER_DOCUMENT,
                    created_at=_made,
                    version=1,
                )
                terms = self.stock.made_terms(rng, parents)
                yield VectorPoint(point_of(workspace, chunk), vector, terms, payload)


def caller_of(workspace: int) -> Principal:
    return Principal(workspace_id=f"workspace-{workspace}", avatar_id="reader", scopes=frozenset({"read"}))


def document_of(workspace: int, chunk: int) -> str:
    return f"{workspace}-{chunk // CHUNKS_PER_DOCUMENT}"


def point_of(workspace: int, chunk: int) -> str:
    return f"{workspace:08x}-0000-4000-8000-{chunk:012x}"


async def fill(index: QdrantVectorIndex, population: Population) -> None:
    started, done = time.perf_counter(), 0
    waiting: list[VectorPoint] = []

    async def send() -> None:
        nonlocal done
        await index.upsert(LANE, waiting)
        done += len(waiting)
        waiting.clear()
        rate = done / (time.perf_counter() - started)
        sys.stderr.write(f"\r{done} chunks of {sum(population.sizes)}, {rate:.0f} per second ")

    for workspace in range(len(population.sizes)):
        for point in population.points(workspace):
            waiting.append(point)
            if len(waiting) == BATCH:
                await send()
    await send()
    sys.stderr.write("\n")


class Searcher:
    """Searches of one workspace, each with a question of its own."""

    def __init__(
        self, index: QdrantVectorIndex, population: Population, workspace: int, searches: int
    ) -> None:
        self._index = index
        self._caller = caller_of(workspace)
        self._vectors = population.vectors(workspace)
        self._workspace = workspace
        self._queries = population.stock.questions(np.random.default_rng(5), searches)

    async def hybrid(self, scope: SearchScope | None = None, *, feedback: bool = False) -> list[float]:
        """Milliseconds of each search as the funnel makes it, 40 candidates per leg."""
        taken = []
        corpus = corpus_of(self._caller)
        for vector, terms in self._queries:
            query = HybridQuery(
                vector,
                terms,
                CANDIDATES,
                visible_to(self._caller, scope),
                corpus,
                complete=True,
                bare=True,
                feedback=FEEDBACK if feedback else None,
            )
            started = time.perf_counter()
            await self._index.search(LANE, query)
            taken.append((time.perf_counter() - started) * 1000)
        return taken[WARMING:]

    async def recall(self, scope: SearchScope | None = None, among: Sequence[int] | None = None) -> float:
        """Share of the ten nearest that a search as the funnel makes it finds."""
        rows = np.arange(len(self._vectors)) if among is None else np.asarray(among)
        own = self._vectors[rows]
        found = 0
        for vector, _ in self._queries:
            scores = own @ vector
            nearest = rows[np.argpartition(-scores, 10)[:10]] if len(rows) > 10 else rows
            hits = await self._index.search(
                LANE, HybridQuery(vector, None, CANDIDATES, visible_to(self._caller, scope))
            )
            wanted = {point_of(self._workspace, int(row)) for row in nearest}
            best = sorted(hits.dense, key=lambda hit: -hit.score)[:10]
            found += len(wanted & {hit.id for hit in best})
        return found / (len(self._queries) * min(10, len(rows)))

    def scope_of(self, documents: int) -> tuple[SearchScope, list[int]]:
        """Every second document until there are so many, and their chunks."""
        ids = list(dict.fromkeys(document_of(self._workspace, row) for row in range(len(self._vectors))))
        chosen = ids[::2][:documents]
        named = frozenset(chosen)
        rows = [row for row in range(len(self._vectors)) if document_of(self._workspace, row) in named]
        return SearchScope(document_ids=chosen), rows


async def beside(busy: Searcher, measured: Searcher) -> list[float]:
    """What searches take while another workspace is searched without a pause."""

    async def go_on() -> None:
        while True:
            await busy.hybrid()

    load = asyncio.create_task(go_on())
    try:
        return await measured.hybrid()
    finally:
        load.cancel()
        await asyncio.wait({load})


def describe(server: BridgeProcess) -> Any:
    answer = httpx.get(
        f"{server.url}/collections/{alias_of(LANE)}", headers={"api-key": server.key}, trust_env=False
    )
    answer.raise_for_status()
    return answer.json()["result"]


def in_graph(folder: Path) -> int:
    """Points that the server has given a graph, by its catalogue."""
    collections = read_catalogue(folder / "registry.json").collections
    return sum(record.in_graph for record in collections.values())


async def wait_for_graph(folder: Path, points: int) -> None:
    """Until all points have been given a graph: the server begins when nobody has written for a while."""
    started = time.monotonic()
    while in_graph(folder) < points:
        sys.stderr.write(f"\r{time.monotonic() - started:.0f} s without a graph ")
        await asyncio.sleep(1)
    Console().print(f"the graph was there after {time.monotonic() - started:.0f} s")


async def measure(
    folder: Path, server: BridgeProcess, index: QdrantVectorIndex, population: Population, searches: int
) -> None:
    small, big = (Searcher(index, population, which, searches + WARMING) for which in (SMALL, BIG))
    scope, rows = big.scope_of(SCOPE)
    ids = len(scope.document_ids or ())
    table = Table("searches of", "chunks", "p50 ms", "p95 ms", "with feedback p50", "p95", "recall@10")
    sizes = population.sizes
    for name, size, taken, moved, recall in (
        (
            "a small workspace",
            sizes[SMALL],
            await small.hybrid(),
            await small.hybrid(feedback=True),
            await small.recall(),
        ),
        ("the same beside a busy big one", sizes[SMALL], await beside(big, small), None, None),
        (
            "the big workspace",
            sizes[BIG],
            await big.hybrid(),
            await big.hybrid(feedback=True),
            await big.recall(),
        ),
        (
            f"the big one, {ids} documents in scope",
            len(rows),
            await big.hybrid(scope),
            await big.hybrid(scope, feedback=True),
            await big.recall(scope, rows),
        ),
    ):
        times = [
            "" if each is None else f"{np.percentile(each, at):.1f}"
            for each in (taken, moved)
            for at in (50, 95)
        ]
        table.add_row(name, str(size), *times, "" if recall is None else f"{recall:.4f}")
    Console(width=120).print(table)
    found = describe(server)
    missing = [name for name in payload_indexes() if name not in found["payload_schema"]]
    Console().print(
        f"{found['points_count']} chunks in {len(sizes)} workspaces, {in_graph(folder)} of them in a graph; "
        f"keys without an index: {', '.join(missing) or 'none'}"
    )


def tell_memory(server: BridgeProcess, points: int) -> None:
    """Proportional shares of the pages of the process, as the kernel counts them."""
    lines = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text().splitlines()[1:]
    pages = {name: int(rest.split()[0]) * 1024 for name, rest in (line.split(":", 1) for line in lines)}
    for name, kind in (("own", "Pss_Anon"), ("pages of files", "Pss_File")):
        each = f", {pages[kind] / points:.0f} B a chunk" if points else ""
        Console().print(f"memory, {name}: {pages[kind] / 1e6:.0f} MB{each}")


async def run(folder: Path, options: argparse.Namespace) -> None:
    stock = VectorStock.random() if options.stock is None else VectorStock.kept_in(options.stock)
    population = Population(options.chunks, options.workspaces, stock)
    server = start_bridge(folder)
    index = QdrantVectorIndex(
        server.url, api_key=server.key, timeout_s=600, quantisation=options.quantisation
    )
    try:
        await index.open_lane(LANE, FINGERPRINT)
        if options.step in ("fill", "all"):
            tell_memory(server, 0)
            await fill(index, population)
        if options.step in ("graph", "all"):
            await wait_for_graph(folder, sum(population.sizes))
        if options.step in ("measure", "all"):
            await measure(folder, server, index, population, options.searches)
        tell_memory(server, sum(population.sizes))
    finally:
        await index.close()
        server.stop()


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("step", choices=("fill", "graph", "measure", "all"), nargs="?", default="all")
    arguments.add_argument("--chunks", type=int, default=500_000)
    arguments.add_argument("--workspaces", type=int, default=1000)
    arguments.add_argument("--searches", type=int, default=200)
    arguments.add_argument("--quantisation", choices=get_args(Quantisation), default="none")
    arguments.add_argument("--stock", type=Path)
    arguments.add_argument("--data", type=Path)
    options = arguments.parse_args()
    if options.data is None and options.step != "all":
        arguments.error("a step alone needs --data")
    with tempfile.TemporaryDirectory() as root:
        asyncio.run(run(options.data or Path(root), options))


if __name__ == "__main__":
    main()
