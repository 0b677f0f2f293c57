"""Search at growing sizes of the corpus: the time of a request, and of each step of the funnel."""

import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx

from footnote_cli.bench.measured import chunk_count, p50_ms, p99_ms, upload
from footnote_cli.bench.texts import SECTIONS, WORDS, sectioned

_SEED = 11
_QUERIES = 200
_WARM_QUERIES = 20
_QUERY_WORDS = 5


def measure_search(server: httpx.Client, sizes: Sequence[int], say: Callable[[str], None]) -> dict[str, Any]:
    """Times by size in chunks. No query is asked twice, so that none is answered from a cache."""
    chance = random.Random(_SEED)  # noqa: S311
    figures: dict[str, Any] = {}
    for size in sorted(sizes):
        begun = time.perf_counter()
        _grow(server, size, chance)
        chunks = chunk_count(server)
        say(f"search: {chunks} chunks after {time.perf_counter() - begun:.0f} s")
        queries = [" ".join(chance.choices(WORDS, k=_QUERY_WORDS)) for _ in range(_QUERIES)]
        for query in queries[:_WARM_QUERIES]:
            server.post("/v1/search", json={"query": query}).raise_for_status()
        figures[str(chunks)] = _search(server, [f"{query} now" for query in queries])
    return figures


def _grow(server: httpx.Client, size: int, chance: random.Random) -> None:
    """Add documents until the corpus has about `size` chunks."""
    missing = (size - chunk_count(server)) // SECTIONS
    texts = [f"{size}\n\n{sectioned(number, chance)}" for number in range(missing)]
    upload(server, texts, "text/markdown")


def _search(server: httpx.Client, queries: Sequence[str]) -> dict[str, Any]:
    times: list[float] = []
    steps: dict[str, list[float]] = {}
    for query in queries:
        begun = time.perf_counter()
        answer = server.post("/v1/search", json={"query": query})
        times.append(time.perf_counter() - begun)
        answer.raise_for_status()
        for step, ms in answer.json()["timings_ms"].items():
            steps.setdefault(step, []).append(ms)
    return {
        "p50_ms": p50_ms(times),
        "p99_ms": p99_ms(times),
        "stages_p50_ms": {step: statistics.median(values) for step, values in steps.items()},
    }
