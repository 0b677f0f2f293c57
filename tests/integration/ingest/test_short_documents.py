"""Short documents are read and cut together, and yet each fails, waits and is taken over by itself."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from footnote_ingest.hints.queues import Task
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parser_input import GivenFile
from footnote_ingest.pipeline.parse import parse_documents
from footnote_ingest.work.take import release_leases_of, take
from footnote_shared.contracts.identity import Principal
from footnote_shared.security.api_keys import make_avatar
from footnote_testing.workspace import make_caller
from tests.integration.ingest.statements import statements
from tests.integration.ingest.workshop import PARSING, Workshop, parse_here

BAD = ParseFailed("The parser failed on this file.", "crashed")


@dataclass
class OneChild:
    """Reads files together, as a child of the sandbox does. A file that begins with `ends` ends it.

    `read` has the names of the files that came together.
    """

    ends: str = "poison"
    read: list[list[str]] = field(default_factory=list)

    def __call__(self, files: Sequence[GivenFile]) -> list[Extracted | ParseFailed]:
        self.read.append([file.filename for file in files])
        outcomes: list[Extracted | ParseFailed] = []
        for file in files:
            if file.filename.startswith(self.ends):
                break
            outcomes.append(parse_here(*file))
        return outcomes


def refuse_poison(content: bytes, filename: str, declared_mime: str) -> Extracted:
    if filename.startswith("poison"):
        raise BAD
    return parse_here(content, filename, declared_mime)


def choke_on_poison(content: bytes, filename: str, declared_mime: str) -> Extracted:
    if filename.startswith("poison"):
        raise ZeroDivisionError
    return parse_here(content, filename, declared_mime)


@pytest.fixture
def child() -> OneChild:
    return OneChild()


@pytest.fixture
def workshop(sqlite_workshop: Workshop, child: OneChild) -> Workshop:
    sqlite_workshop.parse_together = child
    return sqlite_workshop


def accept_notes(workshop: Workshop, count: int) -> list[str]:
    return [workshop.accept(f"note{n:02}.txt", f"Note {n}.").id for n in range(count)]


def parse(workshop: Workshop, *ids: str, worker: str = "worker") -> None:
    parse_documents(workshop.work(worker), workshop.parse_resources, *ids)


def test_they_are_written_in_one_transaction(workshop: Workshop, child: OneChild) -> None:
    ids = accept_notes(workshop, 16)
    with statements(workshop.database) as seen:
        parse(workshop, *ids)
    assert [statement.rows for statement in seen if statement.text.startswith("INSERT INTO chunks")] == [16]
    assert len(child.read) == 1
    assert {workshop.row(document_id).status for document_id in ids} == {"embedding"}
    workshop.run_all()
    assert {workshop.document(document_id).chunks for document_id in ids} == {1}


def test_the_timeline_shows_each_stage(workshop: Workshop) -> None:
    ids = accept_notes(workshop, 2)
    parse(workshop, *ids)
    assert workshop.statuses(ids[0]) == ["queued", "extracting", "chunking", "embedding"]


def test_one_that_ends_its_child_fails_alone(workshop: Workshop, child: OneChild) -> None:
    workshop.parse = refuse_poison
    before = accept_notes(workshop, 10)
    poison = workshop.accept("poison.txt", "Poison.").id
    after = [workshop.accept(f"later{n}.txt", f"Later {n}.").id for n in range(5)]
    parse(workshop, *before, poison, *after)
    assert {workshop.row(document_id).status for document_id in before + after} == {"embedding"}
    failed = workshop.document(poison)
    assert failed.error is not None
    assert (failed.status, failed.error.code, failed.error.stage) == ("failed", "crashed", "extracting")
    assert [len(names) for names in child.read] == [16, 5], "the others are not read twice"


def test_an_unforeseen_error_counts_against_one_alone(workshop: Workshop) -> None:
    read = workshop.parse
    workshop.parse = choke_on_poison
    notes = accept_notes(workshop, 3)
    poison = workshop.accept("poison.txt", "Poison.").id
    with pytest.raises(ZeroDivisionError):
        parse(workshop, *notes, poison)
    assert {workshop.row(document_id).attempts for document_id in notes} == {0}
    assert workshop.row(poison).attempts == 1
    # On a slow machine its next try may be due already.
    workshop.parse = read
    workshop.run_all()
    assert {workshop.document(document_id).status for document_id in notes} == {"indexed"}


def test_a_worker_that_is_killed_with_them_in_hand_loses_none(workshop: Workshop, child: OneChild) -> None:
    ids = accept_notes(workshop, 5)
    take(workshop.work("killed@host"), PARSING, *ids)
    workshop.lose_messages()
    assert release_leases_of(workshop.database, "killed@host") == 5
    workshop.sweep()
    workshop.run_all()
    assert {workshop.document(document_id).status for document_id in ids} == {"indexed"}
    assert child.read == [], "each could be the one that killed the worker, so each is by itself"


def test_of_several_that_were_tried_before_each_is_taken_by_itself(workshop: Workshop) -> None:
    ids = accept_notes(workshop, 3)
    take(workshop.work("killed@host"), PARSING, *ids[:2])
    release_leases_of(workshop.database, "killed@host")
    workshop.lose_messages()
    assert [leased.id for leased in take(workshop.work(), PARSING, *ids).documents] == [ids[2]]
    assert workshop.celery.sent == [(Task.PARSE, ids[0]), (Task.PARSE, ids[1])]


def test_of_two_workers_each_document_goes_to_one(workshop: Workshop) -> None:
    ids = accept_notes(workshop, 16)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda name: parse(workshop, *ids, worker=name), ("one", "two")))
    for document_id in ids:
        assert workshop.statuses(document_id) == ["queued", "extracting", "chunking", "embedding"]


def test_one_child_reads_for_one_owner_and_the_same_readers(workshop: Workshop, child: OneChild) -> None:
    others = make_caller(workshop.database, "others")[0]
    with workshop.database.write() as session:
        made = make_avatar(session, workshop.caller.workspace_id, "colleague")
    colleague = Principal(workspace_id=made.workspace_id, avatar_id=made.avatar_id, scopes=frozenset())
    ids = [
        workshop.accept(f"{name}{n}.txt", f"{name} {n}", caller=caller, visibility=visibility).id
        for n in range(2)
        for name, caller, visibility in (
            ("mine", workshop.caller, "workspace"),
            ("secret", workshop.caller, "private"),
            ("theirs", others, "workspace"),
            ("colleagues", colleague, "workspace"),
        )
    ]
    parse(workshop, *ids)
    assert sorted(child.read) == [
        ["colleagues0.txt", "colleagues1.txt"],
        ["mine0.txt", "mine1.txt"],
        ["secret0.txt", "secret1.txt"],
        ["theirs0.txt", "theirs1.txt"],
    ]


def test_what_a_library_in_c_reads_is_read_by_itself(workshop: Workshop, child: OneChild) -> None:
    page = workshop.accept("page.html", "<html><body><p>A page.</p></body></html>").id
    parse(workshop, page, *accept_notes(workshop, 2))
    assert child.read == [["note00.txt", "note01.txt"]]
    assert workshop.row(page).status == "embedding"


def test_a_long_one_among_them_is_sent_a_hint_of_its_own(workshop: Workshop) -> None:
    notes = accept_notes(workshop, 2)
    long = workshop.accept("heavy.pdf", "%PDF-1.7 heavy").id
    workshop.lose_messages()
    parse(workshop, long, *notes)
    assert {workshop.row(document_id).status for document_id in notes} == {"embedding"}
    assert workshop.row(long).status == "queued"
    assert (Task.PARSE, long) in workshop.celery.sent


def test_more_bytes_than_go_together_are_sent_on(workshop: Workshop, child: OneChild) -> None:
    ids = [workshop.accept(f"large{n}.txt", f"{n} " + "words and words " * 7_000).id for n in range(4)]
    workshop.lose_messages()
    parse(workshop, *ids)
    assert [len(names) for names in child.read] == [2]
    assert [document_id for task, document_id in workshop.celery.sent if task is Task.PARSE] == ids[2:]


def test_a_new_version_superseded_meanwhile_is_left_out(workshop: Workshop, child: OneChild) -> None:
    ids = accept_notes(workshop, 2)
    read = child.__call__

    def superseding(files: Sequence[GivenFile]) -> list[Extracted | ParseFailed]:
        workshop.accept("note00.txt", "Another text.")
        return read(files)

    workshop.parse_together = superseding
    parse(workshop, *ids)
    assert [workshop.row(document_id).status for document_id in ids] == ["queued", "embedding"]
    workshop.parse_together = child
    workshop.run_all()
    assert "Another text." in workshop.live(ids[0])[0].text


def test_a_worker_that_stops_hands_them_back(workshop: Workshop) -> None:
    ids = accept_notes(workshop, 3)
    workshop.ask_to_stop()
    parse(workshop, *ids)
    rows = [workshop.row(document_id) for document_id in ids]
    assert all(row.lease_token is None and row.attempts == 0 for row in rows if row.status != "embedding")
