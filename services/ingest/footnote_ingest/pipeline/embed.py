"""The stage `embedding`: vectors for the texts of many documents, none of them made twice (spec 3.2, 3.5)."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.pipeline.staged_vectors import pack
from footnote_ingest.store import chunks as chunk_store
from footnote_ingest.store.tables import ChunkRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.bench import Bench
from footnote_ingest.work.lease import Lease, LeasedDocument, LeaseLost
from footnote_ingest.work.take import take
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
    """A document and the texts that it needs vectors for, by hash."""

    leased: LeasedDocument
    texts: dict[str, str]


def embed_documents(bench: Bench, tools: EmbedTools, document_id: str) -> int:
    """Bring the hinted document, and others that wait as well, to `indexing`; return how many.

    A document is finished as soon as its texts are embedded, and the one with the fewest texts comes first.
    So a long document does not hold up the others.
    """
    with take(bench, ("embedding",), document_id, others=bench.policy.embed_documents - 1) as lease:
        if lease.documents:
            _embed_leased(bench, tools, lease)
    return len(lease.documents)


def _embed_leased(bench: Bench, tools: EmbedTools, lease: Lease) -> None:
    tools.lane.open(tools.embedder.fingerprint)
    have: dict[str, Dense] = {}
    waiting: list[Wanted] = []
    for leased in lease.documents:
        wanted = _wanted(bench, leased)
        have.update(_stored(bench, tools.lane, leased, [h for h in wanted.texts if h not in have]))
        waiting.append(wanted)
    waiting.sort(key=lambda w: sum(h not in have for h in w.texts))
    for texts in _slices(waiting, set(have)):
        _finish_ready(bench, tools, lease, waiting, have)
        if not lease.held:
            return
        have.update(_embed(tools.embedder, texts))
    _finish_ready(bench, tools, lease, waiting, have)


def _wanted(bench: Bench, leased: LeasedDocument) -> Wanted:
    with bench.database.read() as session:
        rows: list[ChunkRow] = chunk_store.of_version(session, leased.id, leased.version)
    return Wanted(leased, {row.embed_hash: row.embed_text for row in rows})


def _stored(bench: Bench, lane: LaneIndex, leased: LeasedDocument, hashes: list[str]) -> dict[str, Dense]:
    """The vectors of texts that a live document of the workspace already has in this lane.

    If the index has lost a point, its vector is missing here and the text is embedded again.
    """
    found: dict[str, Dense] = {}
    for start in range(0, len(hashes), _LOOKED_UP_AT_ONCE):
        with bench.database.read() as session:
            points = chunk_store.live_twins(
                session, leased.workspace_id, hashes[start : start + _LOOKED_UP_AT_ONCE]
            )
        vectors = lane.vectors(list(points.values()))
        found.update({h: vectors[point].dense for h, point in points.items() if point in vectors})
    metrics.EMBEDDED.labels("reused").inc(len(found))
    return found


def _slices(waiting: list[Wanted], have: set[str]) -> Iterator[dict[str, str]]:
    """The missing texts in the order of their documents, some at a time.

    The embedder sorts them by length.
    """
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
    leased = wanted.leased
    digest = tools.embedder.fingerprint.digest
    hashes = list(wanted.texts)
    matrix = (
        np.stack([have[h] for h in hashes])
        if hashes
        else np.empty((0, tools.embedder.dimension), dtype=np.float32)
    )
    key = blob_keys.vectors(leased.workspace_id, leased.id, leased.version, digest)
    tools.blobs.put(key, pack(hashes, matrix))
    try:
        with lease.commit(leased) as (session, row):
            version = session.get(VersionRow, (leased.id, leased.version))
            if version is not None:
                version.lane_digest = digest
                session.add(version)
            stages.advance(session, row, "indexing")
            stages.hand_over(row)
            bench.dispatcher.send_after_commit(session, Task.INDEX, [leased.id])
    except LeaseLost:
        # It was superseded or deleted meanwhile. The rest of the batch goes on.
        return
