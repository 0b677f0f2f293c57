"""The OpenAPI document of a service: stable names of its operations, an example for each, and its errors.

The errors are those that are really sent: problem documents (RFC 9457).
"""

import re
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field

from footnote_shared.web.examples import RequestExamples, show_example

MEDIA_TYPE = "application/problem+json"

_ANSWERS = {
    "401": "There is no key, or it is not known or revoked",
    "404": "Not there, or not yours: the body is the same",
    "422": "The request holds something that is not valid; `errors` names the fields",
    "429": "Too much in a short time, or a limit of the workspace; see `Retry-After`",
    "503": "A part of the system is not reachable; see `Retry-After`",
    "default": "Any other error",
}
_METHODS = ("get", "put", "post", "delete", "patch")
_NO_WORD = re.compile(r"[^a-zA-Z0-9]+")
_OF_FASTAPI = ("HTTPValidationError", "ValidationError")


class ProblemField(BaseModel):
    """One thing that is wrong with one field."""

    field: str = Field(description="A dotted path into the request.")
    message: str


class Problem(BaseModel):
    """What every error is sent as."""

    type: str = Field(description="A URN that ends with the code.")
    title: str
    status: int
    detail: str = Field(description="For people. It may change.")
    code: str = Field(description="For programs. It stays.")
    instance: str | None = Field(None, description="The path of the request. Absent where the status is 404.")
    errors: list[ProblemField] | None = None


def describe(app: FastAPI, examples: RequestExamples) -> None:
    """Let the application's document name operations, show the examples, and say what errors look like."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(
                title=app.title, version=app.version, description=app.description, routes=app.routes
            )
            for method, path, operation in operations(document):
                operation["operationId"] = operation_id(method, path)
                show_example(method, path, operation, examples)
            app.openapi_schema = _with_problems(document)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Method, path and operation of each route of a document, in order."""
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method in item:
                yield method, path, item[method]


def operation_id(method: str, path: str) -> str:
    """The name of an operation for programs that are made from the document.

    It follows from the route alone, as in `post_documents_document_id_retry`, and so stays as long as the
    route does, whatever the function behind it is called.
    """
    words = _NO_WORD.sub("_", path.removeprefix("/v1").strip("/")).strip("_")
    return f"{method}_{words}"


def _with_problems(document: dict[str, Any]) -> dict[str, Any]:
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in _OF_FASTAPI:
        schemas.pop(name, None)
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs"))
    schemas["Problem"] = problem
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for _, path, operation in operations(document):
        operation["responses"].pop("422", None)
        if path.startswith("/v1/"):
            operation["responses"].update(
                {status: {"description": text, "content": content} for status, text in _ANSWERS.items()}
            )
    return document
