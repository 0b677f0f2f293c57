"""Times as figures, and a corpus as the documents that a run is filled with."""

import statistics
from collections.abc import Sequence

import httpx

from footnote_cli.embedded.trial_run import fill


def p50_ms(seconds: Sequence[float]) -> float:
    """The median in milliseconds."""
    return 1000 * statistics.median(seconds)


def p99_ms(seconds: Sequence[float]) -> float:
    """The 99th percentile in milliseconds: the smallest time that 99 of 100 do not exceed."""
    return 1000 * sorted(seconds)[min(len(seconds) - 1, int(0.99 * len(seconds)))]


def upload(server: httpx.Client, texts: Sequence[str], mime: str = "text/plain") -> list[float]:
    """Upload the texts and wait until all are indexed; the seconds of each upload."""
    return fill(
        server,
        [
            {
                "title": f"Text {number}",
                "text": text,
                "external_id": f"bench-{len(texts)}-{number}",
                "mime": mime,
            }
            for number, text in enumerate(texts)
        ],
    )


def chunk_count(server: httpx.Client) -> int:
    """How many chunks the run holds."""
    return int(server.get("/v1/documents:stats").json()["chunks"])
