"""A lane is embedded anew by real workers, one of which is killed, while people search, upload and delete."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_ingest.app import create_app as create_ingest
from footnote_retriever.app import create_app as create_retriever
from footnote_shared.db.engine import Database
from footnote_shared.embedding.load import warm
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.served_app import ServedApp
from tests.integration.ingest.deployment import ENDED, Deployment
from tests.integration.ingest.test_processes import essay

pytestmark = pytest.mark.system

TOPICS = [f"topic{n}" for n in range(12)]
PAUSE_S = 0.2
"""Between two searches. Without it they take a core from the workers that the test waits for."""


class Searching:
    """Searches through a real retriever again and again, and keeps what went wrong."""

    def __init__(self, url: str, key: str) -> None:
        self.http = httpx.Client(
            base_url=url,
            headers={"Authorization": key},
            trust_env=False,
            timeout=LIMIT_S,
            verify=NO_CERTIFICATES,
        )
        self.answered = 0
        self.wrong: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._go, daemon=True)

    def __enter__(self) -> "Searching":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(LIMIT_S)

    def _go(self) -> None:
        while not self._stop.is_set():
            answer = self.http.post("/v1/search", json={"query": f"Which kind is {TOPICS[0]}?"})
            titles = self.titles(answer)
            if answer.status_code != 200 or not any("kept" in title for title in titles):
                self.wrong.append(f"{answer.status_code} {titles or answer.text}")
            self.answered += 1
            self._stop.wait(PAUSE_S)

    def titles(self, answer: httpx.Response) -> list[str]:
        return [passage["title"] for passage in answer.json().get("passages", [])]

    def finds(self, query: str) -> list[str]:
        return self.titles(self.http.post("/v1/search", json={"query": query}))


@pytest.fixture
def deployment(database: Database, tmp_path: Path) -> Iterator[Deployment]:
    made = Deployment(tmp_path, database, embedding_models=["all-MiniLM-L6-v2"])
    warm(made.settings, print)
    made.start_all()
    yield made
    made.stop()


@pytest.fixture
def searching(deployment: Deployment) -> Iterator[Searching]:
    ingest = ServedApp(create_ingest(deployment.settings)).start()
    # A machine that is slow is nothing that went wrong: no search is given up for its time.
    patient = {"search_timeout_s": LIMIT_S, "vector_timeout_s": LIMIT_S}
    settings = deployment.settings.model_copy(update={"ingest_url": ingest.url, **patient})
    retriever = ServedApp(create_retriever(settings)).start()
    yield Searching(retriever.url, deployment.http.headers["Authorization"])
    retriever.stop()
    ingest.stop()


def version(deployment: Deployment, number: int) -> dict[str, Any]:
    lane = deployment.http.get("/v1/lanes/document").json()
    return next(one for one in lane["versions"] if one["number"] == number)


def points_of(deployment: Deployment, number: int) -> set[str]:
    return {ref.id for page in deployment.lane.at(number).pages() for ref in page}


def test_nobody_who_searches_notices_and_nothing_is_missed(
    deployment: Deployment, searching: Searching
) -> None:
    kept = deployment.upload("kept.txt", essay(TOPICS[0], 30))["id"]
    ids = [deployment.upload(f"{topic}.txt", essay(topic, 20))["id"] for topic in TOPICS[1:]]
    deployment.wait_until([kept, *ids], ENDED)
    eventually(lambda: searching.finds(TOPICS[0]), "the retriever has its model")

    with searching:
        begun = deployment.http.post(
            "/v1/lanes/document:reembed", json={"model": "all-MiniLM-L6-v2", "query_prefix": "asked: "}
        )
        assert begun.status_code == 202, begun.text
        again = deployment.http.post("/v1/lanes/document:reembed", json={})
        assert again.status_code == 409
        eventually(lambda: version(deployment, 2)["documents"] > 0, "the copy has begun")
        deployment.kill("embed")
        new = deployment.upload("new.txt", essay("newcomer", 10))["id"]
        assert deployment.upload(f"{TOPICS[1]}.txt", essay("replacement", 12))["id"] == ids[0]
        assert deployment.http.delete(f"/v1/documents/{ids[1]}").status_code == 202
        assert version(deployment, 1)["status"] == "live"
        deployment.start_worker("embed", "embed")
        eventually(lambda: version(deployment, 2)["status"] == "live", "the next version is live")
        deployment.wait_until([new, ids[0]], {"indexed"})
        answered = searching.answered
        eventually(lambda: searching.answered > answered + 5, "searches went on")
    assert searching.wrong == []
    assert searching.finds("newcomer number")[0] == "new.txt"

    documents = deployment.documents([kept, new, ids[0], *ids[2:]])
    assert {document["status"] for document in documents} == {"indexed"}
    assert len(points_of(deployment, 2)) == sum(document["chunks"] for document in documents)
    eventually(
        lambda: points_of(deployment, 1) == points_of(deployment, 2),
        "the former version has learnt of everything",
    )

    back = deployment.http.post("/v1/lanes/document:rollback", json={})
    assert back.status_code == 202, back.text
    eventually(lambda: version(deployment, 1)["status"] == "live", "the former version is live")
    assert searching.finds("newcomer number")[0] == "new.txt"
