"""Slack's events over HTTP: its handshake, its own signing secret, and one sync for many of them."""

import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from footnote_shared.db.engine import Database
from footnote_shared.kernel.ids import new_id
from footnote_testing.workspace import make_database
from footnote_testing.wrong_clock import outdated_clock, wrong_clock
from tests.integration.ingest.served import Served

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
EVENT = {"type": "event_callback", "event_id": "Ev1", "event": {"type": "message", "channel": "C1"}}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """SQLite alone: nothing of it differs on PostgreSQL."""
    opened = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    yield opened
    opened.close()


@dataclass
class SlackSender:
    """Slack, as it sends events to one connector."""

    served: Served
    id: str

    def send(self, body: dict[str, Any], *, secret: str = SECRET, to: str = "") -> httpx2.Response:
        sent = json.dumps(body).encode()
        stamp = str(int(time.time()))
        digest = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + sent, hashlib.sha256).hexdigest()
        headers = {
            "x-slack-request-timestamp": stamp,
            "x-slack-signature": f"v0={digest}",
            "content-type": "application/json",
        }
        client = self.served.new_client()
        return client.post(f"/v1/webhooks/{to or self.id}", content=sent, headers=headers)

    def triggers(self) -> list[str]:
        runs = self.served.http.get(f"/v1/connectors/{self.id}/runs").json()["items"]
        return [run["trigger"] for run in runs]


def made(served: Served, **credentials: str) -> SlackSender:
    body = {"kind": "slack", "name": "Chat", "credentials": {"token": "xoxb-1", **credentials}}
    answer = served.http.post("/v1/connectors", json=body)
    assert answer.status_code == 201, answer.text
    return SlackSender(served, answer.json()["id"])


def test_the_handshake_is_answered_and_an_event_asks_for_one_sync(served: Served) -> None:
    sender = made(served, signing_secret=SECRET)
    question = sender.send({"type": "url_verification", "challenge": "3eZbrw", "token": "x"})
    assert (question.status_code, question.json()) == (200, {"challenge": "3eZbrw"})
    taken = [sender.send(EVENT), sender.send(EVENT), sender.send({**EVENT, "event_id": "Ev2"})]
    assert [answer.status_code for answer in taken] == [202, 202, 202]
    assert [answer.json()["duplicate"] for answer in taken] == [False, True, False]
    # The sync that was asked for when it was made has not begun yet, and will see all of it.
    assert sender.triggers() == ["creation"]


def test_the_moment_that_it_signs_is_judged_by_the_clock_of_the_machine(served: Served) -> None:
    sender = made(served, signing_secret=SECRET)
    with outdated_clock(timedelta(days=1)):
        assert sender.send(EVENT).status_code == 202
    with wrong_clock(timedelta(days=1)):
        assert sender.send({**EVENT, "event_id": "Ev2"}).status_code == 401


def test_who_does_not_know_the_secret_learns_nothing(served: Served) -> None:
    sender, without = made(served, signing_secret=SECRET), made(served)
    push = served.http.post("/v1/connectors", json={"kind": "push", "name": "Tickets"}).json()
    question = {"type": "url_verification", "challenge": "3eZbrw"}
    answers = [
        sender.send(question, secret="another"),
        without.send(question),
        without.send(question, secret=""),
        sender.send(question, to=new_id()),
        sender.send(question, to=push["id"]),
        sender.send(question, to=push["id"], secret=push["webhook_secret"]),
    ]
    assert [answer.status_code for answer in answers] == [401] * 6
    bodies = [{**answer.json(), "instance": ""} for answer in answers]
    assert all(body == bodies[0] for body in bodies)


def test_its_credentials_are_checked_and_not_shown(served: Served) -> None:
    for credentials in ({}, {"token": ""}, {"token": "xoxb 1"}, {"signing_secret": SECRET}):
        body = {"kind": "slack", "name": "Chat", "credentials": credentials}
        assert served.http.post("/v1/connectors", json=body).status_code == 422
    shown = served.http.get(f"/v1/connectors/{made(served, signing_secret=SECRET).id}")
    assert SECRET not in shown.text
    assert "xoxb-1" not in shown.text
