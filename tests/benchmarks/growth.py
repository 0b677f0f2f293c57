"""How do costs grow with what they may grow with? (spec 8.4)

    .venv/bin/python -m tests.benchmarks.growth search [--sizes 5000 20000 80000]
    .venv/bin/python -m tests.benchmarks.growth tenants [--sizes 10 100 1000]
    .venv/bin/python -m tests.benchmarks.growth queue [--sizes 1000 10000 100000] [--postgresql]
    .venv/bin/python -m tests.benchmarks.growth registry [--sizes 100 1000 10000]
    .venv/bin/python -m tests.benchmarks.growth readers [--sizes 1 4 16]
    .venv/bin/python -m tests.benchmarks.growth rows [--sizes 5000 20000 80000]

`search`: a search over HTTP by chunks in its workspace. `tenants`: a search of a workspace of 25 chunks by
the number of such workspaces in its lane, half of which belongs to one big workspace. `queue`: what a worker
takes next by the documents that wait. `registry`: a registration of ten passages by the numbers that a
conversation has. `readers`: a delta of a turn by those who read it. `rows`: bytes in PostgreSQL by chunks.
Each prints its figures and the exponent, and writes a picture into docs/pictures. Costs are processor time,
which hardly changes when the machine has other work.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import httpx
import numpy as np
import psutil

from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_testing.bridge_process import start_bridge
from footnote_testing.postgres_process import start_postgres
from footnote_testing.workspace import make_database
from tests.benchmarks import many_workspaces, search_latency, stored_chunks, streams
from tests.benchmarks.growth_picture import write_picture
from tests.benchmarks.stream_load import Load
from tests.benchmarks.vector_stock import VectorStock
from tests.benchmarks.waiting_documents import fill, take_and_let_go

Points = list[tuple[float, float]]
PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
_OF_A_TENANT = 25
_TIMES = 60
_TOGETHER = 10
_tell = partial(print, flush=True)


def search(sizes: Sequence[int], options: argparse.Namespace) -> Points:
    points: Points = []
    with tempfile.TemporaryDirectory() as root:
        for size in sizes:
            folder = Path(root) / str(size)
            folder.mkdir()
            figures = search_latency.run(folder, size, _TIMES, {})
            spent = sum(values[0] for part, values in figures.items() if part.startswith("processor time"))
            points.append((size, spent))
            passed = float(np.median(figures["over HTTP"]))
            _tell(f"{size} chunks: {spent:.1f} ms of a processor, {passed:.1f} ms passed (median)")
    return points


def tenants(sizes: Sequence[int], options: argparse.Namespace) -> Points:
    async def one(folder: Path, workspaces: int) -> float:
        chunks = 2 * _OF_A_TENANT * (workspaces - 1)
        population = many_workspaces.Population(chunks, workspaces, VectorStock.random())
        server = start_bridge(folder)
        index = QdrantVectorIndex(server.url, api_key=server.key, timeout_s=600)
        try:
            await index.open_lane(many_workspaces.LANE, many_workspaces.FINGERPRINT)
            await many_workspaces.fill(index, population)
            small = many_workspaces.Searcher(index, population, many_workspaces.SMALL, _TIMES)
            await small.hybrid()
            before = search_latency.cpu_ms(psutil.Process(server.process.pid))
            await small.hybrid()
            return (search_latency.cpu_ms(psutil.Process(server.process.pid)) - before) / _TIMES
        finally:
            await index.close()
            server.stop()

    points: Points = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as root:
            points.append((size, asyncio.run(one(Path(root), size))))
        _tell(f"{size} workspaces: {points[-1][1]:.2f} ms of a processor")
    return points


def queue(sizes: Sequence[int], options: argparse.Namespace) -> Points:
    postgres = start_postgres() if options.postgresql else None
    points: Points = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as root:
            url = postgres.new_database() if postgres else f"sqlite:///{Path(root) / 'bench.db'}"
            database = make_database(url)
            shop = fill(database, size)
            watched = [psutil.Process()]
            if postgres is not None:
                watched.append(psutil.Process(postgres.pid))
            points.append((size, _spent_ms(watched, partial(take_and_let_go, shop), _TIMES)))
            database.close()
        _tell(f"{size} documents wait: {points[-1][1]:.2f} ms of a processor")
    if postgres is not None:
        postgres.stop()
    return points


def registry(sizes: Sequence[int], options: argparse.Namespace) -> Points:
    points: Points = []
    with (
        tempfile.TemporaryDirectory() as root,
        streams.stack(Path(root), 1, None, []) as (place, pids),
        httpx.Client(headers={"Authorization": f"Bearer {place.key}"}, trust_env=False, timeout=120) as http,
    ):
        resolver = [psutil.Process(pid) for name, pid in pids.items() if name != "redis"]
        path = f"{place.resolvers[0]}/v1/conversations/{place.conversation}/citations"
        there = 0

        def register() -> None:
            nonlocal there
            items = [
                {
                    "source_type": "web_result",
                    "locator": {"url": f"https://example.org/growth/{there + n}"},
                    "text": f"Passage {there + n} says that pump {there + n} was looked at.",
                }
                for n in range(_TOGETHER)
            ]
            there += _TOGETHER
            http.post(path, json={"items": items}).raise_for_status()

        for size in sorted(sizes):
            while there < size:
                register()
            points.append((size, _spent_ms(resolver, register, 20)))
            _tell(f"{size} numbers: {points[-1][1]:.2f} ms of a processor for ten more")
    return points


def readers(sizes: Sequence[int], options: argparse.Namespace) -> Points:
    points: Points = []
    with tempfile.TemporaryDirectory() as root, streams.stack(Path(root), 1, None, []) as (place, pids):
        # The first turns of a process cost what no others cost.
        streams.measure(place, pids, Load(4, 20.0, 3.0, 1.0, 1, time.time() + 2))
        for size in sizes:
            load = Load(4, 20.0, 6.0, 1.0, size, time.time() + 2)
            figures = streams.measure(place, pids, load)
            points.append((size, figures.cpu_us["resolver 1"]))
            faults = ", ".join(f"{count} {kind}" for kind, count in figures.faults.items() if count)
            _tell(f"{size} readers of a turn: {points[-1][1]:.0f} us a delta, faults: {faults or 'none'}")
    return points


def rows(sizes: Sequence[int], options: argparse.Namespace) -> Points:
    postgres = start_postgres()
    points: Points = []
    for size in sizes:
        database = make_database(postgres.new_database())
        stored_chunks.fill(database, size)
        taken = stored_chunks.bytes_by_table(database)
        database.close()
        points.append((size, sum(taken.values()) / 1e6))
        each = ", ".join(f"{name} {count / size:.0f}" for name, count in taken.items())
        _tell(f"{size} chunks: {points[-1][1]:.1f} MB; bytes for each chunk: {each}")
    postgres.stop()
    return points


def _spent_ms(watched: Sequence[psutil.Process], work: Callable[[], object], times: int) -> float:
    """Processor time of the processes and of all below them, per piece of work."""

    def spent() -> float:
        family = [member for one in watched for member in (one, *one.children(recursive=True))]
        return sum(search_latency.cpu_ms(member) for member in family)

    before = spent()
    for _ in range(times):
        work()
    # What the clock of the system does not resolve is no cost of zero.
    return max((spent() - before) / times, 1e-3)


_PLANS: dict[str, tuple[Callable[[Sequence[int], argparse.Namespace], Points], list[int], str, str, str]] = {
    "search": (search, [5_000, 20_000, 80_000], "A search", "chunks in the workspace", "ms of a processor"),
    "tenants": (
        tenants,
        [10, 100, 1000],
        "A search of a small workspace",
        "workspaces in the lane",
        "ms of a processor",
    ),
    "queue": (queue, [1_000, 10_000, 100_000], "What to do next", "documents that wait", "ms of a processor"),
    "registry": (registry, [100, 1_000, 10_000], "Ten more numbers", "numbers before", "ms of a processor"),
    "rows": (rows, [5_000, 20_000, 80_000], "Rows of documents", "chunks", "MB in PostgreSQL"),
    "readers": (readers, [1, 4, 16], "A delta of a turn", "readers", "microseconds of a processor"),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=_PLANS)
    parser.add_argument("--sizes", type=int, nargs="+")
    parser.add_argument("--postgresql", action="store_true", help="`queue` on PostgreSQL instead of SQLite")
    parser.add_argument("--pictures", type=Path, default=PICTURES, help="the folder of the picture")
    options = parser.parse_args()
    measured, sizes, title, x, y = _PLANS[options.what]
    points = measured(options.sizes or sizes, options)
    grows = write_picture(options.pictures / f"growth-{options.what}.svg", title, x, y, points)
    _tell(f"exponent {grows:.2f}")


if __name__ == "__main__":
    main()
