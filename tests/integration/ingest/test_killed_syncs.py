"""Syncs by real workers: one that is killed by kill -9, again and again, ends as one that nobody disturbed.

`python -m tests.benchmarks.killed_sync` does the same with 2,000 pages and ten kills.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from footnote_testing.eventually import eventually
from footnote_testing.workspace import make_database
from tests.integration.ingest.deployment import Deployment
from tests.integration.ingest.stopping_site import StoppingSite, sync_that_is_killed
from tests.unit.ingest.connectors.fake_drive import FakeDrive
from tests.unit.ingest.connectors.local_site import serving

pytestmark = pytest.mark.system

PAGES = {f"/page-{n:03}": f"Page {n}: das Gerät läuft, 機器は動く." for n in range(200)}
KILLS = (30, 95, 160)
"""The requests for pages, counted over the whole test, during which the worker dies."""


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("syncs")
    database = make_database(f"sqlite:///{folder / 'footnote.db'}")
    made = Deployment(folder, database, egress_allow="127.0.0.1/32", connector_requests_per_host=1_000_000)
    made.start_worker("connectors", "connectors")
    made.start_worker("maintenance", "maintenance")
    made.start("beat", "beat")
    yield made
    made.stop()
    database.close()


def test_a_sync_that_is_killed_again_and_again_ends_with_the_same_documents(deployment: Deployment) -> None:
    with serving() as site:
        sync_that_is_killed(deployment, StoppingSite(site, PAGES, KILLS))


def test_a_drive_is_synced_with_its_readers_by_tokens_that_are_replaced_each_time(
    deployment: Deployment,
) -> None:
    with serving() as site:
        drive = FakeDrive(site, rotates=True, good_for=0)
        drive.put("f1", "Plan.txt", b"The plan.")
        readers: list[dict[str, Any]] = [{"id": "1", "type": "group", "emailAddress": "Board@x.example"}]
        drive.put("f2", "Zahlen.txt", b"Die Zahlen.", permissions=readers)
        known = {"client_id": "id", "client_secret": "secret", "refresh_token": drive.refresh_token}
        config = {"api_url": site.url, "token_url": f"{site.url}/token"}
        body = {"kind": "google_drive", "name": "Drive", "credentials": known, "config": config}
        made = deployment.http.post("/v1/connectors", json=body)
        assert made.status_code == 201, made.text
        path = f"/v1/connectors/{made.json()['id']}"
        assert report(deployment, path, 1)["new"] == 2
        drive.put("f1", "Plan.txt", b"Another plan.", modified="2026-03-02T09:00:00.000Z")
        deployment.http.post(f"{path}:sync", json={}).raise_for_status()
        again = report(deployment, path, 2)
        assert (again["new"], again["changed"]) == (0, 1)
        items = deployment.http.get("/v1/documents", params={"folder": "/Drive"}).json()["items"]
        assert {one["title"]: one["groups"] for one in items} == {
            "Plan.txt": None,
            "Zahlen.txt": ["google:group:board@x.example"],
        }
        assert drive.refresh_token != known["refresh_token"]


def report(deployment: Deployment, path: str, count: int) -> dict[str, Any]:
    """The newest of so many runs, when all of them have succeeded."""
    runs: list[dict[str, Any]] = []

    def statuses() -> list[str]:
        runs[:] = deployment.http.get(f"{path}/runs").json()["items"]
        return [run["status"] for run in runs]

    eventually(statuses, "the runs succeed", until=lambda now: now == ["succeeded"] * count)
    return runs[0]
