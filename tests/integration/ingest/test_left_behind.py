"""At rest the blobs are those that SQL names, whatever was killed, deleted or superseded on the way."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlmodel import select

from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.quota import Quota
from footnote_ingest.documents.retry import retry
from footnote_ingest.documents.upload import Upload
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance.tidy import tidy
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.folder import FolderBlobs
from footnote_shared.kernel.errors import TooMany
from footnote_testing.s3_server import S3Server, running_s3
from tests.integration.ingest.meddled_blobs import Killed, MeddledBlobs, die
from tests.integration.ingest.workshop import Workshop, paragraphs


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with running_s3() as server:
        yield server


@pytest.fixture(params=["folder", "s3"])
def meddled(request: pytest.FixtureRequest, sqlite_workshop: Workshop, tmp_path: Path) -> MeddledBlobs:
    if request.param == "folder":
        return MeddledBlobs(FolderBlobs(tmp_path / "blobs"))
    server: S3Server = request.getfixturevalue("s3")
    return MeddledBlobs(server.blobs())


@pytest.fixture
def shop(sqlite_workshop: Workshop, meddled: MeddledBlobs) -> Workshop:
    sqlite_workshop.blobs = meddled
    # What is in a row comes and goes with it.
    sqlite_workshop.staged_in_row = 0
    return sqlite_workshop


def named(shop: Workshop) -> set[str]:
    """The keys that SQL names: bytes that a version needs, and what the versions that readers see say."""
    with shop.database.read() as session:
        versions = list(session.exec(select(VersionRow)))
        documents = list(session.exec(select(DocumentRow)))
    bytes_ = {blob_keys.original(v.workspace_id, v.sha256) for v in versions if v.needs_bytes}
    said = {
        blob_keys.elements(d.workspace_id, d.id, d.live_version)
        for d in documents
        if d.live_version is not None and d.deleted_at is None
    }
    return bytes_ | said


def stored(shop: Workshop) -> set[str]:
    return {entry.key for entry in shop.blobs.list("")}


def come_to_rest(shop: Workshop) -> None:
    """As if hours went by: every lease and every wait is over, and the sweeper and the tasks run."""
    for _ in range(4):
        for document_id in shop.ids():
            row = shop.row(document_id)
            if row.lease_until is not None:
                shop.expire_lease(document_id)
            shop.end_back_off(document_id)
            if row.settle_at is not None:
                shop.make_settling_due(document_id)
        shop.sweep()
        shop.run_all()


def killed(act: Callable[[], None]) -> None:
    with pytest.raises(Killed):
        act()


class TestSuperseded:
    def test_what_an_earlier_version_said_is_gone(self, shop: Workshop) -> None:
        accepted = shop.accept("a.txt", paragraphs("one"))
        shop.run_all()
        for topic in ("two", "three"):
            shop.accept("a.txt", paragraphs(topic))
            shop.run_all()
        assert shop.document(accepted.id).live_version == 3
        assert stored(shop) == named(shop)
        assert len(stored(shop)) == 2

    def test_a_version_that_failed_leaves_its_bytes_alone(self, shop: Workshop) -> None:
        accepted = shop.accept("a.txt", paragraphs("one"))
        shop.run_all()
        shop.accept("a.txt", paragraphs("two"))
        shop.run_all(Task.PARSE)
        fail(shop, accepted.id)
        come_to_rest(shop)
        assert stored(shop) == named(shop)
        assert len(stored(shop)) == 3, "both originals, and what the live version says"

    def test_work_that_a_new_version_overtakes_leaves_nothing(
        self, shop: Workshop, meddled: MeddledBlobs
    ) -> None:
        shop.accept("a.txt", paragraphs("one"))

        def overtake(_: list[str]) -> None:
            shop.accept("a.txt", paragraphs("two"))
            shop.run_all()

        meddled.before_put["elements"] = overtake
        shop.run_all()
        assert stored(shop) == named(shop)


class TestDeleted:
    @pytest.mark.parametrize("kind", ["elements", "vectors"])
    def test_a_worker_that_writes_after_the_deletion_leaves_nothing(
        self, shop: Workshop, meddled: MeddledBlobs, kind: str
    ) -> None:
        accepted = shop.accept("a.txt", paragraphs("one"))

        def delete(_: list[str]) -> None:
            shop.delete(accepted.id)
            shop.run_all(Task.REMOVE)
            assert shop.row(accepted.id).status == "deleted"

        meddled.before_put[kind] = delete
        shop.run_all()
        assert stored(shop) == set()

    @pytest.mark.parametrize("kind", ["elements", "vectors"])
    def test_nor_does_one_that_is_killed_right_after_it_wrote(
        self, shop: Workshop, meddled: MeddledBlobs, kind: str
    ) -> None:
        accepted = shop.accept("a.txt", paragraphs("one"))

        def delete(_: list[str]) -> None:
            shop.delete(accepted.id)
            shop.run_all(Task.REMOVE)

        meddled.before_put[kind] = delete
        meddled.after_put[kind] = die
        killed(shop.run_all)
        assert len(stored(shop)) == 1
        come_to_rest(shop)
        assert stored(shop) == set()

    @pytest.mark.parametrize("kind", ["elements", "originals"])
    def test_a_removal_that_is_killed_half_way_is_done_by_the_next(
        self, shop: Workshop, meddled: MeddledBlobs, kind: str
    ) -> None:
        accepted = shop.accept("a.txt", paragraphs("one"))
        shop.run_all()
        shop.delete(accepted.id)
        meddled.before_delete[kind] = die
        killed(shop.run_all)
        come_to_rest(shop)
        assert shop.row(accepted.id).status == "deleted"
        assert stored(shop) == set()

    @pytest.mark.parametrize("kind", ["elements", "originals"])
    def test_so_is_the_removal_of_an_earlier_version(
        self, shop: Workshop, meddled: MeddledBlobs, kind: str
    ) -> None:
        shop.accept("a.txt", paragraphs("one"))
        shop.run_all()
        shop.accept("a.txt", paragraphs("two"))
        meddled.before_delete[kind] = die
        killed(shop.run_all)
        come_to_rest(shop)
        assert stored(shop) == named(shop)
        assert len(stored(shop)) == 2


class TestKills:
    def test_staged_vectors_of_a_worker_that_died_after_the_flip_go(
        self, shop: Workshop, meddled: MeddledBlobs
    ) -> None:
        accepted = shop.accept("a.txt", paragraphs("one"))
        meddled.before_delete["vectors"] = die
        killed(shop.run_all)
        assert shop.document(accepted.id).status == "indexed"
        come_to_rest(shop)
        assert stored(shop) == named(shop)

    @pytest.mark.parametrize("kind", ["elements", "vectors"])
    def test_work_that_was_killed_after_it_wrote_is_taken_up(
        self, shop: Workshop, meddled: MeddledBlobs, kind: str
    ) -> None:
        accepted = shop.accept("a.txt", paragraphs("one"))
        meddled.after_put[kind] = die
        killed(shop.run_all)
        come_to_rest(shop)
        assert shop.document(accepted.id).status == "indexed"
        assert stored(shop) == named(shop)


class TestTidying:
    def test_what_nobody_settles_is_found_by_a_comparison(self, shop: Workshop) -> None:
        kept = shop.accept("kept.txt", paragraphs("kept"))
        gone = shop.accept("gone.txt", paragraphs("gone"))
        shop.run_all()
        shop.delete(gone.id)
        shop.run_all()
        expected = stored(shop)
        workspace = shop.caller.workspace_id
        for stray in (
            blob_keys.elements(workspace, gone.id, 1),
            blob_keys.vectors(workspace, gone.id, 1, "0" * 16),
            blob_keys.vectors(workspace, kept.id, 1, "0" * 16),
            blob_keys.elements(workspace, kept.id, 2),
        ):
            shop.blobs.put(stray, b"left behind")
        tidy(shop.work(), shop.remove_resources)
        assert stored(shop) == expected == named(shop)

    def test_what_is_in_work_stays(self, shop: Workshop) -> None:
        accepted = shop.accept("a.txt", paragraphs("one"))
        shop.run_all(Task.PARSE, Task.EMBED)
        before = stored(shop)
        assert len(before) == 3
        tidy(shop.work(), shop.remove_resources)
        assert stored(shop) == before
        shop.run_all()
        assert shop.document(accepted.id).status == "indexed"

    def test_a_retry_keeps_what_it_writes_while_tidying_is_under_way(
        self, shop: Workshop, meddled: MeddledBlobs
    ) -> None:
        accepted = shop.accept("a.txt", paragraphs("one"))
        shop.run_all(Task.PARSE)
        fail(shop, accepted.id)

        def retried(_: list[str]) -> None:
            # The tidying run has found the failed version's blobs, and removes them next.
            with shop.database.write() as session:
                row = session.get(DocumentRow, accepted.id)
                assert row is not None
                retry(session, Dispatcher(shop.celery), shop.policy, row)
            shop.run_all(Task.PARSE, Task.EMBED, Task.INDEX)
            assert shop.row(accepted.id).status == "indexed"

        meddled.before_delete["elements"] = retried
        tidy(shop.work(), shop.remove_resources)
        assert shop.row(accepted.id).status == "indexed"
        come_to_rest(shop)
        assert stored(shop) == named(shop)


def fail(shop: Workshop, document_id: str) -> None:
    """Let every try to embed a document end in an error."""
    shop.embedder.broken = True
    for _ in range(shop.policy.max_attempts):
        shop.end_back_off(document_id)
        with pytest.raises(ZeroDivisionError):
            shop.run(Task.EMBED, document_id)
    shop.embedder.broken = False
    shop.lose_messages()
    assert shop.document(document_id).status == "failed"


def test_an_upload_that_is_refused_leaves_no_bytes(shop: Workshop) -> None:
    acceptor = Acceptor(shop.database, shop.blobs, Dispatcher(shop.celery), shop.policy, Quota(1, 2**40))
    acceptor.accept_bytes(shop.caller, Upload(filename="a.txt"), b"One.")
    before = stored(shop)
    for refused in (b"Two.", b"One."):
        with pytest.raises(TooMany):
            acceptor.accept_bytes(shop.caller, Upload(filename="b.txt"), refused)
        assert stored(shop) == before
