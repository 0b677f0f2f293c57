"""Keys, limits and cursors are the same at every service (spec 1.4)."""

from typing import Any

import pytest

from tests.applications import applications

# Listings that give everything when no limit is asked for.
WHOLE_UNLESS_LIMITED = {("GET", "/v1/conversations/{conversation_id}/citations")}
CREATING = {
    ("POST", "/v1/documents"),
    ("POST", "/v1/documents:batch"),
    ("POST", "/v1/connectors"),
    ("POST", "/v1/connectors/{connector_id}:act"),
    ("POST", "/v1/documents/{document_id}:edit"),
    ("POST", "/v1/threads"),
    ("POST", "/v1/keys"),
    ("POST", "/v1/automations"),
    ("POST", "/v1/automations/{automation_id}:run"),
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/threads/{thread_id}/turns"),
    ("POST", "/v1/conversations"),
    ("POST", "/v1/conversations/{conversation_id}:fork"),
}

Route = tuple[str, str]


@pytest.fixture(scope="module")
def parameters() -> dict[str, dict[Route, dict[str, Any]]]:
    """The schemas of all parameters, by name in small letters and route."""
    found: dict[str, dict[Route, dict[str, Any]]] = {}
    for app in applications().values():
        for path, methods in app.openapi()["paths"].items():
            for method, route in methods.items():
                for parameter in route.get("parameters", []):
                    by_route = found.setdefault(parameter["name"].lower(), {})
                    by_route[method.upper(), path] = parameter["schema"]
    return found


def test_every_creating_request_takes_the_same_key(
    parameters: dict[str, dict[Route, dict[str, Any]]],
) -> None:
    keys = parameters["idempotency-key"]
    assert set(keys) == CREATING
    text = next(iter(keys.values()))["anyOf"][0]
    assert (text["minLength"], text["maxLength"]) == (1, 255)
    assert len({str(schema) for schema in keys.values()}) == 1


def test_every_listing_takes_the_same_limit_and_a_cursor(
    parameters: dict[str, dict[Route, dict[str, Any]]],
) -> None:
    limits = parameters["limit"]
    assert set(limits) == set(parameters["cursor"])
    for route, schema in limits.items():
        number = schema["anyOf"][0] if route in WHOLE_UNLESS_LIMITED else schema
        assert (number["minimum"], number["maximum"]) == (1, 200), route
