"""What happens when two do something at once, or one does it late."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from footnote_ingest.hints.queues import Task
from footnote_ingest.work.lease import LeaseLost
from footnote_ingest.work.take import take
from footnote_shared.kernel.errors import NotFound
from tests.integration.ingest.workshop import Workshop, paragraphs


class TestTwinUploads:
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
        held = take(workshop.work("slow"), ("queued", "embedding", "indexing"), accepted.id)
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
