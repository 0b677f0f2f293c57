"""The stage `embedding`: vectors for many documents together, and none twice (spec 3.2, 3.5)."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote_ingest.pipeline.lane import LaneIndex
from footnote_ingest.pipeline.staged_vectors import pack
from footnote_ingest.store import chunks as chunk_store
from footnote_ingest.store.tables import ChunkRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.lease import Bench, Claimed, Lease, LeaseLost, claim
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.embedding.protocol import Embedder
from footnote_shared.tasks.queues import Task
from footnote_shared.telemetry import metrics

_LOOKED_UP_AT_ONCE = 500
_EMBEDDED_AT_ONCE = 256
Dense = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbedTools:
    """What this stage needs beside the bench."""

    blobs: BlobStore
    embedder: Embedder
    lane: LaneIndex


@dataclass(frozen=True, slots=True)
class Wanted:
    """A document and the texts that it needs vectors of, by hash."""

    item: Claimed
    texts: dict[str, str]


def embed_documents(bench: Bench, tools: EmbedTools, document_id: str) -> int:
    """Take the hinted document, and others that wait as well, to `indexing`; returns how many there were for us.

    Documents are finished as soon as their texts are, the ones with the fewest first: a long one holds up nobody.
    """
    with claim(bench, ("embedding",), document_id, others=bench.policy.embed_documents - 1) as lease:
        if lease.claimed:
            _embed_claimed(bench, tools, lease)
    return len(lease.claimed)


def _embed_claimed(bench: Bench, tools: EmbedTools, lease: Lease) -> None:
    tools.lane.open(tools.embedder.fingerprint)
    have: dict[str, Dense] = {}
    waiting: list[Wanted] = []
    for item in lease.claimed:
        wanted = _wanted(bench, item)
        have.update(_stored(bench, tools.lane, item, [h for h in wanted.texts if h not in have]))
        waiting.append(wanted)
    waiting.sort(key=lambda w: sum(h not in have for h in w.texts))
    for texts in _slices(waiting, set(have)):
        _finish_ready(bench, tools, lease, waiting, have)
        if not lease.held:
            return
        have.update(_embed(tools.embedder, texts))
    _finish_ready(bench, tools, lease, waiting, have)


def _wanted(bench: Bench, item: Claimed) -> Wanted:
    with bench.database.read() as session:
        rows: list[ChunkRow] = chunk_store.of_version(session, item.id, item.version)
    return Wanted(item, {row.embed_hash: row.embed_text for row in rows})


def _stored(bench: Bench, lane: LaneIndex, item: Claimed, hashes: list[str]) -> dict[str, Dense]:
    """Vectors of texts that a live document of the workspace has under this lane already. A point that is missing in the
    index is simply not found, and its text is embedded again."""
    found: dict[str, Dense] = {}
    for start in range(0, len(hashes), _LOOKED_UP_AT_ONCE):
        with bench.database.read() as session:
            points = chunk_store.live_twins(
                session, item.workspace_id, hashes[start : start + _LOOKED_UP_AT_ONCE]
            )
        vectors = lane.vectors(list(points.values()))
        found.update({h: vectors[point].dense for h, point in points.items() if point in vectors})
    metrics.EMBEDDED.labels("reused").inc(len(found))
    return found


def _slices(waiting: list[Wanted], have: set[str]) -> Iterator[dict[str, str]]:
    """The missing texts in the order of their documents, so many at a time; the embedder sorts them by length."""
    missing = {h: text for wanted in waiting for h, text in wanted.texts.items() if h not in have}
    names = list(missing)
    for start in range(0, len(names), _EMBEDDED_AT_ONCE):
        yield {h: missing[h] for h in names[start : start + _EMBEDDED_AT_ONCE]}


def _embed(embedder: Embedder, texts: dict[str, str]) -> dict[str, Dense]:
    begun = time.perf_counter()
    vectors = embedder.embed_documents(list(texts.values()))
    metrics.EMBED_SECONDS.labels("documents").observe(time.perf_counter() - begun)
    metrics.EMBEDDED.labels("computed").inc(len(texts))
    return dict(zip(texts, vectors, strict=True))


def _finish_ready(
    bench: Bench, tools: EmbedTools, lease: Lease, waiting: list[Wanted], have: dict[str, Dense]
) -> None:
    while waiting and all(h in have for h in waiting[0].texts):
        wanted = waiting.pop(0)
        _finish(bench, tools, lease, wanted, have)


def _finish(bench: Bench, tools: EmbedTools, lease: Lease, wanted: Wanted, have: dict[str, Dense]) -> None:
    item = wanted.item
    digest = tools.embedder.fingerprint.digest
    hashes = list(wanted.texts)
    matrix = (
        np.stack([have[h] for h in hashes])
        if hashes
        else np.empty((0, tools.embedder.dimension), dtype=np.float32)
    )
    tools.blobs.put(blob_keys.vectors(item.workspace_id, item.id, item.version, digest), pack(hashes, matrix))
    try:
        with lease.commit(item) as (session, row):
            version = session.get(VersionRow, (item.id, item.version))
            if version is not None:
                version.lane_digest = digest
                session.add(version)
            stages.advance(session, row, "indexing")
            stages.hand_over(row)
            bench.dispatcher.send_after_commit(session, Task.INDEX, [item.id])
    except LeaseLost:
        # Superseded or deleted meanwhile; the others of the batch go on.
        return
