"""Web hooks over HTTP: what is taken is in SQL, once, in the order in which it was said."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient
from sqlmodel import select

from footnote_ingest.connectors.apply import apply_changes
from footnote_ingest.connectors.kinds import SourceResources
from footnote_ingest.connectors.sealed_places import hook_secret_place
from footnote_ingest.connectors.sync import SyncResources
from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.quota import Quota
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance.sweep_connectors import sweep_connectors
from footnote_ingest.store.connector_tables import ConnectorChangeRow, ConnectorRow
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.redis.connection import connect
from footnote_shared.security.sealing import Seals
from footnote_testing.memory_blobs import MemoryBlobs
from footnote_testing.workspace import make_database
from tests.integration.ingest.avatars import Avatar, change
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import Workshop, sha256


@dataclass
class Sender:
    """Another system that knows the secret of a `push` connector."""

    served: Served
    id: str
    secret: str
    sent: int = 0

    def send(self, kind: str, item: str, *, event: str = "", age_s: int = 0, **data: Any) -> httpx2.Response:
        """A signed hook, as if it had been signed so many seconds ago."""
        body = json.dumps({"type": f"item.{kind}", "data": {"id": item, **data}}).encode()
        return self.send_bytes(body, event=event, age_s=age_s)

    def send_bytes(self, body: bytes, *, event: str = "", age_s: int = 0) -> httpx2.Response:
        self.sent += 1
        event, stamp = event or f"msg-{self.sent}", str(int(time.time()) - age_s)
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        digest = hmac.new(key, f"{event}.{stamp}.".encode() + body, hashlib.sha256).digest()
        headers = {
            "webhook-id": event,
            "webhook-timestamp": stamp,
            "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
            "content-type": "application/json",
        }
        client = self.served.new_client()
        return client.post(f"/v1/webhooks/{self.id}", content=body, headers=headers)

    def send_as_github(self, kind: str, item: str, *, delivery: str, **data: Any) -> httpx2.Response:
        """The same body, signed as GitHub signs: the body alone."""
        body = json.dumps({"type": f"item.{kind}", "data": {"id": item, **data}}).encode()
        digest = hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {
            "x-github-delivery": delivery,
            "x-hub-signature-256": f"sha256={digest}",
            "content-type": "application/json",
        }
        return self.served.new_client().post(f"/v1/webhooks/{self.id}", content=body, headers=headers)

    def waiting(self) -> int:
        with self.served.workshop.database.read() as session:
            return len(list(session.exec(select(ConnectorChangeRow))))

    def apply(self) -> int:
        workshop = self.served.workshop
        acceptor = Acceptor(
            workshop.database,
            workshop.blobs,
            Dispatcher(workshop.celery),
            workshop.policy,
            Quota(1000, 2**40),
        )
        resources = SyncResources(acceptor, SourceResources.from_settings(self.served.settings), 60.0, 0.5)
        return apply_changes(workshop.work(), resources, self.id)

    def sweep(self) -> list[str]:
        """The connectors for which the sweeper sends a hint to apply what waits."""
        workshop = self.served.workshop
        workshop.lose_messages()
        sweep_connectors(workshop.database, Dispatcher(workshop.celery), workshop.policy, lambda queue: 0)
        return [one for task, one in workshop.celery.sent if task is Task.APPLY]

    def documents(self) -> dict[str, dict[str, Any]]:
        items = self.served.http.get("/v1/documents").json()["items"]
        return {one["external_id"]: one for one in items}

    def text(self, item: str) -> str:
        return self.served.http.get(f"/v1/documents/{self.documents()[item]['id']}/content").text


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """SQLite alone; `test_connectors_on_both.py` has what differs on PostgreSQL."""
    opened = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    yield opened
    opened.close()


class HearingBlobs(MemoryBlobs):
    """Something happens once, just after bytes were written."""

    def __init__(self, hear: Callable[[], object]) -> None:
        super().__init__()
        self._hear: Callable[[], object] | None = hear

    def put(self, key: str, content: bytes) -> None:
        super().put(key, content)
        hear, self._hear = self._hear, None
        if hear is not None:
            hear()


@pytest.fixture
def sender(served: Served) -> Sender:
    made = served.http.post("/v1/connectors", json={"kind": "push", "name": "Tickets"})
    assert made.status_code == 201, made.text
    return Sender(served, made.json()["id"], made.json()["webhook_secret"])


class TestWhatIsTaken:
    def test_an_item_becomes_a_document_that_says_where_it_stands(self, sender: Sender) -> None:
        answer = sender.send(
            "upserted",
            "T-1",
            title="ログインできない",
            text="Since Monday the login fails.",
            url="https://tickets.example/T-1",
            folder="open",
            author="Бэлла",
            metadata={"priority": 3},
        )
        assert (answer.status_code, answer.json()) == (202, {"accepted": True, "duplicate": False})
        assert sender.apply() == 1
        sender.served.work()
        document = sender.documents()["T-1"]
        assert (document["status"], document["title"]) == ("indexed", "ログインできない")
        assert (document["url"], document["folder"]) == ("https://tickets.example/T-1", "/Tickets/open")
        assert (document["source_type"], document["connector_id"]) == ("connector", sender.id)
        assert document["metadata"] == {"priority": 3, "author": "Бэлла"}

    def test_the_same_event_counts_once(self, sender: Sender) -> None:
        sender.send("upserted", "a", event="one", text="First.")
        sender.apply()
        again = sender.send("upserted", "a", event="one", text="First.")
        assert (again.status_code, again.json()["duplicate"]) == (202, True)
        assert sender.waiting() == 0

    def test_a_burst_on_one_item_is_one_version(self, sender: Sender) -> None:
        for n in range(30):
            assert sender.send("upserted", "a", text=f"Edition {n}.").status_code == 202
        assert sender.waiting() == 1
        assert sender.apply() == 1
        assert sender.documents()["a"]["version"] == 1
        assert sender.text("a") == "Edition 29."

    @pytest.mark.parametrize("applied_between", [False, True])
    def test_events_that_come_in_the_wrong_order_end_right(
        self, sender: Sender, *, applied_between: bool
    ) -> None:
        sender.send("upserted", "edited", text="Late.", updated_at="2026-05-02T10:00:00Z")
        sender.send("deleted", "gone", updated_at="2026-05-02T10:00:00Z")
        if applied_between:
            sender.apply()
        sender.send("upserted", "edited", text="Early.", updated_at="2026-05-01T10:00:00Z")
        sender.send("upserted", "gone", text="Before it went.", updated_at="2026-05-01T10:00:00Z")
        sender.apply()
        assert set(sender.documents()) == {"edited"}
        assert sender.text("edited") == "Late."

    def test_a_moment_in_the_future_is_not_the_last_word_for_ever(self, sender: Sender) -> None:
        sender.send("upserted", "a", text="From the future.", updated_at="9999-12-31T00:00:00Z", age_s=20)
        sender.apply()
        sender.send("upserted", "a", text="Later.", age_s=10)
        sender.apply()
        assert sender.text("a") == "Later."

    def test_a_deletion_reaches_the_document(self, sender: Sender) -> None:
        sender.send("upserted", "a", text="Here.", age_s=20)
        sender.apply()
        sender.send("deleted", "a", age_s=10)
        sender.apply()
        assert sender.documents() == {}
        sender.send("upserted", "a", text="Here again.")
        sender.apply()
        assert sender.text("a") == "Here again."

    def test_the_report_says_what_came_of_it(self, sender: Sender) -> None:
        sender.send("upserted", "a", text="Here.")
        sender.send("upserted", "bad", text="x", mime="application/x-unknown-thing", title="odd.bin")
        sender.apply()
        sender.send("deleted", "a")
        sender.apply()
        (run,) = sender.served.http.get(f"/v1/connectors/{sender.id}/runs").json()["items"]
        assert (run["status"], run["trigger"], run["deleted"]) == ("succeeded", "hook", 1)
        assert run["seen"] == run["new"] + run["failed"] == 2

    def test_a_colleague_is_told_of_no_item_that_is_not_theirs_to_read(
        self, sender: Sender, other: Avatar
    ) -> None:
        unreadable = "\0\0\1\2" * 50
        sender.send("upserted", "open", text="Everybody's.")
        sender.send("upserted", "secret", text="The board's.", groups=["board"])
        sender.send("upserted", "withdrawn", text="Mine.", age_s=20)
        sender.apply()
        change(sender.served.http, sender.documents()["withdrawn"]["id"], visibility="private")
        sender.send("upserted", "bad", text=unreadable)
        sender.send("upserted", "secret-bad", groups=["board"], text=unreadable)
        sender.send("upserted", "withdrawn", text=unreadable)
        sender.apply()
        path = f"/v1/connectors/{sender.id}"

        def told(http: TestClient) -> tuple[int, set[str]]:
            (run,) = http.get(f"{path}/runs").json()["items"]
            live = http.get(f"{path}/runs", headers={"Accept": "text/event-stream"}).text
            named = {note["item"] for note in run["errors"]}
            assert all((item in live) == (item in named) for item in ("secret-bad", "withdrawn"))
            return sum(http.get(path).json()["documents"].values()), named

        assert told(sender.served.http) == (3, {"bad", "secret-bad", "withdrawn"})
        assert told(other.http) == (1, {"bad"})
        (listed,) = other.http.get("/v1/connectors").json()["items"]
        assert sum(listed["documents"].values()) == 1


class TestWhatIsNeverLost:
    def test_what_was_accepted_survives_a_redis_that_was_emptied(self, sender: Sender) -> None:
        sender.send("upserted", "a", text="Kept in SQL.")
        connect(sender.served.settings.redis_url).flushall()
        with sender.served.workshop.database.write() as session:
            row = session.get(ConnectorChangeRow, (sender.id, "a"))
            assert row is not None
            row.available_at = now() - timedelta(seconds=1)
            session.add(row)
        assert sender.sweep() == [sender.id]
        sender.apply()
        assert sender.text("a") == "Kept in SQL."

    def test_a_paused_connector_keeps_it_until_it_goes_on(self, sender: Sender) -> None:
        path = f"/v1/connectors/{sender.id}"
        sender.served.http.patch(path, json={"paused": True})
        assert sender.send("upserted", "a", text="Later.").status_code == 202
        assert sender.apply() == 0
        sender.served.http.patch(path, json={"paused": False})
        assert sender.apply() == 1

    def test_a_later_word_is_not_lost_to_a_worker_that_applies_the_one_before(self, sender: Sender) -> None:
        sender.send("upserted", "a", text="First.", age_s=10)
        workshop = sender.served.workshop
        workshop.blobs = HearingBlobs(lambda: sender.send("upserted", "a", text="Second."))
        sender.apply()
        assert sender.documents()["a"]["sha256"] == sha256("Second.")
        assert sender.waiting() == 0
        self._has_bytes_of(workshop, "Second.")

    def test_bytes_of_a_word_whose_connector_is_deleted_meanwhile_do_not_stay(self, sender: Sender) -> None:
        workshop = sender.served.workshop
        sender.send("upserted", "a", text="First.")
        path = f"/v1/connectors/{sender.id}"
        answers: list[httpx2.Response] = []
        workshop.blobs = HearingBlobs(lambda: answers.append(sender.served.http.delete(path)))
        sender.apply()
        assert [one.status_code for one in answers] == [202]
        assert sender.documents() == {}
        self._has_bytes_of(workshop)

    def _has_bytes_of(self, workshop: Workshop, *texts: str) -> None:
        originals = {entry.key.rpartition("/")[2] for entry in workshop.blobs.list("originals/")}
        assert originals == {sha256(text) for text in texts}


class TestWhoIsRefused:
    def test_a_wrong_signature_and_an_unknown_connector_look_the_same(self, sender: Sender) -> None:
        unknown = Sender(sender.served, new_id(), sender.secret)
        wrong = Sender(sender.served, sender.id, f"whsec_{base64.b64encode(b'x' * 32).decode()}")
        none = Sender(sender.served, "not-an-id", sender.secret)
        answers = [one.send("upserted", "a", text="x") for one in (unknown, wrong, none)]
        assert [answer.status_code for answer in answers] == [401, 401, 401]
        bodies = [{**answer.json(), "instance": ""} for answer in answers]
        assert bodies[0] == bodies[1] == bodies[2]
        names = [sorted(set(answer.headers) - {"date", "traceparent"}) for answer in answers]
        assert names[0] == names[1] == names[2]
        assert sender.waiting() == 0

    def test_the_word_on_an_item_is_not_taken_with_a_signature_that_could_be_replayed(
        self, sender: Sender
    ) -> None:
        unknown = Sender(sender.served, new_id(), sender.secret)
        answers = [
            one.send_as_github("upserted", "a", delivery="another id", text="An old text.")
            for one in (sender, unknown)
        ]
        wrong = sender.send_bytes(b"{}", age_s=10_000)
        bodies = [{**answer.json(), "instance": ""} for answer in (*answers, wrong)]
        assert [answer.status_code for answer in (*answers, wrong)] == [401, 401, 401]
        assert bodies[0] == bodies[1] == bodies[2]
        assert sender.waiting() == 0

    def test_the_secret_that_stands_in_for_none_is_known_to_nobody(self, sender: Sender) -> None:
        """Hooks are checked against two secrets, of which one may stand in for none."""
        guessed = "whsec_" + base64.b64encode(b"nobody's secret").decode()
        assert Sender(sender.served, sender.id, guessed).send("upserted", "a", text="x").status_code == 401

    def test_a_deleted_connector_is_an_unknown_one(self, sender: Sender) -> None:
        sender.served.http.delete(f"/v1/connectors/{sender.id}")
        assert sender.send("upserted", "a", text="x").status_code == 401

    def test_what_was_signed_long_ago(self, sender: Sender) -> None:
        assert sender.send("upserted", "a", text="x", age_s=100).status_code == 202
        assert sender.send("upserted", "a", text="x", age_s=1000).status_code == 401

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"[]",
            b"{",
            b"[" * 5000,
            b'{"type": "item.upserted", "data": {"id": ""}}',
            b'{"type": "item.upserted", "data": {"id": "a"}}',
            b'{"type": "item.sold", "data": {"id": "a", "text": "x"}}',
            b'{"type": "item.upserted", "data": {"id": "a\\u0000", "text": "x"}}',
            b'{"type": "item.upserted", "data": {"id": "\\ud800", "text": "x"}}',
            b'{"type": "item.upserted", "data": {"id": "a", "text": "x", "folder": "../b"}}',
            b'{"type": "item.upserted", "data": {"id": "a", "text": "x", "url": "javascript:alert(1)"}}',
            b'{"type": "item.upserted", "data": {"id": "a", "text": "x", "updated_at": "yesterday"}}',
        ],
    )
    def test_a_body_that_says_nothing_sensible(self, sender: Sender, body: bytes) -> None:
        assert sender.send_bytes(body).status_code == 422
        assert sender.waiting() == 0

    def test_a_body_that_is_too_large_before_its_signature_is_looked_at(self, sender: Sender) -> None:
        assert sender.send("upserted", "a", text="x" * 250_000).status_code == 413

    def test_text_that_no_store_can_keep_is_taken_without_it(self, sender: Sender) -> None:
        body = b'{"type": "item.upserted", "data": {"id": "a", "text": "half \\ud800 of a pair"}}'
        assert sender.send_bytes(body).status_code in (202, 422)


def test_a_connector_that_a_hook_only_asks_to_sync_takes_the_signature_of_github(sender: Sender) -> None:
    with sender.served.workshop.database.write() as session:
        row = session.get(ConnectorRow, sender.id)
        assert row is not None
        row.kind, row.config = "folder", {"path": "x"}
        session.add(row)
    assert sender.send_as_github("upserted", "a", delivery="1", text="x").status_code == 202
    (run,) = sender.served.http.get(f"/v1/connectors/{sender.id}/runs").json()["items"]
    assert (run["status"], run["trigger"]) == ("queued", "hook")
    assert sender.waiting() == 0


def test_after_a_new_secret_both_are_good_for_a_while(sender: Sender) -> None:
    path = f"/v1/connectors/{sender.id}"
    made = sender.served.http.patch(path, json={"new_webhook_secret": True}).json()
    new = Sender(sender.served, sender.id, made["webhook_secret"])
    assert new.secret != sender.secret
    assert sender.send("upserted", "a", event="old", text="x").status_code == 202
    assert new.send("upserted", "a", event="new", text="x").status_code == 202
    with sender.served.workshop.database.write() as session:
        row = session.get(ConnectorRow, sender.id)
        assert row is not None
        row.hook_secret_before_until = now() - timedelta(seconds=1)
        session.add(row)
    assert sender.send("upserted", "a", event="older", text="x").status_code == 401
    assert new.send("upserted", "a", event="newer", text="x").status_code == 202


def test_a_former_secret_whose_key_is_lost_does_not_shut_out_the_new_one(sender: Sender) -> None:
    path = f"/v1/connectors/{sender.id}"
    with sender.served.workshop.database.write() as session:
        row = session.get(ConnectorRow, sender.id)
        assert row is not None
        row.hook_secret = Seals.of("another key " * 3).seal(sender.secret, hook_secret_place(sender.id))
        session.add(row)
    lost = sender.send("upserted", "a", event="lost", text="x")
    assert (lost.status_code, "FOOTNOTE_CREDENTIALS_KEY" in lost.json()["detail"]) == (500, True)
    made = sender.served.http.patch(path, json={"new_webhook_secret": True}).json()
    new = Sender(sender.served, sender.id, made["webhook_secret"])
    assert new.send("upserted", "a", event="new", text="x").status_code == 202
    assert sender.send("upserted", "a", event="old", text="x").status_code == 401
