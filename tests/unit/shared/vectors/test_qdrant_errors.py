"""Whatever goes wrong between us and Qdrant becomes an error that says who must act."""

import pytest

from footnote_shared.kernel.errors import FootnoteError, Misconfigured, NoAnswer, OurFault, Unavailable
from footnote_shared.kernel.origin_client import Unreachable
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_shared.vectors.qdrant_errors import (
    StoreRefused,
    StoreUnreadable,
    readable,
    translate,
    worth_retrying,
)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (301, OurFault),
        (400, OurFault),
        (401, Misconfigured),
        (403, Misconfigured),
        (404, Misconfigured),
        (408, Unavailable),
        (409, OurFault),
        (413, OurFault),
        (422, OurFault),
        (429, Unavailable),
        (500, Unavailable),
        (502, Unavailable),
        (503, Unavailable),
        (504, Unavailable),
    ],
)
def test_statuses_say_who_must_act(status: int, expected: type[FootnoteError]) -> None:
    assert type(translate(StoreRefused(status))) is expected


def test_a_store_that_cannot_be_reached_is_unavailable_and_named() -> None:
    error = translate(Unreachable("http://secret:6333 refused"))
    assert isinstance(error, Unavailable)
    assert error.part == "qdrant"
    assert error.retry_after
    assert "secret" not in error.detail


def test_a_store_that_is_silent_gives_no_answer() -> None:
    assert type(translate(TimeoutError())) is NoAnswer


@pytest.mark.parametrize("found", [{}, {"count": "many"}, {"count": None}, {"count": []}, [], "x", None])
def test_an_answer_that_cannot_be_read_is_our_fault(found: dict[str, int]) -> None:
    with pytest.raises(StoreUnreadable) as unreadable, readable():
        int(found["count"])
    assert type(translate(unreadable.value)) is OurFault


def test_the_time_that_the_store_asks_for_is_passed_on() -> None:
    error = translate(StoreRefused(429, 7.0))
    assert isinstance(error, Unavailable)
    assert error.retry_after == 7


def test_what_had_its_time_or_cannot_succeed_is_not_tried_again() -> None:
    assert worth_retrying(Unreachable("refused"))
    assert worth_retrying(StoreRefused(503))
    assert not worth_retrying(TimeoutError())
    assert not worth_retrying(StoreRefused(400))
    assert not worth_retrying(StoreUnreadable("no JSON"))


async def test_a_store_that_is_not_there_is_unavailable() -> None:
    index = QdrantVectorIndex("http://127.0.0.1:9")
    with pytest.raises(Unavailable):
        await index.ping()
    await index.close()
