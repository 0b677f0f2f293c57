"""Hostile requests for every route of an OpenAPI document: what a careless or ill-willed client could send.

`python -m tests.fuzz.routes` starts a distributed stack, sends requests for some minutes and prints what was
answered with a status of 500 or more.
"""

import argparse
import base64
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from footnote_shared.kernel.ids import new_id
from footnote_testing.postgres_process import PostgresProcess
from tests.system.stacks import DistributedStack

METHODS = ("get", "post", "put", "patch", "delete")
BUSY = frozenset({503, 504})
"""What may be answered while a part is not there. Any other status of 500 or more is a bug."""

TEXTS = (
    "",
    " ",
    "a",
    "x" * 300,
    "x" * 9000,
    "\0",
    "a\0b",
    "\ud800",
    "a\udfffb",
    "\U0010ffff",
    "\u202e",
    "\r\nX: y",
    "../../etc/passwd",
    "/",
    "%",
    "%00",
    "%ff",
    "_%",
    "'; DROP TABLE documents; --",
    "{{7*7}}",
    "ﬃ",
    "\x7f\x1b[31m",
    "[" * 2000,
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59-23:59",
    "0000-00-00T00:00:00Z",
    "2024-02-30T00:00:00Z",
    "2024-01-01T00:00:00",
    "-1",
    "0",
    "1e400",
    "NaN",
    "9" * 30,
    "9223372036854775808",
    "2147483648",
    "true",
    "null",
)
NUMBERS = (0, -1, 1, 2, 199, 200, 201, 2**31, 2**53, 2**63, -(2**63) - 1, 10**30, 0.5, -0.0, 1e308, 1e-320)
MEDIA_TYPES = (
    "application/json",
    "application/json; charset=utf-16",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "multipart/form-data; boundary=x",
    "multipart/mixed; boundary=x",
    "nonsense",
    "a/b\x80",
    "",
)
BODIES = (
    b"",
    b"{",
    b"null",
    b"[]",
    b'"text"',
    b"1e999",
    b"\xff\xfe",
    b"[" * 30,
    b"[" * 5000,
    b'{"a":' * 31 + b"1" + b"}" * 31,
    b"NaN",
    b"--x\r\n\r\n--x--",
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="\xff\x00"\r\n\r\nx\r\n--x--\r\n',
    b"a=b&c",
    b'{"a": "\\ud800"}',
)


def cursor(value: object) -> str:
    """A cursor as ours are made, over any value."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


CURSORS = (
    cursor([10**30]),
    cursor([-(2**63)]),
    cursor([2**31]),
    cursor([1.5]),
    cursor([True]),
    cursor([None]),
    cursor([]),
    cursor({}),
    cursor("x"),
    cursor(["\ud800"]),
    cursor(["a\0"]),
    cursor([""]),
    cursor([new_id()]),
    cursor([0, 0]),
    cursor(["0001-01-01T00:00:00+23:59", new_id()]),
    cursor(["9999-12-31T23:59:59-23:59", new_id()]),
    cursor(["2024-01-01T00:00:00", new_id()]),
    cursor(["2024-01-01T00:00:00Z", "x"]),
    base64.urlsafe_b64encode(b"[" * 20_000).decode(),
    base64.urlsafe_b64encode(b"[1" + b"0" * 5000 + b"]").decode(),
    base64.urlsafe_b64encode(b"\xff\xfe").decode(),
    "=",
    "a",
    "é",
)


@dataclass(frozen=True)
class Hostile:
    """One request."""

    method: str
    path: str
    headers: Mapping[str, bytes]
    body: bytes | None

    def send(self, http: httpx.Client) -> httpx.Response:
        headers = {name.encode(): value for name, value in self.headers.items()}
        return http.request(self.method, self.path, headers=headers, content=self.body)

    def __str__(self) -> str:
        return f"{self.method} {self.path[:300]} {dict(self.headers)} {(self.body or b'')[:300]!r}"


@dataclass
class Requests:
    """Makes requests from an OpenAPI document; `known` are values that exist, by the name of a parameter."""

    document: dict[str, Any]
    random: random.Random
    known: Mapping[str, str] = field(default_factory=dict)

    def any_of(self, count: int) -> Iterator[Hostile]:
        """Requests for all routes in turn."""
        routes = [
            (method, path, item[method])
            for path, item in sorted(self.document["paths"].items())
            for method in METHODS
            if method in item
        ]
        for number in range(count):
            yield self._request(*routes[number % len(routes)])

    def _request(self, method: str, path: str, operation: dict[str, Any]) -> Hostile:
        query: list[str] = []
        headers: dict[str, bytes] = {}
        for parameter in operation.get("parameters", []):
            name, place = parameter["name"], parameter["in"]
            if place == "path":
                value = (
                    self.known.get(name)
                    if self.random.random() < (0.05 if method == "delete" else 0.7)
                    else None
                )
                path = path.replace(f"{{{name}}}", _quoted(value or self._text() or "x"))
            elif place == "query" and self.random.random() < 0.4:
                value = self.random.choice(CURSORS) if name == "cursor" else self._parameter(parameter)
                query.append(f"{_quoted(name)}={_quoted(value)}")
            elif place == "header" and self.random.random() < 0.3:
                headers[name] = (
                    self._text()[:4000].encode("utf-8", "replace").translate(None, b"\r\n\0").strip()
                )
        body = self._body(operation, headers) if "requestBody" in operation else None
        return Hostile(method.upper(), path + ("?" + "&".join(query) if query else ""), headers, body)

    def _parameter(self, parameter: dict[str, Any]) -> str:
        if self.random.random() < 0.5:
            return self._text()
        made = self._value(parameter.get("schema", {}), 0)
        return made if isinstance(made, str) else json.dumps(made)

    def _body(self, operation: dict[str, Any], headers: dict[str, bytes]) -> bytes:
        content = operation["requestBody"]["content"]
        if self.random.random() < 0.15:
            headers["Content-Type"] = self.random.choice(MEDIA_TYPES).encode("latin-1")
            return self.random.choice(BODIES)
        if "multipart/form-data" in content and self.random.random() < 0.6:
            return self._form(content["multipart/form-data"]["schema"], headers)
        headers["Content-Type"] = b"application/json"
        schema = content.get("application/json", {}).get("schema", {})
        return json.dumps(self._value(schema, 0)).encode()

    def _form(self, schema: dict[str, Any], headers: dict[str, bytes]) -> bytes:
        headers["Content-Type"] = b"multipart/form-data; boundary=frontier"
        parts = []
        for name in schema.get("properties", {}):
            if name == "file":
                kind = self.random.choice([*MEDIA_TYPES, *TEXTS[:12]]).replace("\r\n", "")
                filename = self._text()[:300].replace("\r\n", "").replace('"', "")
                head = f'name="file"; filename="{filename}"\r\nContent-Type: {kind}'
                parts.append((head, self.random.choice([b"", b"text", b"%PDF-1.4", b"\0" * 50])))
            elif self.random.random() < 0.5:
                parts.append((f'name="{name}"', self._text().encode("utf-8", "surrogatepass")))
        return b"".join(
            b"--frontier\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n"
            % (head.encode("utf-8", "surrogatepass"), content)
            for head, content in parts
        ) + (b"--frontier--\r\n" if self.random.random() < 0.9 else b"")

    def _value(self, schema: dict[str, Any], depth: int) -> Any:
        """A value that nearly fits a schema."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = self.document["components"]["schemas"].get(name, {})
        roll = self.random.random()
        if roll < 0.06 or depth > 8:
            return self.random.choice([None, True, [], {}, "", 0, [[]], {"": {}}])
        for choice in ("anyOf", "oneOf", "allOf"):
            if choice in schema:
                return self._value(self.random.choice(schema[choice]), depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema and roll < 0.9:
            return self.random.choice(schema["enum"])
        make: dict[str, Callable[[], Any]] = {
            "object": lambda: self._object(schema, depth),
            "array": lambda: [
                self._value(schema.get("items", {}), depth + 1) for _ in range(self.random.choice([0, 1, 3]))
            ],
            "integer": lambda: self.random.choice(NUMBERS),
            "number": lambda: self.random.choice(NUMBERS),
            "boolean": lambda: self.random.choice([True, False]),
        }
        return make.get(str(schema.get("type")), self._text)()

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", [])
        made = {
            name: self._value(inner, depth + 1)
            for name, inner in schema.get("properties", {}).items()
            if (name in required and self.random.random() < 0.97) or self.random.random() < 0.4
        }
        if schema.get("additionalProperties") or self.random.random() < 0.05:
            made[self._text()[:50]] = self._text()
        return made

    def _text(self) -> str:
        if self.known and self.random.random() < 0.3:
            return self.random.choice(list(self.known.values()))
        return self.random.choice(TEXTS)


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def failures(http: httpx.Client, requests: Iterator[Hostile], statuses: Counter[int]) -> list[str]:
    """The requests that were answered with 5xx, or with what is no problem document, each with its answer."""
    found = []
    for request in requests:
        try:
            answer = request.send(http)
        except httpx.TransportError as error:
            found.append(f"{error!r}: {request}")
            continue
        statuses[answer.status_code] += 1
        if answer.status_code >= 500 and answer.status_code not in BUSY:
            found.append(f"{answer.status_code} {request}: {answer.text[:300]}")
        elif answer.status_code >= 400 and "problem+json" not in answer.headers.get("content-type", ""):
            found.append(f"no problem document: {answer.status_code} {request}: {answer.text[:200]}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=None)
    given = parser.parse_args()
    seed = random.randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        postgres = PostgresProcess()
        stack = DistributedStack(Path(folder) / "stack", postgres).start()
        try:
            _fuzz(stack, seed, given.minutes)
        finally:
            stack.stop()
            postgres.stop()


def _fuzz(stack: DistributedStack, seed: int, minutes: float) -> None:
    user = stack.client("ingest")
    document = user.upload("known.txt", b"The known recipe holds saffron.", folder="/known")
    user.wait_ended([document["id"]])
    agent = stack.client("agent0")
    thread = agent.thread()
    turn = agent.ask("What does the known recipe hold?", thread)
    known = {
        "document_id": document["id"],
        "thread_id": thread,
        "conversation_id": thread,
        "turn_id": turn["turn_id"],
        "message_id": turn["message"]["id"],
        "n": "1",
        "name": "default",
    }
    until = time.monotonic() + minutes * 60
    chance = random.Random(seed)
    statuses: dict[str, Counter[int]] = {}
    shown: set[str] = set()
    while time.monotonic() < until:
        for service in ("ingest", "retriever", "agent0", "resolver0"):
            http = stack.client(service).http
            openapi = http.get("/openapi.json").json()
            requests = Requests(openapi, chance, known).any_of(300)
            for failure in failures(http, requests, statuses.setdefault(service, Counter())):
                if failure[:40] not in shown:
                    shown.add(failure[:40])
                    print(failure, flush=True)
    print({service: dict(counted) for service, counted in statuses.items()})


if __name__ == "__main__":
    main()
