"""An error that a neighbour raises arrives here as the same kind of error."""

import httpx
import pytest

from footnote_shared.clients.base import error_of
from footnote_shared.kernel import errors
from footnote_shared.web.problems import problem_response

KINDS = [
    errors.InvalidRequest("x", errors=[errors.FieldError("query", "too long")]),
    errors.Unauthenticated("x"),
    errors.Forbidden("x"),
    errors.NotFound(),
    errors.Conflict("x"),
    errors.TooLarge("x"),
    errors.UnsupportedType("x"),
    errors.CallerError("x"),
    errors.TooMany("x", retry_after=7),
    errors.Unavailable("sql", "x", retry_after=3),
    errors.OurFault("x"),
]


@pytest.mark.parametrize("error", KINDS, ids=lambda error: type(error).__name__)
def test_every_kind_survives_the_way_over_http(error: errors.FootnoteError) -> None:
    sent = problem_response(error, "/v1/x")
    back = error_of(
        "ingest", httpx.Response(sent.status_code, headers=dict(sent.headers), content=bytes(sent.body))
    )
    assert type(back) is type(error)
    assert back.detail == error.detail
    assert back.errors == error.errors
    assert back.retry_after == error.retry_after


def test_an_answer_that_is_no_problem_document_is_still_an_error() -> None:
    assert isinstance(error_of("ingest", httpx.Response(502, content=b"<html>")), errors.Unavailable)
    assert isinstance(error_of("ingest", httpx.Response(500, content=b"oops")), errors.OurFault)
