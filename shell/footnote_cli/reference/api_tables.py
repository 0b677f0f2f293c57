"""The routes of the services and the messages that they take and give, from their OpenAPI documents."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from footnote_cli.reference.json_schema import fields_table, in_words, message_name
from footnote_cli.reference.markdown import anchor, code, one_line, table
from footnote_shared.web.dependencies import Admin, Neighbour, Reader, Writer

_METHODS = ("get", "post", "put", "patch", "delete")
_SCOPE_OF = {
    get_args(alias)[1].dependency: scope
    for alias, scope in ((Reader, "read"), (Writer, "write"), (Admin, "admin"), (Neighbour, "neighbour"))
}
_EVERYWHERE = ("401", "404", "422", "429", "503", "default")


def api_tables(apps: Mapping[str, FastAPI]) -> dict[str, str]:
    """`routes-<service>` has a line for each route, `routes` what each takes, `messages` every JSON shape."""
    blocks: dict[str, str] = {}
    details: list[str] = []
    messages: dict[str, Mapping[str, Any]] = {}
    for name, app in apps.items():
        scopes = _scopes(app)
        rows = []
        for path, method, operation in _operations(app.openapi()):
            heading = f"{method.upper()} {path}"
            scope = scopes[heading]
            rows.append((f"[{code(heading)}](#{anchor(heading)})", operation["summary"], scope))
            details.append(_route(heading, operation, scope))
        blocks[f"routes-{name}"] = table(("route", "what it does", "scope"), rows)
        for schema_name, schema in app.openapi()["components"]["schemas"].items():
            if not schema_name.endswith("ValidationError"):
                messages.setdefault(message_name(schema_name), schema)
    return {
        **blocks,
        "routes": "\n\n".join(details),
        "messages": "\n\n".join(_message(name, schema) for name, schema in sorted(messages.items())),
    }


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        if path.startswith("/v1"):
            for method in _METHODS:
                if method in item:
                    yield path, method, item[method]


def _scopes(app: FastAPI) -> dict[str, str]:
    """What a key must be allowed to do, by route; OpenAPI does not say it."""
    found: dict[str, str] = {}
    for route in _api_routes(app.routes):
        scopes = [_SCOPE_OF[call] for call in _calls(route.dependant) if call in _SCOPE_OF]
        for method in route.methods or ():
            found[f"{method} {route.path}"] = ", ".join(dict.fromkeys(scopes))
    return found


def _api_routes(routes: Iterable[BaseRoute]) -> Iterator[APIRoute]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        elif included := getattr(route, "original_router", None):
            yield from _api_routes(included.routes)


def _calls(dependant: Dependant) -> Iterator[Any]:
    yield dependant.call
    for inner in dependant.dependencies:
        yield from _calls(inner)


def _route(heading: str, operation: Mapping[str, Any], scope: str) -> str:
    parts = [
        f"### {code(heading)}",
        operation["summary"].rstrip(".") + (f". Scope: {scope}." if scope else "."),
    ]
    if operation.get("description"):
        parts.append(one_line(operation["description"]))
    if operation.get("parameters"):
        rows = map(_parameter, operation["parameters"])
        parts.append(table(("parameter", "in", "type", "meaning"), rows))
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = content["schema"]
        if "properties" in schema:
            parts += [f"Body, {code(media)}:", fields_table(schema)]
        else:
            parts.append(f"Body, {code(media)}: {in_words(schema)}.")
    answers = [
        f"{status}: {_answer(response)}"
        for status, response in operation["responses"].items()
        if status not in _EVERYWHERE
    ]
    return "\n\n".join([*parts, f"Answers {'; '.join(answers)}."])


def _parameter(item: Mapping[str, Any]) -> tuple[str, ...]:
    words = in_words(item["schema"]) + (", required" if item["required"] else "")
    meaning = item.get("description") or item["schema"].get("description", "")
    return code(item["name"]), item["in"], words, meaning


def _answer(response: Mapping[str, Any]) -> str:
    kinds = [
        in_words(content["schema"]) if content.get("schema") else code(media)
        for media, content in response.get("content", {}).items()
    ]
    return " or ".join(dict.fromkeys(kinds)) or "no body"


def _message(name: str, schema: Mapping[str, Any]) -> str:
    about = [one_line(schema["description"])] if schema.get("description") else []
    return "\n\n".join([f"## {name}", *about, fields_table(schema)])
