"""What goes wrong with one document: it is tried again, or it fails with its reason."""

import pytest

from footnote_ingest.documents.retry import reindex, retry
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.failures import failure_of
from footnote_ingest.work.stages import put_back
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, Unavailable
from tests.integration.ingest.workshop import Workshop, paragraphs


class TestFailures:
    def test_a_store_that_does_not_answer_costs_no_try_and_the_document_waits(
        self, workshop: Workshop
    ) -> None:
        accepted = workshop.accept("a.txt", "One.")
        workshop.run_all(Task.PARSE, Task.EMBED)
        workshop.lane.down = True
        for _ in range(3 * workshop.policy.max_attempts):
            workshop.end_back_off(accepted.id)
            workshop.run(Task.INDEX, accepted.id)
        row = workshop.row(accepted.id)
        assert (row.status, row.attempts) == ("indexing", 0)
        assert row.available_at > now()
        waits = [status for status in workshop.statuses(accepted.id) if status == "indexing"]
        assert len(waits) == 2, "the wait is told once, not once a try"
        workshop.lane.down = False
        workshop.end_back_off(accepted.id)
        workshop.sweep()
        workshop.run_all()
        assert workshop.document(accepted.id).status == "indexed"

    def test_it_waits_as_long_as_a_part_asks_and_not_for_ever(self, sqlite_workshop: Workshop) -> None:
        workshop = sqlite_workshop
        for asked_s, waits_s in ((400.0, 400.0), (1e9, 900.0)):
            accepted = workshop.accept(f"{asked_s}.txt", "One.")
            failure = failure_of(Unavailable("transcribe", "It is busy.", retry_after=asked_s))
            with workshop.database.write() as session:
                row = session.get_one(DocumentRow, accepted.id)
                put_back(session, row, failure, workshop.policy)
                session.add(row)
            left_s = (workshop.row(accepted.id).available_at - now()).total_seconds()
            assert waits_s - 200 < left_s <= waits_s

    def test_an_unforeseen_error_is_tried_again_and_then_fails_with_the_stage(
        self, workshop: Workshop
    ) -> None:
        accepted = workshop.accept("a.txt", "One.")
        workshop.run_all(Task.PARSE)
        workshop.embedder.broken = True
        for _ in range(workshop.policy.max_attempts):
            workshop.end_back_off(accepted.id)
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
        workshop.staged_in_row = 0
        workshop.run_all(Task.PARSE, Task.EMBED)
        workshop.blobs.delete([entry.key for entry in workshop.blobs.list("vectors")])
        workshop.run_all()
        assert workshop.document(accepted.id).status == "indexed"
        assert workshop.statuses(accepted.id).count("embedding") == 2

    @pytest.mark.parametrize("part", [slice(0), slice(10), slice(-1)])
    def test_vectors_of_which_a_loss_of_power_left_a_part_are_made_again(
        self, workshop: Workshop, part: slice
    ) -> None:
        accepted = workshop.accept("a.txt", "One.")
        workshop.staged_in_row = 0
        workshop.run_all(Task.PARSE, Task.EMBED)
        (staged,) = [entry.key for entry in workshop.blobs.list("vectors")]
        workshop.blobs.put(staged, workshop.blobs.get(staged)[part])
        workshop.run_all()
        assert workshop.document(accepted.id).status == "indexed"
        assert workshop.statuses(accepted.id).count("embedding") == 2


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


def locked(session: WriteSession, document_id: str) -> DocumentRow:
    row = session.get(DocumentRow, document_id)
    assert row is not None
    return row
