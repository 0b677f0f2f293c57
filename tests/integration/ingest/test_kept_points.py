"""An edit costs what has changed: the points of all other passages are neither embedded nor written again."""

from footnote_ingest.documents.retry import reindex
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance.reconcile import incomplete_documents
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.documents import Document
from tests.integration.ingest.workshop import Workshop, paragraphs

WORDS = [f"word{n}" for n in range(8)]


def taken(workshop: Workshop, *words: str) -> Document:
    """The document with a paragraph for each word, taken to its end. What was counted is forgotten first."""
    document = workshop.accept("a.txt", paragraphs(*words))
    forget(workshop)
    workshop.run_all()
    return document


def forget(workshop: Workshop) -> None:
    workshop.lane.written.clear()
    workshop.embedder.batches.clear()


def of_live(workshop: Workshop, document_id: str) -> set[str]:
    return {chunk.text for chunk in workshop.live(document_id)}


def test_one_paragraph_of_many_is_embedded_and_written(workshop: Workshop) -> None:
    document = taken(workshop, *WORDS)
    assert workshop.lane.written == [len(WORDS)]
    before = workshop.points(document.id)
    taken(workshop, *WORDS[:3], "walnuts", *WORDS[4:])
    assert (workshop.lane.written, sum(workshop.embedder.batches)) == ([1], 1)
    after = workshop.points(document.id)
    assert (len(after), len(after & before)) == (len(WORDS), len(WORDS) - 1)
    assert any("walnuts" in text for text in of_live(workshop, document.id))


def test_what_only_goes_writes_nothing(workshop: Workshop) -> None:
    document = taken(workshop, *WORDS)
    taken(workshop, *WORDS[:-1])
    assert (workshop.lane.written, workshop.embedder.batches) == ([], [])
    assert workshop.document(document.id).status == "indexed"
    workshop.make_settling_due(document.id)
    workshop.sweep()
    workshop.run_all()
    assert len(workshop.points(document.id)) == len(WORDS) - 1


def test_a_point_that_is_lost_is_made_again(workshop: Workshop) -> None:
    document = taken(workshop, *WORDS)
    workshop.lane.delete(sorted(workshop.points(document.id))[:2])
    taken(workshop, *WORDS, "walnuts")
    assert sum(workshop.embedder.batches) == 3
    assert len(workshop.points(document.id)) == len(WORDS) + 1


def test_one_that_is_lost_between_two_stages_is_made_again(workshop: Workshop) -> None:
    document = taken(workshop, *WORDS)
    workshop.accept("a.txt", paragraphs(*WORDS, "walnuts"))
    workshop.run_all(Task.PARSE, Task.EMBED)
    workshop.lane.delete(sorted(workshop.points(document.id))[:2])
    workshop.run_all()
    assert workshop.document(document.id).status == "indexed"
    assert len(workshop.points(document.id)) == len(WORDS) + 1


def test_the_same_bytes_are_written_anew_if_asked_for(workshop: Workshop) -> None:
    document = taken(workshop, *WORDS)
    forget(workshop)
    with workshop.database.write() as session:
        row = session.get(DocumentRow, document.id)
        assert row is not None
        reindex(session, Dispatcher(workshop.celery), workshop.policy, row)
    workshop.run_all()
    assert sum(workshop.lane.written) == len(WORDS)
    assert not [look for look in incomplete(workshop) if look]


def test_what_waits_to_be_told_to_the_points_has_them_all_written(workshop: Workshop) -> None:
    document = taken(workshop, *WORDS)
    with workshop.database.write() as session:
        row = session.get(DocumentRow, document.id)
        assert row is not None
        row.points_lag = True
        session.add(row)
    taken(workshop, *WORDS, "walnuts")
    assert sum(workshop.lane.written) == len(WORDS) + 1


def incomplete(workshop: Workshop) -> list[int]:
    looks = incomplete_documents(workshop.work(), workshop.remove_resources, None)
    return [look.found["rows_without_vector"] for look in looks]
