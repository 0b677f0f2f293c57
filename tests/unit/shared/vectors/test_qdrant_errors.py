"""Every exception of the Qdrant client becomes an error that says who must act."""

import inspect

import httpx
import pytest
from pydantic import BaseModel, ValidationError
from qdrant_client.common import client_exceptions
from qdrant_client.http import exceptions

from footnote_shared.kernel.errors import FootnoteError, Misconfigured, OurFault, Unavailable
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_shared.vectors.qdrant_errors import FOREIGN, translate, worth_retrying


def classes_of(*modules: object) -> list[type[Exception]]:
    return [
        found
        for module in modules
        for _, found in inspect.getmembers(module, inspect.isclass)
        if issubclass(found, Exception) and found.__module__ == getattr(module, "__name__", "")
    ]


def transport_errors(
    base: type[httpx.TransportError] = httpx.TransportError,
) -> list[type[httpx.TransportError]]:
    return [base, *(found for child in base.__subclasses__() for found in transport_errors(child))]


def of_status(status: int) -> exceptions.UnexpectedResponse:
    return exceptions.UnexpectedResponse(status, "", b"secret text of a document", httpx.Headers())


def make(kind: type[Exception]) -> Exception:
    if kind is exceptions.UnexpectedResponse:
        return of_status(500)
    if kind is exceptions.ResponseHandlingException:
        return exceptions.ResponseHandlingException(httpx.ConnectError("refused"))
    if kind is client_exceptions.ResourceExhaustedResponse:
        return client_exceptions.ResourceExhaustedResponse("slow down", 7)
    return kind("something")


@pytest.mark.parametrize("kind", classes_of(exceptions, client_exceptions))
def test_every_exception_of_the_client_is_caught_and_translated(kind: type[Exception]) -> None:
    assert issubclass(kind, FOREIGN)
    assert isinstance(translate(make(kind)), FootnoteError)


@pytest.mark.parametrize("kind", transport_errors())
def test_every_failure_of_the_way_means_that_the_store_is_unavailable(
    kind: type[httpx.TransportError],
) -> None:
    error = translate(exceptions.ResponseHandlingException(kind("gone")))
    assert isinstance(error, Unavailable)
    assert error.part == "qdrant"
    assert error.retry_after


@pytest.mark.parametrize(
    ("status", "expected"),
    [
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
def test_statuses_say_who_must_act_and_give_nothing_away(status: int, expected: type[FootnoteError]) -> None:
    error = translate(of_status(status))
    assert type(error) is expected
    assert "secret" not in error.detail


def test_an_answer_that_cannot_be_read_is_our_fault() -> None:
    class Expected(BaseModel):
        result: int

    with pytest.raises(ValidationError) as unreadable:
        Expected.model_validate({})
    assert type(translate(exceptions.ResponseHandlingException(unreadable.value))) is OurFault


def test_the_time_that_the_store_asks_for_is_passed_on() -> None:
    error = translate(client_exceptions.ResourceExhaustedResponse("slow down", 7))
    assert error.retry_after == 7


def test_what_had_its_time_or_cannot_succeed_is_not_tried_again() -> None:
    assert worth_retrying(exceptions.ResponseHandlingException(httpx.ConnectError("refused")))
    assert worth_retrying(exceptions.ResponseHandlingException(httpx.RemoteProtocolError("closed")))
    assert worth_retrying(of_status(503))
    assert not worth_retrying(exceptions.ResponseHandlingException(httpx.ReadTimeout("slow")))
    assert not worth_retrying(of_status(400))


async def test_a_store_that_is_not_there_is_unavailable() -> None:
    index = QdrantVectorIndex("http://127.0.0.1:9")
    with pytest.raises(Unavailable):
        await index.ping()
    await index.close()
