"""How many turns can stream at once, and what does an event cost?

    .venv/bin/python -m tests.benchmarks.streams [--streams 100 200 500] [--rate 50] [--seconds 20] [--resolvers 1] [--readers 1]
    .venv/bin/python -m tests.benchmarks.streams --search          # the largest number whose events are never later than a second
    .venv/bin/python -m tests.benchmarks.streams --streams 100 --profile resolver.prof

Starts a real Redis and the resolver as processes of their own. A writer process appends raw deltas as agents do, at a set
rate for every turn, pipelined over one connection; a reader process reads every turn over HTTP on plain sockets. Every
event is looked at: its number, its text, and its age since the raw append. Turns begin one after the other over the first
seconds and end as they began. Processor time per delta is given for each process beside the ages: it hardly changes when
the machine has other work.
"""

import argparse
import asyncio
import itertools
import multiprocessing
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import urlsplit

import hiredis
import httpx
import numpy as np
import orjson
import psutil
import uvloop
from rich.console import Console
from rich.table import Table

from footnote_cli.embedded.ports import free_port
from footnote_shared.kernel.clock import now, rfc3339
from footnote_shared.kernel.ids import new_id
from footnote_shared.redis import keys
from footnote_testing.child_process import ChildProcess
from footnote_testing.redis_process import start_redis
from footnote_testing.workspace import make_caller, make_database

TEXT = (
    "The launch moved to March [1] and marketing will be told next week. "
    "Nobody had asked for the change before the meeting [2], yet all agreed to it at once, "
    "since the release depends on parts that come late. In short, the date holds. "
)
WORDS = TEXT.split()
PASSAGES = ["Launch moved to March", "Nobody had asked before the meeting"]
LATE_S = 1.0
_CAUGHT_UP_S = 60.0


@dataclass(frozen=True)
class Load:
    """What is asked of the resolver. `begin_at`: when the first turn begins, as a Unix time."""

    streams: int
    rate: float
    seconds: float
    ramp_s: float
    readers: int
    begin_at: float

    @property
    def deltas(self) -> int:
        """Deltas of one turn."""
        return round(self.rate * self.seconds)


@dataclass(frozen=True)
class Place:
    """Where the parts of a run are."""

    redis: str
    resolvers: list[str]
    key: str
    workspace_id: str
    conversation: str


def word(number: int) -> str:
    return f"{WORDS[number % len(WORDS)]} "


@dataclass
class Heard:
    """What one reader got."""

    text: list[str] = field(default_factory=list)
    last_seq: int = 0
    ages: list[float] = field(default_factory=list)
    end_age: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)


class Reader(asyncio.Protocol):
    """One reader on a plain socket: takes the chunked answer apart and looks at every event."""

    def __init__(self, place: Place, url: str, turn: str) -> None:
        self.heard = Heard()
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._raw = b""
        self._body = b""
        self._in_head = True
        head = f"GET /v1/streams/{turn} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\nAuthorization: Bearer {place.key}\r\n\r\n"
        self.request = head.encode()

    def data_received(self, data: bytes) -> None:
        self._raw += data
        if self._in_head:
            head, mark, rest = self._raw.partition(b"\r\n\r\n")
            if not mark:
                return
            if b" 200 " not in head.split(b"\r\n", 1)[0]:
                self.heard.faults["refused"] += 1
            self._in_head, self._raw = False, rest
        self._unchunk()
        *frames, self._body = self._body.split(b"\n\n")
        moment = time.time()
        for frame in frames:
            start = frame.find(b"data: ")
            if start >= 0:
                self._take(orjson.loads(frame[start + 6 :]), moment)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_result(None)

    def _unchunk(self) -> None:
        while True:
            line, mark, rest = self._raw.partition(b"\r\n")
            if not mark:
                return
            size = int(line, 16)
            if len(rest) < size + 2:
                return
            if size == 0:
                self.connection_lost(None)
                return
            self._body += rest[:size]
            self._raw = rest[size + 2 :]

    def _take(self, event: dict[str, object], moment: float) -> None:
        heard = self.heard
        seq, data = event["seq"], event["data"]
        if seq != heard.last_seq + 1:
            heard.faults["out of order"] += 1
        heard.last_seq = int(str(seq))
        age = moment - datetime.fromisoformat(str(event["at"])).timestamp()
        if event["type"] == "text.delta" and isinstance(data, dict):
            heard.text.append(data["text"])
            heard.ages.append(age)
        elif event["type"] == "message.completed" and isinstance(data, dict):
            heard.end_age = age
            if data["text"] != "".join(heard.text):
                heard.faults["other text"] += 1


async def read(place: Place, load: Load, turns: list[str], pipe: Connection) -> None:
    loop = asyncio.get_running_loop()
    # A moment behind the writer: who reads a turn has begun it before.
    begun = loop.time() + load.begin_at - time.time() + 0.5
    readers: list[Reader] = []
    for number, turn in enumerate(turns):
        await asyncio.sleep(max(0.0, begun + load.ramp_s * number / len(turns) - loop.time()))
        for _ in range(load.readers):
            url = place.resolvers[len(readers) % len(place.resolvers)]
            transport, reader = await loop.create_connection(
                partial(Reader, place, url, turn), "127.0.0.1", urlsplit(url).port or 80
            )
            transport.write(reader.request)
            readers.append(reader)
    deadline = load.ramp_s + load.seconds + _CAUGHT_UP_S
    await asyncio.wait([reader.done for reader in readers], timeout=deadline)
    pipe.send([reader.heard for reader in readers])


def write(place: Place, load: Load, turns: list[str]) -> None:
    """Append the raw events of all turns on time, each turn with a phase of its own."""
    address = urlsplit(place.redis)
    connection = socket.create_connection((address.hostname, address.port))
    answers = hiredis.Reader()
    begun = time.monotonic() + load.begin_at - time.time()
    due = [(begun + load.ramp_s * number / len(turns)) for number in range(len(turns))]
    sent = [0] * len(turns)
    heads = [_head(place, turn) for turn in turns]
    raws = [keys.turn_raw(turn) for turn in turns]
    open_turns = list(range(len(turns)))
    expected = 0
    while open_turns:
        moment = time.monotonic()
        at = f'"at":"{rfc3339(now())}"'
        out: list[bytes] = []
        for number in [n for n in open_turns if due[n] <= moment]:
            for kind, data in _events_due(load, sent[number]):
                event = f'{{{heads[number]},"type":"{kind}",{at},"data":{data}}}'
                out.append(_command("XADD", raws[number], "*", "e", event))
            if sent[number] == 0:
                fields = ("turn_id", turns[number], "workspace_id", place.workspace_id, "thread_id", place.conversation)  # fmt: skip
                out.append(_command("XADD", keys.TURNS_STREAM, "*", *fields))
            sent[number] += 1
            due[number] += 1 / load.rate
            if sent[number] > load.deltas + 1:
                open_turns.remove(number)
        if out:
            connection.sendall(b"".join(out))
            expected = len(out)
            while expected:
                answers.feed(connection.recv(1 << 16))
                while (answer := answers.gets()) is not False:
                    if isinstance(answer, hiredis.HiredisError):
                        raise answer
                    expected -= 1
        time.sleep(max(0.0, 0.004 - (time.monotonic() - moment)))


def _command(*parts: str) -> bytes:
    return b"*%d\r\n" % len(parts) + b"".join(
        b"$%d\r\n%b\r\n" % (len(raw), raw) for raw in (part.encode() for part in parts)
    )


def _head(place: Place, turn: str) -> str:
    return f'"turn_id":"{turn}","workspace_id":"{place.workspace_id}","thread_id":"{place.conversation}"'


def _events_due(load: Load, number: int) -> Iterator[tuple[str, str]]:
    if number == 0:
        yield "turn.started", '{"thread_id":"t","message_id":"m","engine":"bench","settings_hash":"0"}'
    elif number <= load.deltas:
        yield "text.delta", orjson.dumps({"text": word(number - 1)}).decode()
    else:
        yield "message.completed", '{"message_id":"m"}'


def _read_process(place: Place, load: Load, turns: list[str], pipe: Connection) -> None:
    uvloop.run(read(place, load, turns, pipe))


@contextmanager
def stack(
    folder: Path, resolvers: int, profile: Path | None, settings: list[str]
) -> Iterator[tuple[Place, dict[str, int]]]:
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
            command = [sys.executable, *profiled, "-m", "footnote_cli", "serve", "resolver", "--port", str(port)]  # fmt: skip
            process = ChildProcess(command, folder / f"resolver{number}.log", environment=environment)
            processes.append(process)
            urls.append(f"http://127.0.0.1:{port}")
            process.wait_until(lambda: _ready(urls[-1]), "resolver")
            pids[f"resolver {number + 1}"] = process.process.pid
        conversation = _conversation(urls[0], key)
        yield Place(redis.url, urls, key, principal.workspace_id, conversation), pids
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
class Figures:
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


def measure(place: Place, pids: dict[str, int], load: Load) -> Figures:
    context = multiprocessing.get_context("spawn")
    turns = [new_id() for _ in range(load.streams)]
    ours, theirs = context.Pipe()
    reading = context.Process(target=_read_process, args=(place, load, turns, theirs))
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
    return Figures(
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


def show(console: Console, all_figures: list[Figures]) -> None:
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
    place: Place, pids: dict[str, int], options: argparse.Namespace, console: Console
) -> list[Figures]:
    """Double until events are late, then halve the distance; stops at a tenth."""
    tried: list[Figures] = []

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
