"""How much is done at once: so much that it is quick, and so little that nobody else waits for long."""

import io
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import groupby

import pytest

from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.documents.quota import Quota
from footnote_ingest.documents.upload import Upload
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance.reconcile import reconcile
from footnote_ingest.maintenance.tidy import tidy
from footnote_ingest.pipeline.embed import embed_documents
from footnote_ingest.pipeline.index import index_documents
from footnote_shared.blobs.protocol import BlobEntry, KeyOf, StoredBlob
from footnote_shared.kernel.clock import now
from footnote_testing.memory_blobs import MemoryBlobs
from footnote_testing.workspace import make_caller
from tests.integration.ingest import rows
from tests.integration.ingest.statements import SentStatement, statements
from tests.integration.ingest.workshop import Workshop, paragraphs, sha256

MIB = 1 << 20


@pytest.fixture
def workshop(sqlite_workshop: Workshop) -> Workshop:
    return sqlite_workshop


def sized(seen: list[SentStatement], beginning: str) -> list[int]:
    """Sets of parameters of the statements that begin like this."""
    return [statement.rows for statement in seen if statement.text.startswith(beginning)]


def text_of(chunks: int) -> str:
    return paragraphs(*(f"topic{n}x" for n in range(chunks)))


class TestPipeline:
    def test_a_long_document(self, workshop: Workshop) -> None:
        accepted = workshop.accept("long.txt", text_of(1001))
        with statements(workshop.database) as seen:
            workshop.run_all(Task.PARSE)
        assert sized(seen, "INSERT INTO chunks") == [200] * 5 + [1], "others can write in between"
        with statements(workshop.database) as seen:
            workshop.run_all(Task.EMBED)
        lookups = [s for s in seen if s.text.startswith("SELECT chunks.embed_hash")]
        assert [s.parameters - lookups[-1].parameters + 1 for s in lookups] == [500, 500, 1]
        # 8 batches of the model of 1024 tokens each, in chunks of 25 to 27 tokens, between two looks.
        assert {300 < size <= 330 for size in workshop.embedder.batches[:-1]} == {True}
        assert sum(workshop.embedder.batches) == 1001
        workshop.run_all(Task.INDEX)
        assert workshop.document(accepted.id).chunks == 1001

    @pytest.mark.parametrize(
        ("chunks", "written"),
        [
            ([200, 200, 200, 200, 198, 2], [1000]),
            ([200, 200, 200, 200, 199, 2], [801, 200]),
            ([200, 2], [202]),
            ([201, 2], [2, 201]),
        ],
    )
    def test_1000_points_are_written_at_once_and_those_of_short_documents_first(
        self, workshop: Workshop, chunks: list[int], written: list[int]
    ) -> None:
        ids = [workshop.accept(f"{n}.txt", text_of(length)).id for n, length in enumerate(chunks)]
        workshop.run_all(Task.PARSE, Task.EMBED)
        workshop.run(Task.INDEX, ids[0])
        assert workshop.lane.written == written

    def test_a_line_of_text_is_live_before_a_long_document_is_written(self, workshop: Workshop) -> None:
        long = workshop.accept("long.txt", text_of(300)).id
        line = workshop.accept("line.txt", "One line.").id
        workshop.run_all(Task.PARSE, Task.EMBED)
        found: list[str] = []

        def look_before_the_next() -> None:
            workshop.lane.before = lambda: found.append(workshop.document(line).status)

        workshop.lane.after = look_before_the_next
        workshop.run(Task.INDEX, long)
        assert found == ["indexed"]

    def test_documents_are_taken_together(self, workshop: Workshop) -> None:
        ids = rows.documents(workshop.database, workshop.caller, 40, status="embedding", dispatched_at=now())
        assert embed_documents(workshop.work(), workshop.embed_resources, ids[0]) == 32
        workshop.run_all(Task.EMBED)
        assert index_documents(workshop.work(), workshop.index_resources, ids[0]) == 16


class TestLargeFolders:
    def test_a_large_folder(self, workshop: Workshop) -> None:
        ids = rows.live_documents(workshop.database, workshop.caller, 501)
        dispatcher = Dispatcher(workshop.celery)
        with statements(workshop.database) as seen, workshop.database.write() as session:
            delete_documents(session, dispatcher, workshop.policy, workshop.caller.workspace_id, ids)
        assert len(sized(seen, "UPDATE documents")) == 2
        looks = [s for s in seen if "documents.parent_id IN" in s.text]
        assert len(looks) == 2 * 2, "the parts are looked for again when their parents are locked"
        assert len(workshop.celery.sent) == 500, "the sweeper finds the others"


class TestSweeping:
    def test_documents_are_sent_again(self, workshop: Workshop) -> None:
        long_ago = now() - timedelta(days=1)
        rows.documents(workshop.database, workshop.caller, 501, dispatched_at=long_ago, available_at=long_ago)
        assert workshop.sweep().again == 500

    def test_documents_fail_when_their_tries_are_used_up(self, workshop: Workshop) -> None:
        tries = workshop.policy.max_attempts
        rows.documents(workshop.database, workshop.caller, 501, dispatched_at=now(), attempts=tries)
        assert workshop.sweep().failed == 500

    def test_removals_are_sent_again(self, workshop: Workshop) -> None:
        due = now() - timedelta(seconds=1)
        rows.documents(
            workshop.database, workshop.caller, 501, status="indexed", live_version=1, settle_at=due
        )
        assert workshop.sweep().removals == 500

    def test_workspaces_get_their_places_in_turn(self, workshop: Workshop) -> None:
        others = make_caller(workshop.database, "others")[0]
        owner = {
            document_id: caller.workspace_id
            for caller in (workshop.caller, others)
            for document_id in rows.documents(workshop.database, caller, 20)
        }
        workshop.sweep()
        turns = [len(list(turn)) for _, turn in groupby(owner[sent] for _, sent in workshop.celery.sent)]
        assert turns == [8, 8, 8, 8, 4, 4]

    def test_a_workspace_has_as_many_in_flight_as_the_policy_says(self, workshop: Workshop) -> None:
        rows.documents(workshop.database, workshop.caller, 65)
        assert workshop.sweep().begun == 64


class TestReconciling:
    def test_documents_without_points_are_repaired_some_at_a_time(self, workshop: Workshop) -> None:
        workshop.lane.open(workshop.embedder.fingerprint)
        ids = rows.live_documents(workshop.database, workshop.caller, 601)
        rows.chunks(workshop.database, workshop.caller, ids)
        assert reconcile(workshop.work(), workshop.remove_resources).incomplete == 600
        assert workshop.lane.looked_for == [200, 200, 200]

    def test_points_are_looked_for_1000_at_a_time(self, workshop: Workshop) -> None:
        workshop.lane.open(workshop.embedder.fingerprint)
        ids = rows.live_documents(workshop.database, workshop.caller)
        rows.chunks(workshop.database, workshop.caller, ids, 1001)
        reconcile(workshop.work(), workshop.remove_resources)
        assert workshop.lane.looked_for == [1000, 1]


class AgedBlobs(MemoryBlobs):
    """Blobs that look older than they are."""

    age = timedelta(0)

    def list(self, prefix: str) -> Iterator[BlobEntry]:
        for entry in super().list(prefix):
            yield replace(entry, modified=entry.modified - self.age)


class TestTidying:
    @pytest.mark.parametrize(("days", "is_kept"), [(29.9, True), (30.1, False)])
    def test_a_tombstone_is_kept_for_30_days(self, workshop: Workshop, days: float, is_kept: bool) -> None:
        deleted = now() - timedelta(days=days)
        rows.documents(workshop.database, workshop.caller, status="deleted", deleted_at=deleted)
        tidy(workshop.work(), workshop.remove_resources)
        assert (workshop.ids() != []) is is_kept

    @pytest.mark.parametrize(("hours", "is_kept"), [(0.9, True), (1.1, False)])
    def test_bytes_without_a_version_are_kept_for_an_hour(
        self, workshop: Workshop, hours: float, is_kept: bool
    ) -> None:
        workshop.blobs = blobs = AgedBlobs()
        blobs.age = timedelta(hours=hours)
        blobs.put(f"originals/{workshop.caller.workspace_id}/{'0' * 64}", b"x")
        tidy(workshop.work(), workshop.remove_resources)
        assert (list(blobs.list("originals")) != []) is is_kept

    def test_bytes_are_compared_500_at_a_time(self, workshop: Workshop) -> None:
        workshop.blobs = blobs = AgedBlobs()
        blobs.age = timedelta(days=2)
        for document_id in rows.live_documents(workshop.database, workshop.caller, 501):
            blobs.put(f"originals/{workshop.caller.workspace_id}/{sha256(document_id)}", b"x")
        with statements(workshop.database) as seen:
            tidy(workshop.work(), workshop.remove_resources)
        looks = [s.parameters for s in seen if "document_versions.sha256 IN" in s.text]
        assert [number - looks[-1] + 1 for number in looks] == [500, 1]
        assert len(list(blobs.list("originals"))) == 501


class TestSettling:
    def test_a_hint_has_half_a_minute(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", "One.")
        before = now()
        workshop.delete(accepted.id)
        due = workshop.row(accepted.id).settle_at
        assert due is not None
        assert before + timedelta(seconds=30) <= due <= now() + timedelta(seconds=30)


class PiecewiseBlobs(MemoryBlobs):
    """Remembers the sizes of the pieces that come in."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[int] = []

    async def put_stream(self, key: str | KeyOf, chunks: AsyncIterator[bytes], max_bytes: int) -> StoredBlob:
        async def noted() -> AsyncIterator[bytes]:
            async for piece in chunks:
                self.pieces.append(len(piece))
                yield piece

        return await super().put_stream(key, noted(), max_bytes)


async def test_a_file_is_taken_in_piece_by_piece(workshop: Workshop) -> None:
    blobs = PiecewiseBlobs()
    dispatcher = Dispatcher(workshop.celery)
    acceptor = Acceptor(workshop.database, blobs, dispatcher, workshop.policy, Quota(10, 2**40))
    content = io.BytesIO(b"x" * (2 * MIB + 1))
    await acceptor.accept_file(workshop.caller, Upload("a.txt"), content, 3 * MIB)
    assert blobs.pieces == [MIB, MIB, 1]
