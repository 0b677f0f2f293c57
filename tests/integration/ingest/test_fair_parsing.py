"""Documents that take long to parse leave a process for short ones, and a slot for other workspaces."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from footnote_ingest.hints.queues import Task
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.pipeline.long_work import LongWorkSlots, may_take_long
from footnote_ingest.pipeline.parse import parse_documents, read_by_model
from footnote_ingest.store import documents
from footnote_shared.contracts.identity import Principal
from footnote_testing.eventually import LIMIT_S
from footnote_testing.workspace import make_caller
from tests.integration.ingest.workshop import Workshop, parse_here

KIB = 1024


class SlowParser:
    """Parses names that begin with `heavy` only when the test opens the gate."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.begun = threading.Semaphore(0)

    def __call__(self, content: bytes, filename: str, declared_mime: str) -> Extracted:
        if filename.startswith("heavy"):
            self.begun.release()
            assert self.gate.wait(LIMIT_S)
        return parse_here(b"Parsed.", filename, "text/plain")


@pytest.fixture
def parser(sqlite_workshop: Workshop) -> SlowParser:
    sqlite_workshop.parse = parser = SlowParser()
    return parser


def accept_heavy(workshop: Workshop, name: str, caller: Principal | None = None) -> str:
    """A PDF that will take long."""
    return workshop.accept(f"heavy-{name}.pdf", f"%PDF-1.7 {name}", caller=caller).id


@contextmanager
def in_hand(workshop: Workshop, parser: SlowParser, document_id: str) -> Iterator[None]:
    """Another process parses this document during the block."""
    process = threading.Thread(target=workshop.run, args=(Task.PARSE, document_id, "worker"))
    process.start()
    assert parser.begun.acquire(timeout=LIMIT_S)
    yield
    parser.gate.set()
    process.join(LIMIT_S)


def test_a_second_heavy_document_waits_and_a_note_does_not(
    sqlite_workshop: Workshop, parser: SlowParser
) -> None:
    workshop = sqlite_workshop
    others = make_caller(workshop.database, "others")[0]
    first, second = accept_heavy(workshop, "first"), accept_heavy(workshop, "second")
    note = workshop.accept("note.txt", "A note.", caller=others).id
    with in_hand(workshop, parser, first):
        workshop.run(Task.PARSE, second)
        workshop.run(Task.PARSE, note)
        assert workshop.row(second).status == "queued"
        assert workshop.row(second).attempts == 0
        assert workshop.row(note).status == "embedding"
    workshop.run(Task.PARSE, second)
    assert workshop.row(second).status == "embedding"


def test_a_recording_that_a_model_hears_for_minutes_keeps_no_slot_from_a_file(
    sqlite_workshop: Workshop, parser: SlowParser, tmp_path: Path
) -> None:
    workshop = sqlite_workshop
    others = make_caller(workshop.database, "others")[0]
    heard = workshop.accept("heavy.mp3", "ID3\x04\x00\x00\x00\x00\x00\x00 and so on").id
    file = workshop.accept("light.pdf", "%PDF-1.7 light", caller=others).id
    workshop.lose_messages()
    room = [False, True]
    reads = replace(
        workshop.parse_resources, asks_model=lambda mime: mime == "audio/mpeg", media_has_room=room.pop
    )
    parse_documents(workshop.work("worker"), reads, heard)
    assert workshop.celery.sent == [(Task.MEDIA, heard)]
    parse_documents(workshop.work("worker"), reads, heard)
    assert workshop.celery.sent == [(Task.MEDIA, heard)]
    assert (workshop.row(heard).status, workshop.row(heard).attempts) == ("queued", 0)
    own = replace(reads, slots=LongWorkSlots(tmp_path, processes=1))
    hearing = threading.Thread(target=read_by_model, args=(workshop.work("media"), own, heard))
    hearing.start()
    assert parser.begun.acquire(timeout=LIMIT_S)
    with workshop.database.read() as session:
        told = [row.detail for row in documents.timeline(session, heard)]
    assert "A model hears the recording. That can take minutes." in told
    parse_documents(workshop.work("worker"), reads, file)
    assert workshop.row(file).status == "embedding"
    parser.gate.set()
    hearing.join(LIMIT_S)
    assert workshop.row(heard).status == "embedding"


def test_the_end_of_a_long_parse_calls_for_another_workspace_first(
    sqlite_workshop: Workshop, parser: SlowParser
) -> None:
    workshop = sqlite_workshop
    others = make_caller(workshop.database, "others")[0]
    first, second = accept_heavy(workshop, "first"), accept_heavy(workshop, "second")
    theirs = accept_heavy(workshop, "theirs", others)
    workshop.lose_messages()
    parser.gate.set()
    for document_id in (first, theirs):
        workshop.run(Task.PARSE, document_id)
    called = [name for task, name in workshop.celery.sent if task is Task.PARSE]
    assert called == [theirs, second]


def test_a_slot_that_was_held_for_nothing_calls_for_the_next_as_well(sqlite_workshop: Workshop) -> None:
    workshop = sqlite_workshop
    first, second = accept_heavy(workshop, "first"), accept_heavy(workshop, "second")
    workshop.delete(first)
    workshop.lose_messages()
    # The late hint takes a slot for a moment, in which the second document may be refused it.
    workshop.run(Task.PARSE, first)
    assert workshop.celery.sent == [(Task.PARSE, second)]


def test_so_does_one_whose_parse_ended_in_an_error(sqlite_workshop: Workshop) -> None:
    workshop = sqlite_workshop
    first, second = accept_heavy(workshop, "first"), accept_heavy(workshop, "second")
    workshop.lose_messages()

    def broken(content: bytes, filename: str, declared_mime: str) -> Extracted:
        raise ZeroDivisionError

    workshop.parse = broken
    with pytest.raises(ZeroDivisionError):
        workshop.run(Task.PARSE, first)
    assert (Task.PARSE, second) in workshop.celery.sent


def book(workshop: Workshop, name: str, caller: Principal | None = None) -> str:
    """A document of 2,001 chunks that waits to be indexed."""
    accepted = workshop.accept(f"{name}.md", "".join(f"# {n}\n" for n in range(2001)), caller=caller)
    for task in (Task.PARSE, Task.EMBED):
        workshop.run(task, accepted.id)
    assert workshop.row(accepted.id).status == "indexing"
    return accepted.id


def test_a_long_document_waits_for_a_slot_to_be_indexed_and_a_note_does_not(
    sqlite_workshop: Workshop,
) -> None:
    workshop = sqlite_workshop
    long, note = book(workshop, "book"), workshop.accept("note.txt", "A note.").id
    for task in (Task.PARSE, Task.EMBED):
        workshop.run(task, note)
    with workshop.slots.slot("somebody else's"):
        workshop.run(Task.INDEX, long)
        workshop.run(Task.INDEX, note)
        assert (workshop.row(long).status, workshop.row(long).attempts) == ("indexing", 0)
        assert workshop.row(note).status == "indexed"
    workshop.run(Task.INDEX, long)
    assert workshop.row(long).status == "indexed"


def test_a_note_that_is_indexed_takes_no_long_document_along(sqlite_workshop: Workshop) -> None:
    workshop = sqlite_workshop
    long, note = book(workshop, "book"), workshop.accept("note.txt", "A note.").id
    for task in (Task.PARSE, Task.EMBED, Task.INDEX):
        workshop.run(task, note)
    assert workshop.row(note).status == "indexed"
    assert workshop.row(long).status == "indexing"


def test_a_slot_that_parsing_gives_back_serves_one_that_waits_to_be_indexed(
    sqlite_workshop: Workshop, parser: SlowParser
) -> None:
    workshop = sqlite_workshop
    others = make_caller(workshop.database, "others")[0]
    workshop.parse = parse_here
    long = book(workshop, "book", others)
    workshop.parse = parser
    parser.gate.set()
    heavy = accept_heavy(workshop, "first")
    workshop.lose_messages()
    workshop.run(Task.PARSE, heavy)
    assert (Task.INDEX, long) in workshop.celery.sent


def test_slots_are_one_fewer_than_processes_and_one_is_left_to_other_workspaces(tmp_path: Path) -> None:
    four = LongWorkSlots(tmp_path, processes=4)
    with four.slot("A") as first, four.slot("A") as second, four.slot("A") as third:
        assert (first, second, third) == (True, True, False)
        with four.slot("B") as theirs, four.slot("C") as one_too_many:
            assert (theirs, one_too_many) == (True, False)
    with four.slot("C") as later:
        assert later


@pytest.mark.parametrize("processes", [1, 2])
def test_few_processes_have_one_slot(tmp_path: Path, processes: int) -> None:
    slots = LongWorkSlots(tmp_path, processes)
    with slots.slot("A") as first, slots.slot("B") as second:
        assert (first, second) == (True, False)


@pytest.mark.parametrize(
    ("mime", "size", "long"),
    [
        ("text/plain", 128 * KIB, False),
        ("text/plain", 128 * KIB + 1, True),
        ("text/markdown", 64 * KIB, False),
        ("text/markdown", 64 * KIB + 1, True),
        ("text/asciidoc", 64 * KIB, False),
        ("text/asciidoc", 64 * KIB + 1, True),
        ("text/x-tex", 64 * KIB, False),
        ("text/x-tex", 64 * KIB + 1, True),
        ("application/json", 256 * KIB, False),
        ("application/yaml", 256 * KIB + 1, True),
        ("application/x-ipynb+json", 64 * KIB, False),
        ("application/x-ipynb+json", 64 * KIB + 1, True),
        ("application/x-subrip", 128 * KIB, False),
        ("application/x-subrip", 128 * KIB + 1, True),
        ("text/calendar", 64 * KIB, False),
        ("text/calendar", 64 * KIB + 1, True),
        ("text/csv", 128 * KIB + 1, True),
        ("text/html", 32 * KIB, False),
        ("text/html", 32 * KIB + 1, True),
        ("message/rfc822", 32 * KIB, False),
        ("application/xml", 32 * KIB + 1, True),
        ("application/pdf", 1, True),
        ("image/png", 1, True),
        ("application/unknown", 1, True),
    ],
)
def test_short_work_is_known_by_type_and_size(mime: str, size: int, long: bool) -> None:
    assert may_take_long(mime, size) is long
