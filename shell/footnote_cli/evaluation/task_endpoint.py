"""An OpenAI-compatible endpoint on loopback whose replies may call tools."""

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from footnote_cli.evaluation.chat_endpoint import DONE, chunk_line, usage_line
from footnote_cli.evaluation.task_planner import TaskReply


class TaskEndpoint:
    """Serves between `start` and `stop`; `url` is its base URL. `reply` gets the whole request."""

    def __init__(self, reply: Callable[[Mapping[str, Any]], TaskReply]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(reply))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def start(self) -> "TaskEndpoint":
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(reply: Callable[[Mapping[str, Any]], TaskReply]) -> type[BaseHTTPRequestHandler]:
    class TaskHandler(BaseHTTPRequestHandler):
        """Speaks HTTP/1.0: the answer ends with the connection."""

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            said = reply(request)
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            with suppress(ConnectionError):
                if said.text:
                    self.wfile.write(chunk_line({"content": said.text}))
                for at, (name, arguments) in enumerate(said.calls):
                    function = {"name": name, "arguments": arguments}
                    called = {"index": at, "id": f"call_{at}", "type": "function", "function": function}
                    self.wfile.write(chunk_line({"tool_calls": [called]}))
                self.wfile.write(chunk_line({}, "tool_calls" if said.calls else "stop"))
                self.wfile.write(usage_line(len(request["messages"]), 1) + DONE)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing is logged: what is asked here is counted elsewhere."""

    return TaskHandler
