"""A worker that lives and takes nothing is told from one that has nothing to do, or much."""

import signal
import subprocess
import sys

import httpx
import psutil
from prometheus_client import CollectorRegistry, Gauge

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_cli.listening import listen
from footnote_cli.worker_health import (
    IdleBesideWork,
    StillBesideWork,
    answer_probes,
    problem_of_clock,
    problem_of_worker,
    runs_of,
)
from footnote_testing.eventually import eventually


def test_messages_that_lie_beside_an_idle_worker_are_counted_from_the_first_look_at_them() -> None:
    judge = IdleBesideWork()
    assert judge.see(0, waiting=3, received=0, in_hand=0) == 0
    assert judge.see(40, waiting=3, received=0, in_hand=0) == 40
    assert judge.see(70, waiting=1, received=0, in_hand=0) == 70


def test_a_message_taken_in_between_shows_that_the_worker_consumes() -> None:
    judge = IdleBesideWork()
    judge.see(0, waiting=3, received=0, in_hand=0)
    assert judge.see(70, waiting=9, received=1, in_hand=0) == 0
    assert judge.see(90, waiting=9, received=1, in_hand=0) == 0
    assert judge.see(100, waiting=9, received=1, in_hand=0) == 10


def test_a_worker_with_a_long_task_in_hand_is_not_blamed_for_those_that_wait() -> None:
    judge = IdleBesideWork()
    judge.see(0, waiting=3, received=1, in_hand=1)
    assert judge.see(500, waiting=3, received=1, in_hand=1) == 0


def test_neither_an_empty_queue_nor_a_silent_redis_is_the_fault_of_a_worker() -> None:
    judge = IdleBesideWork()
    for waiting in (0, None):
        judge.see(0, waiting=3, received=0, in_hand=0)
        assert judge.see(500, waiting=waiting, received=0, in_hand=0) == 0


def test_probes_get_the_metrics_and_the_state_and_hear_what_is_wrong() -> None:
    registry = CollectorRegistry()
    Gauge("answer", "An answer.", registry=registry).set(42)
    problems = [None, "It takes nothing."]
    door = listen("127.0.0.1", 0)
    answer_probes(door, registry, lambda: problems.pop(0))
    with httpx.Client(
        base_url=f"http://127.0.0.1:{door.getsockname()[1]}", trust_env=False, verify=NO_CERTIFICATES
    ) as client:
        metrics = client.get("/metrics")
        assert metrics.status_code == 200
        assert "answer 42.0" in metrics.text
        assert client.get("/healthz").status_code == 200
        told = client.get("/healthz")
        assert (told.status_code, told.text) == (503, "It takes nothing.")
        assert client.get("/other").status_code == 404


class TestHowLongItMayGoOn:
    def test_messages_lie_for_a_minute(self) -> None:
        assert problem_of_worker(59, 0) is None
        assert "60 s" in (problem_of_worker(60, 0) or "")

    def test_a_pool_stands_still_for_five_minutes(self) -> None:
        assert problem_of_worker(0, 299) is None
        assert "300 s" in (problem_of_worker(0, 300) or "")

    def test_a_clock_sends_nothing_for_a_minute_or_for_twelve_slow_sweeps(self) -> None:
        assert problem_of_clock(59, sweep_s=1) is None
        assert "60 s" in (problem_of_clock(60, sweep_s=1) or "")
        assert problem_of_clock(119, sweep_s=10) is None
        assert "120 s" in (problem_of_clock(120, sweep_s=10) or "")


class TestAPoolThatStandsStill:
    def test_counts_from_the_moment_at_which_nothing_runs(self) -> None:
        judge = StillBesideWork()
        seen = [(0, 5, 1), (10, 6, 1), (20, 6, 1), (320, 6, 1), (325, 7, 1), (330, 7, 0), (335, None, 1)]
        found = [judge.see(at, waiting=3, in_hand=hand, runs=runs) for at, runs, hand in seen]
        assert found == [0, 0, 0, 300, 0, 0, 0]

    def test_is_not_blamed_where_nothing_waits_or_redis_is_away(self) -> None:
        judge = StillBesideWork()
        for at, waiting in enumerate((1, 1, 0, 1, None)):
            still = judge.see(at * 400.0, waiting=waiting, in_hand=1, runs=6)
        assert still == 0

    def test_is_told_from_one_that_works(self) -> None:
        """A process of a pool that is frozen, as the system freezes it."""
        loop = "import time\nwhile True: time.sleep(0.01)"
        with subprocess.Popen([sys.executable, "-c", loop]) as child:
            first = runs_of([child.pid])
            eventually(lambda: runs_of([child.pid]) != first, "it runs")
            child.send_signal(signal.SIGSTOP)
            eventually(lambda: psutil.Process(child.pid).status() == psutil.STATUS_STOPPED, "it is frozen")
            frozen = runs_of([child.pid])
            assert frozen
            assert runs_of([child.pid]) == frozen
            child.kill()
        assert runs_of([child.pid]) is None
