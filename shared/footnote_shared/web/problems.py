"""Errors leave a service as problem documents (RFC 9457). A stack trace never does (spec 1.4)."""

import math
from typing import TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from footnote_shared.kernel.errors import (
    CallerError,
    FieldError,
    FootnoteError,
    Forbidden,
    InvalidRequest,
    NotFound,
)
from footnote_shared.kernel.problem_document import problem_of
from footnote_shared.telemetry.logs import logger
from footnote_shared.web.denials import note_denial

Body = TypeVar("Body", bound=BaseModel)

MEDIA_TYPE = "application/problem+json"
_MOST_FIELDS = 50
"""At most this many fields are named: more would help nobody, and an answer must not outgrow its request."""

_log = logger(__name__)


def problem_response(error: FootnoteError, instance: str | None = None) -> JSONResponse:
    """The answer to an error, with `Retry-After` and `WWW-Authenticate` where they belong."""
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(
        problem_of(error, instance), status_code=error.status, media_type=MEDIA_TYPE, headers=headers
    )


async def answer_of(request: Request, error: FootnoteError) -> Response:
    """The answer to an error of ours. Faults are logged, and a refusal for want of a scope is noted."""
    if error.status >= 500:
        _log.warning("request.failed", code=error.code, detail=error.detail, path=request.url.path)
    if isinstance(error, Forbidden):
        await note_denial(request, error)
    return problem_response(error, request.url.path)


def add_problem_handlers(app: FastAPI) -> None:
    """Render our own errors, FastAPI's validation errors, Starlette's errors, and whatever nobody foresaw."""

    @app.exception_handler(FootnoteError)
    async def on_ours(request: Request, error: FootnoteError) -> Response:
        return await answer_of(request, error)

    @app.exception_handler(RequestValidationError)
    async def on_validation(request: Request, error: RequestValidationError) -> Response:
        return problem_response(invalid_request(error), request.url.path)

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return problem_response(NotFound(), None)
        answer = CallerError(str(error.detail))
        if error.status_code != CallerError.status:
            answer.status, answer.code, answer.title = error.status_code, "http", str(error.detail)
        response = problem_response(answer, request.url.path)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def on_unforeseen(request: Request, error: Exception) -> Response:
        _log.error("request.crashed", path=request.url.path, exc_info=error)
        return problem_response(
            FootnoteError("The error is in the log of the service under this trace id."), request.url.path
        )


def invalid_request(error: RequestValidationError) -> InvalidRequest:
    """FastAPI's list of errors as one of ours, with the dotted path of each field."""
    # Only the first part of a location says where the field is: a field itself may be called `query`. A body
    # that is not JSON has a position in the text instead of a field.
    fields = [
        FieldError(
            "body" if item["type"] == "json_invalid" else ".".join(map(str, item["loc"][1:])) or "body",
            str(item["msg"]),
        )
        for item in error.errors()[:_MOST_FIELDS]
    ]
    names = ", ".join(dict.fromkeys(field.field for field in fields))
    return InvalidRequest(f"Not valid: {names}.", errors=fields)


def valid_body(kind: type[Body], body: bytes) -> Body:
    """A body in JSON that no route of FastAPI has read. Raises InvalidRequest, which names its fields."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        faults = [{**item, "loc": ("body", *item["loc"])} for item in error.errors()]
        raise invalid_request(RequestValidationError(faults)) from error
