"""Examples of requests in the OpenAPI document of a service, from a file that lies beside its routes.

The file is JSON. Its member `parameters` has a value for each name that stands in a path. Each other member
is named for an operation, as in `POST /v1/search`, and holds what a request of it is made of: `path` (values
for it alone), `query`, `body` (sent as JSON), or `form` (sent as multipart/form-data; `@name` is a file). An
operation that needs none of these has no member.
"""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

_NAME = re.compile(r"\{(\w+)\}")
_SIGNED = ("post", "/v1/webhooks/{connector_id}")
"""The one operation that takes a signature in the place of a key."""


@dataclass(frozen=True, slots=True)
class RequestExamples:
    """The examples of one service: values for names in paths, and parts of requests by their operation."""

    parameters: Mapping[str, str] = field(default_factory=dict)
    requests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> "RequestExamples":
        """The examples in a file."""
        given = json.loads(file.read_text("utf-8"))
        return cls(given.pop("parameters"), given)

    def of(self, method: str, path: str) -> Mapping[str, Any]:
        """The parts of the request that is the example of an operation."""
        return self.requests.get(f"{method.upper()} {path}", {})


def show_example(method: str, path: str, operation: dict[str, Any], examples: RequestExamples) -> None:
    """Put the example into an operation of a document: at its parameters, at its body, and as a command."""
    given = examples.of(method, path)
    names = {**examples.parameters, **given.get("path", {})}
    for parameter in operation.get("parameters", ()):
        known = {"path": names, "query": given.get("query", {})}.get(parameter["in"], {})
        if parameter["name"] in known:
            parameter["example"] = known[parameter["name"]]
    content = operation.get("requestBody", {}).get("content", {})
    for part, media_type in (("body", "application/json"), ("form", "multipart/form-data")):
        if part in given:
            content[media_type]["example"] = given[part]
    operation["x-codeSamples"] = [
        {"lang": "Shell", "label": "curl", "source": as_command(method, path, given, names)}
    ]


def as_command(method: str, path: str, given: Mapping[str, Any], parameters: Mapping[str, str]) -> str:
    """The request as a shell would send it, with the server and the key in its environment."""
    where = _NAME.sub(lambda found: parameters.get(found[1], found[0]), path)
    query = f"?{urlencode(given['query'], doseq=True)}" if "query" in given else ""
    lines = [f'curl -X {method.upper()} "$FOOTNOTE_URL{where}{query}"']
    if (method, path) == _SIGNED:
        lines += [f'-H "{name}: ..."' for name in ("webhook-id", "webhook-timestamp", "webhook-signature")]
    else:
        lines.append('-H "Authorization: Bearer $FOOTNOTE_API_KEY"')
    if "body" in given:
        lines.append('-H "Content-Type: application/json"')
        lines.append(f"-d {shlex.quote(json.dumps(given['body'], ensure_ascii=False))}")
    lines += [f"-F {shlex.quote(f'{name}={value}')}" for name, value in given.get("form", {}).items()]
    return " \\\n  ".join(lines)
