"""What readers see while a document changes: all of one version, at every moment."""

import threading
from concurrent.futures import ThreadPoolExecutor

from footnote_ingest.hints.queues import Task
from footnote_ingest.store import chunks as chunk_store
from footnote_testing.eventually import LIMIT_S
from footnote_testing.workspace import make_caller
from tests.integration.ingest.workshop import Workshop, paragraphs, refs_of


class TestReaders:
    def test_readers_see_all_of_the_old_or_all_of_the_new_version_at_every_moment(
        self, workshop: Workshop
    ) -> None:
        accepted = workshop.accept("a.txt", paragraphs("keep", "old1", "old2", "keep2"))
        workshop.run_all()
        old = workshop.live(accepted.id)
        workshop.accept("a.txt", paragraphs("keep", "new1", "new2", "keep2"))
        workshop.run_all(Task.PARSE, Task.EMBED)
        with workshop.database.read() as session:
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
                reader.result(LIMIT_S)
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
        accepted = workshop.accept("a.txt", paragraphs("one"))
        workshop.run_all()
        stranger = make_caller(workshop.database, "stranger")[0]
        assert workshop.lookup(refs_of(workshop.live(accepted.id)), stranger) == []
        twin = workshop.accept("a.txt", paragraphs("one"), caller=stranger)
        workshop.embedder.texts.clear()
        workshop.run_all()
        assert twin.id != accepted.id
        assert len(workshop.embedder.texts) == 1, "vectors are not shared across workspaces"
