"""What the OpenAPI documents promise of each operation: a summary, a name, an example, its errors."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from footnote_cli.joint_document import joint_document
from footnote_cli.reference.api_tables import _api_routes
from footnote_cli.services import SERVICES
from footnote_ingest.contracts.webhooks import PushedEvent
from footnote_shared.web.examples import RequestExamples, as_command
from footnote_shared.web.openapi import MEDIA_TYPE, operation_id, operations
from tests.applications import applications

ROOT = Path(__file__).parents[3]
NO_MODEL_OF_ITS_OWN = {"POST /v1/webhooks/{connector_id}": PushedEvent}
"""Routes that read their body themselves, and what it has to be."""


@pytest.fixture(scope="module")
def apps() -> Mapping[str, FastAPI]:
    return applications()


def every_operation(apps: Mapping[str, FastAPI]) -> Iterator[tuple[str, dict[str, Any]]]:
    for app in apps.values():
        for method, path, operation in operations(app.openapi()):
            if path.startswith("/v1/"):
                yield f"{method.upper()} {path}", operation


def examples_of(name: str) -> RequestExamples:
    return RequestExamples.read(ROOT / f"services/{name}/footnote_{name}/api/examples.json")


def body_type(method: str, route: APIRoute) -> Any:
    """What the route's body has to be."""
    known = NO_MODEL_OF_ITS_OWN.get(f"{method} {route.path}")
    return known or route.dependant.body_params[0].field_info.annotation


def test_each_says_what_it_does_under_a_name_of_its_own(apps: Mapping[str, FastAPI]) -> None:
    named: dict[str, str] = {}
    for heading, operation in every_operation(apps):
        assert operation["summary"], heading
        other = named.setdefault(operation["operationId"], heading)
        assert other == heading, f"{other} and {heading} have one name"
    assert len(named) > 50


def test_each_tells_its_errors_as_problem_documents(apps: Mapping[str, FastAPI]) -> None:
    for heading, operation in every_operation(apps):
        for status in ("401", "404", "422", "429", "503", "default"):
            assert set(operation["responses"][status]["content"]) == {MEDIA_TYPE}, heading


def test_each_has_an_example(apps: Mapping[str, FastAPI]) -> None:
    for heading, operation in every_operation(apps):
        (sample,) = operation["x-codeSamples"]
        assert "{" not in sample["source"].splitlines()[0], heading
        for parameter in operation.get("parameters", ()):
            assert parameter["in"] != "path" or parameter["example"], f"{heading}: {parameter['name']}"
        body = operation.get("requestBody", {})
        if body.get("required"):
            assert any("example" in content for content in body["content"].values()), heading


def test_an_example_is_of_an_operation_and_uses_its_parameters(apps: Mapping[str, FastAPI]) -> None:
    known = dict(every_operation(apps))
    for name in SERVICES:
        for heading, given in examples_of(name).requests.items():
            operation = known[heading]
            asked = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
            assert set(given.get("query", ())) <= asked, heading
            assert set(given) <= {"path", "query", "body", "form"}, heading
            if "form" in given:
                schema = operation["requestBody"]["content"]["multipart/form-data"]["schema"]
                assert set(given["form"]) <= set(schema["properties"]), heading


def test_the_route_takes_the_body_of_its_example(apps: Mapping[str, FastAPI]) -> None:
    checked = 0
    for name, app in apps.items():
        examples = examples_of(name)
        for route in _api_routes(app.routes):
            for method in route.methods or ():
                given = examples.of(method, route.path)
                if "body" not in given:
                    continue
                checked += 1
                TypeAdapter(body_type(method, route)).validate_json(json.dumps(given["body"]))
    assert checked > 25


async def test_one_document_of_all_four_gives_no_name_to_two_shapes(apps: Mapping[str, FastAPI]) -> None:
    """The joint document takes the shapes of all services by their names, so a name must mean one shape."""
    shapes: dict[str, Any] = {}
    for app in apps.values():
        for name, shape in app.openapi()["components"]["schemas"].items():
            assert shapes.setdefault(name, shape) == shape, name
    joint = joint_document({name: app.openapi() for name, app in apps.items()})
    assert sum(1 for _ in operations(joint)) == len(list(every_operation(apps)))


def test_a_name_follows_from_the_route() -> None:
    assert operation_id("post", "/v1/documents/{document_id}:retry") == "post_documents_document_id_retry"
    assert operation_id("get", "/v1/documents") == "get_documents"
    assert operation_id("get", "/healthz") == "get_healthz"


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"query": {"folder": "/a b"}}, 'curl -X POST "$FOOTNOTE_URL/v1/things/7?folder=%2Fa+b"'),
        ({"body": {"text": "it's"}}, '  -d \'{"text": "it\'"\'"\'s"}\''),
        ({"form": {"file": "@a b.md"}}, "  -F 'file=@a b.md'"),
    ],
)
def test_an_example_is_shown_as_a_shell_would_send_it(given: dict[str, Any], line: str) -> None:
    command = as_command("post", "/v1/things/{thing_id}", given, {"thing_id": "7"})
    assert line in command.replace(" \\\n", "\n").splitlines()
    assert '  -H "Authorization: Bearer $FOOTNOTE_API_KEY"' in command.replace(" \\\n", "\n").splitlines()
