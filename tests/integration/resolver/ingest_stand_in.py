"""A stand-in for the services that the resolver asks, on a loopback port."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from footnote_testing.loopback_server import LoopbackServer

WITHHELD = "/v1/documents:withheld"


class IngestStandIn:
    """Answers what the test puts into it.

    `answers` maps a path without its query to (status, body). `asked` holds the last body that was sent to a
    path, `calls` how many were. Nothing is answered while `answering` is clear. Nothing is withheld
    unless `answers` says so.
    """

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, dict[str, Any]]] = {}
        self.asked: dict[str, dict[str, Any]] = {}
        self.calls: Counter[str] = Counter()
        self.answering = threading.Event()
        self.answering.set()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stand_in.answering.wait()
                answers = {WITHHELD: (200, {"withheld": []}), **stand_in.answers}
                status, body = answers.get(urlsplit(self.path).path, (404, {"detail": "nothing"}))
                payload = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers["Content-Length"]))
                stand_in.asked[self.path] = json.loads(sent)
                stand_in.calls[self.path] += 1
                self.do_GET()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                return

        self._server = LoopbackServer(Handler)
        self.url = self._server.url
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.answering.set()
        self._server.shutdown()
        self._server.server_close()
