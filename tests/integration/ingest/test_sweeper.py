"""What the sweeper finds: lost messages, dead workers, documents that wait for their turn, removals left undone."""

from datetime import timedelta

import pytest

from footnote_ingest.documents.retry import reindex, retry
from footnote_ingest.maintenance.reconcile import reconcile
from footnote_ingest.maintenance.sweep import sweep
from footnote_ingest.maintenance.tidy import tidy
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.take import take
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict
from footnote_shared.tasks.dispatch import Dispatcher
from footnote_shared.tasks.queues import Queue, Task
from footnote_testing.workspace import make_caller
from tests.integration.ingest.test_races import PARSING, expire, make_due
from tests.integration.ingest.workshop import Workshop, paragraphs


def test_messages_that_were_all_lost_are_sent_again_in_every_stage(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", "One.")
    for task in (Task.PARSE, Task.EMBED, Task.INDEX):
        workshop.lose_messages()
        assert workshop.sweep().again == 1
        assert workshop.celery.sent == [(task, accepted.id)]
        workshop.run_all(task)
    assert workshop.document(accepted.id).status == "indexed"
    assert workshop.sweep().again == 0


def test_a_message_that_may_still_be_in_the_queue_is_not_sent_again_at_once(workshop: Workshop) -> None:
    workshop.accept("a.txt", "One.")
    swept = sweep(workshop.database, Dispatcher(workshop.celery), workshop.policy, lambda queue: 5)
    assert swept.again == 0


def test_what_a_dead_worker_held_is_sent_again_when_its_lease_ran_out(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", "One.")
    workshop.lose_messages()
    take(workshop.bench("dead"), PARSING, accepted.id)
    assert workshop.sweep().again == 0
    expire(workshop, accepted.id)
    assert workshop.sweep().again == 1
    workshop.run_all()
    assert workshop.document(accepted.id).status == "indexed"


def test_a_document_that_kills_its_worker_each_time_fails_after_all_tries(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", "One.")
    for _ in range(workshop.policy.max_attempts):
        assert len(take(workshop.bench("victim"), PARSING, accepted.id).documents) == 1
        expire(workshop, accepted.id)
    assert take(workshop.bench("victim"), PARSING, accepted.id).documents == []
    assert workshop.sweep().failed == 1
    error = workshop.document(accepted.id).error
    assert error is not None
    assert (error.stage, error.code, error.retryable) == ("extracting", "worker_lost", True)


def test_a_failed_document_can_be_tried_again_by_call_and_others_cannot(workshop: Workshop) -> None:
    failed, fine = workshop.accept("a.txt", "  "), workshop.accept("b.txt", "Fine.")
    workshop.run_all()
    workshop.blobs.put(
        f"originals/{workshop.caller.workspace_id}/{workshop.row(failed.id).sha256}", b"Now there is text."
    )
    with workshop.database.write() as session:
        retry(session, Dispatcher(workshop.celery), workshop.policy, locked(session, failed.id))
    workshop.run_all()
    assert workshop.document(failed.id).status == "indexed"
    with workshop.database.write() as session, pytest.raises(Conflict):
        retry(session, Dispatcher(workshop.celery), workshop.policy, locked(session, fine.id))


def test_indexing_anew_keeps_ids_and_vectors(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", paragraphs("one", "two"))
    workshop.run_all()
    points = workshop.points(accepted.id)
    workshop.embedder.texts.clear()
    with workshop.database.write() as session:
        reindex(session, Dispatcher(workshop.celery), workshop.policy, locked(session, accepted.id))
    workshop.run_all()
    assert workshop.document(accepted.id).live_version == 2
    assert workshop.points(accepted.id) == points
    assert workshop.embedder.texts == []
    assert len(list(workshop.blobs.list("originals"))) == 1


class TestFairness:
    def test_a_workspace_has_so_many_in_flight_and_the_rest_waits(self, workshop: Workshop) -> None:
        workshop.with_policy(in_flight=4)
        for n in range(10):
            workshop.accept(f"{n}.txt", f"Text {n}.")
        assert len(workshop.celery.sent) == 4
        assert workshop.sweep().begun == 0
        workshop.run_all()
        statuses = {workshop.row(row_id).status for row_id in all_ids(workshop)}
        assert statuses == {"indexed"}

    def test_another_workspaces_single_upload_is_sent_at_once(self, workshop: Workshop) -> None:
        workshop.with_policy(in_flight=2)
        for n in range(20):
            workshop.accept(f"{n}.txt", f"Text {n}.")
        stranger = make_caller(workshop.database, "other")[0]
        single = workshop.accept("single.txt", "Only me.", caller=stranger)
        assert workshop.celery.sent[-1] == (Task.PARSE, single.id)
        assert len(workshop.celery.sent) == 3

    def test_places_that_became_free_without_anybody_noticing_are_given_by_the_sweeper(
        self, workshop: Workshop
    ) -> None:
        workshop.with_policy(in_flight=2)
        for n in range(5):
            workshop.accept(f"{n}.txt", f"Text {n}.")
        workshop.with_policy(in_flight=64)
        assert workshop.sweep().begun == 3


class TestRemovals:
    def test_a_removal_whose_message_was_lost_is_sent_again(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", "One.")
        workshop.run_all()
        workshop.delete(accepted.id)
        workshop.lose_messages()
        assert workshop.sweep().removals == 0
        overdue(workshop, accepted.id)
        assert workshop.sweep().removals == 1
        workshop.run_all()
        assert workshop.row(accepted.id).status == "deleted"

    def test_old_points_that_were_not_removed_after_the_flip_are_found(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", paragraphs("one", "two"))
        workshop.run_all()
        workshop.accept("a.txt", paragraphs("three"))
        workshop.run_all(Task.PARSE, Task.EMBED, Task.INDEX)
        assert len(workshop.points(accepted.id)) == 3
        workshop.lose_messages()
        overdue(workshop, accepted.id)
        workshop.sweep()
        workshop.run_all()
        assert len(workshop.points(accepted.id)) == 1

    def test_reconciliation_removes_orphans_and_repairs_what_lacks_points(self, workshop: Workshop) -> None:
        kept, torn, gone = (
            workshop.accept(f"{name}.txt", paragraphs(name, name + "2")) for name in ("kept", "torn", "gone")
        )
        workshop.run_all()
        workshop.lane.delete(sorted(workshop.points(torn.id))[:1])
        with workshop.database.write() as session:
            session.delete(locked(session, gone.id))
        found = reconcile(workshop.bench(), workshop.remove_tools)
        assert (found.orphans, found.incomplete) == (2, 1)
        workshop.run_all()
        assert len(workshop.points(torn.id)) == len(workshop.points(kept.id)) == 2
        assert workshop.points(gone.id) == set()
        again = reconcile(workshop.bench(), workshop.remove_tools)
        assert (again.orphans, again.incomplete) == (0, 0)

    def test_tidying_up_an_empty_deployment_does_nothing(self, workshop: Workshop) -> None:
        tidy(workshop.bench(), workshop.remove_tools)
        assert workshop.celery.sent == []


def test_a_back_off_that_is_over_is_sent_although_the_queue_is_full(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", "One.")
    with workshop.database.write() as session:
        row = locked(session, accepted.id)
        row.dispatched_at = now() - timedelta(seconds=10)
        session.add(row)
    make_due(workshop, accepted.id)
    assert sweep(workshop.database, Dispatcher(workshop.celery), workshop.policy, full).again == 1


def full(queue: Queue) -> int:
    return 1000


def locked(session: WriteSession, document_id: str) -> DocumentRow:
    row = session.get(DocumentRow, document_id)
    assert row is not None
    return row


def overdue(workshop: Workshop, document_id: str) -> None:
    with workshop.database.write() as session:
        row = locked(session, document_id)
        row.settle_at = now() - timedelta(seconds=1)
        session.add(row)


def all_ids(workshop: Workshop) -> list[str]:
    from sqlmodel import select

    with workshop.database.read() as session:
        return list(session.exec(select(DocumentRow.id)))
