"""Ingest without Celery: real SQL, vectors and blobs in memory, and stages that the test calls itself."""

import hashlib
import shutil
import tempfile
import weakref
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from sqlmodel import select

from footnote_ingest.chunking.chunk_limits import ChunkLimits
from footnote_ingest.chunking.cut_digest import cut_digest
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.attachment_budget import AttachmentBudget
from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.documents.paths import normalise
from footnote_ingest.documents.quota import Quota
from footnote_ingest.documents.upload import Upload
from footnote_ingest.documents.view import document_view
from footnote_ingest.facts.facts_of_document import FactResources, extract_facts
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.lanes.work import LaneResources, work_on_version
from footnote_ingest.maintenance.sweep import Swept, sweep
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.parsers import parse_bytes
from footnote_ingest.pipeline.chunk import ChunkResources
from footnote_ingest.pipeline.embed import STAGED_IN_ROW, EmbedResources, embed_documents
from footnote_ingest.pipeline.extract import ExtractResources, Parse, ParseTogether
from footnote_ingest.pipeline.index import IndexResources, index_documents
from footnote_ingest.pipeline.long_work import LongWorkSlots
from footnote_ingest.pipeline.parse import ParseResources, parse_documents
from footnote_ingest.pipeline.remove import RemoveResources, settle
from footnote_ingest.store import chunks as chunk_store
from footnote_ingest.store import documents
from footnote_ingest.store.kept_texts import KeptLimits
from footnote_ingest.store.tables import ChunkRow, DocumentRow
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.resources import WorkResources
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.contracts.documents import ChunkRef, Document, LiveChunk, Status
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.embedding.protocol import Embedder, Vectors
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.models.protocol import Prompt
from footnote_shared.settings.base import Settings
from footnote_testing.fake_embedder import FakeEmbedder
from footnote_testing.memory_blobs import MemoryBlobs
from footnote_testing.memory_vectors import MemoryVectorIndex
from footnote_testing.workspace import make_caller
from tests.integration.ingest.meddled_lanes import MeddledLane, SwitchedLane
from tests.unit.ingest.defaults import parse_limits, work_policy

LANE = "document"
FACT_LANE = "fact"
PARSING: tuple[Status, ...] = ("queued", "extracting", "chunking")
QUICK = work_policy(max_attempts=3, heartbeat_s=0.05, sweep_s=0.0)


@dataclass
class RecordingCelery:
    """Takes messages and keeps what they name; a test runs that or forgets it."""

    sent: list[tuple[Task, str]] = field(default_factory=list)

    def send_task(self, name: str, args: Sequence[str], **options: Any) -> None:
        self.sent += [(Task(name), document_id) for document_id in args]


class CountingEmbedder(FakeEmbedder):
    """Remembers what it was asked to embed."""

    def __init__(self, dimension: int = 64, query_prefix: str = "") -> None:
        super().__init__(dimension, query_prefix=query_prefix)
        self.texts: list[str] = []
        self.batches: list[int] = []
        self.broken = False

    meanwhile: Callable[[], None] | None = None
    """What happens while each slice is embedded."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if self.broken:
            raise ZeroDivisionError
        self.texts += texts
        self.batches.append(len(texts))
        if self.meanwhile is not None:
            self.meanwhile()
        return super().embed_documents(texts)


class AtOnce(Executor):
    """Does at once, in the caller's thread, what another one does beside it: the order is always the same."""

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(call(*given, **named))
        except Exception as error:  # noqa: BLE001 - as executors do, whatever was raised
            done.set_exception(error)
        return done


def nothing() -> None:
    """What happens beside the work, most of the time."""


class Workshop:
    """One deployment of ingest for one test."""

    def __init__(self, database: Database, policy: WorkPolicy = QUICK) -> None:
        self.database = database
        self.celery = RecordingCelery()
        self.blobs: BlobStore = MemoryBlobs()
        self.index = MemoryVectorIndex()
        self.lane = MeddledLane(self.index, LANE)
        self.embedder = CountingEmbedder()
        self.next_embedder = CountingEmbedder(dimension=32, query_prefix="ask: ")
        self.next_is_there = True
        self.after_switch: Callable[[], None] = nothing
        self.waited: list[float] = []
        # Machines with much else to do are slow: no slice ends by the clock unless a test wants it.
        self.lane_slice_s = 3600.0
        # And none that is done waits for others by the clock.
        self.gathered_s = 0.0
        self.staged_in_row = STAGED_IN_ROW
        self.batch_tokens = 1024
        self.model_thread: Executor = AtOnce()
        self.stopping = False
        self.parse: Parse = parse_here
        self.parse_together: ParseTogether | None = None
        self.budget = AttachmentBudget.from_settings(default_settings())
        places = tempfile.mkdtemp(prefix="footnote-places")
        weakref.finalize(self, shutil.rmtree, places, ignore_errors=True)
        self.kept = KeptLimits(versions=100, bytes_of_document=2**30, bytes_of_workspace=2**30)
        self.slots = LongWorkSlots(Path(places), processes=2)
        self.policy = policy
        self.chunk_tokens = 32
        self.caller = make_caller(database)[0]
        self.ask_for_facts: Callable[[Prompt], str] = lambda prompt: '{"facts": []}'
        self.facts_allowed: Collection[str] = frozenset()

    def work(self, worker: str = "worker") -> WorkResources:
        return WorkResources(
            self.database, Dispatcher(self.celery), self.policy, worker, lambda: self.stopping
        )

    @property
    def parse_resources(self) -> ParseResources:
        counter = TokenCounter(self.embedder.tokenizer)
        limits = ChunkLimits(size=self.chunk_tokens, overlap=0.0, limit=256)
        return ParseResources(
            ExtractResources(self.blobs, self.parse, Quota(1000, 2**40), self.budget, self.parse_together),
            ChunkResources(counter, limits, self.digest),
            self.slots,
        )

    @property
    def digest(self) -> str:
        return digest_of(self.chunk_tokens)

    @property
    def embed_resources(self) -> EmbedResources:
        return EmbedResources(
            self.blobs,
            self.embedder,
            self.lane,
            self.batch_tokens,
            slice_s=3600,
            gathered_s=self.gathered_s,
            staged_in_row=self.staged_in_row,
            embedder_of=self.embedder_of,
            model_thread=self.model_thread,
        )

    @property
    def index_resources(self) -> IndexResources:
        return IndexResources(self.blobs, self.lane, self.slots)

    @property
    def lane_resources(self) -> LaneResources:
        def named(name: str, query_prefix: str, document_prefix: str) -> Embedder:
            if not self.next_is_there:
                raise Misconfigured("There is no such model.")
            return self.next_embedder

        return LaneResources(
            SwitchedLane(self.index, LANE, self.after_switch),
            self.embedder_of,
            named,
            slice_s=self.lane_slice_s,
            grace_s=0,
            wait=self.waited.append,
        )

    def embedder_of(self, fingerprint: LaneFingerprint) -> Embedder:
        """One of the two models of this deployment."""
        for embedder in (self.embedder, self.next_embedder):
            if embedder.fingerprint == fingerprint:
                return embedder
        raise Misconfigured("There is no such model.")

    @property
    def remove_resources(self) -> RemoveResources:
        return RemoveResources(self.blobs, self.lane, self.lane.named(FACT_LANE), self.kept)

    @property
    def fact_resources(self) -> FactResources:
        facts = self.lane.named(FACT_LANE)
        return FactResources(self.lane, facts, self.embedder_of, self.ask_for_facts, self.facts_allowed)

    def accept(
        self,
        name: str,
        content: str | bytes,
        *,
        caller: Principal | None = None,
        key: str | None = None,
        **fields: Any,
    ) -> Document:
        """Hand in a file."""
        acceptor = Acceptor(
            self.database, self.blobs, Dispatcher(self.celery), self.policy, Quota(1000, 2**40)
        )
        data = content.encode() if isinstance(content, str) else content
        fields["folder"] = normalise(fields.get("folder"))
        return acceptor.accept_bytes(caller or self.caller, Upload(filename=name, **fields), data, key)

    def run(self, task: Task, document_id: str, worker: str = "worker") -> None:
        """What the task would do."""
        match task:
            case Task.PARSE:
                parse_documents(self.work(worker), self.parse_resources, document_id)
            case Task.EMBED:
                embed_documents(self.work(worker), self.embed_resources, document_id)
            case Task.INDEX:
                index_documents(self.work(worker), self.index_resources, document_id)
            case Task.LANE:
                work_on_version(self.work(worker), self.lane_resources, document_id)
            case Task.FACTS:
                extract_facts(self.work(worker), self.fact_resources, document_id)
            case Task.REMOVE:
                settle(self.database, self.remove_resources, document_id)
            case _:
                raise AssertionError(task)

    def run_all(self, *only: Task) -> None:
        """Run messages, and those that follow from them, until none of the kinds is left."""
        while True:
            mine = [message for message in self.celery.sent if not only or message[0] in only]
            if not mine:
                return
            self.celery.sent = [message for message in self.celery.sent if message not in mine]
            for task, document_id in mine:
                self.run(task, document_id)

    def ask_to_stop(self) -> None:
        """As SIGTERM does."""
        self.stopping = True

    def lose_messages(self) -> None:
        self.celery.sent.clear()

    def sweep(self) -> Swept:
        return sweep(self.database, Dispatcher(self.celery), self.policy, lambda queue: 0)

    def delete(self, document_id: str) -> None:
        with self.database.write() as session:
            delete_documents(
                session, Dispatcher(self.celery), self.policy, self.caller.workspace_id, [document_id]
            )

    def document(self, document_id: str) -> Document:
        with self.database.read() as session:
            return document_view(documents.get(session, self.caller, document_id))

    def row(self, document_id: str) -> DocumentRow:
        with self.database.read() as session:
            row = session.get(DocumentRow, document_id)
        assert row is not None
        return row

    def statuses(self, document_id: str) -> list[str]:
        with self.database.read() as session:
            return [row.status for row in documents.timeline(session, document_id)]

    def live(self, document_id: str) -> list[ChunkRow]:
        with self.database.read() as session:
            return chunk_store.of_version(session, document_id, self.row(document_id).live_version)

    def lose_vectors(self) -> None:
        """As if the store of vectors had lost everything, its lanes too."""
        self.index.lose_all()

    def points(self, document_id: str) -> set[str]:
        try:
            return self.lane.of_document(document_id)
        except Misconfigured:
            # Nothing was ever embedded, so there is no lane.
            return set()

    def lookup(self, refs: Sequence[ChunkRef], caller: Principal | None = None) -> list[LiveChunk]:
        with self.database.read() as session:
            found = chunk_store.live_chunks(session, caller or self.caller, refs)
        return [LiveChunk.model_validate(chunk) for chunk in found]

    def ids(self) -> list[str]:
        """Of all documents, deleted ones too."""
        with self.database.read() as session:
            return list(session.exec(select(DocumentRow.id)))

    def expire_lease(self, document_id: str) -> None:
        """As if the time of the lease had passed without a heartbeat."""
        self.set(document_id, lease_until=now() - timedelta(seconds=1))

    def end_back_off(self, document_id: str) -> None:
        """As if the back-off were over."""
        self.set(document_id, available_at=now() - timedelta(seconds=1))

    def make_settling_due(self, document_id: str) -> None:
        """As if the hint to settle had not come in time."""
        self.set(document_id, settle_at=now() - timedelta(seconds=1))

    def set(self, document_id: str, **values: Any) -> None:
        """Write these columns of a document."""
        with self.database.write() as session:
            row = session.get(DocumentRow, document_id)
            assert row is not None
            for name, value in values.items():
                setattr(row, name, value)
            session.add(row)

    def with_policy(self, **changes: Any) -> None:
        self.policy = replace(self.policy, **changes)


@cache
def default_settings() -> Settings:
    return Settings()


@cache
def digest_of(chunk_tokens: int) -> str:
    """Of these settings of chunking. To read the settings takes as long as to work on a document."""
    return cut_digest(Settings(chunk_tokens=chunk_tokens))


def parse_here(content: bytes, filename: str, declared_mime: str) -> Extracted:
    """The parsers without their sandbox, which has tests of its own."""
    return parse_bytes(content, filename, declared_mime, parse_limits())


def refs_of(rows: Sequence[ChunkRow]) -> list[ChunkRef]:
    """Chunks as a vector point names them."""
    return [
        ChunkRef(document_id=row.document_id, chunk_id=row.chunk_id, text_hash=row.embed_hash) for row in rows
    ]


def paragraphs(*topics: str) -> str:
    """A text of one chunk per topic: each paragraph fills most of a chunk and no two fit into one."""
    return "\n\n".join(" ".join(f"{topic}{i} is told here." for i in range(5)) for topic in topics)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
