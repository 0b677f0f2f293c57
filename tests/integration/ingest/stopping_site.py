"""A site whose sync is killed again and again, at requests that the test chooses."""

import hashlib
import threading
from collections.abc import Collection, Mapping

from sqlmodel import col, select

from footnote_ingest.store.tables import DocumentRow
from footnote_testing.eventually import LIMIT_S, eventually
from tests.integration.ingest.deployment import Deployment
from tests.unit.ingest.connectors.local_site import LocalSite, Reply, SiteRequest

AT_RISK = 25 + 1
"""Pages that a worker has gathered and not entered yet, and the one that it asks for."""


class StoppingSite:
    """Serves the pages, and holds back its answer to some requests until the test has done its work."""

    def __init__(self, site: LocalSite, pages: Mapping[str, str], kills: Collection[int]) -> None:
        self.url = site.url
        self.pages = pages
        self.served = 0
        self.reached = {n: threading.Event() for n in kills}
        self.goes_on = {n: threading.Event() for n in kills}
        self._lock = threading.Lock()
        places = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in pages)
        namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
        text = f'<urlset xmlns="{namespace}">{places}</urlset>'
        site.replies["/sitemap.xml"] = Reply(text, kind="application/xml")
        site.answer = self.answer

    def answer(self, request: SiteRequest) -> Reply:
        if request.path not in self.pages:
            return Reply("", 404)
        with self._lock:
            self.served += 1
            number = self.served
        if number in self.reached:
            self.reached[number].set()
            self.goes_on[number].wait(LIMIT_S)
        return Reply(self.pages[request.path], kind="text/plain; charset=utf-8")


def sync_that_is_killed(deployment: Deployment, pages: StoppingSite) -> None:
    """Sync the site, with kill -9 of the worker at each of its requests, and look at what has become of it.

    The documents are those of a sync that nobody disturbed: each page once, in its first version, and what
    had been entered is not asked for again.
    """
    config = {"url": f"{pages.url}/", "max_pages": len(pages.pages) + 1}
    made = deployment.http.post("/v1/connectors", json={"kind": "web", "name": "Site", "config": config})
    assert made.status_code == 201, made.text
    connector_id = made.json()["id"]
    path = f"/v1/connectors/{connector_id}/runs"
    for number in sorted(pages.reached):
        assert pages.reached[number].wait(LIMIT_S), deployment.workers["connectors"].tail(20)
        deployment.kill("connectors")
        pages.goes_on[number].set()
        deployment.start_worker("connectors", "connectors")

    def status() -> str:
        (run,) = deployment.http.get(path).json()["items"]
        return str(run["status"])

    eventually(status, "the sync ends", until=lambda now: now not in ("queued", "running"))
    (run,) = deployment.http.get(path).json()["items"]
    count = len(pages.pages)
    assert (run["status"], run["seen"], run["new"]) == ("succeeded", count, count)
    assert run["failed"] == run["skipped"] == run["deleted"] == 0
    with deployment.database.read() as session:
        alive = col(DocumentRow.connector_id) == connector_id, col(DocumentRow.deleted_at).is_(None)
        rows = list(session.exec(select(DocumentRow).where(*alive)))
    assert {row.external_id: row.sha256 for row in rows} == {
        f"{pages.url}{name}": hashlib.sha256(text.encode()).hexdigest() for name, text in pages.pages.items()
    }
    assert len(rows) == count
    assert {row.version for row in rows} == {1}
    assert pages.served <= count + len(pages.reached) * AT_RISK
