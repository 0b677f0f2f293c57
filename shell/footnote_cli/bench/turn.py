"""A turn of the extractive engine: from the request to its first event, its first text and its end."""

import time

import httpx

from footnote_cli.api_client import read_events
from footnote_cli.bench.measured import p50_ms

_TURNS = 30


def measure_turn(server: httpx.Client) -> dict[str, float]:
    """Each question is asked in a thread of its own."""
    firsts, texts, ends = [], [], []
    for number in range(_TURNS):
        seen = _ask(server, f"what is known about the flow over a wing {number}")
        firsts.append(min(seen.values()))
        texts.append(seen.get("text.delta", seen["message.completed"]))
        ends.append(seen["message.completed"])
    return {
        "first_event_p50_ms": p50_ms(firsts),
        "first_event_max_ms": 1000 * max(firsts),
        "first_text_p50_ms": p50_ms(texts),
        "completed_p50_ms": p50_ms(ends),
    }


def _ask(server: httpx.Client, question: str) -> dict[str, float]:
    """Seconds to the first event of each type."""
    thread = server.post("/v1/threads", json={}).json()["id"]
    seen: dict[str, float] = {}
    begun = time.perf_counter()
    with server.stream("POST", f"/v1/threads/{thread}/turns", json={"text": question}) as response:
        for event in read_events(response.iter_lines()):
            seen.setdefault(event["type"], time.perf_counter() - begun)
    return seen
