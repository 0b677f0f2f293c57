"""`footnote bench`: the figures of docs/benchmarks.md on this machine, through the command line and HTTP of a run of its own."""

import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from footnote_cli.bench.baseline import sentence_transformers_rate
from footnote_cli.commands.ask import read_events
from footnote_cli.embedded.own_run import fill, own_run
from footnote_cli.render import console, errors, print_json, table
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.settings.base import datasets_dir

_WORDS = [
    "anchor",
    "basin",
    "canyon",
    "delta",
    "ember",
    "fjord",
    "glacier",
    "harbour",
    "island",
    "jetty",
    "kelp",
    "lagoon",
    "meadow",
    "nectar",
    "orchard",
    "prairie",
    "quarry",
    "river",
    "summit",
    "tundra",
    "upland",
    "valley",
    "willow",
    "yarrow",
    "zephyr",
    "copper",
    "marble",
    "linen",
    "saffron",
    "velvet",
    "amber",
    "cobalt",
]


class Part(StrEnum):
    """What to measure."""

    START = "start"
    INGEST = "ingest"
    SEARCH = "search"
    TURN = "turn"
    REGISTER = "register"


def bench(
    parts: Annotated[
        list[Part] | None, typer.Argument(help="What to measure; everything when left out.")
    ] = None,
    sizes: Annotated[str, typer.Option(help="Corpus sizes for search, in chunks.")] = "5000,50000",
    documents: Annotated[int, typer.Option(min=10, help="Text documents for ingest.")] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Measure this machine: start to ready, ingest, search, first event of a turn, register and render."""
    wanted = parts or list(Part)
    figures: dict[str, Any] = {"date": datetime.now(UTC).date().isoformat(), "cores": os.cpu_count()}
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder:
        if Part.START in wanted:
            figures["start"] = _start(Path(folder) / "start")
        if set(wanted) & {Part.INGEST, Part.TURN, Part.REGISTER}:
            with own_run(Path(folder) / "main") as server:
                if Part.INGEST in wanted:
                    figures["ingest"] = _ingest(server, documents)
                else:
                    _fill(server, _texts(50))
                if Part.TURN in wanted:
                    figures["turn"] = _turn(server)
                if Part.REGISTER in wanted:
                    figures["register"] = _register(server)
        if Part.SEARCH in wanted:
            with own_run(Path(folder) / "search") as server:
                figures["search"] = _search(server, [int(size) for size in sizes.split(",")])
    if as_json:
        print_json(figures)
    else:
        _print(figures)


def _start(data: Path) -> dict[str, float]:
    """Seconds from `footnote up` to ready: with an empty folder, then twice with data."""
    seconds: list[float] = []
    for _ in range(3):
        with own_run(data, on_ready=seconds.append):
            errors.print(f"start: {seconds[-1]:.1f} s")
    return {"first_s": seconds[0], "warm_s": min(seconds[1:])}


def _texts(count: int) -> list[str]:
    """Abstracts of cranfield, or texts of like length where the corpora are absent."""
    corpus = datasets_dir() / "cranfield" / "corpus.jsonl"
    if corpus.is_file():
        rows = [json.loads(line) for line in corpus.read_text().splitlines()]
        texts = [f"{row['title']}\n\n{row['text']}" for row in rows if len(row["text"]) > 100]
        return [texts[i % len(texts)] + ("" if i < len(texts) else f"\n\nCopy {i}.") for i in range(count)]
    chance = random.Random(7)  # noqa: S311
    return [" ".join(chance.choices(_WORDS, k=160)) + "." for _ in range(count)]


def _fill(server: httpx.Client, texts: Sequence[str], mime: str = "text/plain") -> list[float]:
    """Upload the texts and wait until all are indexed; returns the seconds of each upload."""
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


def _ingest(server: httpx.Client, count: int) -> dict[str, float]:
    """Upload to `indexed`, and beside it the same chunks through sentence-transformers alone, which embeds and does no more."""
    texts = _texts(count)
    _fill(server, [*texts[:5], "warm"])
    before = _chunks(server)
    begun = time.perf_counter()
    uploads = _fill(server, texts)
    seconds = time.perf_counter() - begun
    chunks = _chunks(server) - before
    errors.print(f"ingest: {count} documents, {chunks} chunks in {seconds:.1f} s")
    baseline = sentence_transformers_rate(_chunk_texts(server))
    return {
        "documents": count,
        "chunks": chunks,
        "documents_per_s": count / seconds,
        "chunks_per_s": chunks / seconds,
        "upload_p50_ms": 1000 * statistics.median(uploads),
        "upload_p99_ms": 1000 * _quantile(uploads, 0.99),
        "sentence_transformers_chunks_per_s": baseline,
        "whole_ingest_to_sentence_transformers_ratio": chunks / seconds / baseline,
    }


def _chunk_texts(server: httpx.Client) -> list[str]:
    """The chunks of the 100 newest documents."""
    documents = server.get("/v1/documents", params={"limit": 100}).json()["items"]
    pages = [server.get(f"/v1/documents/{document['id']}/chunks").json()["items"] for document in documents]
    return [chunk["text"] for page in pages for chunk in page]


def _chunks(server: httpx.Client) -> int:
    return int(server.get("/v1/documents:stats").json()["chunks"])


def _search(server: httpx.Client, sizes: Sequence[int]) -> dict[str, Any]:
    """Search at growing sizes; a document is 200 sections, each of them a chunk."""
    chance = random.Random(11)  # noqa: S311
    figures: dict[str, Any] = {}
    for size in sorted(sizes):
        missing = (size - _chunks(server)) // 200
        texts = [
            "\n\n".join(
                f"# Part {d} {i}\n\n{' '.join(chance.choices(_WORDS, k=12))} {chance.randrange(10**6)}."
                for i in range(200)
            )
            for d in range(missing)
        ]
        begun = time.perf_counter()
        _fill(server, [f"{size}\n\n{text}" for text in texts], "text/markdown")
        errors.print(f"search: {_chunks(server)} chunks after {time.perf_counter() - begun:.0f} s")
        queries = [" ".join(chance.choices(_WORDS, k=5)) for _ in range(200)]
        for query in queries[:20]:
            server.post("/v1/search", json={"query": query}).raise_for_status()
        times: list[float] = []
        stages: dict[str, list[float]] = {}
        for query in queries:
            query_begun = time.perf_counter()
            answer = server.post("/v1/search", json={"query": query + " now"})
            times.append(time.perf_counter() - query_begun)
            answer.raise_for_status()
            for stage, ms in answer.json()["timings_ms"].items():
                stages.setdefault(stage, []).append(ms)
        figures[str(_chunks(server))] = {
            "p50_ms": 1000 * statistics.median(times),
            "p99_ms": 1000 * _quantile(times, 0.99),
            "stages_p50_ms": {stage: statistics.median(values) for stage, values in stages.items()},
        }
    return figures


def _turn(server: httpx.Client) -> dict[str, float]:
    """Request to the first event, to the first text, and to the end of a turn of the extractive engine."""
    firsts, texts, ends = [], [], []
    for number in range(30):
        thread = server.post("/v1/threads", json={}).json()["id"]
        begun = time.perf_counter()
        seen: dict[str, float] = {}
        question = {"text": f"what is known about the flow over a wing {number}"}
        with server.stream("POST", f"/v1/threads/{thread}/turns", json=question) as response:
            for event in read_events(response.iter_lines()):
                seen.setdefault("first", time.perf_counter() - begun)
                seen.setdefault(event["type"], time.perf_counter() - begun)
        firsts.append(seen["first"])
        texts.append(seen.get("text.delta", seen["message.completed"]))
        ends.append(seen["message.completed"])
    return {
        "first_event_p50_ms": 1000 * statistics.median(firsts),
        "first_event_max_ms": 1000 * max(firsts),
        "first_text_p50_ms": 1000 * statistics.median(texts),
        "completed_p50_ms": 1000 * statistics.median(ends),
    }


def _register(server: httpx.Client) -> dict[str, float]:
    """Twenty passages registered and rendered in one call: new ones, and ones that have their numbers."""
    conversation = server.post("/v1/conversations", json={}).json()["id"]
    new: list[float] = []
    known: list[float] = []
    floor: list[float] = []
    for number in range(200):
        items = [
            {
                "source_type": "web_result",
                "locator": {"url": f"https://example.org/{number}/{i}"},
                "display": {"title": f"Page {number}", "source": "example.org"},
                "text": " ".join(_WORDS) + f" {number} {i}.",
            }
            for i in range(20)
        ]
        for times in (new, known):
            begun = time.perf_counter()
            server.post(
                f"/v1/conversations/{conversation}/citations", json={"items": items}
            ).raise_for_status()
            times.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        server.get("/healthz").raise_for_status()
        floor.append(time.perf_counter() - begun)
    return {
        "new_p50_ms": 1000 * statistics.median(new),
        "new_p99_ms": 1000 * _quantile(new, 0.99),
        "known_p50_ms": 1000 * statistics.median(known),
        "healthz_p50_ms": 1000 * statistics.median(floor),
        "new_to_healthz_ratio": statistics.median(new) / statistics.median(floor),
    }


def _quantile(values: Sequence[float], share: float) -> float:
    if not values:
        raise InvalidRequest("Nothing was measured.")
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _print(figures: dict[str, Any]) -> None:
    rows = table(f"footnote bench, {figures['date']}, {figures['cores']} cores", "figure", "value")

    def add(name: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                add(f"{name}.{key}" if name else key, inner)
        elif isinstance(value, float):
            rows.add_row(name, f"{value:.2f}")
        else:
            rows.add_row(name, str(value))

    add("", {name: value for name, value in figures.items() if name not in ("date", "cores")})
    console.print(rows)
