"""What the sweeper finds: lost messages, dead workers, documents that wait for their turn."""

from datetime import timedelta

import pytest

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Queue, Task
from footnote_ingest.maintenance.sweep import sweep
from footnote_ingest.work.take import take
from footnote_shared.kernel.clock import now
from footnote_testing.workspace import make_caller
from tests.integration.ingest.workshop import PARSING, Workshop


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
    take(workshop.work("dead"), PARSING, accepted.id)
    assert workshop.sweep().again == 0
    workshop.expire_lease(accepted.id)
    assert workshop.sweep().again == 1
    workshop.run_all()
    assert workshop.document(accepted.id).status == "indexed"


@pytest.mark.parametrize("ahead", [timedelta(hours=2), timedelta(days=1)])
def test_what_a_machine_with_a_clock_that_is_ahead_has_put_down_waits_for_no_other(
    workshop: Workshop, ahead: timedelta
) -> None:
    accepted = workshop.accept("a.txt", "One.")
    for task in (Task.PARSE, Task.EMBED, Task.INDEX):
        written = now() + ahead
        workshop.set(accepted.id, lease_until=written, available_at=written, dispatched_at=written)
        workshop.lose_messages()
        assert workshop.sweep().again == 1
        workshop.run_all(task)
    assert workshop.document(accepted.id).status == "indexed"
    workshop.delete(accepted.id)
    workshop.lose_messages()
    workshop.set(accepted.id, settle_at=now() + ahead)
    assert workshop.sweep().removals == 1


def test_what_it_hands_over_is_taken_at_its_hint(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", "One.")
    workshop.run_all(Task.PARSE)
    workshop.set(accepted.id, available_at=now() + timedelta(days=1), dispatched_at=now() + timedelta(days=1))
    workshop.run_all()
    assert workshop.document(accepted.id).status == "indexed"


def test_a_document_that_kills_its_worker_each_time_fails_after_all_tries(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", "One.")
    for _ in range(workshop.policy.max_attempts):
        assert len(take(workshop.work("victim"), PARSING, accepted.id).documents) == 1
        workshop.expire_lease(accepted.id)
    assert take(workshop.work("victim"), PARSING, accepted.id).documents == []
    assert workshop.sweep().failed == 1
    error = workshop.document(accepted.id).error
    assert error is not None
    assert (error.stage, error.code, error.retryable) == ("extracting", "worker_lost", True)


class TestFairness:
    def test_a_workspace_has_so_many_in_flight_and_the_rest_waits(self, workshop: Workshop) -> None:
        workshop.with_policy(in_flight=4)
        for n in range(10):
            workshop.accept(f"{n}.txt", f"Text {n}.")
        assert len(workshop.celery.sent) == 4
        assert workshop.sweep().begun == 0
        workshop.run_all()
        statuses = {workshop.row(row_id).status for row_id in workshop.ids()}
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


def test_a_back_off_that_is_over_is_sent_although_the_queue_is_full(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", "One.")
    workshop.set(accepted.id, dispatched_at=now() - timedelta(seconds=10))
    workshop.end_back_off(accepted.id)
    assert sweep(workshop.database, Dispatcher(workshop.celery), workshop.policy, full).again == 1


def full(queue: Queue) -> int:
    return 1000
