"""A store that is frozen, not dead: it accepts connections and answers nothing. No request waits long.

All of them are sent at once: one after the other they would wait for a minute.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import psutil
import pytest

from footnote_shared.kernel.ids import new_id
from footnote_testing.postgres_process import PostgresProcess
from tests.system.stacks import Client, DistributedStack

LONGEST_S = 10.0
"""What the specification allows, and what a reader bears."""

NOISE_S = 15.0
"""What a busy machine may add; more where even reading takes long.

Without limits these requests took over 35 s.
"""

READING = ("read a document", "list documents", "search", "read a thread", "citations")


@contextmanager
def frozen(processes: list[psutil.Process]) -> Iterator[None]:
    for process in processes:
        os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process.pid, signal.SIGCONT)


def processes_of(store: str, stack: DistributedStack, postgres: PostgresProcess) -> list[psutil.Process]:
    pid = {
        "redis": lambda: stack.redis.process.pid,
        "postgresql": lambda: postgres.pid,
        "vectors": lambda: stack.roles["vectors"].process.pid,
    }[store]()
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]


def requests_of(
    stack: DistributedStack, document: str, thread: str
) -> dict[str, Callable[[], httpx.Response]]:
    """One request of every class of routes, each by a client of its own. What they write is new each time."""
    ingest, retriever = stack.client("ingest").http, stack.client("retriever").http
    agent, resolver = stack.client("agent0").http, stack.client("resolver0").http
    return {
        "upload": lambda: ingest.post(
            "/v1/documents", files={"file": (f"{new_id()}.txt", new_id().encode())}
        ),
        "read a document": lambda: ingest.get(f"/v1/documents/{document}"),
        "list documents": lambda: ingest.get("/v1/documents"),
        "change a document": lambda: ingest.patch(
            f"/v1/documents/{document}", json={"metadata": {"a": new_id()}}
        ),
        "search": lambda: retriever.post("/v1/search", json={"query": "a warranty"}),
        "open a thread": lambda: agent.post("/v1/threads", json={}),
        "ask": lambda: agent.post(f"/v1/threads/{thread}/turns", json={"text": "What?", "stream": False}),
        "read a thread": lambda: agent.get(f"/v1/threads/{thread}"),
        "citations": lambda: resolver.get(f"/v1/conversations/{thread}/citations"),
        "readiness": lambda: agent.get("/readyz"),
        "what a load balancer asks": lambda: agent.get("/acceptz"),
    }


def timed(send: Callable[[], httpx.Response]) -> tuple[httpx.Response, float]:
    """The answer, and the seconds until it was there."""
    begun = time.monotonic()
    answer = send()
    return answer, time.monotonic() - begun


def is_told_to_come_again(answer: httpx.Response) -> bool:
    return answer.status_code == 503 and float(answer.headers.get("Retry-After", 0)) > 0


@pytest.mark.parametrize("store", ["redis", "postgresql", "vectors"])
def test_every_request_ends_in_time_and_says_what_to_do(
    distributed: DistributedStack, postgres: PostgresProcess, store: str
) -> None:
    user: Client = distributed.client("ingest")
    document = user.upload("a.txt", b"The warranty lasts two years.")
    user.wait_ended([document["id"]])
    thread = distributed.client("agent0").thread()
    requests = requests_of(distributed, document["id"], thread)
    usual_s = max(timed(requests[name])[1] for name in READING)
    with frozen(processes_of(store, distributed, postgres)), ThreadPoolExecutor(len(requests)) as pool:
        answers = dict(zip(requests, pool.map(timed, requests.values()), strict=True))
    wrong = []
    for name, (answer, took) in answers.items():
        print(f"{store:10} {name:18} {answer.status_code} {took:5.1f} s", answer.text[:150])
        fine = answer.is_success or is_told_to_come_again(answer) or name == "readiness"
        if took > LONGEST_S + max(NOISE_S, 10 * usual_s) or not fine:
            wrong.append((name, answer.status_code, round(took, 1), answer.text))
    assert not wrong
    after = user.upload("c.txt", f"After {store} came back.".encode())
    assert [one["status"] for one in user.wait_ended([after["id"]])] == ["indexed"]
    assert distributed.client("agent0").ask("How long does the warranty last?")["status"] == "completed"
