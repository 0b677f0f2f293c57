"""Each route by which an administrator changes something writes an entry into the audit log."""

import ast
from collections.abc import Mapping
from functools import cache
from types import FunctionType
from typing import get_args

import pytest

from footnote_cli.reference.api_tables import _api_routes, _calls
from footnote_cli.services import SERVICES, load_app
from footnote_shared.db.audit_log import add_entry
from footnote_shared.settings.base import Settings
from footnote_shared.web.dependencies import Admin
from tests.architecture.reached_functions import calls_in, functions_reached

WITHOUT_ENTRY: Mapping[str, str] = {
    "POST /v1/connectors:preview": "it asks another system, and keeps and changes nothing",
}
LOOKING = frozenset({"GET", "HEAD", "OPTIONS"})
ADMIN = get_args(Admin)[1].dependency

Acts = dict[str, set[FunctionType]]


@pytest.fixture(scope="module")
def acts() -> Acts:
    """The functions behind each route that changes something and wants an administrator, if only at times."""
    found: Acts = {}
    for name in SERVICES:
        for route in _api_routes(load_app(name, Settings()).routes):
            changing = [f"{method} {route.path}" for method in (route.methods or set()) - LOOKING]
            reached = functions_reached(route.endpoint) if changing else set()
            if ADMIN in _calls(route.dependant) or any(map(_asks_for_admin, reached)):
                found |= dict.fromkeys(changing, reached)
    return found


@cache
def _asks_for_admin(function: FunctionType) -> bool:
    return any(
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "may"
        and [ast.unparse(argument) for argument in call.args] == ["'admin'"]
        for call in calls_in(function)
    )


def test_each_route_for_administrators_that_changes_something_is_noted(acts: Acts) -> None:
    silent = {heading for heading, reached in acts.items() if add_entry not in reached}
    assert silent == WITHOUT_ENTRY.keys()


def test_routes_for_operators_and_those_that_want_an_administrator_at_times_are_among_them(
    acts: Acts,
) -> None:
    assert {
        "DELETE /v1/documents:rechunk",
        "POST /v1/lanes/{lane}:retire",
        "DELETE /v1/workspaces/{workspace_id}",
        "PATCH /v1/documents/{document_id}",
        "POST /v1/connectors/{connector_id}:sync",
        "DELETE /v1/keys/{key_id}",
        "PUT /v1/flags/{name}",
    } <= acts.keys()
