"""Ingest: from upload to `indexed`, beside the time that embedding alone takes."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx

from footnote_cli.bench.embedding import embedding_alone
from footnote_cli.bench.measured import MeasuredRun, chunk_count, p50_ms, p99_ms, upload
from footnote_cli.bench.processor_time import processor_s, spent_ms

_PAGE = 100
_CHUNKS_ALONE = 200


def measure_ingest(run: MeasuredRun, texts: Sequence[str], say: Callable[[str], None]) -> dict[str, Any]:
    """Documents and chunks per second, what share of embedding alone that is, and processor time by role.

    Processor time beside the embedder leaves out what that takes alone, with its tokenizer, for as many
    chunks.
    """
    server = run.server
    upload(server, [*texts[:5], "warm"])
    chunks_before, spent_before = chunk_count(server), processor_s(run.top)
    begun = time.perf_counter()
    uploads = upload(server, texts)
    seconds = time.perf_counter() - begun
    spent = spent_ms(spent_before, processor_s(run.top), len(texts))
    chunks = chunk_count(server) - chunks_before
    say(f"ingest: {len(texts)} documents, {chunks} chunks in {seconds:.1f} s")
    alone = embedding_alone(_newest_chunks(server, len(texts)), run.settings)
    chunks_per_s = chunks / seconds
    model_ms = alone.embedder_ms * chunks / len(texts)
    return {
        "documents": len(texts),
        "chunks": chunks,
        "documents_per_s": len(texts) / seconds,
        "chunks_per_s": chunks_per_s,
        "upload_p50_ms": p50_ms(uploads),
        "upload_p99_ms": p99_ms(uploads),
        "sentence_transformers_chunks_per_s": alone.sentence_transformers,
        "embedder_alone_chunks_per_s": alone.embedder,
        "whole_ingest_to_sentence_transformers_ratio": chunks_per_s / alone.sentence_transformers,
        "whole_ingest_to_embedder_alone_ratio": chunks_per_s / alone.embedder,
        "processor_ms_per_document": spent,
        "embedder_alone_ms_per_document": model_ms,
        "processor_ms_beside_embedder_per_document": spent["all"] - model_ms,
    }


def _newest_chunks(server: httpx.Client, most: int) -> list[str]:
    """The texts of chunks of the newest documents, evenly from all of these, at most 200 of them."""
    documents = server.get("/v1/documents", params={"limit": min(_PAGE, most)}).json()["items"]
    pages = [
        server.get(f"/v1/documents/{document['id']}/chunks", params={"limit": _PAGE}).json()["items"]
        for document in documents
    ]
    texts = [chunk["text"] for page in pages for chunk in page]
    return texts[:: -(-len(texts) // _CHUNKS_ALONE)]
