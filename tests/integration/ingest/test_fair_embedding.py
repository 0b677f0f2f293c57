"""A long document in the hands of an embedder holds up nobody, and is not held up for ever."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from footnote_ingest.hints.queues import Task
from footnote_ingest.pipeline.embed import embed_documents
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import Unavailable
from footnote_testing.workspace import make_caller
from tests.integration.ingest import rows
from tests.integration.ingest.meddled_blobs import Killed, MeddledBlobs
from tests.integration.ingest.workshop import Workshop, paragraphs

LONG = 60
"""Chunks of a long document; a slice has about 8."""

PATIENCE_S = 60.0


@pytest.fixture
def workshop(workshop: Workshop) -> Workshop:
    workshop.batch_tokens = 26
    return workshop


def accept_parsed(workshop: Workshop, name: str, chunks: int, caller: Principal | None = None) -> str:
    """A document that waits to be embedded."""
    text = paragraphs(*(f"{name}{n}x" for n in range(chunks)))
    accepted = workshop.accept(f"{name}.txt", text, caller=caller)
    workshop.run_all(Task.PARSE)
    return accepted.id


def embed(workshop: Workshop, document_id: str) -> None:
    embed_documents(workshop.work(), workshop.embed_resources, document_id)


def wait_long_when_put_back(workshop: Workshop, document_id: str) -> None:
    """Its next back-off is a minute. One of a second may end before the long document has."""
    workshop.set(document_id, waits=10)


@pytest.mark.parametrize("same_workspace", [True, False])
def test_a_short_document_that_comes_while_a_long_one_is_embedded_is_next(
    workshop: Workshop, same_workspace: bool
) -> None:
    caller = workshop.caller if same_workspace else make_caller(workshop.database, "other")[0]
    long = accept_parsed(workshop, "long", LONG)
    came: list[str] = []
    done_at: list[int] = []

    def meanwhile() -> None:
        if not came:
            came.append(accept_parsed(workshop, "short", 1, caller))
        elif not done_at and workshop.row(came[0]).status == "indexing":
            done_at.append(len(workshop.embedder.batches))

    workshop.embedder.meanwhile = meanwhile
    embed(workshop, long)
    assert done_at == [4], "it came in the first slice, was part of the second and stored beside the third"
    assert workshop.row(long).status == "indexing"


def test_a_long_document_that_was_deleted_meanwhile_is_embedded_no_further(workshop: Workshop) -> None:
    long = accept_parsed(workshop, "long", LONG)
    workshop.embedder.meanwhile = lambda: workshop.delete(long)
    embed(workshop, long)
    assert len(workshop.embedder.batches) == 1


def test_a_newcomer_for_whom_the_vector_store_does_not_answer_waits_alone(workshop: Workshop) -> None:
    workshop.accept("one.txt", paragraphs("one0x"), folder="/twin")
    workshop.run_all()
    workshop.embedder.texts.clear()
    long = accept_parsed(workshop, "long", LONG)
    came: list[str] = []

    def meanwhile() -> None:
        if not came:
            # The vectors of the first are looked for, because a live document has the same text.
            came.extend((accept_parsed(workshop, "one", 1), accept_parsed(workshop, "two", 2)))
            wait_long_when_put_back(workshop, came[0])
            workshop.lane.vectors_down = 1

    workshop.embedder.meanwhile = meanwhile
    embed(workshop, long)
    unlucky, lucky = came
    assert workshop.row(long).status == "indexing"
    assert len(workshop.embedder.texts) == LONG + 2, "nothing was embedded twice"
    assert workshop.row(lucky).status == "indexing"
    waits = workshop.row(unlucky)
    assert (waits.status, waits.attempts, waits.last_code) == ("embedding", 0, "qdrant_unavailable")
    workshop.end_back_off(unlucky)
    embed(workshop, unlucky)
    assert workshop.row(unlucky).status == "indexing"


def test_vectors_that_cannot_be_stored_put_back_their_document_alone(workshop: Workshop) -> None:
    short, long = accept_parsed(workshop, "short", 1), accept_parsed(workshop, "long", LONG)
    wait_long_when_put_back(workshop, short)
    workshop.staged_in_row = 0
    workshop.blobs = blobs = MeddledBlobs(workshop.blobs)

    def down(_: list[str]) -> None:
        raise Unavailable("blobs", "The object store does not answer.")

    blobs.before_put["vectors"] = down
    embed(workshop, long)
    assert workshop.row(long).status == "indexing"
    waits = workshop.row(short)
    assert (waits.status, waits.attempts, waits.last_code) == ("embedding", 0, "blobs_unavailable")


def test_the_model_is_at_the_next_slice_while_vectors_are_stored(workshop: Workshop) -> None:
    short, long = accept_parsed(workshop, "short", 1), accept_parsed(workshop, "long", LONG)
    workshop.staged_in_row = 0
    workshop.blobs = blobs = MeddledBlobs(workshop.blobs)
    went_on = threading.Event()
    seen: list[bool] = []

    def meanwhile() -> None:
        if len(workshop.embedder.batches) > 1:
            went_on.set()

    workshop.embedder.meanwhile = meanwhile
    blobs.before_put["vectors"] = lambda _: seen.append(went_on.wait(PATIENCE_S))
    with ThreadPoolExecutor(1) as workshop.model_thread:
        embed(workshop, long)
    assert seen == [True]
    assert {workshop.row(short).status, workshop.row(long).status} == {"indexing"}


def test_a_long_document_goes_on_while_short_ones_keep_coming(workshop: Workshop) -> None:
    long = accept_parsed(workshop, "long", 12)
    numbers = count()

    def meanwhile() -> None:
        if workshop.row(long).status == "embedding":
            for _ in range(10):
                accept_parsed(workshop, f"short{next(numbers)}y", 1)

    workshop.embedder.meanwhile = meanwhile
    embed(workshop, long)
    assert workshop.row(long).status == "indexing"


def test_a_document_that_came_long_ago_is_taken_before_shorter_ones(workshop: Workshop) -> None:
    workshop.with_policy(embed_documents=2)
    first = accept_parsed(workshop, "first", LONG)
    waits = accept_parsed(workshop, "waits", 20)
    second = accept_parsed(workshop, "second", 19)
    third = accept_parsed(workshop, "third", 18)
    embed(workshop, first)
    ended = [workshop.row(name).stage_since for name in (third, waits, second)]
    assert ended == sorted(ended), "the shortest first, but the one that waits longest is next"


def test_short_documents_find_a_place_beside_as_many_long_ones_as_fit(workshop: Workshop) -> None:
    workshop.with_policy(embed_documents=2)
    first, second, third = (accept_parsed(workshop, f"long{n}z", LONG) for n in range(3))
    short: list[str] = []
    open_then: list[list[str]] = []

    def meanwhile() -> None:
        if not short:
            short.append(accept_parsed(workshop, "short", 1))
        elif not open_then and workshop.row(short[0]).status == "indexing":
            open_then.append([name for name in (first, second, third) if workshop.row(name).lease_token])

    workshop.embedder.meanwhile = meanwhile
    embed(workshop, first)
    assert [len(held) for held in open_then] == [2]


def test_of_many_documents_the_shortest_of_each_workspace_is_taken_first(workshop: Workshop) -> None:
    others = make_caller(workshop.database, "others")[0]
    mine = [accept_parsed(workshop, f"mine{n}q", n) for n in (5, 4, 3)]
    theirs = accept_parsed(workshop, "theirs", 30, others)
    workshop.with_policy(embed_documents=3)
    held: list[str] = []

    def meanwhile() -> None:
        if not held:
            held.extend(name for name in (*mine, theirs) if workshop.row(name).lease_token)

    workshop.embedder.meanwhile = meanwhile
    embed(workshop, mine[0])
    assert held == [mine[0], mine[2], theirs]


def test_a_document_that_killed_its_worker_once_gets_no_company(workshop: Workshop) -> None:
    (poison,) = rows.documents(workshop.database, workshop.caller, status="embedding", attempts=1)
    rows.chunks(workshop.database, workshop.caller, [poison], 40)
    came: list[str] = []

    def meanwhile() -> None:
        if not came:
            came.append(accept_parsed(workshop, "healthy", 1))
        assert workshop.row(came[0]).lease_token is None

    workshop.embedder.meanwhile = meanwhile
    embed(workshop, poison)
    assert workshop.row(came[0]).status == "embedding"


class TestGathering:
    """Documents that are done in a stream wait for each other. A slice has two of these."""

    @pytest.fixture
    def stream(self, workshop: Workshop) -> list[str]:
        workshop.gathered_s = 3600
        workshop.with_policy(embed_documents=40)
        return [accept_parsed(workshop, f"note{n}q", 4) for n in range(24)]

    def handed_over(self, workshop: Workshop, ids: list[str]) -> int:
        return sum(workshop.row(document_id).status == "indexing" for document_id in ids)

    def test_the_first_go_at_once_and_the_others_as_many_together_as_are_indexed_together(
        self, workshop: Workshop, stream: list[str]
    ) -> None:
        seen: list[int] = []
        workshop.embedder.meanwhile = lambda: seen.append(self.handed_over(workshop, stream))
        embed(workshop, stream[0])
        first, second = sorted(set(seen) - {0})
        assert first <= 3
        assert 16 <= second - first <= 18
        assert self.handed_over(workshop, stream) == 24, "the last do not wait when nobody comes any more"

    def test_they_do_not_wait_for_a_long_document(self, workshop: Workshop) -> None:
        workshop.gathered_s = 3600
        long = accept_parsed(workshop, "long", LONG)
        short = [accept_parsed(workshop, f"short{n}q", 1) for n in range(3)]
        seen: list[int] = []
        workshop.embedder.meanwhile = lambda: seen.append(self.handed_over(workshop, short))
        embed(workshop, long)
        assert seen[3] == 3, "they were part of the first slices, and stored beside the next"

    def test_a_task_that_ends_with_an_error_loses_none_of_those_that_wait(
        self, workshop: Workshop, stream: list[str]
    ) -> None:
        def meanwhile() -> None:
            if len(workshop.embedder.batches) == 6:
                raise Killed

        workshop.embedder.meanwhile = meanwhile
        with pytest.raises(Killed):
            embed(workshop, stream[0])
        assert self.handed_over(workshop, stream) <= 3
        workshop.embedder.meanwhile = None
        for document_id in stream:
            workshop.end_back_off(document_id)
        workshop.sweep()
        workshop.run_all()
        assert {workshop.row(document_id).status for document_id in stream} == {"indexed"}

    def test_one_that_is_superseded_while_it_waits_is_not_handed_over(
        self, workshop: Workshop, stream: list[str]
    ) -> None:
        def meanwhile() -> None:
            if len(workshop.embedder.batches) == 6:
                for n in range(24):
                    workshop.accept(f"note{n}q.txt", f"Another text {n}.")

        workshop.embedder.meanwhile = meanwhile
        embed(workshop, stream[0])
        states = {(row.status, row.version) for row in map(workshop.row, stream)}
        assert states <= {("queued", 2), ("indexing", 1)}
        workshop.run_all()
        assert {workshop.row(document_id).live_version for document_id in stream} == {2}

    def test_a_worker_that_is_asked_to_stop_hands_over_those_that_wait(
        self, workshop: Workshop, stream: list[str]
    ) -> None:
        def meanwhile() -> None:
            if len(workshop.embedder.batches) == 6:
                workshop.ask_to_stop()

        workshop.embedder.meanwhile = meanwhile
        embed(workshop, stream[0])
        assert self.handed_over(workshop, stream) >= 10
        assert {workshop.row(document_id).lease_token for document_id in stream} == {None}
