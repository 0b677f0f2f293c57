"""Notion's web hooks over HTTP: its token is offered, taken by an admin, and only then good."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from footnote_ingest.connectors.sealed_places import told_secret_place
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.kernel.clock import now, rfc3339
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.sealing import Seals
from tests.integration.ingest.served import Served

TOKEN = "secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl"
OTHERS = "secret_of_a_stranger_who_knows_the_address"


@dataclass
class NotionSender:
    """Notion, as it sends to the address of one connector."""

    served: Served
    id: str

    def offer(self, token: str = TOKEN, *, to: str = "", headers: Mapping[str, str] = {}) -> httpx2.Response:
        return self._post(json.dumps({"verification_token": token}).encode(), headers, to)

    def tell(
        self, event: str, *, token: str = TOKEN, to: str = "", ago: timedelta = timedelta(), **more: Any
    ) -> httpx2.Response:
        said = {
            "id": event,
            "timestamp": rfc3339(now() - ago),
            "type": "page.content_updated",
            "attempt_number": 1,
            "entity": {"id": "153104cd", "type": "page"},
            **more,
        }
        body = json.dumps(said).encode()
        digest = hmac.new(token.encode(), body, hashlib.sha256).hexdigest()
        return self._post(body, {"x-notion-signature": f"sha256={digest}"}, to)

    def take(self) -> httpx2.Response:
        return self.served.http.post(f"/v1/connectors/{self.id}:handshake")

    def triggers(self) -> list[str]:
        runs = self.served.http.get(f"/v1/connectors/{self.id}/runs").json()["items"]
        return [run["trigger"] for run in runs]

    def _post(self, body: bytes, headers: Mapping[str, str], to: str) -> httpx2.Response:
        client = self.served.new_client()
        known = {"content-type": "application/json", **headers}
        return client.post(f"/v1/webhooks/{to or self.id}", content=body, headers=known)


def made(served: Served, kind: str = "notion", **credentials: str) -> NotionSender:
    body = {"kind": kind, "name": "Notes", **({"credentials": credentials} if credentials else {})}
    answer = served.http.post("/v1/connectors", json=body)
    assert answer.status_code == 201, answer.text
    return NotionSender(served, answer.json()["id"])


@pytest.fixture
def sender(served: Served) -> NotionSender:
    return made(served, token="ntn_1")


def alike(answers: list[httpx2.Response]) -> bool:
    """Whether nobody could tell the answers apart."""
    told = {(a.status_code, str({**a.json(), "instance": ""})) for a in answers}
    names = {tuple(sorted(set(a.headers) - {"date", "traceparent"})) for a in answers}
    return len(told) == len(names) == 1


def test_a_token_is_good_once_an_admin_has_taken_it_and_events_ask_for_one_sync(sender: NotionSender) -> None:
    assert sender.take().status_code == 409
    assert sender.offer().status_code == 200
    assert sender.tell("ev-1").status_code == 401
    taken = sender.take()
    assert (taken.status_code, taken.json()["verification_token"]) == (200, TOKEN)
    answers = [sender.tell("ev-2"), sender.tell("ev-1", ago=timedelta(hours=20)), sender.tell("ev-2")]
    assert [a.status_code for a in answers] == [202, 202, 202]
    assert [a.json()["duplicate"] for a in answers] == [False, False, True]
    # It comes again with another number of its attempt, and is the same event.
    assert sender.tell("ev-2", attempt_number=2).json()["duplicate"] is True
    # The sync that was asked for when it was made has not begun yet, and will see all of it.
    assert sender.triggers() == ["creation"]
    assert sender.take().status_code == 409
    shown = sender.served.http.get(f"/v1/connectors/{sender.id}").text
    assert TOKEN not in shown


def test_who_does_not_know_the_token_learns_nothing(served: Served, sender: NotionSender) -> None:
    push = made(served, "push")
    offers = [
        sender.offer(OTHERS, to=new_id()),
        sender.offer(OTHERS, to=push.id),
        sender.offer(OTHERS, to="%00"),
        sender.offer(),
    ]
    assert alike(offers)
    assert push.take().status_code == 409
    sender.take()
    answers = [
        sender.tell("ev-1", token=OTHERS),
        sender.tell("ev-1", to=new_id()),
        sender.tell("ev-1", to=push.id),
        sender.tell("ev-1", ago=timedelta(days=3)),
        sender.tell("ev-1", ago=timedelta(hours=-1)),
        sender.tell("", ago=timedelta()),
    ]
    assert answers[0].status_code == 401
    assert alike(answers)


def test_an_offer_of_a_stranger_changes_nothing_of_what_is_good(sender: NotionSender) -> None:
    sender.offer(headers={"x-notion-signature": "sha256=none"})
    sender.take()
    sender.offer(OTHERS)
    assert sender.tell("ev-1").status_code == 202
    assert sender.tell("ev-2", token=OTHERS).status_code == 401
    # Notion sends its own again, which takes the place of the stranger's.
    sender.offer()
    assert sender.take().json()["verification_token"] == TOKEN


def test_two_tokens_are_good_while_one_takes_the_place_of_the_other(sender: NotionSender) -> None:
    newer = "secret_of_the_next_subscription"
    for token in (TOKEN, newer):
        sender.offer(token)
        sender.take()
    assert [sender.tell(f"ev-{t}", token=t).status_code for t in (TOKEN, newer)] == [202, 202]
    sender.offer("secret_of_the_third_subscription")
    sender.take()
    assert sender.tell("ev-3").status_code == 401


def test_a_deleted_connector_is_an_unknown_one(sender: NotionSender) -> None:
    sender.offer()
    sender.take()
    sender.served.http.delete(f"/v1/connectors/{sender.id}").raise_for_status()
    assert sender.tell("ev-1").status_code == 401
    assert sender.offer().status_code == 200
    assert sender.take().status_code == 404


def test_a_token_is_taken_although_the_key_of_the_one_before_it_is_lost(sender: NotionSender) -> None:
    sender.offer(OTHERS)
    sender.take()
    with sender.served.workshop.database.write() as session:
        row = session.get(ConnectorRow, sender.id)
        assert row is not None
        row.told_secret = Seals.of("another key " * 3).seal(OTHERS, told_secret_place(sender.id))
        session.add(row)
    sender.offer()
    assert sender.take().status_code == 200
    assert sender.tell("ev-1").status_code == 202
