"""What Google Drive says by its channel: who may say it, and what it asks for."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest

from footnote_ingest.connectors.ending import next_due
from footnote_ingest.connectors.kinds import SourceResources
from footnote_ingest.connectors.signatures import channel_token
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_testing.workspace import make_database
from tests.integration.ingest.served import Served
from tests.unit.ingest.connectors.fake_drive import FakeDrive
from tests.unit.ingest.connectors.local_site import Reply, serving

CREDENTIALS = {"client_id": "id", "client_secret": "hunter2", "refresh_token": "1//refresh"}
CHANNEL = "01a20765-1a6c-7414-a83b-39313b0acc8b"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """SQLite alone: nothing of it differs on PostgreSQL."""
    opened = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    yield opened
    opened.close()


@dataclass
class GoogleSender:
    """Google, as it speaks by one channel of a connector."""

    served: Served
    database: Database
    id: str
    secret: str

    def send(
        self, number: str, state: str = "change", *, secret: str = "", channel: str = CHANNEL, to: str = ""
    ) -> httpx2.Response:
        headers = {
            "x-goog-channel-id": channel,
            "x-goog-channel-token": channel_token(secret or self.secret, CHANNEL),
            "x-goog-message-number": number,
            "x-goog-resource-state": state,
        }
        return self.served.new_client().post(f"/v1/webhooks/{to or self.id}", headers=headers)

    def asked_at(self) -> object:
        with self.database.read() as session:
            row = session.get(ConnectorRow, self.id)
            assert row is not None
            return row.asked_at

    def pause(self) -> None:
        """A paused connector keeps what it is asked for, where a test can see it."""
        self.served.http.patch(f"/v1/connectors/{self.id}", json={"paused": True}).raise_for_status()


def made(served: Served, database: Database, config: Mapping[str, str] = {}) -> GoogleSender:
    known = {**CREDENTIALS, "client_secret": "secret"} if config else CREDENTIALS
    body = {"kind": "google_drive", "name": "Drive", "credentials": known, "config": config}
    answer = served.http.post("/v1/connectors", json=body)
    assert answer.status_code == 201, answer.text
    return GoogleSender(served, database, answer.json()["id"], answer.json()["webhook_secret"])


def test_a_change_asks_for_a_sync_once_and_the_opening_for_none(served: Served, database: Database) -> None:
    sender = made(served, database)
    sender.pause()
    assert sender.send("1", "sync").status_code == 202
    assert sender.asked_at() is None
    taken = [sender.send("2"), sender.send("2"), sender.send("3")]
    assert [answer.status_code for answer in taken] == [202, 202, 202]
    assert [answer.json()["duplicate"] for answer in taken] == [False, True, False]
    assert sender.asked_at() is not None


def test_who_has_no_token_of_the_channel_learns_nothing(served: Served, database: Database) -> None:
    sender = made(served, database)
    push = served.http.post("/v1/connectors", json={"kind": "push", "name": "Tickets"}).json()
    answers = [
        sender.send("2", secret="another"),
        sender.send("2", channel="another-channel"),
        sender.send("2", "sync", secret="another"),
        sender.send("two"),
        sender.send("2", to=new_id()),
        sender.send("2", secret=push["webhook_secret"], to=push["id"]),
    ]
    told = {(answer.status_code, answer.json()["detail"]) for answer in answers}
    assert len(told) == 1
    assert answers[0].status_code == 401


def test_the_secret_before_is_good_for_a_while(served: Served, database: Database) -> None:
    sender = made(served, database)
    served.http.patch(f"/v1/connectors/{sender.id}", json={"new_webhook_secret": True}).raise_for_status()
    assert sender.send("2").status_code == 202


def test_a_channel_needs_an_https_address_of_this_server(served: Served) -> None:
    body = {"kind": "google_drive", "name": "Drive", "credentials": CREDENTIALS, "config": {"push": True}}
    refused = served.http.post("/v1/connectors", json=body)
    assert refused.status_code == 422
    assert "FOOTNOTE_PUBLIC_URL" in refused.text
    assert "hunter2" not in refused.text


def test_a_connector_with_a_channel_syncs_before_that_ends_whatever_its_schedule() -> None:
    def due_in(schedule_s: int | None, *, push: bool) -> timedelta | None:
        row = ConnectorRow(
            workspace_id="w",
            avatar_id="a",
            kind="google_drive",
            name="Drive",
            folder="/drive",
            config={"push": push},
            hook_secret="",
            schedule_s=schedule_s,
        )
        due = next_due(row)
        return None if due is None else due - now()

    def days(found: timedelta | None) -> int | None:
        return None if found is None else round(found / timedelta(days=1))

    assert days(due_in(None, push=False)) is None
    assert days(due_in(None, push=True)) == 5
    assert days(due_in(30 * 86400, push=True)) == 5
    assert days(due_in(86400, push=True)) == 1
    assert days(due_in(30 * 86400, push=False)) == 30


def let_to_this_machine(served: Served) -> None:
    """The operator lets connectors reach the local Google."""
    ingest = served.app.state.ingest
    settings = served.settings.model_copy(update={"egress_allow": "127.0.0.1/32"})
    sources = SourceResources.from_settings(settings)
    served.app.state.ingest = replace(ingest, sources=replace(sources, seals=ingest.sources.seals))


def keep_channel(database: Database, connector_id: str) -> None:
    """As a sync leaves it."""
    channel = {"id": CHANNEL, "resource": "r1", "ends_at": 1774526400.0, "known_by": "x"}
    with database.write() as session:
        row = session.get(ConnectorRow, connector_id)
        assert row is not None
        row.cursor = json.dumps({"next": "1", "walked": 0.0, "channel": channel})
        session.add(row)


def test_another_configuration_ends_the_channel_of_the_one_before(served: Served, database: Database) -> None:
    let_to_this_machine(served)
    with serving() as site:
        drive = FakeDrive(site)
        drive.channels[CHANNEL] = {"id": CHANNEL}
        config = {"api_url": site.url, "token_url": f"{site.url}/token"}
        path = f"/v1/connectors/{made(served, database, config).id}"

        def changed(**body: object) -> object:
            answer = served.http.patch(path, json=body)
            assert answer.status_code == 200, answer.text
            return answer.json().get("problem")

        keep_channel(database, path.rpartition("/")[2])
        assert changed(name="Files", config=config) is None
        assert drive.channels == {CHANNEL: {"id": CHANNEL}}, "nothing of the configuration has changed"
        assert changed(config={**config, "push": False}) is None
        assert drive.channels == {}
        keep_channel(database, path.rpartition("/")[2])
        asked = len(site.asked)
        new = {"config": config, "credentials": {**CREDENTIALS, "client_secret": "another"}}
        assert "ends by itself at 2026-03-26 12:00 UTC" in str(changed(**new))
        assert len(site.asked) == asked, "other credentials are not shown to the place before"


def test_a_deleted_connector_ends_its_channel_as_far_as_google_answers(
    served: Served, database: Database
) -> None:
    let_to_this_machine(served)
    with serving() as site:
        drive = FakeDrive(site)
        drive.channels[CHANNEL] = {"id": CHANNEL}
        config = {"api_url": site.url, "token_url": f"{site.url}/token"}
        senders = [made(served, database, config) for _ in range(2)]
        for sender in senders:
            keep_channel(database, sender.id)
        gone = served.http.delete(f"/v1/connectors/{senders[0].id}")
        assert (gone.status_code, gone.json().get("problem")) == (202, None)
        assert drive.channels == {}
        drive.before = lambda request: Reply("", 503)
        left = served.http.delete(f"/v1/connectors/{senders[1].id}")
    assert left.status_code == 202
    assert "ends by itself at 2026-03-26 12:00 UTC" in left.json()["problem"]
    assert served.http.get(f"/v1/connectors/{senders[1].id}").status_code == 404
