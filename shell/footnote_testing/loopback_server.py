"""An HTTP server of the standard library on loopback, for stand-ins whose clients go away when they like."""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LOOK_S = 0.02
"""How often a server looks whether it shall stop: its test waits for that, half a second by default."""


class LoopbackServer(ThreadingHTTPServer):
    """Listens on a free port, which `url` names. A client that has gone is no error. Others are printed."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"

    def serve_forever(self, poll_interval: float = LOOK_S) -> None:
        super().serve_forever(poll_interval)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
