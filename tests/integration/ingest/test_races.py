"""Claims, fencing, superseding, deleting: what happens when two do something at once, or one does it late."""

import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.lease import LeaseLost
from footnote_ingest.work.take import release_leases_of, take
from footnote_shared.contracts.documents import Status
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import NotFound
from footnote_shared.tasks.queues import Task
from tests.integration.ingest.workshop import Workshop, paragraphs, refs_of

RACER = "tests.integration.ingest.racer"
ROOT = Path(__file__).parents[3]
PARSING: tuple[Status, ...] = ("queued", "extracting", "chunking")


def expire(workshop: Workshop, document_id: str) -> None:
    """As if the lease's time had passed without a sign of life."""
    with workshop.database.write() as session:
        row = session.get(DocumentRow, document_id)
        assert row is not None
        row.lease_until = now() - timedelta(seconds=1)
        session.add(row)


class TestClaims:
    def test_of_many_threads_one_gets_the_document(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", "One.")
        with ThreadPoolExecutor(8) as pool:
            leases = list(pool.map(lambda n: take(workshop.bench(f"w{n}"), PARSING, accepted.id), range(8)))
        assert sum(len(lease.documents) for lease in leases) == 1
        assert workshop.row(accepted.id).attempts == 1

    def test_of_several_processes_each_document_goes_to_one(self, workshop: Workshop, tmp_path: Path) -> None:
        ids = [workshop.accept(f"{n}.txt", f"Text {n}.").id for n in range(20)]
        command = [sys.executable, "-m", RACER, workshop.database.url, str(tmp_path / "start"), *ids]
        racers = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
        for racer in racers:
            assert racer.stdout is not None
            assert racer.stdout.readline() == "ready\n"
        (tmp_path / "start").touch()
        winners = Counter(line for racer in racers for line in racer.communicate(timeout=60)[0].split())
        assert winners == Counter(ids)

    def test_batches_of_two_embedders_do_not_overlap(self, workshop: Workshop) -> None:
        for n in range(12):
            workshop.accept(f"{n}.txt", f"Text {n}.")
        workshop.run_all(Task.PARSE)
        with ThreadPoolExecutor(4) as pool:
            leases = list(
                pool.map(lambda n: take(workshop.bench(f"w{n}"), ("embedding",), "", others=5), range(4))
            )
        taken = [item.id for lease in leases for item in lease.documents]
        assert len(taken) == len(set(taken)) == 12

    def test_a_document_that_was_tried_before_is_never_part_of_anothers_batch(
        self, workshop: Workshop
    ) -> None:
        poison, healthy = workshop.accept("poison.txt", "Poison."), workshop.accept("healthy.txt", "Healthy.")
        workshop.run_all(Task.PARSE)
        take(workshop.bench(), ("embedding",), poison.id)
        expire(workshop, poison.id)
        assert [
            item.id for item in take(workshop.bench(), ("embedding",), healthy.id, others=10).documents
        ] == [healthy.id]
        assert [
            item.id for item in take(workshop.bench(), ("embedding",), poison.id, others=10).documents
        ] == [poison.id]

    def test_the_heartbeat_keeps_a_lease_that_is_shorter_than_the_work(self, workshop: Workshop) -> None:
        workshop.with_policy(lease_s=0.6, heartbeat_s=0.1)
        accepted = workshop.accept("a.txt", "One.")
        with take(workshop.bench("slow"), PARSING, accepted.id) as lease:
            time.sleep(1.5)
            assert take(workshop.bench("other"), PARSING, accepted.id).documents == []
            assert len(lease.held) == 1

    def test_a_worker_that_starts_again_under_its_name_lets_go_of_what_it_held(
        self, workshop: Workshop
    ) -> None:
        mine, others = workshop.accept("a.txt", "One."), workshop.accept("b.txt", "Two.")
        take(workshop.bench("parser@host"), PARSING, mine.id)
        take(workshop.bench("parser@host2"), PARSING, others.id)
        assert release_leases_of(workshop.database, "parser@host") == 1
        assert len(take(workshop.bench("parser@host"), PARSING, mine.id).documents) == 1
        assert take(workshop.bench("parser@host"), PARSING, others.id).documents == []


class TestFencing:
    def test_a_worker_whose_lease_ran_out_cannot_commit_after_another_took_over(
        self, workshop: Workshop
    ) -> None:
        accepted = workshop.accept("a.txt", "One.")
        late = take(workshop.bench("late"), PARSING, accepted.id)
        expire(workshop, accepted.id)
        workshop.sweep()
        workshop.run_all(Task.PARSE)
        with pytest.raises(LeaseLost), late.commit(late.documents[0]):
            raise AssertionError("the block must not run")
        workshop.run_all()
        assert workshop.statuses(accepted.id).count("indexed") == 1
        assert workshop.document(accepted.id).status == "indexed"

    def test_a_superseded_version_is_not_published_by_who_still_works_on_it(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", paragraphs("old"))
        workshop.run_all(Task.PARSE, Task.EMBED)
        old = take(workshop.bench("slow"), ("indexing",), accepted.id)
        workshop.accept("a.txt", paragraphs("new"))
        with pytest.raises(LeaseLost), old.commit(old.documents[0]):
            raise AssertionError("the block must not run")
        workshop.run_all()
        assert workshop.document(accepted.id).live_version == 2
        assert "new0" in workshop.live(accepted.id)[0].text

    def test_points_that_a_superseded_worker_wrote_are_removed(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", paragraphs("old", "older"))
        workshop.run_all(Task.PARSE, Task.EMBED)
        workshop.lane.after = lambda: hand_in_new(workshop)
        workshop.run_all()
        assert workshop.document(accepted.id).live_version == 2
        assert len(workshop.points(accepted.id)) == 1
        assert workshop.row(accepted.id).settle_at is None


class TestTwins:
    def test_the_same_file_handed_in_by_many_at_once_is_one_document_of_one_version(
        self, workshop: Workshop
    ) -> None:
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda _: workshop.accept("a.txt", "One.", folder="/x/y"), range(8)))
        assert len({document.id for document in made}) == 1
        assert workshop.document(made[0].id).version == 1

    def test_different_contents_at_once_are_versions_in_a_row_and_the_last_one_wins(
        self, workshop: Workshop
    ) -> None:
        with ThreadPoolExecutor(6) as pool:
            made = list(pool.map(lambda n: workshop.accept("a.txt", paragraphs(f"topic{n}")), range(6)))
        assert sorted(document.version for document in made) == [1, 2, 3, 4, 5, 6]
        workshop.run_all()
        document = workshop.document(made[0].id)
        assert (document.version, document.live_version, document.status) == (6, 6, "indexed")
        assert len(workshop.points(document.id)) == 1

    def test_messages_that_come_twice_and_out_of_order_change_nothing(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", paragraphs("one", "two"))
        for task in (
            Task.INDEX,
            Task.EMBED,
            Task.PARSE,
            Task.PARSE,
            Task.INDEX,
            Task.EMBED,
            Task.EMBED,
            Task.INDEX,
            Task.INDEX,
            Task.REMOVE,
        ):
            workshop.run(task, accepted.id)
        assert workshop.statuses(accepted.id) == [
            "queued",
            "extracting",
            "chunking",
            "embedding",
            "indexing",
            "indexed",
        ]
        assert len(workshop.points(accepted.id)) == 2


class TestDeleteDuringWork:
    @pytest.mark.parametrize(
        "after", [[], [Task.PARSE], [Task.PARSE, Task.EMBED]], ids=["queued", "embedding", "indexing"]
    )
    def test_delete_wins_over_work_in_any_stage(self, workshop: Workshop, after: list[Task]) -> None:
        accepted = workshop.accept("a.txt", paragraphs("one"))
        workshop.run_all(*after) if after else None
        held = take(workshop.bench("slow"), ("queued", "embedding", "indexing"), accepted.id)
        workshop.delete(accepted.id)
        with pytest.raises(LeaseLost), held.commit(held.documents[0]):
            raise AssertionError("the block must not run")
        workshop.run_all()
        assert workshop.row(accepted.id).status == "deleted"
        assert workshop.points(accepted.id) == set()
        assert list(workshop.blobs.list("")) == []
        with pytest.raises(NotFound):
            workshop.document(accepted.id)

    def test_a_worker_that_writes_points_after_the_deletion_leaves_none(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", paragraphs("one"))
        workshop.run_all(Task.PARSE, Task.EMBED)

        def delete() -> None:
            workshop.delete(accepted.id)
            workshop.run_all(Task.REMOVE)

        workshop.lane.before = delete
        workshop.run_all()
        assert workshop.row(accepted.id).status == "deleted"
        assert workshop.points(accepted.id) == set()

    def test_the_name_of_a_deleted_document_is_free_for_a_new_one(self, workshop: Workshop) -> None:
        first = workshop.accept("a.txt", "One.", external_id="E")
        workshop.run_all()
        workshop.delete(first.id)
        second = workshop.accept("a.txt", "One.", external_id="E")
        workshop.run_all()
        assert second.id != first.id
        assert workshop.document(second.id).status == "indexed"

    def test_bytes_that_two_documents_share_stay_while_one_needs_them(self, workshop: Workshop) -> None:
        first, second = workshop.accept("a.txt", "Shared."), workshop.accept("b.txt", "Shared.")
        workshop.run_all()
        assert len(list(workshop.blobs.list("originals"))) == 1
        workshop.delete(first.id)
        workshop.run_all()
        assert len(list(workshop.blobs.list("originals"))) == 1
        workshop.delete(second.id)
        workshop.run_all()
        assert list(workshop.blobs.list("")) == []


class TestVisibility:
    def test_readers_see_all_of_the_old_or_all_of_the_new_version_at_every_moment(
        self, workshop: Workshop
    ) -> None:
        accepted = workshop.accept("a.txt", paragraphs("keep", "old1", "old2", "keep2"))
        workshop.run_all()
        old = workshop.live(accepted.id)
        workshop.accept("a.txt", paragraphs("keep", "new1", "new2", "keep2"))
        workshop.run_all(Task.PARSE, Task.EMBED)
        with workshop.database.read() as session:
            from footnote_ingest.store import chunks as chunk_store

            new = chunk_store.of_version(session, accepted.id, 2)
        wanted = list({(ref.chunk_id, ref.text_hash): ref for ref in [*refs_of(old), *refs_of(new)]}.values())
        whole = {1: {row.text for row in old}, 2: {row.text for row in new}}
        seen: list[int] = []
        done = threading.Event()

        def read() -> None:
            while True:
                last = done.is_set()
                shown = workshop.lookup(wanted)
                versions = {chunk.version for chunk in shown}
                assert len(versions) == 1, "half of two versions"
                (version,) = versions
                assert {chunk.text for chunk in shown} == whole[version]
                seen.append(version)
                if last:
                    return

        with ThreadPoolExecutor(3) as pool:
            readers = [pool.submit(read) for _ in range(3)]
            workshop.run_all()
            done.set()
            for reader in readers:
                reader.result(60)
        assert set(seen) <= {1, 2}
        assert seen[-1] == 2

    def test_a_version_that_fails_leaves_the_live_one_to_readers(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", paragraphs("one"))
        workshop.run_all()
        refs = refs_of(workshop.live(accepted.id))
        workshop.accept("a.txt", b"  \n ")
        workshop.run_all()
        document = workshop.document(accepted.id)
        assert (document.status, document.version, document.live_version, document.chunks) == (
            "failed",
            2,
            1,
            1,
        )
        assert len(workshop.lookup(refs)) == 1

    def test_a_deleted_document_is_gone_for_readers_before_anything_is_removed(
        self, workshop: Workshop
    ) -> None:
        accepted = workshop.accept("a.txt", paragraphs("one"))
        workshop.run_all()
        refs = refs_of(workshop.live(accepted.id))
        workshop.delete(accepted.id)
        assert workshop.lookup(refs) == []
        assert workshop.points(accepted.id) != set()

    def test_another_workspace_sees_nothing_of_it(self, workshop: Workshop) -> None:
        from footnote_testing.workspace import make_caller

        accepted = workshop.accept("a.txt", paragraphs("one"))
        workshop.run_all()
        stranger = make_caller(workshop.database, "stranger")[0]
        assert workshop.lookup(refs_of(workshop.live(accepted.id)), stranger) == []
        twin = workshop.accept("a.txt", paragraphs("one"), caller=stranger)
        workshop.embedder.texts.clear()
        workshop.run_all()
        assert twin.id != accepted.id
        assert len(workshop.embedder.texts) == 1, "vectors are not shared across workspaces"


class TestFailures:
    def test_a_store_that_does_not_answer_costs_no_try_and_the_document_waits(
        self, workshop: Workshop
    ) -> None:
        accepted = workshop.accept("a.txt", "One.")
        workshop.run_all(Task.PARSE, Task.EMBED)
        workshop.lane.down = True
        for _ in range(3 * workshop.policy.max_attempts):
            make_due(workshop, accepted.id)
            workshop.run(Task.INDEX, accepted.id)
        row = workshop.row(accepted.id)
        assert (row.status, row.attempts) == ("indexing", 0)
        assert row.available_at > now()
        waits = [status for status in workshop.statuses(accepted.id) if status == "indexing"]
        assert len(waits) == 2, "the wait is told once, not once a try"
        workshop.lane.down = False
        make_due(workshop, accepted.id)
        workshop.sweep()
        workshop.run_all()
        assert workshop.document(accepted.id).status == "indexed"

    def test_an_unforeseen_error_is_tried_again_and_then_fails_with_the_stage(
        self, workshop: Workshop
    ) -> None:
        accepted = workshop.accept("a.txt", "One.")
        workshop.run_all(Task.PARSE)
        workshop.embedder.broken = True
        for _ in range(workshop.policy.max_attempts):
            make_due(workshop, accepted.id)
            with pytest.raises(ZeroDivisionError):
                workshop.run(Task.EMBED, accepted.id)
        error = workshop.document(accepted.id).error
        assert error is not None
        assert (error.stage, error.code, error.retryable) == ("embedding", "internal", True)
        assert "ZeroDivisionError" not in error.reason

    def test_missing_bytes_fail_that_document_with_a_reason(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", "One.")
        workshop.blobs.delete([entry.key for entry in workshop.blobs.list("originals")])
        workshop.run_all()
        error = workshop.document(accepted.id).error
        assert error is not None
        assert (error.code, error.retryable) == ("blob_missing", False)
        assert "Upload it again" in error.reason

    def test_vectors_lost_on_their_way_are_made_again(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", "One.")
        workshop.run_all(Task.PARSE, Task.EMBED)
        workshop.blobs.delete([entry.key for entry in workshop.blobs.list("vectors")])
        workshop.run_all()
        assert workshop.document(accepted.id).status == "indexed"
        assert workshop.statuses(accepted.id).count("embedding") == 2


def hand_in_new(workshop: Workshop) -> None:
    workshop.accept("a.txt", paragraphs("new"))


def make_due(workshop: Workshop, document_id: str) -> None:
    """As if its back-off were over."""
    with workshop.database.write() as session:
        row = session.get(DocumentRow, document_id)
        assert row is not None
        row.available_at = now() - timedelta(seconds=1)
        session.add(row)
