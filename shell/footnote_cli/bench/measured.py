"""A run to measure, times as figures, and a corpus as the documents that the run is filled with."""

import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from footnote_cli.embedded.trial_run import fill, trial_run
from footnote_shared.settings.base import Settings, load_settings


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A client of the run, its settings, and the id of the process that all others of it are below."""

    server: httpx.Client
    settings: Settings
    top: int


@contextmanager
def measured_run(data: Path) -> Iterator[MeasuredRun]:
    """`footnote up` with its data in `data`, as `trial_run` starts it."""
    started: list[int] = []
    with trial_run(data, on_start=started.append) as server:
        yield MeasuredRun(server, load_settings().model_copy(update={"data": data}), started[0])


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
