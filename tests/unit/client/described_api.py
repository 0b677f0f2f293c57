"""The API as its OpenAPI documents describe it, and a server that answers what they promise."""

import json
import re
from collections.abc import Mapping
from typing import Any

import httpx

from tests.applications import applications

Described = Mapping[str, Any]


class DescribedApi:
    """Takes every request, notes it as it was sent, and answers the least that its route may answer."""

    def __init__(self) -> None:
        documents = [app.openapi() for app in applications().values()]
        self.schemas = {
            name: schema
            for document in documents
            for name, schema in document["components"]["schemas"].items()
        }
        self.routes = {
            (method.upper(), path): operation
            for document in documents
            for path, item in document["paths"].items()
            for method, operation in item.items()
            if path.startswith("/v1/")
        }
        self._patterns = [
            (re.compile(re.sub(r"\\\{\w+\\\}", "[^/:]+", re.escape(path))), (method, path))
            for method, path in self.routes
        ]
        self.taken: list[tuple[tuple[str, str], httpx.Request]] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Raises AssertionError for what the API has no route for."""
        path = request.url.raw_path.decode().partition("?")[0]
        found = [
            route
            for pattern, route in self._patterns
            if pattern.fullmatch(path) and route[0] == request.method
        ]
        assert found, f"there is no route {request.method} {path}"
        # `/v1/documents:stats` is no document, and what has no blanks is the nearer one.
        route = min(found, key=lambda one: one[1].count("{"))
        self.taken.append((route, request))
        status, answer = next(
            (int(status), answer)
            for status, answer in self.routes[route]["responses"].items()
            if status.startswith("2")
        )
        content = answer.get("content", {})
        if path.startswith("/v1/streams/") or b'"stream":true' in request.content:
            return httpx.Response(status, content=_ENDED, headers={"Footnote-Turn-Id": "t1"})
        schema = content.get("application/json", {}).get("schema", {})
        return httpx.Response(status, content=json.dumps(self.least(schema)) if schema else b"")

    def least(self, schema: Described) -> Any:
        """The smallest value that the schema allows."""
        if "$ref" in schema:
            return self.least(self.resolved(schema))
        for choice in ("anyOf", "oneOf", "allOf"):
            if choice in schema:
                return self.least(schema[choice][0])
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        kind = schema.get("type")
        if kind == "object":
            required = schema.get("required", ())
            return {name: self.least(schema["properties"][name]) for name in required}
        if kind == "array":
            return [self.least(part) for part in schema.get("prefixItems", [schema.get("items", {})])]
        if schema.get("format") == "date-time":
            return "2026-11-22T10:00:00.000Z"
        return {"string": "x", "integer": 1, "number": 0.5, "boolean": True}.get(str(kind))

    def resolved(self, schema: Described) -> Described:
        """The schema itself, where there is a name in its place."""
        if "$ref" not in schema:
            return schema
        found: Described = self.schemas[str(schema["$ref"]).rpartition("/")[2]]
        return found


_COMPLETED = {
    "seq": 1,
    "type": "message.completed",
    "data": {"message_id": "m1", "text": "Yes.", "citations": []},
}
_ENDED = f"id: 1-1\nevent: message.completed\ndata: {json.dumps(_COMPLETED)}\n\n"
