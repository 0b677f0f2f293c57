"""How long until what was said, handed in or edited can be searched? (spec 3.6, 3.7)

    .venv/bin/python -m tests.benchmarks.ingest_delays hook [--times 50]
    .venv/bin/python -m tests.benchmarks.ingest_delays edit [--pages 300] [--times 5]
    .venv/bin/python -m tests.benchmarks.ingest_delays neighbour [--queued 10000]
    .venv/bin/python -m tests.benchmarks.ingest_delays behind [--pages 300]

Starts the processes of ingest on SQLite, with the real embedder. `hook`: from a signed web hook to a document
that searches find. `edit`: the same from an upload of a long document of which one paragraph is another.
`neighbour`: an upload of one workspace while so many documents of another one wait, beside one without.
`behind`: a document of one line, handed in while a long one of the same workspace is embedded.
Means something on an idle machine alone.
"""

import argparse
import base64
import hashlib
import hmac
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi.testclient import TestClient

from footnote_testing.eventually import eventually
from footnote_testing.workspace import make_caller, make_database
from tests.integration.ingest.deployment import ENDED, Deployment

_LOOK_S = 0.01
_SENTENCE = "The pump of line {n} was looked at on day {n}, and its pressure was {n} bar. "
_PARAGRAPHS_A_PAGE, _SENTENCES = 4, 7
_AT_ONCE = 100
"""Documents of one request that fills the queue."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("hook", "edit", "neighbour", "behind"))
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--queued", type=int, default=10_000)
    asked = parser.parse_args()
    with running() as deployment:
        if asked.what == "hook":
            report("hook to searchable", hooks(deployment, asked.times))
        elif asked.what == "edit":
            report(f"edit in {asked.pages} pages", edits(deployment, asked.pages, min(asked.times, 5)))
        elif asked.what == "behind":
            report(f"a line behind {asked.pages} pages", behind(deployment, asked.pages))
        else:
            neighbour(deployment, asked.queued)


@contextmanager
def running() -> Iterator[Deployment]:
    with tempfile.TemporaryDirectory() as folder:
        database = make_database(f"sqlite:///{folder}/footnote.db")
        deployment = Deployment(
            Path(folder),
            database,
            max_upload_bytes=50_000_000,
            requests_per_workspace=1_000_000,
            requests_per_key=1_000_000,
        )
        try:
            deployment.start_all()
            deployment.start_worker("connectors", "connectors")
            warm(deployment)
            yield deployment
        finally:
            deployment.stop()
            database.close()


def warm(deployment: Deployment) -> None:
    """The first document loads the model."""
    first = deployment.upload("first.txt", b"The first document of all.")
    deployment.wait_until([first["id"]], ENDED)


def hooks(deployment: Deployment, times: int) -> list[float]:
    made = deployment.http.post("/v1/connectors", json={"kind": "push", "name": "Tickets"}).json()
    key = base64.b64decode(made["webhook_secret"].removeprefix("whsec_"))
    found = []
    for n in range(times):
        item = {"id": f"T-{n}", "title": f"Ticket {n}", "text": _SENTENCE.format(n=n)}
        body = json.dumps({"type": "item.upserted", "data": item}).encode()
        stamp = str(int(time.time()))
        digest = hmac.new(key, f"m-{n}.{stamp}.".encode() + body, hashlib.sha256).digest()
        headers = {
            "webhook-id": f"m-{n}",
            "webhook-timestamp": stamp,
            "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
            "content-type": "application/json",
        }
        began = time.monotonic()
        answer = deployment.http.post(f"/v1/webhooks/{made['id']}", content=body, headers=headers)
        assert answer.status_code == 202, answer.text
        while indexed(deployment.http, f"Ticket {n}") == 0:
            time.sleep(_LOOK_S)
        found.append(time.monotonic() - began)
    return found


def indexed(http: TestClient, title: str) -> int:
    """How many documents of this title searches find."""
    answer = http.get("/v1/documents", params={"q": title, "status": "indexed"})
    return sum(one["title"] == title for one in answer.json()["items"])


def edits(deployment: Deployment, pages: int, times: int) -> list[float]:
    paragraphs = long_text(pages)
    document = hand_in(deployment, paragraphs)
    deployment.wait_until([document], ENDED)
    found = []
    for n in range(times):
        paragraphs[len(paragraphs) // 2 + n] = f"Edition {n} of this paragraph speaks of walnuts alone."
        began = time.monotonic()
        assert hand_in(deployment, paragraphs) == document
        while deployment.http.get(f"/v1/documents/{document}").json()["status"] != "indexed":
            time.sleep(_LOOK_S)
        found.append(time.monotonic() - began)
    return found


def long_text(pages: int) -> list[str]:
    """The paragraphs of a document of so many pages, none like another."""
    return [
        "".join(_SENTENCE.format(n=n * _SENTENCES + m) for m in range(_SENTENCES))
        for n in range(pages * _PARAGRAPHS_A_PAGE)
    ]


def behind(deployment: Deployment, pages: int) -> list[float]:
    """One line after the other, for as long as the long document is at the embedder."""
    document = hand_in(deployment, long_text(pages))
    deployment.wait_until([document], {"embedding"})
    found: list[float] = []
    while deployment.documents([document])[0]["status"] == "embedding":
        found.append(upload_alone(deployment.http, len(found)))
    return found


def hand_in(deployment: Deployment, paragraphs: list[str]) -> str:
    text = "\n\n".join(paragraphs).encode()
    return str(deployment.upload("manual.txt", text, external_id="manual")["id"])


def neighbour(deployment: Deployment, queued: int) -> None:
    key = make_caller(deployment.database, "neighbour")[1]
    http = TestClient(deployment.http.app, headers={"Authorization": f"Bearer {key}"})
    http.portal = deployment.http.portal
    alone = [upload_alone(http, n) for n in range(5)]
    report("an upload with nothing before it", alone)
    for start in range(0, queued, _AT_ONCE):
        numbers = range(start, min(start + _AT_ONCE, queued))
        files = [("file", (f"queued-{n}.txt", _SENTENCE.format(n=n).encode())) for n in numbers]
        answer = deployment.http.post("/v1/documents:batch", files=files)
        assert answer.status_code in (200, 202, 207), answer.text
    before = waiting(deployment.http)
    beside = [upload_alone(http, 100 + n) for n in range(5)]
    report("an upload beside them", beside)
    print(
        f"delayed by {statistics.median(beside) - statistics.median(alone):.2f} s in the middle, "
        f"{max(beside) - statistics.median(alone):.2f} s at most (goal: 5 s); of {queued} documents of the "
        f"other workspace {before} waited before these uploads and {waiting(deployment.http)} after"
    )


def waiting(http: TestClient) -> int:
    """How many documents of the workspace are not at their end."""
    counts = http.get("/v1/documents:stats").json()["counts"]
    return sum(count for status, count in counts.items() if status not in ENDED)


def upload_alone(http: TestClient, n: int) -> float:
    began = time.monotonic()
    text = f"The neighbour's document {n} speaks of walnuts.".encode()
    answer = http.post("/v1/documents", files={"file": (f"mine-{n}.txt", text)})
    assert answer.status_code == 202, answer.text
    path = f"/v1/documents/{answer.json()['id']}"
    eventually(lambda: http.get(path).json()["status"], "it is indexed", until=lambda now: now in ENDED)
    return time.monotonic() - began


def report(what: str, seconds: list[float]) -> None:
    """One line: the middle, the 95th of a hundred, and the longest."""
    in_order = sorted(seconds)
    p95 = in_order[min(len(in_order) - 1, round(0.95 * len(in_order)))]
    middle, most = statistics.median(in_order), in_order[-1]
    print(f"{what}: p50 {middle:.2f} s, p95 {p95:.2f} s, longest {most:.2f} s, {len(in_order)} times")


if __name__ == "__main__":
    main()
