"""Footnote beside other systems: the same documents, questions, model and cores, one after the other.

What the others do not do is not counted: they keep what they index in the memory of one process. Footnote has
stored, parsed and indexed it durably, for tenants that do not see each other, before it counts as searchable.
"""

import json
import math
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

from footnote_cli.bench.measured import chunk_count, p50_ms, p99_ms
from footnote_cli.bench.peers import systems
from footnote_cli.bench.peers.environments import interpreter, pinned
from footnote_cli.embedded.trial_run import fill, trial_run
from footnote_shared.embedding.model_files import BUNDLED, find_model
from footnote_shared.kernel.errors import InvalidRequest, OurFault
from footnote_shared.settings.base import child_environment, datasets_dir, load_settings

OURS = "Footnote"
"""The name of our own figures among those of the others."""

_TOP_K = 20
"""Passages that are asked for. Several may be of one document, and ten documents are judged."""

_JUDGED = 10
_CHUNK_WORDS, _OVERLAP_WORDS = 150, 30
"""About 200 tokens, a fifth of which are those of the chunk before: as Footnote cuts."""

_WITHIN_S = 3_600
_LOG_LINES = 15
_PAGE = 100
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """Documents as pairs of id and text, and queries, each with the gains of the documents that answer it."""

    documents: Sequence[tuple[str, str]]
    queries: Sequence[tuple[str, Mapping[str, int]]]


def measure_peers(folder: Path, documents: int, say: Callable[[str], None]) -> dict[str, dict[str, float]]:
    """By system: chunks per second, times of a query, nDCG@10 and memory. `folder` is for Footnote's data.

    Raises InvalidRequest without the data set cranfield, OurFault for a system that cannot be run.
    """
    judged = cranfield(datasets_dir() / "cranfield", documents)
    cache = load_settings().cache_dir / "peers"
    figures = {}
    for name, packages in pinned().items():
        python = interpreter(name, packages, cache, say)
        figures[name] = _figures(_run(name, python, judged), judged)
        say(f"peers: {name} is measured")
    with trial_run(folder / "peers") as server:
        figures[OURS] = _figures(_run_footnote(server, judged), judged)
    return figures


def cranfield(folder: Path, documents: int) -> Judged:
    """The first documents of cranfield, and the queries that some of them answer."""
    if not (folder / "qrels.tsv").is_file():
        raise InvalidRequest(
            f"There is no cranfield in {folder.parent}; FOOTNOTE_DATASETS names the folder of data sets."
        )
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text().splitlines()]
    texts = {row["_id"]: f"{row['title']}\n\n{row['text']}" for row in rows if row["text"].strip()}
    kept = dict(list(texts.items())[:documents])
    gains: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text().splitlines():
        query, document, gain = line.split("\t")
        if document in kept and int(gain) > 0:
            gains.setdefault(query, {})[document] = int(gain)
    asked = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    queries = [(row["text"], gains[row["_id"]]) for row in asked if row["_id"] in gains]
    return Judged(list(kept.items()), queries)


def ndcg(found: Sequence[str], gains: Mapping[str, int], limit: int = _JUDGED) -> float:
    """Normalised discounted cumulative gain of the first documents (Järvelin and Kekäläinen 2002).

    A document counts where it is found first.
    """
    order = list(dict.fromkeys(found))[:limit]
    best = sorted(gains.values(), reverse=True)[:limit]
    return _discounted([gains.get(document, 0) for document in order]) / _discounted(best)


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def _figures(outcome: Mapping[str, Any], judged: Judged) -> dict[str, float]:
    pairs = zip(outcome["found"], judged.queries, strict=True)
    return {
        "chunks": outcome["chunks"],
        "chunks_per_s": outcome["chunks"] / outcome["ingest_s"],
        "documents_per_s": len(judged.documents) / outcome["ingest_s"],
        "query_p50_ms": p50_ms(outcome["seconds"]),
        "query_p99_ms": p99_ms(outcome["seconds"]),
        "ndcg_at_10": sum(ndcg(found, gains) for found, (_, gains) in pairs) / len(judged.queries),
        "memory_mb": outcome["memory"] / 1e6,
    }


def _run(name: str, python: Path, judged: Judged) -> Mapping[str, Any]:
    task = {
        "documents": judged.documents,
        "queries": [text for text, _ in judged.queries],
        "model": str(find_model(BUNDLED).folder),
        "top_k": _TOP_K,
        "words": _CHUNK_WORDS,
        "overlap": _OVERLAP_WORDS,
    }
    ran = subprocess.run(
        [python, "-I", systems.__file__, name],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=False,
        timeout=_WITHIN_S,
        env=child_environment(_QUIET),
    )
    if ran.returncode:
        end = "\n".join(ran.stderr.splitlines()[-_LOG_LINES:])
        raise OurFault(f"{name} could not be measured:\n{end}")
    outcome: Mapping[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return outcome


def _run_footnote(server: httpx.Client, judged: Judged) -> Mapping[str, Any]:
    """The same through HTTP. The first upload and the first queries are not measured here either."""
    fill(server, [{"title": "warm", "text": "to begin with", "external_id": "warm"}])
    bodies = [
        {"title": f"Document {name}", "text": text, "external_id": name} for name, text in judged.documents
    ]
    before = chunk_count(server)
    begun = time.perf_counter()
    fill(server, bodies)
    ingest_s = time.perf_counter() - begun
    chunks = chunk_count(server) - before
    names = _names(server)
    for text, _ in judged.queries[: systems.WARM_QUERIES]:
        _search(server, f"{text} again")
    seconds, found = [], []
    for text, _ in judged.queries:
        begun = time.perf_counter()
        passages = _search(server, text)
        seconds.append(time.perf_counter() - begun)
        found.append([names[passage["document_id"]] for passage in passages])
    return {
        "ingest_s": ingest_s,
        "chunks": chunks,
        "seconds": seconds,
        "found": found,
        "memory": _memory_of_children(),
    }


def _search(server: httpx.Client, query: str) -> list[dict[str, Any]]:
    settings = {"top_k": _TOP_K, "context_tokens": 200_000}
    answer = server.post("/v1/search", json={"query": query, "settings": settings})
    answer.raise_for_status()
    passages: list[dict[str, Any]] = answer.json()["passages"]
    return passages


def _names(server: httpx.Client) -> dict[str, str]:
    """The names in the data set by the ids of the documents."""
    names: dict[str, str] = {}
    params: dict[str, str | int] = {"limit": _PAGE}
    while True:
        page = server.get("/v1/documents", params=params).json()
        names |= {document["id"]: document["external_id"] for document in page["items"]}
        if page["next_cursor"] is None:
            return names
        params["cursor"] = page["next_cursor"]


def _memory_of_children() -> int:
    """The memory of all processes of the run. A page that several share counts once (Pss of proc(5))."""
    return sum(child.memory_full_info().pss for child in psutil.Process().children(recursive=True))
