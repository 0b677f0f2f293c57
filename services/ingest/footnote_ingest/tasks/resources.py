"""The parts that the tasks of one worker process need.

Each is made when it is first used, never before the fork.
"""

import threading
from collections.abc import Callable, Collection, Mapping
from functools import cached_property, partial

from celery import Celery
from redis import Redis

from footnote_ingest.chunking.chunk_limits import SPECIAL_TOKENS, ChunkLimits
from footnote_ingest.chunking.cut_digest import cut_digest
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.connectors.kinds import SourceResources
from footnote_ingest.connectors.sync import SyncResources
from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.attachment_budget import AttachmentBudget
from footnote_ingest.documents.quota import Quota
from footnote_ingest.facts.fact_model import FactModel
from footnote_ingest.facts.facts_of_document import FactResources
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Queue
from footnote_ingest.lanes.recorded_queries import RecordedQueries
from footnote_ingest.lanes.work import LaneResources
from footnote_ingest.maintenance.erasure import EraseResources
from footnote_ingest.parsing.parse_limits import ParseLimits
from footnote_ingest.parsing.parser_input import ParseChoices
from footnote_ingest.pipeline.chunk import ChunkResources
from footnote_ingest.pipeline.embed import EmbedResources
from footnote_ingest.pipeline.extract import ExtractResources
from footnote_ingest.pipeline.index import IndexResources
from footnote_ingest.pipeline.lane_check import lane_problem
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.pipeline.long_work import LongWorkSlots
from footnote_ingest.pipeline.media import MediaReader
from footnote_ingest.pipeline.parse import ParseResources
from footnote_ingest.pipeline.picture_words import picture_reader
from footnote_ingest.pipeline.remove import RemoveResources
from footnote_ingest.pipeline.transcription import transcriber
from footnote_ingest.sandbox.sandbox import Sandbox
from footnote_ingest.store.kept_texts import KeptLimits
from footnote_ingest.store.sealed_blobs import open_sealed_blobs
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.resources import WorkResources
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.embedding.lane_models import embedder_named, embedder_of
from footnote_shared.embedding.load import load_embedder, load_tokenizer, token_limit
from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.redis.connection import connect, redis_errors
from footnote_shared.security.open_database import open_database
from footnote_shared.settings.base import Settings
from footnote_shared.settings.services import ChunkPolicy, PolicyName
from footnote_shared.vectors.qdrant import QdrantVectorIndex

_MOST_MEDIA_HINTS = 64
"""Hints that wait in the queue `media`. The sweeper sends again what waits there, every few seconds."""


class WorkerResources:
    """The parts of one process of a worker.

    `worker` is the name under which it holds leases, and `processes` the number of the worker's processes.
    """

    def __init__(
        self,
        settings: Settings,
        celery: Celery,
        worker: str,
        processes: int,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self.settings = settings
        self._slots = LongWorkSlots(settings.data / "run" / "long-work" / worker, processes)
        self.work = WorkResources(
            open_database(settings, background=True),
            Dispatcher(celery),
            WorkPolicy.from_settings(settings),
            worker,
            stopping,
        )
        self._closing: list[Callable[[], None]] = [self.work.database.close]
        self._making = threading.RLock()

    def warm(self, queues: Collection[str], refuse: Callable[[str], None]) -> None:
        """Make in the background what the first task of these queues would otherwise have to wait for.

        If this worker can never embed for its lane, `refuse` is called with the reason.
        """

        def make() -> None:
            if Queue.PARSE.value in queues:
                self.parse_resources().extract.parse(b"Ready.", "ready.txt", "text/plain")
            if Queue.EMBED.value in queues:
                problem = lane_problem(self.settings)
                if problem is not None:
                    refuse(problem)
                    return
                self.embed_resources()

        threading.Thread(target=make, name="warm", daemon=True).start()

    def parse_resources(self) -> ParseResources:
        with self._making:
            return self._parse_resources

    def embed_resources(self) -> EmbedResources:
        with self._making:
            return self._embed_resources

    def index_resources(self) -> IndexResources:
        with self._making:
            return IndexResources(self._blobs, self._lane, self._slots)

    def lane_resources(self) -> LaneResources:
        with self._making:
            return LaneResources(
                self._lane,
                partial(embedder_of, self.settings, self.settings.lane),
                partial(embedder_named, self.settings),
                RecordedQueries.from_settings(self.settings),
            )

    def remove_resources(self) -> RemoveResources:
        with self._making:
            return RemoveResources(
                self._blobs, self._lane, self._facts_lane, KeptLimits.from_settings(self.settings)
            )

    def fact_resources(self) -> FactResources:
        with self._making:
            return self._fact_resources

    def erase_resources(self) -> EraseResources:
        with self._making:
            return EraseResources(self._blobs, self._lane, self._facts_lane, self._redis, self._streams)

    def sync_resources(self) -> SyncResources:
        with self._making:
            return self._sync_resources

    @cached_property
    def _blobs(self) -> BlobStore:
        return open_sealed_blobs(self.settings, self.work.database)

    @cached_property
    def _redis(self) -> Redis:
        client = connect(self.settings.redis_url)
        self._closing.append(client.close)
        return client

    @cached_property
    def _streams(self) -> StreamServers[Redis]:
        clients = StreamServers(self.settings.stream_servers).each(connect)
        self._closing += [client.close for client in clients]
        return clients

    @cached_property
    def _lane(self) -> LaneIndex:
        lane = LaneIndex(QdrantVectorIndex.of(self.settings, timeout_s=60.0), self.settings.lane)
        self._closing.append(lane.close)
        return lane

    @cached_property
    def _facts_lane(self) -> LaneIndex:
        return self._lane.named(self.settings.fact_lane)

    @cached_property
    def _fact_resources(self) -> FactResources:
        # The clients of chat models take a second and 80 MB: only the worker that asks one imports them.
        from footnote_shared.models.model_chain import model_for  # noqa: PLC0415

        chain = model_for("fast", self.settings)
        if chain is None:
            raise Misconfigured(
                "Facts are to be read, and this worker has no fast model: FOOTNOTE_FAST_MODEL."
            )
        model = FactModel(chain, self.settings.facts_timeout_s)
        self._closing.append(model.close)
        return FactResources(
            self._lane,
            self._facts_lane,
            partial(embedder_of, self.settings, self.settings.lane),
            model.ask,
            self.settings.facts_allowed,
        )

    @cached_property
    def _parse_resources(self) -> ParseResources:
        limits = ParseLimits.from_settings(self.settings)
        choices = ParseChoices(review=self.settings.parse_review)
        sandbox = Sandbox(limits, confinement=self.settings.parse_confinement, choices=choices)
        self._closing.append(sandbox.close)
        counter = TokenCounter(load_tokenizer(self.settings))
        chunk_limits = chunk_limits_of(self.settings, token_limit(self.settings), counter)
        quota = Quota(self.settings.max_documents_per_workspace, self.settings.max_bytes_per_workspace)
        reader = MediaReader(sandbox.parse, transcriber(self.settings), picture_reader(self.settings))
        return ParseResources(
            ExtractResources(
                self._blobs,
                reader,
                quota,
                AttachmentBudget.from_settings(self.settings),
                sandbox.parse_together,
            ),
            ChunkResources(counter, chunk_limits, cut_digest(self.settings)),
            self._slots,
            reader.asks_model,
            self._media_has_room,
        )

    def _media_has_room(self) -> bool:
        try:
            return self.backlog(Queue.MEDIA) < _MOST_MEDIA_HINTS
        except Unavailable:
            return False

    @cached_property
    def _sync_resources(self) -> SyncResources:
        quota = Quota(self.settings.max_documents_per_workspace, self.settings.max_bytes_per_workspace)
        work = self.work
        return SyncResources(
            Acceptor(work.database, self._blobs, work.dispatcher, work.policy, quota),
            SourceResources.from_settings(self.settings, work.database),
            self.settings.connector_slice_s,
            self.settings.connector_delete_share,
        )

    @cached_property
    def _embed_resources(self) -> EmbedResources:
        return EmbedResources(
            self._blobs,
            load_embedder(self.settings),
            self._lane,
            self.settings.embedding_batch_tokens,
            embedder_of=partial(embedder_of, self.settings, self.settings.lane),
        )

    def backlog(self, queue: Queue) -> int:
        """The number of hints that wait in a queue. Raises Unavailable if Redis does not answer."""
        with redis_errors():
            return int(str(self._redis.llen(queue.value)))

    def close(self) -> None:
        for close in reversed(self._closing):
            close()


def chunk_limits_of(settings: Settings, model_limit: int, counter: TokenCounter) -> ChunkLimits:
    """Chunks as long as the settings say, but never too long for the model, the lane's prefix included."""
    limit = model_limit - counter.count(settings.embedding_document_prefix)

    def limits(policy: ChunkPolicy, others: Mapping[PolicyName, ChunkLimits]) -> ChunkLimits:
        tokens = settings.chunk_tokens if policy.tokens is None else policy.tokens
        overlap = settings.chunk_overlap if policy.overlap is None else policy.overlap
        return ChunkLimits(min(tokens, limit - SPECIAL_TOKENS), overlap, limit, policy.whole, others)

    return limits(
        ChunkPolicy(), {name: limits(policy, {}) for name, policy in settings.chunk_policies.items()}
    )


class ResourcesSlot:
    """Where tasks find the resources of their process."""

    def __init__(self) -> None:
        self._resources: WorkerResources | None = None

    def open(self, resources: WorkerResources) -> None:
        self._resources = resources

    def close(self) -> None:
        if self._resources is not None:
            self._resources.close()
            self._resources = None

    def __call__(self) -> WorkerResources:
        assert self._resources is not None, "the worker opens the resources in each of its processes"
        return self._resources


resources = ResourcesSlot()
