"""What the agent costs beside its model: first signal, overhead, many turns at once, memory.

    .venv/bin/python -m tests.benchmarks.agent_load [--turns 2000] [--only-memory]

It starts a run in an empty folder, and a scripted model in a process of its own, which searches twice and
then answers. All turns are agentic and come over HTTP. `signal`: from the request to the first event, of 50
readers who all begin in the same moment. `in flight`: the same while 50 turns go on whose model takes its
time as real ones do, and each reader asks again when an answer is there. `overhead`: a turn with two tool
calls, less what the model took for its three replies. `at once`: 200 turns together. `processor`: what all
processes of the run use for a turn, which does not grow with what runs beside it. `memory`: what they hold
for themselves, and its slope, of all and of each part. `--only-memory` measures nothing else.
"""

import argparse
import asyncio
import multiprocessing
import os
import ssl
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

import httpx
import psutil

from footnote_testing.planners import PlannedReply, passages_in, results_in, search_for
from footnote_testing.scripted_model import Script, ScriptedModel
from tests.system.stacks import EmbeddedStack

DOCUMENTS = {
    "gull.txt": b"The gull of Scarborough steals four sandwiches a day.",
    "heron.txt": b"The heron of Filey stands on one leg for an hour.",
}
OTHERS = {
    "redis-server": "redis",
    "footnote_bridge": "vector bridge",
    "footnote_ingest.sandbox": "parsers",
    "fork_server": "fork server",
}
"""What stands in the command lines of processes that have no name, and the part that each is."""

QUESTION = "What do the gull of Scarborough and the heron of Filey do?"
TIME_S = 600.0
PACE_S = 0.5
"""Seconds for a piece of a reply, where the model takes its time: a turn takes 10 s, as with a real one."""


def plan(request: Mapping[str, Any]) -> PlannedReply:
    """Two searches, then an answer with two numbers."""
    results = results_in(request)
    if len(results) < 2:
        return search_for(("the gull of Scarborough", "the heron of Filey")[len(results)])
    shown = dict(passages_in(results))
    return PlannedReply(" ".join(f"{text} [{n}]." for n, text in shown.items()))


def serve(pipe: Connection) -> None:
    """The scripted model, in a process of its own: with the pace that the pipe says, until it says "stop"."""
    model = ScriptedModel(Script(planner=plan)).start()
    pipe.send(model.url)
    while (said := pipe.recv()) != "stop":
        model.script.slow, model.script.pace_s = said > 0, said
    model.stop()


@dataclass
class Turns:
    """What came of some turns, in seconds."""

    signals: list[float] = field(default_factory=list)
    wholes: list[float] = field(default_factory=list)
    failures: int = 0


async def ask(http: httpx.AsyncClient, into: Turns) -> None:
    """One turn in a thread of its own, read to its end."""
    thread = (await http.post("/v1/threads", json={})).json()["id"]
    begun = time.perf_counter()
    first, end = 0.0, ""
    async with http.stream("POST", f"/v1/threads/{thread}/turns", json={"text": QUESTION}) as answer:
        async for line in answer.aiter_lines():
            if line.startswith("data:"):
                first = first or time.perf_counter() - begun
                if '"message.completed"' in line or '"turn.failed"' in line:
                    end = line
    into.signals.append(first)
    into.wholes.append(time.perf_counter() - begun)
    into.failures += '"message.completed"' not in end or "[citation:2]" not in end


class Readers:
    """People with a client each, as in life. One pool for all looks through its connections at every step.

    That took the client 4 ms for a request of 50 at once, which is more than it takes Footnote.
    """

    def __init__(self, url: str, key: str) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {key}"}
        self._verify = ssl.create_default_context()
        self._clients: list[httpx.AsyncClient] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self._clients:
            await client.aclose()

    def first(self, count: int) -> list[httpx.AsyncClient]:
        """The clients of so many of them."""
        while len(self._clients) < count:
            self._clients.append(
                httpx.AsyncClient(
                    base_url=self._url,
                    headers=self._headers,
                    timeout=TIME_S,
                    trust_env=False,
                    verify=self._verify,
                )
            )
        return self._clients[:count]

    async def ask_many(self, count: int, at_once: int) -> Turns:
        """So many turns, `at_once` of them at a time."""
        told, left = Turns(), iter(range(count))

        async def one(http: httpx.AsyncClient) -> None:
            for _ in left:
                await ask(http, told)

        await asyncio.gather(*map(one, self.first(at_once)))
        return told

    async def ask_in_flight(self, readers: int, each: int, apart_s: float) -> Turns:
        """Readers who come one after another, `apart_s` seconds apart, and ask so many times each."""
        told = Turns()

        async def one(number: int, http: httpx.AsyncClient) -> None:
            await asyncio.sleep(number * apart_s)
            for _ in range(each):
                await ask(http, told)

        await asyncio.gather(*(one(number, http) for number, http in enumerate(self.first(readers))))
        return told


async def model_s(url: str, tries: int) -> float:
    """Seconds that three replies of the model take, asked for as the agent does; the median."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": QUESTION}]
    found = []
    async with httpx.AsyncClient(timeout=TIME_S, trust_env=False) as http:
        for _ in range(tries):
            begun = time.perf_counter()
            for step in range(3):
                results = [{"role": "tool", "content": f"[{n + 1}] Text."} for n in range(step)]
                body = {"model": "scripted", "stream": True, "messages": [*messages, *results]}
                await http.post(f"{url}/chat/completions", json=body)
            found.append(time.perf_counter() - begun)
    return statistics.median(found)


def share(values: Sequence[float], part: float) -> float:
    """The value below which this part of them lies, in milliseconds."""
    ordered = sorted(values)
    return 1000 * ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def family(stack: EmbeddedStack) -> list[psutil.Process]:
    """All processes of the run."""
    assert stack.process is not None
    parent = psutil.Process(stack.process.process.pid)
    return [parent, *parent.children(recursive=True)]


def held_mib(stack: EmbeddedStack) -> Counter[str]:
    """Memory of the run that no other process shares, by the part that holds it, in MiB."""
    held: Counter[str] = Counter()
    for one in family(stack):
        try:
            held[part_of(one.cmdline())] += one.memory_full_info().uss / 2**20
        except psutil.NoSuchProcess:
            continue
    return held


def part_of(command: Sequence[str]) -> str:
    """What a process of the run does, by its command line."""
    words = list(command)
    for sign, part in OTHERS.items():
        if any(sign in word for word in words):
            return part
    at = words.index("footnote_cli") + 1 if "footnote_cli" in words else len(words)
    name = words[words.index("--name") + 1] if "--name" in words else ""
    return " ".join([*words[at : at + 1], name]).strip() or "other"


def used_s(stack: EmbeddedStack) -> float:
    """Processor time of the run so far, in seconds."""
    return float(sum(sum(one.cpu_times()[:2]) for one in family(stack)))


def slope(counts: Sequence[int], held: Sequence[float]) -> float:
    """MiB per 1,000 turns, by least squares."""
    return 1000 * statistics.linear_regression(counts, held).slope


async def measure_memory(stack: EmbeddedStack, readers: Readers, turns: int, step: int) -> None:
    """Look at the memory every `step` turns. The first look is left out of the slope: caches fill."""
    asked: list[int] = []
    looks: list[Counter[str]] = []
    for before in range(0, turns + 1, step):
        asked.append(before)
        looks.append(held_mib(stack))
        say(f"memory: {looks[-1].total():.0f} MiB after {before} turns")
        if before < turns and (failed := (await readers.ask_many(min(step, turns - before), 20)).failures):
            say(f"memory: {failed} turns failed")
    if len(looks) < 4:
        return
    say(f"memory: {slope(asked[1:], [look.total() for look in looks[1:]]):+.1f} MiB per 1,000 turns")
    half = len(asked) // 2
    for part in sorted(set().union(*looks)):
        held = [look[part] for look in looks]
        say(
            f"memory of {part}: {held[1]:.1f} to {held[-1]:.1f} MiB, {slope(asked[1:], held[1:]):+.1f} MiB "
            f"per 1,000 turns, in the last half {slope(asked[half:], held[half:]):+.1f}"
        )


async def remember(stack: EmbeddedStack, key: str, turns: int) -> None:
    """Memory alone."""
    async with Readers(stack.url, key) as readers:
        await readers.ask_many(20, 4)
        await measure_memory(stack, readers, turns, max(1, turns // 10))


async def measure(stack: EmbeddedStack, key: str, model: Connection, url: str, turns: int) -> None:
    async with Readers(stack.url, key) as readers:
        await readers.ask_many(20, 4)
        own = await model_s(url, 20)
        before = used_s(stack)
        alone = await readers.ask_many(30, 1)
        say(f"processor: {1000 * (used_s(stack) - before) / 30:.0f} ms a turn")
        over = 1000 * (statistics.median(alone.wholes) - own)
        whole = share(alone.wholes, 0.5)
        say(f"overhead: p50 {over:.0f} ms of {whole:.0f} ms; the model takes {1000 * own:.0f} ms")
        fifty = await readers.ask_many(100, 50)
        p50, p99 = share(fifty.signals, 0.5), share(fifty.signals, 0.99)
        say(f"signal at 50: p50 {p50:.0f} ms, p99 {p99:.0f} ms, {fifty.failures} failed")
        model.send(PACE_S)
        slow = share((await readers.ask_many(2, 2)).wholes, 0.5)
        flight = await readers.ask_in_flight(50, 3, slow / 1000 / 50)
        p50, p99 = share(flight.signals, 0.5), share(flight.signals, 0.99)
        whole = share(flight.wholes, 0.5)
        say(
            f"signal with 50 in flight: p50 {p50:.0f} ms, p99 {p99:.0f} ms, {flight.failures} failed; "
            f"a turn takes {whole / 1000:.1f} s ({slow / 1000:.1f} s alone)"
        )
        model.send(0)
        begun = time.perf_counter()
        many = await readers.ask_many(200, 200)
        took = time.perf_counter() - begun
        p99 = share(many.wholes, 0.99)
        say(f"200 at once: {many.failures} failed, {took:.1f} s, p99 {p99:.0f} ms")
        await measure_memory(stack, readers, turns, 200)


def say(line: str) -> None:
    print(f"{line} (load {os.getloadavg()[0]:.1f})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=2000, help="turns over which memory is looked at")
    parser.add_argument("--only-memory", action="store_true", help="look at the memory alone, ten times")
    given = parser.parse_args()
    here, there = multiprocessing.get_context("spawn").Pipe()
    served = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    served.start()
    url = here.recv()
    with tempfile.TemporaryDirectory(prefix="footnote-load-") as folder:
        environment = {
            "FOOTNOTE_CHAT_BASE_URL": url,
            "FOOTNOTE_CHAT_MODEL": "scripted",
            "FOOTNOTE_MAX_TURNS_IN_FLIGHT": "400",
            "FOOTNOTE_REQUESTS_PER_KEY": "1000000",
            "FOOTNOTE_REQUESTS_PER_WORKSPACE": "1000000",
        }
        stack = EmbeddedStack(Path(folder) / "data", environment=environment).start()
        try:
            client = stack.client()
            made = [client.upload(name, text)["id"] for name, text in DOCUMENTS.items()]
            client.wait_ended(made)
            if given.only_memory:
                asyncio.run(remember(stack, client.key, given.turns))
            else:
                asyncio.run(measure(stack, client.key, here, url, given.turns))
        finally:
            stack.stop()
            here.send("stop")
            served.join(10)


if __name__ == "__main__":
    main()
