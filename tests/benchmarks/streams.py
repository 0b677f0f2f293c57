"""How many turns can stream at once, and what does an event cost?

    .venv/bin/python -m tests.benchmarks.streams [--streams 100 200 500] [--rate 50] [--seconds 20]
    .venv/bin/python -m tests.benchmarks.streams --resolvers 2 --readers 3
    .venv/bin/python -m tests.benchmarks.streams --search   # the largest number that is never a second late
    .venv/bin/python -m tests.benchmarks.streams --streams 100 --profile resolver.prof

Redis and the resolvers run as processes of their own. A writer process appends raw deltas as agents do, at a
set rate for every turn, pipelined over one connection. A reader process reads every turn over HTTP on plain
sockets. The benchmark looks at the number, the text and the age of every event. Turns
begin one after the other over the first seconds and end as they began. Beside the ages stands the processor
time per delta of each process, which hardly changes when the machine has other work.
"""

import argparse
import itertools
import multiprocessing
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from footnote_shared.kernel.ids import new_id
from footnote_testing.child_process import ChildProcess
from footnote_testing.ports import free_port
from footnote_testing.redis_process import start_redis
from footnote_testing.workspace import make_caller, make_database
from tests.benchmarks.stream_load import (
    PASSAGES,
    Addresses,
    Heard,
    Load,
    read_in_process,
    word,
    write,
)

LATE_S = 1.0


@contextmanager
def stack(
    folder: Path, resolvers: int, profile: Path | None, settings: list[str]
) -> Iterator[tuple[Addresses, dict[str, int]]]:
    """Redis, a database and resolver processes; yields where they are, and their process ids by name."""
    redis = start_redis(folder / "redis")
    database = make_database(f"sqlite:///{folder / 'bench.db'}")
    processes: list[ChildProcess] = []
    urls: list[str] = []
    try:
        principal, key = make_caller(database)
        pids = {"redis": redis.process.pid}
        for number in range(resolvers):
            environment = {
                "FOOTNOTE_DATA": str(folder / "data"),
                "FOOTNOTE_DATABASE_URL": database.url,
                "FOOTNOTE_REDIS_URL": redis.url,
                "FOOTNOTE_INJECTION": "off",
                "FOOTNOTE_VERIFICATION": "off",
                **dict(pair.split("=", 1) for pair in settings),
            }
            port = free_port()
            profiled = ["-m", "cProfile", "-o", str(profile)] if profile is not None and number == 0 else []
            serve = ["-m", "footnote_cli", "serve", "resolver", "--port", str(port)]
            command = [sys.executable, *profiled, *serve]
            process = ChildProcess(command, folder / f"resolver{number}.log", environment=environment)
            processes.append(process)
            urls.append(f"http://127.0.0.1:{port}")
            process.wait_until(lambda: _ready(urls[-1]), "resolver")
            pids[f"resolver {number + 1}"] = process.process.pid
        conversation = _conversation(urls[0], key)
        yield Addresses(redis.url, urls, key, principal.workspace_id, conversation), pids
    finally:
        for process in processes:
            if profile is not None:
                # SIGINT ends the interpreter by an exception, and only then is the profile written.
                process.process.send_signal(signal.SIGINT)
                process.process.wait(30)
            process.stop()
        redis.stop()
        database.close()


def _ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=5, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def _conversation(url: str, key: str) -> str:
    """A conversation in which the passages that the words cite have their numbers."""
    items = [
        {"source_type": "web_result", "locator": {"url": f"https://example.org/{n}"}, "text": text}
        for n, text in enumerate(PASSAGES)
    ]
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, trust_env=False) as http:
        conversation = str(http.post("/v1/conversations", json={}).json()["id"])
        http.post(f"/v1/conversations/{conversation}/citations", json={"items": items}).raise_for_status()
    return conversation


@dataclass(frozen=True)
class StreamFigures:
    """One run: ages of events in seconds, faults, and processor time per delta by process."""

    load: Load
    ages: "np.ndarray[tuple[int], np.dtype[np.float64]]"
    ends: "np.ndarray[tuple[int], np.dtype[np.float64]]"
    faults: Counter[str]
    cpu_us: dict[str, float]
    wall_s: float

    @property
    def events_late(self) -> int:
        return int((self.ages > LATE_S).sum() + (self.ends > LATE_S).sum())

    @property
    def kept_up(self) -> bool:
        return not self.faults and not self.events_late


def measure(place: Addresses, pids: dict[str, int], load: Load) -> StreamFigures:
    context = multiprocessing.get_context("spawn")
    turns = [new_id() for _ in range(load.streams)]
    ours, theirs = context.Pipe()
    reading = context.Process(target=read_in_process, args=(place, load, turns, theirs))
    writing = context.Process(target=write, args=(place, load, turns))
    watched = {name: psutil.Process(pid) for name, pid in pids.items()}
    before = {name: _cpu_s(process) for name, process in watched.items()}
    begun = time.monotonic()
    writing.start()
    reading.start()
    watched |= {"writer": psutil.Process(writing.pid), "readers": psutil.Process(reading.pid)}
    while not ours.poll(0.2):
        spent = {name: _cpu_s(process) for name, process in watched.items() if process.is_running()}
    heard: list[Heard] = ours.recv()
    wall_s = time.monotonic() - begun
    spent |= {name: _cpu_s(watched[name]) for name in pids}
    writing.join()
    reading.join()
    faults: Counter[str] = Counter()
    said = "".join(word(n) for n in range(load.deltas))
    want = said.replace("[1]", "[citation:1]").replace("[2]", "[citation:2]")
    for one in heard:
        faults += one.faults
        faults["without an end"] += not one.end_age
        faults["lost or repeated text"] += "".join(one.text) != want
    return StreamFigures(
        load,
        np.asarray(list(itertools.chain.from_iterable(one.ages for one in heard)) or [0.0]),
        np.asarray([one.end_age for one in heard]),
        +faults,
        {
            name: 1e6 * (spent[name] - before.get(name, 0.0)) / (load.streams * load.deltas)
            for name in watched
        },
        wall_s,
    )


def _cpu_s(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def show(console: Console, all_figures: list[StreamFigures]) -> None:
    table = Table(
        "turns", "deltas/s", "events", "age p50", "p99", "max", "end p50", "end max", "late", "faults",
        *(f"us/delta {name}" for name in all_figures[0].cpu_us), title="ages in ms",
    )  # fmt: skip
    for figures in all_figures:
        ages, ends = figures.ages * 1000, figures.ends * 1000
        table.add_row(
            str(figures.load.streams),
            f"{figures.load.streams * figures.load.rate:.0f}",
            str(len(ages) + len(ends)),
            *(f"{value:.0f}" for value in (np.median(ages), np.percentile(ages, 99), ages.max())),
            *(f"{value:.0f}" for value in (np.median(ends), ends.max())),
            str(figures.events_late),
            ", ".join(f"{count} {fault}" for fault, count in figures.faults.items()) or "none",
            *(f"{value:.1f}" for value in figures.cpu_us.values()),
        )
    console.print(table)


def largest(
    place: Addresses, pids: dict[str, int], options: argparse.Namespace, console: Console
) -> list[StreamFigures]:
    """Double until events are late, then halve the distance; stops at a tenth."""
    tried: list[StreamFigures] = []

    def keeps_up(streams: int) -> bool:
        tried.append(measure(place, pids, _load(options, streams)))
        show(console, tried[-1:])
        return tried[-1].kept_up

    good, bad = 0, 50
    while keeps_up(bad):
        good, bad = bad, bad * 2
    while bad - good > max(10, bad // 10):
        middle = (good + bad) // 2
        good, bad = (middle, bad) if keeps_up(middle) else (good, middle)
    console.print(f"The largest number of turns that kept up: {good}")
    return tried


def _load(options: argparse.Namespace, streams: int) -> Load:
    return Load(streams, options.rate, options.seconds, options.ramp, options.readers, time.time() + 2)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--streams", type=int, nargs="+", default=[100, 200, 500], help="turns at once")
    parser.add_argument("--rate", type=float, default=50, help="deltas of one turn in a second")
    parser.add_argument("--seconds", type=float, default=20, help="length of a turn")
    parser.add_argument("--ramp", type=float, default=5, help="seconds over which the turns begin")
    parser.add_argument("--readers", type=int, default=1, help="readers of each turn")
    parser.add_argument("--resolvers", type=int, default=1, help="resolver processes")
    parser.add_argument(
        "--search", action="store_true", help="find the largest number of turns that keeps up"
    )
    parser.add_argument("--profile", type=Path, help="write a cProfile of the first resolver to this file")
    parser.add_argument(
        "--setting", action="append", default=[], help="NAME=VALUE for the resolvers' environment"
    )
    options = parser.parse_args()
    console = Console(width=200)
    with (
        tempfile.TemporaryDirectory() as root,
        stack(Path(root), options.resolvers, options.profile, options.setting) as (place, pids),
    ):
        if options.search:
            show(console, largest(place, pids, options, console))
        else:
            show(console, [measure(place, pids, _load(options, streams)) for streams in options.streams])


if __name__ == "__main__":
    main()
