"""An OpenAI-compatible chat endpoint on loopback whose words a function decides, and its lines."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

MODEL = "scripted"
DONE = b"data: [DONE]\n\n"
_HEAD: Mapping[str, Any] = {"id": MODEL, "object": "chat.completion.chunk", "created": 0, "model": MODEL}


def chunk_line(delta: Mapping[str, object], finish: str | None = None) -> bytes:
    """One server-sent event with a piece of the answer."""
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": finish}
    return b"data: " + json.dumps({**_HEAD, "choices": [choice]}).encode() + b"\n\n"


def usage_line(prompt_tokens: int, completion_tokens: int) -> bytes:
    """The event that tells what the answer has cost."""
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }
    return b"data: " + json.dumps({**_HEAD, "choices": [], "usage": usage}).encode() + b"\n\n"


class LoopbackEndpoint:
    """Serves in threads of this process between `start` and `stop`; `url` is its base URL."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class ChatHandler(BaseHTTPRequestHandler):
    """Speaks HTTP/1.0: the answer ends with the connection."""

    def do_POST(self) -> None:
        self.answer(json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0)))))

    def answer(self, request: Mapping[str, Any]) -> None:
        """Begin the events, and send them."""
        raise NotImplementedError

    def begin_events(self) -> None:
        """Send what stands before the first event."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing is logged: what is asked here is counted elsewhere."""


class ChatEndpoint(LoopbackEndpoint):
    """`answer` gets the last message of the user and gives the pieces of the answer.

    The first piece goes out `first_s` seconds after the request.
    """

    def __init__(self, answer: Callable[[str], Iterable[str]], first_s: float = 0.0) -> None:
        super().__init__(_handler(answer, first_s))


def _handler(say: Callable[[str], Iterable[str]], first_s: float) -> type[BaseHTTPRequestHandler]:
    class PiecesHandler(ChatHandler):
        def answer(self, request: Mapping[str, Any]) -> None:
            prompt = [m["content"] for m in request["messages"] if m["role"] == "user"][-1]
            time.sleep(first_s)
            said = 0
            self.begin_events()
            # A caller may leave in the middle of an answer.
            with suppress(ConnectionError):
                for piece in say(prompt if isinstance(prompt, str) else prompt[0]["text"]):
                    self.wfile.write(chunk_line({"content": piece}))
                    said += 1
                self.wfile.write(chunk_line({}, "stop") + usage_line(len(request["messages"]), said) + DONE)

    return PiecesHandler
