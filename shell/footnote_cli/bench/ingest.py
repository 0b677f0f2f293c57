"""Ingest: from upload to `indexed`, beside the time that embedding alone takes."""

import time
from collections.abc import Callable, Sequence

import httpx

from footnote_cli.bench.measured import chunk_count, p50_ms, p99_ms, upload
from footnote_cli.bench.texts import abstracts
from footnote_shared.embedding.model_files import BUNDLED, find_model

_BATCH = 32


def measure_ingest(server: httpx.Client, count: int, say: Callable[[str], None]) -> dict[str, float]:
    """Documents and chunks per second, and what share of the rate of sentence-transformers alone that is."""
    texts = abstracts(count)
    upload(server, [*texts[:5], "warm"])
    before = chunk_count(server)
    begun = time.perf_counter()
    uploads = upload(server, texts)
    seconds = time.perf_counter() - begun
    chunks = chunk_count(server) - before
    say(f"ingest: {count} documents, {chunks} chunks in {seconds:.1f} s")
    alone = sentence_transformers_rate(_newest_chunks(server))
    return {
        "documents": count,
        "chunks": chunks,
        "documents_per_s": count / seconds,
        "chunks_per_s": chunks / seconds,
        "upload_p50_ms": p50_ms(uploads),
        "upload_p99_ms": p99_ms(uploads),
        "sentence_transformers_chunks_per_s": alone,
        "whole_ingest_to_sentence_transformers_ratio": chunks / seconds / alone,
    }


def sentence_transformers_rate(texts: Sequence[str]) -> float:
    """Texts per second of sentence-transformers with the bundled model.

    It is called as frameworks call it: 32 texts at a time, in the order of arrival.
    """
    # torch takes seconds and half a gigabyte: only this measurement pays for it.
    from footnote_shared.embedding.sentence_model import load_sentence_model  # noqa: PLC0415

    files = find_model(BUNDLED)
    model = load_sentence_model(files.folder, files.max_tokens)
    model.encode(list(texts[:2]), show_progress_bar=False)
    begun = time.perf_counter()
    for start in range(0, len(texts), _BATCH):
        model.encode(list(texts[start : start + _BATCH]), batch_size=_BATCH, show_progress_bar=False)
    return len(texts) / (time.perf_counter() - begun)


def _newest_chunks(server: httpx.Client) -> list[str]:
    """The texts of the chunks of the 100 newest documents."""
    documents = server.get("/v1/documents", params={"limit": 100}).json()["items"]
    pages = [server.get(f"/v1/documents/{document['id']}/chunks").json()["items"] for document in documents]
    return [chunk["text"] for page in pages for chunk in page]
