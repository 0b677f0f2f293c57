"""A sync whose worker is killed by kill -9, again and again, ends as one that nobody disturbed."""

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import col, select

from footnote_ingest.store.tables import DocumentRow
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.workspace import make_database
from tests.integration.ingest.deployment import Deployment
from tests.unit.ingest.connectors.local_site import LocalSite, Reply, SiteRequest, serving

pytestmark = pytest.mark.system

PAGES = {f"/page-{n:03}": f"Page {n}: das Gerät läuft, 機器は動く." for n in range(200)}
KILLS = (30, 95, 160)
"""The requests for pages, counted over the whole test, during which the worker dies."""

AT_RISK = 25 + 1
"""Pages that a worker has gathered and not entered yet, and the one that it asks for."""


class StoppingSite:
    """Serves the pages, and holds back its answer to some requests until the test has done its work."""

    def __init__(self, site: LocalSite) -> None:
        self.served = 0
        self.reached = {n: threading.Event() for n in KILLS}
        self.goes_on = {n: threading.Event() for n in KILLS}
        self._lock = threading.Lock()
        places = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in PAGES)
        namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
        text = f'<urlset xmlns="{namespace}">{places}</urlset>'
        site.replies["/sitemap.xml"] = Reply(text, kind="application/xml")
        site.answer = self.answer

    def answer(self, request: SiteRequest) -> Reply:
        if request.path not in PAGES:
            return Reply("", 404)
        with self._lock:
            self.served += 1
            number = self.served
        if number in self.reached:
            self.reached[number].set()
            self.goes_on[number].wait(LIMIT_S)
        return Reply(PAGES[request.path], kind="text/plain; charset=utf-8")


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Deployment]:
    database = make_database(f"sqlite:///{tmp_path / 'footnote.db'}")
    made = Deployment(tmp_path, database, egress_allow="127.0.0.1/32", connector_requests_per_host=1_000_000)
    made.start_worker("connectors", "connectors")
    made.start_worker("maintenance", "maintenance")
    made.start("beat", "beat")
    yield made
    made.stop()
    database.close()


def test_a_sync_that_is_killed_again_and_again_ends_with_the_same_documents(deployment: Deployment) -> None:
    with serving() as site:
        pages = StoppingSite(site)
        body = {"kind": "web", "name": "Site", "config": {"url": f"{site.url}/"}}
        made = deployment.http.post("/v1/connectors", json=body)
        assert made.status_code == 201, made.text
        path = f"/v1/connectors/{made.json()['id']}/runs"
        for number in KILLS:
            assert pages.reached[number].wait(LIMIT_S), deployment.workers["connectors"].tail(20)
            deployment.kill("connectors")
            pages.goes_on[number].set()
            deployment.start_worker("connectors", "connectors")

        def status() -> str:
            (run,) = deployment.http.get(path).json()["items"]
            return str(run["status"])

        eventually(status, "the sync ends", until=lambda now: now not in ("queued", "running"))
        (run,) = deployment.http.get(path).json()["items"]
        assert (run["status"], run["seen"], run["new"]) == ("succeeded", len(PAGES), len(PAGES))
        assert run["failed"] == run["skipped"] == run["deleted"] == 0
        with deployment.database.read() as session:
            rows = list(session.exec(select(DocumentRow).where(col(DocumentRow.deleted_at).is_(None))))
        assert {row.external_id: row.sha256 for row in rows} == {
            f"{site.url}{name}": hashlib.sha256(text.encode()).hexdigest() for name, text in PAGES.items()
        }
        assert len(rows) == len(PAGES)
        assert {row.version for row in rows} == {1}
        # What had been entered was not asked for again.
        assert pages.served <= len(PAGES) + len(KILLS) * AT_RISK
