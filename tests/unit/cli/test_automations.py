"""`footnote automations`."""

from typing import Any

import pytest

from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer

ID = "01a2019d-8c73-73bb-9af3-d3a64e8615d8"
RUN: dict[str, Any] = {
    "id": "01a2019d-9c73-73bb-9af3-d3a64e86aaaa",
    "automation_id": ID,
    "version": 1,
    "trigger": "call",
    "status": "completed",
    "due_at": "2026-11-21T10:00:00Z",
    "thread_id": "t1",
    "turn_id": "u1",
}
FAILED = {**RUN, "status": "failed", "reason": "Its thread was deleted."}
AUTOMATION: dict[str, Any] = {
    "id": ID,
    "name": "News [x]",
    "version": 3,
    "text": "What is new?",
    "schedule": "0 9 * * *",
    "time_zone": "Europe/Berlin",
    "missed": "skip",
    "paused": False,
    "next_due_at": "2026-11-22T08:00:00Z",
    "last_run": FAILED,
}


@pytest.fixture
def ready(server: FakeServer) -> FakeServer:
    server.answers |= {
        "GET /v1/automations": Canned({"items": [AUTOMATION]}),
        "POST /v1/automations": Canned(AUTOMATION, 201),
        f"GET /v1/automations/{ID}/runs": Canned({"items": [FAILED, RUN]}),
        f"POST /v1/automations/{ID}:run": Canned(RUN, 202),
        f"PATCH /v1/automations/{ID}": Canned({**AUTOMATION, "version": 4}),
        f"DELETE /v1/automations/{ID}": Canned("", 204),
    }
    return server


def test_are_listed_with_what_became_of_them(footnote: Footnote, ready: FakeServer) -> None:
    said = " ".join(footnote("automations", url=ready.url).out.split())
    for part in ("4e8615d8", "Europe/Berlin", "News [x]", "failed"):
        assert part in said


def test_one_is_made(footnote: Footnote, ready: FakeServer) -> None:
    words = ("automations", "make", "News", "What is new?", "--schedule", "0 9 * * *")
    done = footnote(*words, "--zone", "Europe/Berlin", "--missed", "skip", url=ready.url)
    assert done.status == 0
    (made,) = ready.of("POST /v1/automations")
    assert made.body == {
        "name": "News",
        "text": "What is new?",
        "schedule": "0 9 * * *",
        "time_zone": "Europe/Berlin",
        "missed": "skip",
    }


def test_one_is_changed_at_the_version_that_was_seen(footnote: Footnote, ready: FakeServer) -> None:
    footnote("automations", "change", "4e8615d8", "--question", "What is old?", url=ready.url)
    footnote("automations", "pause", "News [x]", url=ready.url)
    bodies = [asked.body for asked in ready.of(f"PATCH /v1/automations/{ID}")]
    assert bodies == [{"text": "What is old?", "if_version": 3}, {"paused": True}]
    assert footnote("automations", "change", "4e8615d8", url=ready.url).status == 2


def test_one_runs_and_a_failure_is_1(footnote: Footnote, ready: FakeServer) -> None:
    done = footnote("automations", "run", "4e8615d8", url=ready.url)
    assert (done.status, "footnote chat --thread t1" in done.out) == (0, True)
    ready.answers[f"POST /v1/automations/{ID}:run"] = Canned(FAILED, 202)
    done = footnote("automations", "run", "4e8615d8", url=ready.url)
    assert (done.status, "Its thread was deleted." in done.out) == (1, True)


def test_one_is_shown_and_deleted(footnote: Footnote, ready: FakeServer) -> None:
    assert "Its thread was deleted." in " ".join(
        footnote("automations", "show", "4e8615d8", url=ready.url).out.split()
    )
    assert footnote("automations", "delete", "4e8615d8", url=ready.url).status == 2
    assert footnote("automations", "delete", "4e8615d8", "--yes", url=ready.url).status == 0
    assert len(ready.of(f"DELETE /v1/automations/{ID}")) == 1
