"""How long do searches take while all chunks are embedded anew, and does any of them fail? (spec 3.8)

    .venv/bin/python -m tests.benchmarks.reembedding_searches --key KEY [--url http://127.0.0.1:8000]
    [--chunks 20000] [--rest 60] [--times 1] [--copied]

Needs a `footnote up` in a folder of its own, with FOOTNOTE_EMBEDDING_MODELS=all-MiniLM-L6-v2, and its key.
Fills the workspace with documents until it has so many chunks, searches for `--rest` seconds, has the lane of
documents embedded anew, and searches until the next version is live. The next version has a prefix of its
own, so that no vector can be copied; with `--copied` it has that of the live one. A chunk says its sentence
`--times` times: long chunks take longer to embed. Each search asks for a sentence of one document: an answer
without that document counts as empty. Means something on an idle machine alone.
"""

import argparse
import math
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

_TOPICS = ("pump", "valve", "ferry", "harbour", "ledger", "turbine", "orchard", "glacier", "violin")
_SECTIONS = 20
_IN_WORK = ("queued", "extracting", "chunking", "embedding", "indexing")
_chance = random.Random(11)


@dataclass
class Searched:
    """Milliseconds of searches that found their document, and how many failed or did not."""

    took: list[float] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    empty: int = 0

    def p(self, share: float) -> float:
        """Milliseconds within which this share of the searches had their answer."""
        in_order = sorted(self.took) or [math.nan]
        return in_order[min(len(in_order) - 1, int(share * len(in_order)))]

    def say(self, when: str) -> None:
        """One line."""
        print(
            f"{when}: p50 {self.p(0.5):.0f} ms, p99 {self.p(0.99):.0f} ms, {len(self.took)} searches, "
            f"{self.failed.total()} failed {dict(self.failed) or ''}, {self.empty} empty"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--key", required=True)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--rest", type=float, default=60.0)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--copied", action="store_true")
    asked = parser.parse_args()
    key = {"Authorization": f"Bearer {asked.key}"}
    with httpx.Client(base_url=asked.url, headers=key, timeout=60, trust_env=False) as api:
        documents = filled(api, asked.chunks, asked.times)
        ends_at = time.monotonic() + asked.rest
        rest = searches(api, documents, lambda: time.monotonic() < ends_at)
        rest.say("at rest")
        wanted = {} if asked.copied else {"document_prefix": "passage: "}
        api.post("/v1/lanes/document:reembed", json=wanted).raise_for_status()
        began = time.monotonic()
        beside = searches(api, documents, lambda: is_at_work(api))
        beside.say("while it is embedded anew")
        newest = lane(api)["versions"][0]
        times = beside.p(0.99) / rest.p(0.99)
        print(
            f"{newest['chunks']} chunks, {newest['embedded']} embedded, version {newest['number']} is "
            f"{newest['status']} after {time.monotonic() - began:.0f} s: p99 {times:.2f} times that at rest "
            f"(goal: 2), {beside.failed.total()} failed, {beside.empty} empty (goal: 0)"
        )


def filled(api: httpx.Client, chunks: int, times: int) -> int:
    """Hand in documents of so many chunks in all, and wait until they are indexed. Returns their number."""
    hand_in(api, range(1), times)
    of_one: int = api.get("/v1/documents:stats").raise_for_status().json()["chunks"]
    count = -(-chunks // of_one)
    hand_in(api, range(1, count), times)
    return count


def hand_in(api: httpx.Client, numbers: range, times: int) -> None:
    """Hand in the documents of these numbers, and wait until all are indexed."""
    for n in numbers:
        text = "\n\n".join(f"# Section {m}\n\n{sentence(n, m) * times}" for m in range(_SECTIONS))
        body = {"title": f"Report {n}", "text": text, "external_id": f"report-{n}", "folder": "/reports"}
        while (answer := api.post("/v1/documents", json=body)).status_code == 429:
            time.sleep(float(answer.headers.get("retry-after", "1")))
        answer.raise_for_status()
    while any(api.get("/v1/documents:stats").json()["counts"].get(name, 0) for name in _IN_WORK):
        time.sleep(1.0)


def sentence(document: int, section: int) -> str:
    """What one section says: no other document says it of this number."""
    topic = _TOPICS[(document + section) % len(_TOPICS)]
    return f"The {topic} number {document}-{section} was looked at on day {document} by team {section}. "


def searches(api: httpx.Client, documents: int, goes_on: Callable[[], bool]) -> Searched:
    """Search for one document after the other."""
    found = Searched()
    while goes_on():
        wanted = _chance.randrange(documents)
        query = sentence(wanted, _chance.randrange(_SECTIONS)).partition(".")[0]
        began = time.monotonic()
        answer = api.post("/v1/search", json={"query": query})
        took = (time.monotonic() - began) * 1000
        if answer.status_code == 429:
            time.sleep(float(answer.headers.get("retry-after", "1")))
        elif answer.status_code != 200:
            found.failed[str(answer.json().get("code", answer.status_code))] += 1
        elif not any(one["title"] == f"Report {wanted}" for one in answer.json()["passages"]):
            found.empty += 1
        else:
            found.took.append(took)
    return found


def lane(api: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = api.get("/v1/lanes/document").raise_for_status().json()
    return found


def is_at_work(api: httpx.Client) -> bool:
    """Whether the next version is on its way: not live yet, nor given up, nor waiting for a person."""
    found = lane(api)
    newest = found["versions"][0]
    waits = newest["status"] == "ready" and not newest["takes_over"]
    return newest["status"] != "live" and not waits and newest["status"] not in ("failed", "cancelled")


if __name__ == "__main__":
    main()
