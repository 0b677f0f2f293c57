"""Ingest: from upload to `indexed`, beside the time that embedding alone takes."""

import time
from collections.abc import Callable

import httpx

from footnote_cli.bench.embedding import sentence_transformers_rate
from footnote_cli.bench.measured import chunk_count, p50_ms, p99_ms, upload
from footnote_cli.bench.texts import abstracts


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


def _newest_chunks(server: httpx.Client) -> list[str]:
    """The texts of the chunks of the 100 newest documents."""
    documents = server.get("/v1/documents", params={"limit": 100}).json()["items"]
    pages = [server.get(f"/v1/documents/{document['id']}/chunks").json()["items"] for document in documents]
    return [chunk["text"] for page in pages for chunk in page]
