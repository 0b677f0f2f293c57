"""A server with canned answers on loopback: for commands that need no more of Footnote than that."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from footnote_testing.loopback_server import LoopbackServer


@dataclass(frozen=True, slots=True)
class Canned:
    """An answer: JSON, or the lines of a stream."""

    body: object = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def content(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else json.dumps(self.body).encode()


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it arrived."""

    route: str
    query: str
    content: bytes
    headers: Mapping[str, str]

    @property
    def body(self) -> Any:
        return json.loads(self.content)


Answer = Canned | Callable[[Asked], Canned]


class FakeServer:
    """Answers `METHOD /path` by `answers`: the same each time, or what a function makes of the request.

    `METHOD /path/*` stands for whatever follows the last slash.
    """

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[Asked] = []
        self._server = LoopbackServer(_handler(self))
        self.url = self._server.url
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def of(self, route: str) -> list[Asked]:
        """The requests of one route, in order."""
        return [asked for asked in self.asked if asked.route == route]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, asked: Asked) -> Canned:
        self.asked.append(asked)
        missing = Canned({"title": "Not found", "status": 404}, 404)
        below = self.answers.get(f"{asked.route.rpartition('/')[0]}/*", missing)
        found = self.answers.get(asked.route, below)
        return found if isinstance(found, Canned) else found(asked)


def problem(status: int, detail: str, **headers: str) -> Canned:
    """A problem document, as the services give them."""
    return Canned(
        {"type": "about:blank", "title": detail, "status": status, "detail": detail}, status, headers
    )


def _handler(server: FakeServer) -> type[BaseHTTPRequestHandler]:
    class CannedHandler(BaseHTTPRequestHandler):
        def __getattr__(self, name: str) -> Callable[[], None]:
            if name.startswith("do_"):
                return self._respond
            raise AttributeError(name)

        def _respond(self) -> None:
            path, _, query = self.path.partition("?")
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            route = f"{self.command} {path}"
            canned = server.answer(Asked(route, query, content, dict(self.headers.items())))
            self.send_response(canned.status)
            for name, value in canned.headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(canned.content())

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Nothing: what was asked is kept."""

    return CannedHandler
