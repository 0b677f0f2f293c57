"""The vectors of short documents wait for the index in the row of their version, and leave nothing behind."""

import numpy as np
import pytest

from footnote_ingest.documents.retry import retry
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.pipeline.embed import STAGED_IN_ROW
from footnote_ingest.pipeline.staged_vectors import pack, unpack
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_shared.embedding import sparse
from tests.integration.ingest.test_sealed_content import switch_on
from tests.integration.ingest.workshop import Workshop, paragraphs

_DIMENSION = 384
"""That of the bundled model."""


def staged(workshop: Workshop, document_id: str, version: int = 1) -> bytes | None:
    with workshop.database.read() as session:
        return session.get_one(VersionRow, (document_id, version)).staged


def blobs(workshop: Workshop) -> list[str]:
    return [entry.key for entry in workshop.blobs.list("vectors")]


def packed_size(chunks: int) -> int:
    return len(pack(["0" * 32] * chunks, np.zeros((chunks, _DIMENSION), dtype=np.float32)))


def test_a_short_document_needs_no_blob_and_its_row_is_empty_once_it_shows(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", paragraphs("one", "two"))
    workshop.run_all(Task.PARSE, Task.EMBED)
    found = staged(workshop, accepted.id)
    assert found is not None
    assert len(unpack(found)) == workshop.row(accepted.id).chunks_in_work
    assert not blobs(workshop)
    workshop.run_all()
    assert workshop.document(accepted.id).status == "indexed"
    assert staged(workshop, accepted.id) is None
    assert workshop.row(accepted.id).settle_at is None


def test_nineteen_chunks_of_the_bundled_model_are_short_and_twenty_are_not() -> None:
    assert packed_size(19) <= STAGED_IN_ROW < packed_size(20)


@pytest.mark.parametrize("least", [0, 1])
def test_what_is_larger_is_a_blob(workshop: Workshop, least: int) -> None:
    accepted = workshop.accept("a.txt", paragraphs("one"))
    workshop.run_all(Task.PARSE)
    workshop.staged_in_row = (
        len(pack(["0" * 32], np.zeros((1, workshop.embedder.dimension), np.float32))) - least
    )
    workshop.run_all(Task.EMBED)
    assert bool(blobs(workshop)) is bool(least)
    assert (staged(workshop, accepted.id) is None) is bool(least)
    workshop.run_all()
    assert workshop.document(accepted.id).status == "indexed"
    assert not blobs(workshop)


@pytest.mark.parametrize("part", [slice(0), slice(10), slice(-1)])
def test_what_is_not_whole_is_made_again(workshop: Workshop, part: slice) -> None:
    accepted = workshop.accept("a.txt", "One.")
    workshop.run_all(Task.PARSE, Task.EMBED)
    with workshop.database.write() as session:
        version = session.get_one(VersionRow, (accepted.id, 1))
        assert version.staged is not None
        version.staged = version.staged[part]
        session.add(version)
    workshop.run_all()
    assert workshop.document(accepted.id).status == "indexed"
    assert workshop.statuses(accepted.id).count("embedding") == 2


def test_a_later_version_takes_nothing_of_the_one_before_and_leaves_nothing_of_it(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", paragraphs("one"))
    workshop.run_all(Task.PARSE, Task.EMBED)
    workshop.accept("a.txt", paragraphs("two"))
    workshop.run_all()
    workshop.make_settling_due(accepted.id)
    workshop.sweep()
    workshop.run_all()
    assert workshop.document(accepted.id).live_version == 2
    assert [staged(workshop, accepted.id, version) for version in (1, 2)] == [None, None]


def test_nothing_is_left_of_a_document_that_fails_on_its_way_into_the_index(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted = workshop.accept("a.txt", paragraphs("one"))
    workshop.run_all(Task.PARSE, Task.EMBED)
    assert staged(workshop, accepted.id)
    monkeypatch.setattr(sparse, "embed_document", lambda *_: 1 / 0)
    for _ in range(workshop.policy.max_attempts):
        workshop.end_back_off(accepted.id)
        with pytest.raises(ZeroDivisionError):
            workshop.run(Task.INDEX, accepted.id)
    assert workshop.document(accepted.id).status == "failed"
    workshop.make_settling_due(accepted.id)
    workshop.sweep()
    workshop.run_all()
    assert staged(workshop, accepted.id) is None
    monkeypatch.undo()
    with workshop.database.write() as session:
        row = session.get_one(DocumentRow, accepted.id, with_for_update=True)
        retry(session, Dispatcher(workshop.celery), workshop.policy, row)
    workshop.run_all()
    assert workshop.document(accepted.id).status == "indexed"


def test_content_that_is_sealed_is_in_no_row(workshop: Workshop) -> None:
    switch_on(workshop)
    accepted = workshop.accept("a.txt", paragraphs("one"))
    workshop.run_all(Task.PARSE, Task.EMBED)
    assert staged(workshop, accepted.id) is None
    assert blobs(workshop)
