"""What nothing refers to any more goes, whatever was lost on the way."""

from collections import Counter
from datetime import timedelta

from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance.reconcile import reconcile
from footnote_ingest.maintenance.repair import FIRST, PortionStart, repair, repair_portion
from footnote_ingest.maintenance.tidy import tidy
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.web.paging import encode_cursor
from tests.integration.ingest import rows
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import Workshop, paragraphs


class TestRemovals:
    def test_a_removal_whose_message_was_lost_is_sent_again(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", "One.")
        workshop.run_all()
        workshop.delete(accepted.id)
        workshop.lose_messages()
        assert workshop.sweep().removals == 0
        workshop.make_settling_due(accepted.id)
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
        workshop.make_settling_due(accepted.id)
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
        found = reconcile(workshop.work(), workshop.remove_resources)
        assert (found.orphans, found.incomplete) == (2, 1)
        workshop.run_all()
        assert len(workshop.points(torn.id)) == len(workshop.points(kept.id)) == 2
        assert workshop.points(gone.id) == set()
        again = reconcile(workshop.work(), workshop.remove_resources)
        assert (again.orphans, again.incomplete) == (0, 0)

    def test_vectors_that_were_all_lost_are_made_anew(self, workshop: Workshop) -> None:
        documents = [workshop.accept(f"{name}.txt", paragraphs(name)) for name in "ab"]
        workshop.run_all()
        workshop.lose_vectors()
        found = reconcile(workshop.work(), workshop.remove_resources)
        assert (found.orphans, found.incomplete) == (0, 2)
        workshop.run_all()
        assert [len(workshop.points(document.id)) for document in documents] == [1, 1]
        assert reconcile(workshop.work(), workshop.remove_resources).incomplete == 0

    def test_tidying_up_an_empty_deployment_does_nothing(self, workshop: Workshop) -> None:
        tidy(workshop.work(), workshop.remove_resources)
        assert workshop.celery.sent == []


class TestAtOnce:
    def test_every_planted_difference_is_found_repaired_and_told(self, sqlite_workshop: Workshop) -> None:
        workshop = sqlite_workshop
        kept, torn, gone, stuck = (
            workshop.accept(f"{name}.txt", paragraphs(name)) for name in ("kept", "torn", "gone", "stuck")
        )
        workshop.run_all()
        workspace = workshop.caller.workspace_id
        workshop.lane.delete(sorted(workshop.points(torn.id)))
        with workshop.database.write() as session:
            session.delete(locked(session, gone.id))
        workshop.blobs.put(blob_keys.elements(workspace, new_id(), 1), b"{}")
        long_ago = now() - timedelta(days=1)
        workshop.set(stuck.id, status="queued", dispatched_at=long_ago, lease_until=None, lease_token=None)
        found = repair(workshop.work(), workshop.remove_resources, workspace)
        assert (found.vectors_without_row, found.rows_without_vector, found.documents_stuck) == (1, 1, 1)
        assert found.blobs_without_row >= 1
        workshop.run_all()
        again = repair(workshop.work(), workshop.remove_resources, workspace)
        assert set(again.model_dump().values()) == {0}
        assert len(workshop.points(kept.id)) == len(workshop.points(torn.id)) == 1
        assert workshop.points(gone.id) == set()

    def test_bytes_that_were_lost_are_found_and_made_anew_where_they_can_be(self, workshop: Workshop) -> None:
        kept, text, file, both = (
            workshop.accept(f"{name}.txt", paragraphs(name)) for name in ("kept", "text", "file", "both")
        )
        workshop.run_all()
        workspace = workshop.caller.workspace_id
        for document in (text, both):
            workshop.blobs.delete([blob_keys.elements(workspace, document.id, 1)])
        for document in (file, both):
            workshop.blobs.delete([blob_keys.original(workspace, document.sha256)])
        found = repair(workshop.work(), workshop.remove_resources, workspace)
        assert (found.texts_lost, found.rows_without_bytes, found.originals_lost) == (1, 1, 1)
        workshop.run_all()
        assert workshop.row(text.id).status == workshop.row(both.id).status == "indexed"
        assert workshop.blobs.exists(blob_keys.elements(workspace, text.id, 2))
        again = repair(workshop.work(), workshop.remove_resources, workspace)
        assert (again.texts_lost, again.rows_without_bytes, again.originals_lost) == (0, 1, 1)
        assert workshop.row(kept.id).version == 1

    def test_portions_end_in_time_and_go_on_from_their_place(self, workshop: Workshop) -> None:
        workshop.lane.open(workshop.embedder.fingerprint)
        rows.chunks(
            workshop.database, workshop.caller, rows.live_documents(workshop.database, workshop.caller, 450)
        )
        workspace = workshop.caller.workspace_id
        for _ in range(3):
            workshop.blobs.put(blob_keys.elements(workspace, new_id(), 1), b"{}")
        found: Counter[str] = Counter()
        portions: list[tuple[str, int]] = []
        place: PortionStart | None = FIRST
        while place is not None:
            work, stores = workshop.work(), workshop.remove_resources
            portion = repair_portion(work, stores, workspace, place, lambda: True)
            portions.append((portion.part, portion.looked_at))
            found.update(portion.found)
            # The same place a second time, as after a crash, finds nothing of what was repaired.
            again = repair_portion(work, stores, workspace, place, lambda: True)
            found.update(again.found)
            place = portion.following
        looks = [count for part, count in portions if part == "documents" and count]
        assert looks == [200, 200, 50]
        assert found["blobs_without_row"] == 3
        # The rows have no files, so that nothing can be made of them anew.
        assert found["rows_without_bytes"] + found["rows_without_vector"] >= 450

    def test_another_workspace_is_left_alone(self, sqlite_workshop: Workshop) -> None:
        workshop = sqlite_workshop
        gone = workshop.accept("gone.txt", paragraphs("gone"))
        workshop.run_all()
        with workshop.database.write() as session:
            session.delete(locked(session, gone.id))
        assert repair(workshop.work(), workshop.remove_resources, new_id()).vectors_without_row == 0
        assert workshop.points(gone.id)


def test_a_portion_begins_at_the_cursor_of_the_one_before_and_at_no_other(served: Served) -> None:
    first = served.http.post("/v1/documents:reconcile")
    assert (first.status_code, first.json()["part"]) == (200, "stuck")
    assert first.json()["next_cursor"] == encode_cursor("rows", "")
    second = served.http.post("/v1/documents:reconcile", json={"cursor": first.json()["next_cursor"]})
    assert (second.status_code, second.json()["part"]) == (200, "rows")
    wrong = [
        encode_cursor("walls", ""),
        encode_cursor("vectors", "' OR 1=1"),
        encode_cursor("files"),
        "!",
        "",
    ]
    answers = [served.http.post("/v1/documents:reconcile", json={"cursor": one}) for one in wrong]
    assert {answer.status_code for answer in answers} == {422}


def locked(session: WriteSession, document_id: str) -> DocumentRow:
    row = session.get(DocumentRow, document_id)
    assert row is not None
    return row
