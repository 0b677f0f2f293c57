"""Register and render: what it costs to give twenty passages their numbers."""

import statistics
import time

import httpx

from footnote_cli.bench.measured import p50_ms, p99_ms
from footnote_cli.bench.texts import WORDS

_ROUNDS = 200
_PASSAGES = 20


def measure_numbering(server: httpx.Client) -> dict[str, float]:
    """Passages that are new, the same once more, and beside both a request that does nothing."""
    conversation = server.post("/v1/conversations", json={}).json()["id"]
    new: list[float] = []
    known: list[float] = []
    floor: list[float] = []
    for number in range(_ROUNDS):
        items = [_passage(number, place) for place in range(_PASSAGES)]
        for times in (new, known):
            begun = time.perf_counter()
            answer = server.post(f"/v1/conversations/{conversation}/citations", json={"items": items})
            times.append(time.perf_counter() - begun)
            answer.raise_for_status()
        begun = time.perf_counter()
        server.get("/healthz").raise_for_status()
        floor.append(time.perf_counter() - begun)
    return {
        "new_p50_ms": p50_ms(new),
        "new_p99_ms": p99_ms(new),
        "known_p50_ms": p50_ms(known),
        "healthz_p50_ms": p50_ms(floor),
        "new_to_healthz_ratio": statistics.median(new) / statistics.median(floor),
    }


def _passage(number: int, place: int) -> dict[str, object]:
    return {
        "source_type": "web_result",
        "locator": {"url": f"https://example.org/{number}/{place}"},
        "display": {"title": f"Page {number}", "source": "example.org"},
        "text": " ".join(WORDS) + f" {number} {place}.",
    }
