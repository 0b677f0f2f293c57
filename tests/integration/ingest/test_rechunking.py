"""Documents that other settings have cut are cut again, beside the chunks that readers see (spec 3.4)."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from footnote_ingest.contracts.rechunking import Rechunking
from footnote_ingest.documents.change import Changes, change_document
from footnote_ingest.documents.retry import reindex
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance import rechunk
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_shared.kernel.errors import NotFound
from footnote_testing.workspace import make_caller
from tests.integration.ingest.workshop import Workshop, paragraphs, parse_here, refs_of

WORDS = " ".join(f"word{n}" for n in range(60))


@pytest.fixture
def filled(workshop: Workshop) -> tuple[Workshop, list[str]]:
    """A workshop with three documents, each of several chunks of 32 tokens, that now cuts longer ones."""
    documents = [workshop.accept(f"{n}.txt", f"{WORDS} end{n}").id for n in range(3)]
    workshop.run_all()
    workshop.chunk_tokens = 80
    return workshop, documents


def begin(workshop: Workshop) -> Rechunking:
    with workshop.database.write() as session:
        return rechunk.request(session, workshop.caller.workspace_id, workshop.digest)


def state(workshop: Workshop) -> Rechunking:
    with workshop.database.read() as session:
        return rechunk.state(session, workshop.caller.workspace_id, workshop.digest)


def go_on(workshop: Workshop) -> int:
    return rechunk.go_on(workshop.database, Dispatcher(workshop.celery), workshop.policy, workshop.digest)


def to_its_end(workshop: Workshop) -> None:
    for _ in range(20):
        go_on(workshop)
        workshop.run_all()
        if not state(workshop).running:
            return
    raise AssertionError(state(workshop))


def lengths(workshop: Workshop, documents: list[str]) -> list[int]:
    return [len(workshop.live(document)) for document in documents]


def refuse(content: bytes, filename: str, mime: str) -> Extracted:
    raise ParseFailed("The file is broken.", "corrupt")


def test_a_model_hears_a_recording_again_only_when_it_is_to_be_read_anew(workshop: Workshop) -> None:
    heard: list[str] = []

    def hear(content: bytes, filename: str, mime: str) -> Extracted:
        heard.append(filename)
        return dataclasses.replace(parse_here(WORDS.encode(), "said.txt", "text/plain"), mime="audio/mpeg")

    workshop.parse = hear
    recording = workshop.accept("talk.mp3", "ID3\x04\x00\x00\x00\x00\x00\x00 and so on").id
    workshop.run_all()
    assert lengths(workshop, [recording]) == [2]
    workshop.chunk_tokens = 80
    begin(workshop)
    to_its_end(workshop)
    assert lengths(workshop, [recording]) == [1]
    assert heard == ["talk.mp3"]
    dispatcher = Dispatcher(workshop.celery)
    with workshop.database.write() as session:
        changes = Changes(title="The council")
        change_document(session, dispatcher, workshop.policy, workshop.caller, recording, changes)
    workshop.run_all()
    assert (workshop.document(recording).status, heard) == ("indexed", ["talk.mp3"])
    with workshop.database.write() as session:
        row = session.get(DocumentRow, recording, with_for_update=True)
        assert row is not None
        reindex(session, dispatcher, workshop.policy, row)
    workshop.run_all()
    assert heard == ["talk.mp3", "talk.mp3"]


class TestARequest:
    def test_cuts_every_document_again(self, filled: tuple[Workshop, list[str]]) -> None:
        workshop, documents = filled
        assert lengths(workshop, documents) == [2, 2, 2]
        begun = begin(workshop)
        assert (begun.running, begun.total, begun.left, begun.outdated) == (True, 3, 3, 3)
        to_its_end(workshop)
        assert lengths(workshop, documents) == [1, 1, 1]
        assert state(workshop) == Rechunking(running=False, total=0, left=0, failed=0, outdated=0)
        assert all(len(workshop.points(document)) == 1 for document in documents)

    def test_leaves_alone_what_is_cut_by_the_same_settings(self, filled: tuple[Workshop, list[str]]) -> None:
        workshop, _ = filled
        begin(workshop)
        to_its_end(workshop)
        new = workshop.accept("new.txt", WORDS).id
        workshop.run_all()
        begin(workshop)
        to_its_end(workshop)
        assert workshop.document(new).version == 1

    def test_takes_documents_of_before_digests_were_kept(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", WORDS)
        workshop.run_all()
        with workshop.database.write() as session:
            version = session.get(VersionRow, (accepted.id, 1))
            assert version is not None
            version.cut_by = None
            session.add(version)
        assert begin(workshop).total == 1
        to_its_end(workshop)
        assert workshop.document(accepted.id).version == 2

    def test_leaves_the_chunks_of_before_to_readers_meanwhile(
        self, filled: tuple[Workshop, list[str]]
    ) -> None:
        workshop, documents = filled
        refs = refs_of(workshop.live(documents[0]))
        begin(workshop)
        go_on(workshop)
        workshop.run_all(Task.PARSE, Task.EMBED)
        assert {chunk.version for chunk in workshop.lookup(refs)} == {1}

    def test_keeps_ids_and_vectors_of_what_is_cut_as_before(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", paragraphs("one", "two"))
        workshop.run_all()
        before, embedded = {c.chunk_id for c in workshop.live(accepted.id)}, len(workshop.embedder.texts)
        with workshop.database.write() as session:
            rechunk.request(session, workshop.caller.workspace_id, "another release")
        rechunk.go_on(workshop.database, Dispatcher(workshop.celery), workshop.policy, "another release")
        workshop.run_all()
        assert {c.chunk_id for c in workshop.live(accepted.id)} == before
        assert len(workshop.embedder.texts) == embedded

    def test_cuts_nothing_twice_where_workers_go_by_other_settings_than_the_sweeper(
        self, filled: tuple[Workshop, list[str]]
    ) -> None:
        workshop, documents = filled
        begin(workshop)
        elsewhere = rechunk.go_on(workshop.database, Dispatcher(workshop.celery), workshop.policy, "newer")
        workshop.run_all()
        assert elsewhere > 0
        for _ in range(5):
            rechunk.go_on(workshop.database, Dispatcher(workshop.celery), workshop.policy, "newer")
            workshop.run_all()
        assert [workshop.document(document).version for document in documents] == [2, 2, 2]

    def test_leaves_room_for_uploads(self, filled: tuple[Workshop, list[str]]) -> None:
        workshop, _ = filled
        workshop.policy = dataclasses.replace(workshop.policy, in_flight=2)
        begin(workshop)
        assert [go_on(workshop), go_on(workshop)] == [1, 0]
        new = workshop.accept("new.txt", WORDS).id
        assert (Task.PARSE, new) in workshop.celery.sent

    def test_is_begun_once_by_two_sweepers(self, filled: tuple[Workshop, list[str]]) -> None:
        workshop, documents = filled
        begin(workshop)
        with ThreadPoolExecutor(2) as pool:
            begun = list(pool.map(lambda _: go_on(workshop), range(2)))
        assert sum(begun) == 3
        workshop.run_all()
        assert [workshop.document(document).version for document in documents] == [2, 2, 2]

    def test_is_one_where_two_ask_at_once(self, filled: tuple[Workshop, list[str]]) -> None:
        workshop, _ = filled
        together = Barrier(2)

        def ask(_: int) -> Rechunking:
            together.wait()
            return begin(workshop)

        with ThreadPoolExecutor(2) as pool:
            assert [begun.total for begun in pool.map(ask, range(2))] == [3, 3]

    def test_ends_where_documents_fail_and_tells_it(self, filled: tuple[Workshop, list[str]]) -> None:
        workshop, documents = filled
        begin(workshop)
        workshop.parse = refuse
        to_its_end(workshop)
        assert state(workshop).failed == 3
        assert lengths(workshop, documents) == [2, 2, 2]

    def test_is_stopped(self, filled: tuple[Workshop, list[str]]) -> None:
        workshop, documents = filled
        begin(workshop)
        with workshop.database.write() as session:
            stopped = rechunk.stop(session, workshop.caller.workspace_id, workshop.digest)
        assert (stopped.running, stopped.outdated) == (False, 3)
        assert go_on(workshop) == 0
        assert lengths(workshop, documents) == [2, 2, 2]

    def test_counts_what_a_stopped_one_has_left_in_work(self, filled: tuple[Workshop, list[str]]) -> None:
        workshop, _ = filled
        workshop.policy = dataclasses.replace(workshop.policy, in_flight=4)
        begin(workshop)
        assert go_on(workshop) == 2
        with workshop.database.write() as session:
            rechunk.stop(session, workshop.caller.workspace_id, workshop.digest)
        again = begin(workshop)
        assert (again.total, again.left) == (3, 3)
        to_its_end(workshop)
        assert state(workshop).outdated == 0

    def test_is_for_one_workspace(self, filled: tuple[Workshop, list[str]]) -> None:
        workshop, _ = filled
        other = make_caller(workshop.database)[0]
        theirs = workshop.accept("theirs.txt", WORDS, caller=other).id
        workshop.run_all()
        with workshop.database.write() as session:
            assert rechunk.request(session, other.workspace_id, workshop.digest).total == 0
        begin(workshop)
        to_its_end(workshop)
        with pytest.raises(NotFound):
            workshop.document(theirs)
        assert workshop.row(theirs).version == 1
