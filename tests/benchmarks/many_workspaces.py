"""Many workspaces in one lane: is a small tenant quick beside a big one, and is what it finds right?

.venv/bin/python -m tests.benchmarks.many_workspaces [--chunks 500000] [--workspaces 1000] [--searches 200]

Starts the vector server and fills it directly: half of the chunks belong to one workspace, the others are
spread over the rest. Vectors lie around random centres, terms follow Zipf's law. Prints what searches take:
of a small workspace alone and while the big one is searched without a pause, of the big one, and
of it within a scope of 10,000 documents. Recall is that of the ten nearest within the filter, against all of
its vectors. The index of each filterable key is looked up at the end. Memory is that of the vector server.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import httpx
import numpy as np
import numpy.typing as npt
import psutil
from rich.console import Console
from rich.table import Table

from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import SearchScope
from footnote_shared.kernel.vector_values import LaneFingerprint, SparseVector
from footnote_shared.vectors.protocol import HybridQuery, PointPayload, VectorPoint
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_shared.vectors.schema import alias_of, payload_indexes
from footnote_shared.vectors.visibility import corpus_of, visible_to
from footnote_testing.bridge_process import start_bridge

LANE = "bench"
DIMENSION = 384
FINGERPRINT = LaneFingerprint("bench", "1", DIMENSION, "", "", True)
CENTRES = 2000
NOISE = 0.7
TERMS, VOCABULARY = 40, 30_000
CHUNKS_PER_DOCUMENT = 2
SCOPE = 10_000
BATCH = 2000
BIG, SMALL = 0, 1
WARMING = 10

Floats = npt.NDArray[np.float32]
_made = datetime(2026, 1, 1, tzinfo=UTC)


class Population:
    """Chunks that are the same for the same numbers, so that nothing has to be kept."""

    def __init__(self, chunks: int, workspaces: int) -> None:
        half = chunks // 2
        self.sizes = [half, *[(chunks - half) // (workspaces - 1)] * (workspaces - 1)]
        self._centres = np.random.default_rng(1).standard_normal((CENTRES, DIMENSION)).astype(np.float32)
        weights = 1 / np.arange(1, VOCABULARY + 1)
        self._cumulative = np.cumsum(weights / weights.sum())

    def vectors(self, workspace: int) -> Floats:
        """Unit vectors of all chunks of a workspace."""
        return self._around(np.random.default_rng([2, workspace]), self.sizes[workspace])

    def queries(self, number: int) -> Floats:
        return self._around(np.random.default_rng(3), number)

    def terms(self, rng: np.random.Generator, many: int) -> SparseVector:
        drawn = np.unique(np.searchsorted(self._cumulative, rng.random(many)))
        return SparseVector([int(term) for term in drawn], [1.0] * len(drawn))

    def _around(self, rng: np.random.Generator, many: int) -> Floats:
        centres = self._centres[rng.integers(0, CENTRES, many)]
        moved = centres + NOISE * rng.standard_normal((many, DIMENSION)).astype(np.float32)
        return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), dtype=np.float32)


def caller_of(workspace: int) -> Principal:
    return Principal(workspace_id=f"workspace-{workspace}", avatar_id="reader", scopes=frozenset({"read"}))


def document_of(workspace: int, chunk: int) -> str:
    return f"{workspace}-{chunk // CHUNKS_PER_DOCUMENT}"


def point_of(workspace: int, chunk: int) -> str:
    return f"{workspace:08x}-0000-4000-8000-{chunk:012x}"


def points(population: Population, workspace: int) -> list[VectorPoint]:
    rng = np.random.default_rng([4, workspace])
    owner = caller_of(workspace)
    return [
        VectorPoint(
            point_of(workspace, chunk),
            vector,
            population.terms(rng, TERMS),
            PointPayload(
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
            ),
        )
        for chunk, vector in enumerate(population.vectors(workspace))
    ]


async def fill(index: QdrantVectorIndex, population: Population) -> None:
    started, done = time.perf_counter(), 0
    waiting: list[VectorPoint] = []
    for workspace in range(len(population.sizes)):
        waiting += points(population, workspace)
        last = workspace + 1 == len(population.sizes)
        while len(waiting) >= BATCH or (last and waiting):
            await index.upsert(LANE, waiting[:BATCH])
            done += len(waiting[:BATCH])
            del waiting[:BATCH]
            rate = done / (time.perf_counter() - started)
            sys.stderr.write(f"\r{done} chunks of {sum(population.sizes)}, {rate:.0f} per second ")
    sys.stderr.write("\n")


class Searcher:
    """Searches of one workspace, each with a query of its own."""

    def __init__(
        self, index: QdrantVectorIndex, population: Population, workspace: int, searches: int
    ) -> None:
        self._index = index
        self._caller = caller_of(workspace)
        self._vectors = population.vectors(workspace)
        self._workspace = workspace
        rng = np.random.default_rng(5)
        self._queries = [(vector, population.terms(rng, 8)) for vector in population.queries(searches)]

    async def hybrid(self, scope: SearchScope | None = None) -> list[float]:
        """Milliseconds of each search as the funnel makes it, 40 candidates per leg."""
        taken = []
        for vector, terms in self._queries:
            query = HybridQuery(
                vector, terms, 40, visible_to(self._caller, scope), corpus_of(self._caller), True, True
            )
            started = time.perf_counter()
            await self._index.search(LANE, query)
            taken.append((time.perf_counter() - started) * 1000)
        return taken[WARMING:]

    async def recall(self, scope: SearchScope | None = None, among: Sequence[int] | None = None) -> float:
        """Share of the ten nearest that a search for ten finds."""
        rows = np.arange(len(self._vectors)) if among is None else np.asarray(among)
        own = self._vectors[rows]
        found = 0
        for vector, _ in self._queries:
            nearest = rows[np.argsort(-(own @ vector), kind="stable")[:10]]
            hits = await self._index.search(
                LANE, HybridQuery(vector, None, 10, visible_to(self._caller, scope))
            )
            wanted = {point_of(self._workspace, int(row)) for row in nearest}
            found += len(wanted & {hit.id for hit in hits.dense})
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


def unindexed(url: str, key: str) -> list[str]:
    """Keys that a filter can name and that have no index."""
    answer = httpx.get(f"{url}/collections/{alias_of(LANE)}", headers={"api-key": key}, trust_env=False)
    answer.raise_for_status()
    held = answer.json()["result"]["payload_schema"]
    return [name for name in payload_indexes() if name not in held]


async def run(folder: Path, chunks: int, workspaces: int, searches: int) -> None:
    population = Population(chunks, workspaces)
    server = start_bridge(folder)
    process = psutil.Process(server.process.pid)
    empty = process.memory_full_info().pss
    index = QdrantVectorIndex(server.url, api_key=server.key, timeout_s=600)
    try:
        await index.open_lane(LANE, FINGERPRINT)
        await fill(index, population)
        small, big = (Searcher(index, population, which, searches + WARMING) for which in (SMALL, BIG))
        scope, rows = big.scope_of(SCOPE)
        table = Table("searches of", "chunks", "p50 ms", "p95 ms", "recall@10")
        for name, size, taken, recall in (
            ("a small workspace", population.sizes[SMALL], await small.hybrid(), await small.recall()),
            ("the same beside a busy big one", population.sizes[SMALL], await beside(big, small), None),
            ("the big workspace", population.sizes[BIG], await big.hybrid(), await big.recall()),
            (
                f"the big one, {len(scope.document_ids or ())} documents in scope",
                len(rows),
                await big.hybrid(scope),
                await big.recall(scope, rows),
            ),
        ):
            shown = "" if recall is None else f"{recall:.4f}"
            table.add_row(name, str(size), *(f"{np.percentile(taken, at):.1f}" for at in (50, 95)), shown)
        Console().print(table)
        grown = process.memory_full_info().pss - empty
        total = sum(population.sizes)
        Console().print(
            f"{total} chunks in {workspaces} workspaces: {grown / 1e6:.0f} MB, {grown / total:.0f} B each"
        )
        missing = unindexed(server.url, server.key)
        Console().print(f"keys without an index: {', '.join(missing) or 'none'}")
    finally:
        await index.close()
        server.stop()


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--chunks", type=int, default=500_000)
    arguments.add_argument("--workspaces", type=int, default=1000)
    arguments.add_argument("--searches", type=int, default=200)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as root:
        asyncio.run(run(Path(root), options.chunks, options.workspaces, options.searches))


if __name__ == "__main__":
    main()
