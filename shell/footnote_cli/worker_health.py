"""What a worker and the clock answer over HTTP: metrics, and whether they work (spec 7.4, 7.6).

A process that answers pings need not take messages: after an outage of Redis a worker can live and consume
nothing. So `/healthz` looks at what the worker takes.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from socket import socket

import psutil
import redis
from celery import signals
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from footnote_shared.redis.connection import connect
from footnote_shared.telemetry import metrics

IDLE_S = 60.0
"""For how long messages may wait beside an idle worker before it counts as one that consumes nothing."""

STILL_S = 300.0
"""For how long no thread of a worker's pool may have run, with a task in hand, while messages wait.

One that works runs at least for the heartbeat of its leases.
"""

_LOOK_EVERY_S = 5.0
_ASKED_WITHIN_S = 10.0
_RUNS = 2
"""The field of `/proc/PID/task/TID/schedstat` that counts how often the thread was given a processor."""
_SILENT_SWEEPS = 12
"""A clock that has sent nothing for this many sweeps, and for `IDLE_S`, counts as one that stands still."""


@dataclass
class IdleBesideWork:
    """Judges by what is seen now and then for how long a worker has let messages lie."""

    received: int = 0
    since: float | None = None

    def see(self, moment: float, *, waiting: int | None, received: int, in_hand: int) -> float:
        """Note what is seen at a moment, in seconds; returns for how many seconds messages have lain.

        `waiting` counts the messages in the worker's queues and is None where Redis does not answer, for
        which no worker can be blamed. `received` counts the messages that the worker has taken so far.
        """
        if not waiting or in_hand or received != self.received:
            self.since = None
        elif self.since is None:
            self.since = moment
        self.received = received
        return 0.0 if self.since is None else moment - self.since


@dataclass
class StillBesideWork:
    """Judges for how long a pool with a task in hand has stood still, as a process that is frozen does."""

    runs: int | None = None
    since: float | None = None

    def see(self, moment: float, *, waiting: int | None, in_hand: int, runs: int | None) -> float:
        """Note what is seen at a moment, in seconds; returns for how many seconds nothing has run.

        `runs` counts how often threads of the pool have had a processor; None where the system does not say.
        """
        if not waiting or not in_hand or runs is None or runs != self.runs:
            self.since = None
        elif self.since is None:
            self.since = moment
        self.runs = runs
        return 0.0 if self.since is None else moment - self.since


def runs_of(pids: Iterable[int]) -> int | None:
    """How often threads of these processes have had a processor. None where that is not told."""
    try:
        told = [file.read_text() for pid in pids for file in Path(f"/proc/{pid}/task").glob("*/schedstat")]
        return sum(int(line.split()[_RUNS]) for line in told) or None
    except OSError:
        # One of them has ended meanwhile: the next look sees the others.
        return None


def problem_of_worker(idle_s: float, still_s: float) -> str | None:
    """What is wrong with a worker that was idle, or still, for so many seconds beside waiting messages."""
    if still_s >= STILL_S:
        return f"Messages wait, and nothing of this worker's task has run for {still_s:.0f} s."
    if idle_s < IDLE_S:
        return None
    return f"Messages have waited for {idle_s:.0f} s, and this idle worker takes none."


def problem_of_clock(silent_s: float, sweep_s: float) -> str | None:
    """What is wrong with a clock that has sent nothing for so many seconds, and should each `sweep_s`."""
    if silent_s < max(IDLE_S, _SILENT_SWEEPS * sweep_s):
        return None
    return f"The clock has sent nothing for {silent_s:.0f} s."


class WorkerHealth:
    """The health of this worker. It is known from the moment at which the worker takes messages."""

    def __init__(self, redis_url: str, queues: Sequence[str]) -> None:
        self._redis = connect(redis_url)
        self._queues = queues
        self._judge = IdleBesideWork()
        self._still = StillBesideWork()
        self._idle_s = 0.0
        self._still_s = 0.0
        signals.worker_ready.connect(self._begin, weak=False)

    def problem(self) -> str | None:
        """What is wrong with the worker, in a sentence; None if nothing is."""
        return problem_of_worker(self._idle_s, self._still_s)

    def _begin(self, **_: object) -> None:
        threading.Thread(target=self._watch, name="worker-health", daemon=True).start()

    def _watch(self) -> None:
        state = import_module("celery.worker.state")
        while True:
            moment, waiting, in_hand = time.monotonic(), self._waiting(), len(state.active_requests)
            pool = [child.pid for child in psutil.Process().children()]
            self._idle_s = self._judge.see(
                moment, waiting=waiting, received=sum(state.total_count.values()), in_hand=in_hand
            )
            self._still_s = self._still.see(moment, waiting=waiting, in_hand=in_hand, runs=runs_of(pool))
            metrics.WORKER_IDLE_BESIDE_WORK.set(self._idle_s)
            time.sleep(_LOOK_EVERY_S)

    def _waiting(self) -> int | None:
        try:
            return sum(int(str(self._redis.llen(queue))) for queue in self._queues)
        except redis.RedisError:
            return None


class ClockHealth:
    """The health of `footnote beat`: whether it goes on sending."""

    def __init__(self, sweep_s: float) -> None:
        self._sweep_s = sweep_s
        self._sent = time.monotonic()
        signals.before_task_publish.connect(self._note, weak=False)

    def problem(self) -> str | None:
        """What is wrong with the clock, in a sentence; None if nothing is."""
        return problem_of_clock(time.monotonic() - self._sent, self._sweep_s)

    def _note(self, **_: object) -> None:
        self._sent = time.monotonic()


def answer_probes(door: socket, registry: CollectorRegistry, problem: Callable[[], str | None]) -> None:
    """Answer `/healthz` and `/metrics` on a bound socket, in threads that end with the process.

    `problem` says what is wrong with the process. `/healthz` is 503 while it says something.
    """

    class Probes(BaseHTTPRequestHandler):
        timeout = _ASKED_WITHIN_S

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path == "/metrics":
                self._answer(200, CONTENT_TYPE_LATEST, generate_latest(registry))
            elif path == "/healthz":
                wrong = problem()
                self._answer(503 if wrong else 200, "text/plain", (wrong or "ok").encode())
            else:
                self._answer(404, "text/plain", b"/healthz and /metrics are here.")

        def _answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Probes come every few seconds; nobody reads of each."""

    server = ThreadingHTTPServer(door.getsockname()[:2], Probes, bind_and_activate=False)
    server.socket.close()
    server.socket = door
    server.daemon_threads = True
    server.server_activate()
    threading.Thread(target=server.serve_forever, name="probes", daemon=True).start()
