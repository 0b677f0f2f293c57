"""Connectors over HTTP: made, read, changed, synced, deleted, and nobody else's."""

import hmac
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text, update
from sqlmodel import select

from footnote_ingest.api.connector_runs import follow_runs
from footnote_ingest.api.timeline_readers import TimelineReaders
from footnote_ingest.app import create_app
from footnote_ingest.connectors.kinds import SourceResources
from footnote_ingest.connectors.sealed_places import credentials_place
from footnote_ingest.connectors.sync import SyncResources, sync
from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.quota import Quota
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance.sweep_connectors import sweep_connectors
from footnote_ingest.store.connector_tables import ConnectorRow, ConnectorRunRow
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.connector_kinds import CREDENTIALS_ARE_FOR, KIND_FIELDS
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.sealing import Seals
from footnote_testing.workspace import make_database
from tests.integration.ingest.served import Served


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """SQLite alone; `test_connectors_on_both.py` has what differs on PostgreSQL."""
    opened = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    yield opened
    opened.close()


@pytest.fixture
def files(served: Served, tmp_path: Path) -> Path:
    """A folder that the operator opens to connectors of this workspace."""
    root = tmp_path / "shared" / served.principal.workspace_id
    (root / "handbook" / "部門").mkdir(parents=True)
    (root / "handbook" / "start.md").write_text("# Start\n\nPress the green button.")
    (root / "handbook" / "部門" / "ürlaub.txt").write_text("Vacation is 30 days.")
    (root / "handbook" / ".hidden").write_text("not this")
    (root / "handbook" / "link.txt").symlink_to("/etc/hostname")
    return root / "handbook"


@pytest.fixture
def http(served: Served, tmp_path: Path, files: Path) -> Any:
    settings = served.settings.model_copy(
        update={"connector_folders": str(tmp_path / "shared" / "{workspace}")}
    )
    served.settings = settings
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        client.headers.update(served.http.headers)
        yield client


def make(http: TestClient, **fields: Any) -> dict[str, Any]:
    body = {"kind": "folder", "name": "Handbook", "config": {"path": "handbook"}, **fields}
    answer = http.post("/v1/connectors", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def run_all(served: Served) -> None:
    """The workers' part: each run that is due."""
    workshop = served.workshop
    workshop.lose_messages()
    dispatcher = Dispatcher(workshop.celery)
    sweep_connectors(workshop.database, dispatcher, workshop.policy, lambda queue: 0)
    acceptor = Acceptor(workshop.database, workshop.blobs, dispatcher, workshop.policy, Quota(1000, 2**40))
    resources = SyncResources(acceptor, SourceResources.from_settings(served.settings), 60.0, 0.5)
    for task, run_id in list(workshop.celery.sent):
        if task is Task.SYNC:
            sync(workshop.work(), resources, run_id)


def last_run(http: TestClient, connector: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = http.get(f"/v1/connectors/{connector['id']}/runs").json()["items"][0]
    return found


class TestAFolderOfTheServer:
    def test_is_synced_when_its_connector_is_made(self, http: TestClient, served: Served) -> None:
        made = make(http, schedule="15m")
        run_all(served)
        run = last_run(http, made)
        assert (run["status"], run["trigger"], run["seen"], run["new"]) == ("succeeded", "creation", 2, 2)
        documents = http.get("/v1/documents", params={"type": "connector"}).json()["items"]
        assert {one["external_id"]: one["folder"] for one in documents} == {
            "start.md": "/Handbook",
            "部門/ürlaub.txt": "/Handbook/部門",
        }
        shown = http.get(f"/v1/connectors/{made['id']}").json()
        assert (shown["status"], shown["schedule"], shown["documents"]) == ("active", "15m", {"queued": 2})
        assert shown["next_sync_at"] is not None

    def test_follows_edits_and_holds_too_many_deletions(
        self, http: TestClient, served: Served, files: Path
    ) -> None:
        made = make(http)
        run_all(served)
        (files / "start.md").write_text("# Start\n\nPress the blue button, and wait.")
        (files / "部門" / "ürlaub.txt").unlink()
        path = f"/v1/connectors/{made['id']}"
        assert http.post(f"{path}:sync", json={}).status_code == 202
        run_all(served)
        run = last_run(http, made)
        assert (run["status"], run["changed"], run["deleted"]) == ("succeeded", 1, 1)
        (files / "start.md").unlink()
        http.post(f"{path}:sync", json={})
        run_all(served)
        held = last_run(http, made)
        assert (held["status"], held["would_delete"]) == ("held", 1)
        assert http.get(path).json()["status"] == "held"
        confirmed = http.post(f"{path}:sync", json={"confirm_deletions_of": held["id"]})
        assert confirmed.status_code == 202
        run_all(served)
        assert last_run(http, made)["deleted"] == 1
        assert http.get("/v1/documents").json()["items"] == []

    @pytest.mark.parametrize("path", ["..", "../other", "handbook/../../x", "/../..", "a\0b"])
    def test_lies_below_the_root_that_is_allowed(self, http: TestClient, path: str) -> None:
        body = {"kind": "folder", "name": "x", "config": {"path": path}}
        answer = http.post("/v1/connectors", json=body)
        assert answer.status_code == 422
        assert http.get("/v1/connectors").json()["items"] == []

    def test_is_closed_where_the_operator_allows_none(self, served: Served) -> None:
        body = {"kind": "folder", "name": "x", "config": {"path": "handbook"}}
        answer = served.http.post("/v1/connectors", json=body)
        assert answer.status_code == 422
        assert "FOOTNOTE_CONNECTOR_FOLDERS" in answer.json()["detail"]


class TestBeforeItIsMade:
    def test_its_first_items_are_shown_and_nothing_is_kept(self, http: TestClient, files: Path) -> None:
        for n in range(12):
            (files / f"page-{n:02}.txt").write_text("x")
        body = {"kind": "folder", "name": "Handbook", "config": {"path": "handbook"}}
        shown = http.post("/v1/connectors:preview", json=body).json()
        assert [item["id"] for item in shown["items"]] == [f"page-{n:02}.txt" for n in range(10)]
        assert (shown["more"], shown["problem"]) == (True, None)
        assert http.get("/v1/connectors").json()["items"] == []

    def test_what_its_owner_has_to_do_is_said(self, http: TestClient) -> None:
        body = {"kind": "folder", "name": "x", "config": {"path": "nowhere"}}
        shown = http.post("/v1/connectors:preview", json=body).json()
        assert shown["items"] == []
        assert "not there" in shown["problem"]

    def test_an_address_of_the_own_network_is_not_looked_at(self, http: TestClient) -> None:
        token = {"token": "t0ken"}
        for kind, config, credentials in (
            ("rss", {"url": "http://127.0.0.1:9/feed"}, None),
            ("web", {"url": "http://169.254.169.254/"}, None),
            ("github", {"repository": "a/b", "api_url": "http://localhost:9"}, None),
            ("slack", {"api_url": "http://localhost:9/api"}, token),
            ("notion", {"api_url": "http://169.254.169.254"}, token),
        ):
            body = {"kind": kind, "name": "x", "config": config, "credentials": credentials}
            assert "not fetched" in http.post("/v1/connectors:preview", json=body).json()["problem"]


class TestLiveReports:
    def test_follow_a_run_to_its_end(self, http: TestClient, served: Served) -> None:
        made = make(http)
        run_all(served)
        headers = {"Accept": "text/event-stream"}
        answer = http.get(f"/v1/connectors/{made['id']}/runs", headers=headers)
        assert answer.headers["content-type"].startswith("text/event-stream")
        told = [json.loads(line[5:]) for line in answer.text.splitlines() if line.startswith("data:")]
        assert [(run["status"], run["seen"]) for run in told] == [("succeeded", 2)]
        assert told == http.get(f"/v1/connectors/{made['id']}/runs").json()["items"]

    async def test_each_change_is_told_once(self, http: TestClient, served: Served) -> None:
        made = make(http)
        database = served.workshop.database
        stream = follow_runs(database, TimelineReaders(), served.principal, made["id"])
        first = await anext(stream)
        assert '"status":"queued"' in first.decode()
        run_all(served)
        rest = [event.decode() async for event in stream]
        assert '"status":"succeeded"' in rest[-1]
        assert len(set(rest)) == len(rest)


class TestSecrets:
    def test_are_shown_once_and_lie_in_no_table_in_the_clear(self, served: Served) -> None:
        made = make(served.http, kind="push", config={})
        assert made["webhook_secret"].startswith("whsec_")
        shown = served.http.get(f"/v1/connectors/{made['id']}").json()
        assert shown["webhook_secret"] is None
        with served.workshop.database.read() as session:
            rows = session.execute(text("SELECT * FROM connectors")).all()
            answers = session.execute(text("SELECT * FROM idempotency")).all()
        assert made["webhook_secret"].removeprefix("whsec_") not in str([*rows, *answers])

    def test_come_again_only_for_the_same_request(self, served: Served) -> None:
        body = {"kind": "push", "name": "Tickets"}
        headers = {"Idempotency-Key": "k1"}
        first, again = (served.http.post("/v1/connectors", json=body, headers=headers) for _ in range(2))
        assert first.json() == again.json()
        with served.workshop.database.read() as session:
            (answer,) = session.execute(text("SELECT body FROM idempotency")).all()
        assert "whsec" not in answer[0]

    def test_a_value_that_is_refused_is_not_told_back(self, served: Served) -> None:
        body = {"kind": "push", "name": "x", "credentials": {"token": "hunter2"}}
        answer = served.http.post("/v1/connectors", json=body)
        assert answer.status_code == 422
        assert "credentials.token" in answer.text
        assert "hunter2" not in answer.text

    @pytest.mark.parametrize(
        "moved", [{"api_url": "https://github.attacker.example"}, {"repository": "owner/another"}]
    )
    def test_are_not_led_to_another_place_by_who_does_not_know_them(
        self, served: Served, moved: dict[str, str]
    ) -> None:
        config = {"repository": "owner/name"}
        made = make(served.http, kind="github", config=config, credentials={"token": "hunter2"})
        path = f"/v1/connectors/{made['id']}"
        refused = served.http.patch(path, json={"config": {**config, **moved}})
        assert refused.status_code == 422, refused.text
        assert [error["field"] for error in refused.json()["errors"]] == ["credentials"]
        assert served.http.get(path).json()["config"] == config
        same = {**config, "api_url": "https://api.github.com", "branch": "next"}
        assert served.http.patch(path, json={"config": same}).status_code == 200
        given = {"config": {**config, **moved}, "credentials": {"token": "another"}}
        assert served.http.patch(path, json=given).status_code == 200
        assert served.http.patch(path, json={"credentials": {}, "config": config}).status_code == 200

    def test_a_public_repository_needs_none_and_moves_freely(self, served: Served) -> None:
        made = make(served.http, kind="github", config={"repository": "owner/name"})
        moved = {"config": {"repository": "owner/another"}}
        assert served.http.patch(f"/v1/connectors/{made['id']}", json=moved).status_code == 200


class TestWhoseTheyAre:
    def test_another_workspace_finds_nothing(self, served: Served) -> None:
        made = make(served.http, kind="push", config={})
        stranger = served.as_stranger()
        assert stranger.get("/v1/connectors").json()["items"] == []
        for method, path, body in (
            ("GET", "/v1/connectors/{}", None),
            ("PATCH", "/v1/connectors/{}", {"paused": True}),
            ("DELETE", "/v1/connectors/{}", None),
            ("POST", "/v1/connectors/{}:sync", {}),
            ("GET", "/v1/connectors/{}/runs", None),
            ("GET", "/v1/connectors/{}/runs?limit=1", None),
        ):
            answers = [
                stranger.request(method, path.format(one), json=body) for one in (made["id"], new_id())
            ]
            assert [answer.status_code for answer in answers] == [404, 404], path
            assert answers[0].content == answers[1].content

    def test_deleting_one_takes_its_documents_along(self, http: TestClient, served: Served) -> None:
        made = make(http)
        run_all(served)
        other = served.upload("own.txt", b"Somebody's own.")
        answer = http.delete(f"/v1/connectors/{made['id']}")
        assert (answer.status_code, answer.json()["documents"]) == (202, {"deleting": 2})
        assert [one["id"] for one in http.get("/v1/documents").json()["items"]] == [other["id"]]
        assert http.get(f"/v1/connectors/{made['id']}").status_code == 404


def test_a_connector_that_only_takes_hooks_has_nothing_to_sync(served: Served) -> None:
    made = make(served.http, kind="push", config={})
    assert served.http.post(f"/v1/connectors/{made['id']}:sync", json={}).status_code == 409


def test_a_pause_stops_a_run_and_the_end_of_the_pause_lets_it_go_on(http: TestClient, served: Served) -> None:
    made = make(http)
    path = f"/v1/connectors/{made['id']}"
    http.patch(path, json={"paused": True})
    run_all(served)
    assert (last_run(http, made)["status"], last_run(http, made)["seen"]) == ("queued", 0)
    assert "paused" in last_run(http, made)["reason"]
    http.patch(path, json={"paused": False})
    run_all(served)
    assert (last_run(http, made)["status"], last_run(http, made)["seen"]) == ("succeeded", 2)


def test_a_sync_that_was_asked_for_in_a_pause_begins_behind_it(http: TestClient, served: Served) -> None:
    made = make(http)
    path = f"/v1/connectors/{made['id']}"
    run_all(served)
    http.patch(path, json={"paused": True})
    body = b"{}"
    digest = hmac.new(made["webhook_secret"].encode(), body, sha256).hexdigest()
    signed = {"x-github-delivery": "1", "x-hub-signature-256": f"sha256={digest}"}
    assert http.post(made["webhook_url"], content=body, headers=signed).status_code == 202
    assert len(http.get(f"{path}/runs").json()["items"]) == 1
    http.patch(path, json={"paused": False})
    assert (last_run(http, made)["status"], last_run(http, made)["trigger"]) == ("queued", "hook")


def test_a_sync_that_was_asked_for_does_not_outlive_its_connector(http: TestClient, served: Served) -> None:
    """It began when the deletion ended the run before it, and brought the documents back."""
    made = make(http)
    workshop = served.workshop
    with workshop.database.write() as session:
        session.exec(update(ConnectorRunRow).values(started_at=now()))
        session.exec(update(ConnectorRow).values(asked_at=now()))
    workshop.lose_messages()
    assert http.delete(f"/v1/connectors/{made['id']}").status_code == 202
    run_all(served)
    with workshop.database.read() as session:
        assert [run.status for run in session.exec(select(ConnectorRunRow))] == ["cancelled"]
        assert list(session.exec(select(DocumentRow))) == []


def test_another_configuration_begins_anew(http: TestClient, served: Served, files: Path) -> None:
    """An open run has a cursor of the configuration before, and has seen items of it."""
    made = make(http)
    (files / "next").mkdir()
    (files / "next" / "a.md").write_text("Only this.")
    http.patch(f"/v1/connectors/{made['id']}", json={"config": {"path": "handbook/next"}})
    run_all(served)
    new, old = http.get(f"/v1/connectors/{made['id']}/runs").json()["items"]
    assert (old["status"], new["status"], new["seen"]) == ("cancelled", "succeeded", 1)


def test_a_change_is_checked_like_a_new_one(served: Served) -> None:
    made = make(served.http, kind="push", config={})
    path = f"/v1/connectors/{made['id']}"
    assert served.http.patch(path, json={"config": {"path": "x"}}).status_code == 422
    assert served.http.patch(path, json={"schedule": "soon"}).status_code == 422
    assert served.http.patch(path, json={"name": "bell \a"}).status_code == 422
    assert served.http.patch(path, json={"name": " "}).status_code == 422
    changed = served.http.patch(path, json={"name": "Other", "schedule": "2h"}).json()
    assert (changed["name"], changed["schedule"]) == ("Other", "2h")
    assert served.http.patch(path, json={"schedule": ""}).json()["schedule"] is None


def test_the_credentials_of_every_kind_are_bound_to_the_address_that_they_are_sent_to() -> None:
    for kind, (config, credentials) in KIND_FIELDS.items():
        if credentials.model_fields and "api_url" in config.model_fields:
            assert "api_url" in CREDENTIALS_ARE_FOR[kind], kind


def test_credentials_whose_key_is_lost_fail_the_sync_and_name_what_the_operator_has_to_give(
    http: TestClient, served: Served
) -> None:
    made = make(http, kind="notion", name="Notes", config={}, credentials={"token": "ntn_1"})
    with served.workshop.database.write() as session:
        row = session.get(ConnectorRow, made["id"])
        assert row is not None
        row.credentials = Seals.of("another key " * 3).seal("{}", credentials_place(row.id))
        session.add(row)
    run_all(served)
    run = last_run(http, made)
    assert (run["status"], "FOOTNOTE_CREDENTIALS_KEY" in run["reason"]) == ("failed", True)
    assert "an operator has to give" in run["reason"]
    again = http.patch(f"/v1/connectors/{made['id']}", json={"credentials": {"token": "ntn_2"}})
    assert again.status_code == 200, again.text
    assert http.delete(f"/v1/connectors/{made['id']}").status_code == 202
