"""A worker that lives and takes nothing is told from one that has nothing to do, or much."""

import httpx
from prometheus_client import CollectorRegistry, Gauge

from footnote_cli.listening import listen
from footnote_cli.worker_health import IdleBesideWork, answer_probes


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
    with httpx.Client(base_url=f"http://127.0.0.1:{door.getsockname()[1]}", trust_env=False) as client:
        assert "answer 42.0" in client.get("/metrics").text
        assert client.get("/healthz").status_code == 200
        told = client.get("/healthz")
        assert (told.status_code, told.text) == (503, "It takes nothing.")
        assert client.get("/other").status_code == 404
