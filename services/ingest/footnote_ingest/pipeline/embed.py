"""The stage `embedding`: vectors for the texts of many documents, none of them made twice (spec 3.2, 3.5).

The model takes one slice of texts after the other, in a thread of its own. Meanwhile the documents of the
slice before are stored and handed over, and newcomers are looked up. So the model waits for no disk.

In a stream a slice ends a few documents, and to hand over and index them costs more for each batch than for
each document. So those that are done wait for each other for a moment.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from footnote_ingest.hints.queues import Task
from footnote_ingest.pipeline.gathering import GATHERED_S, Gathering
from footnote_ingest.pipeline.in_work import versions_of
from footnote_ingest.pipeline.kept_points import still_there, unchanged_points
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.pipeline.live_lane import open_live
from footnote_ingest.pipeline.slices import EmbedText, Pace, Wanted, next_slice, tokens_of
from footnote_ingest.pipeline.staged_vectors import pack
from footnote_ingest.store import chunks as chunk_store
from footnote_ingest.store.chunks_in_work import chunks_of_versions
from footnote_ingest.work import stages
from footnote_ingest.work.lease import Lease, LeasedDocument
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.take import take, take_more
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.contracts.documents import Status
from footnote_shared.db.engine import Database
from footnote_shared.embedding.protocol import Embedder
from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

_STAGE: tuple[Status, ...] = ("embedding",)
_LOOKED_UP_AT_ONCE = 500
_BATCHES_AT_ONCE = 8
"""The most batches of the model between two looks at who waits. The more texts, the less padding."""

SLICE_S = 0.3
"""Seconds that a slice should take, down to one batch."""

_SHORT_CHUNKS = 16
"""A document of so few chunks finds a place in any batch, however many long ones are in hand."""

STAGED_IN_ROW = 32 * 1024
"""The most bytes of packed vectors that a row takes, some 19 chunks of the bundled model.

To make a file and its folders, and to remove them, takes a millisecond of a processor, which a long document
hardly notices. A row is copied whole into the database's log, when it comes and when it goes.
"""

Dense = npt.NDArray[np.float32]
EmbedderOf = Callable[[LaneFingerprint], Embedder]


@dataclass(frozen=True, slots=True)
class EmbedResources:
    """What this stage needs beside the work.

    `batch_tokens` is the most that the model takes at once. `slice_s` is how many seconds should pass
    between two looks at who waits. In the `gathered_s` after documents were handed over, others wait for each
    other. Packed vectors of up to `staged_in_row` bytes wait in a row until they are indexed. `embedder` is
    that of the settings, and `embedder_of` makes the one of a lane that was re-embedded with another model.
    The model runs in `model_thread`.
    """

    blobs: BlobStore
    embedder: Embedder
    lane: LaneIndex
    batch_tokens: int
    slice_s: float = SLICE_S
    gathered_s: float = GATHERED_S
    staged_in_row: int = STAGED_IN_ROW
    embedder_of: EmbedderOf | None = None
    model_thread: Executor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="model"))

    def for_live(self, database: Database) -> "EmbedResources":
        """The same with the embedder of the version that is live, and with `lane` turned to that.

        Raises Misconfigured if no model that is set makes such vectors.
        """
        first = self.embedder.fingerprint
        live = open_live(database, self.lane, first)
        if live.fingerprint == first:
            return self
        if self.embedder_of is None:
            raise Misconfigured(f"The lane holds vectors of {live.fingerprint}, and not of {first}.")
        return replace(self, embedder=self.embedder_of(live.fingerprint))


@dataclass(frozen=True, slots=True)
class InHand:
    """A document, the hashes of its texts, and what it still needs."""

    leased: LeasedDocument
    hashes: list[str]
    wanted: Wanted


@dataclass(frozen=True, slots=True)
class InModel:
    """A slice of texts, by hash, that the model has in work. Both are empty where no text is missing."""

    texts: dict[str, str]
    vectors: Future[dict[str, Dense]] | None

    def completes(self, item: InHand) -> bool:
        """Whether the document lacks nothing when the model has embedded these."""
        return item.wanted.missing.keys() <= self.texts.keys()


def embed_documents(work: WorkResources, resources: EmbedResources, *hinted: str) -> int:
    """Bring the hinted documents, and others that wait as well, to `indexing`; return how many.

    While the model is at a slice, documents that have come meanwhile are taken for the next one. A document
    is finished as soon as its texts are embedded. So a long document holds up nobody. A worker that is asked
    to stop hands back what it has not finished.
    """
    with take(work, _STAGE, *hinted, others=max(0, work.policy.embed_documents - len(hinted))) as lease:
        if lease.documents:
            _embed_leased(work, resources, lease)
    return len(lease.documents)


def _embed_leased(work: WorkResources, resources: EmbedResources, lease: Lease) -> None:
    resources = resources.for_live(work.database)
    have: dict[str, Dense] = {}
    pace = Pace(resources.batch_tokens, _BATCHES_AT_ONCE * resources.batch_tokens, resources.slice_s)
    gathering = Gathering(resources.gathered_s)
    in_hand = [] if work.stopping() else _begin(work, resources, lease, lease.documents, have)
    while in_hand and not work.stopping():
        in_model = _give_to_model(resources, pace, in_hand)
        in_hand = _finish_ready(work, resources, lease, in_hand, have, gathering, in_model)
        fresh = _newcomers(work, lease, in_hand, in_model) if in_hand else []
        if fresh and not work.stopping():
            in_hand += _begin(work, resources, lease, fresh, have)
        if in_model.vectors is not None:
            have.update(in_model.vectors.result())
        for item in in_hand:
            item.wanted.drop(in_model.texts)
        held = set(lease.held)
        in_hand = [item for item in in_hand if item.leased in held]
    if work.stopping():
        _finish_ready(work, resources, lease, in_hand, have, Gathering(0.0), InModel({}, None))
        lease.hand_back()


def _give_to_model(resources: EmbedResources, pace: Pace, in_hand: Sequence[InHand]) -> InModel:
    """Have the next slice embedded beside what this thread does."""
    wanted = [item.wanted for item in in_hand if item.wanted.missing]
    texts = next_slice(wanted, pace.tokens)
    if not texts:
        return InModel({}, None)
    tokens = tokens_of(wanted, texts)

    def run() -> dict[str, Dense]:
        begun = time.perf_counter()
        vectors = _embed(resources.embedder, texts)
        pace.note(tokens, time.perf_counter() - begun)
        return vectors

    return InModel(texts, resources.model_thread.submit(run))


def _newcomers(
    work: WorkResources, lease: Lease, in_hand: Sequence[InHand], in_model: InModel
) -> Sequence[LeasedDocument]:
    """Documents that have come meanwhile. Without the database the work in hand goes on without them.

    Those that the model is about to complete keep no place, or it would stand still for want of texts.
    """
    completed = sum(in_model.completes(item) for item in in_hand)
    try:
        return take_more(work, lease, _STAGE, work.policy.embed_documents + completed, short=_SHORT_CHUNKS)
    except Unavailable as error:
        _log.warning("embed.none_taken", reason=error.detail)
        return []


def _begin(
    work: WorkResources,
    resources: EmbedResources,
    lease: Lease,
    fresh: Sequence[LeasedDocument],
    have: dict[str, Dense],
) -> list[InHand]:
    """Look up what the documents need; vectors that their workspaces have already go to `have`."""
    begun: list[InHand] = []
    with lease.only(*fresh):
        texts = _texts(work, resources.lane, fresh)
        twins = _twins(work, texts, have)
        for leased in fresh:
            # The vector store may not answer for one document. The others go on.
            with lease.only(leased):
                have.update(_stored(resources.lane, twins, leased.workspace_id, texts[leased], have))
                missing = {name: text for name, text in texts[leased].items() if name not in have}
                begun.append(InHand(leased, list(texts[leased]), Wanted(leased.workspace_id, missing)))
    return begun


def _texts(
    work: WorkResources, lane: LaneIndex, documents: Sequence[LeasedDocument]
) -> dict[LeasedDocument, dict[str, EmbedText]]:
    """The texts of the documents by hash, in order, but for those whose points stay as they are."""
    with work.database.read() as session:
        chunks = chunks_of_versions(session, [(leased.id, leased.version) for leased in documents])
        unchanged = unchanged_points(session, documents)
    kept = still_there(lane, unchanged)
    metrics.EMBEDDED.labels("kept").inc(len(kept))
    return {
        leased: {
            chunk.embed_hash: EmbedText(chunk.embed_text, chunk.tokens)
            for chunk in chunks.get((leased.id, leased.version), ())
            if chunk.point_id not in kept
        }
        for leased in documents
    }


def _twins(
    work: WorkResources,
    texts: Mapping[LeasedDocument, Collection[str]],
    have: Collection[str],
) -> dict[tuple[str, str], str]:
    """The points of texts that a live document of the same workspace has, by workspace and hash."""
    wanted: dict[str, dict[str, None]] = {}
    for leased, names in texts.items():
        lacking = dict.fromkeys(name for name in names if name not in have)
        wanted.setdefault(leased.workspace_id, {}).update(lacking)
    found: dict[tuple[str, str], str] = {}
    for workspace_id, names in wanted.items():
        for start in range(0, len(names), _LOOKED_UP_AT_ONCE):
            some = list(names)[start : start + _LOOKED_UP_AT_ONCE]
            with work.database.read() as session:
                points = chunk_store.live_twins(session, workspace_id, some)
            found.update({(workspace_id, name): point for name, point in points.items()})
    return found


def _stored(
    lane: LaneIndex,
    twins: Mapping[tuple[str, str], str],
    workspace_id: str,
    names: Collection[str],
    have: Collection[str],
) -> dict[str, Dense]:
    """The vectors of those of the texts whose twins have a point in this lane.

    If the index has lost a point, its vector is missing here and the text is embedded again.
    """
    points = {
        name: twins[workspace_id, name]
        for name in names
        if (workspace_id, name) in twins and name not in have
    }
    wanted = list(points.values())
    found: dict[str, Dense] = {}
    for start in range(0, len(wanted), _LOOKED_UP_AT_ONCE):
        vectors = lane.vectors(wanted[start : start + _LOOKED_UP_AT_ONCE])
        # A point may have lost its vector alone.
        found.update(
            {
                name: vectors[point].dense
                for name, point in points.items()
                if point in vectors and vectors[point].dense.size
            }
        )
    metrics.EMBEDDED.labels("reused").inc(len(found))
    return found


def _embed(embedder: Embedder, texts: dict[str, str]) -> dict[str, Dense]:
    begun = time.perf_counter()
    vectors = embedder.embed_documents(list(texts.values()))
    metrics.EMBED_SECONDS.labels("documents").observe(time.perf_counter() - begun)
    metrics.EMBEDDED.labels("computed").inc(len(texts))
    return dict(zip(texts, vectors, strict=True))


def _finish_ready(
    work: WorkResources,
    resources: EmbedResources,
    lease: Lease,
    in_hand: list[InHand],
    have: dict[str, Dense],
    gathering: Gathering,
    in_model: InModel,
) -> list[InHand]:
    """Finish the documents that have all their vectors, unless they wait for others; return those that go on.

    Documents that are no longer ours are dropped, and vectors that nobody needs any more.
    """
    held = set(lease.held)
    ours = [item for item in in_hand if item.leased in held]
    going_on = [item for item in ours if item.wanted.missing]
    done = [item for item in ours if not item.wanted.missing]
    coming = sum(in_model.completes(item) for item in going_on)
    if done and gathering.waits(len(done), coming):
        going_on = ours
    elif done:
        written: dict[LeasedDocument, bytes | None] = {}
        for item in done:
            with lease.only(item.leased):
                written[item.leased] = _stage(work, resources, item, have)
        _hand_over(work, lease, written, resources.embedder.fingerprint.digest)
        gathering.note()
    needed = {name for item in going_on for name in item.hashes}
    for name in set(have) - needed:
        del have[name]
    return going_on


def _stage(
    work: WorkResources, resources: EmbedResources, item: InHand, have: dict[str, Dense]
) -> bytes | None:
    """The vectors of a short document, packed. Those of a long one go into a blob until they are indexed."""
    leased = item.leased
    matrix = (
        np.stack([have[name] for name in item.hashes])
        if item.hashes
        else np.empty((0, resources.embedder.dimension), dtype=np.float32)
    )
    packed = pack(item.hashes, matrix)
    if len(packed) <= resources.staged_in_row and not work.database.seals:
        return packed
    digest = resources.embedder.fingerprint.digest
    key = blob_keys.vectors(leased.workspace_id, leased.id, leased.version, digest)
    # If a loss of power takes them, they are made again (`index.py`).
    resources.blobs.put_passing(key, packed)
    return None


def _hand_over(
    work: WorkResources, lease: Lease, written: Mapping[LeasedDocument, bytes | None], digest: str
) -> None:
    """Bring the documents to `indexing`, each with its vectors if these are in no blob.

    Those that were superseded or deleted meanwhile are left out.
    """
    if not written:
        return
    with lease.commit_all(list(written)) as (session, rows):
        for leased, version in versions_of(session, list(rows)).items():
            version.lane_digest = digest
            version.staged = written[leased]
            session.add(version)
        for row in rows.values():
            stages.advance(session, row, "indexing")
            stages.hand_over(row)
        work.dispatcher.send_after_commit(session, Task.INDEX, [leased.id for leased in rows])
