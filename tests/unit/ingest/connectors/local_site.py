"""A web site on loopback for connectors: answers by path, versions, and what goes wrong on the way."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_network

from footnote_ingest.connectors.outside import Outside, OutsideResources
from footnote_shared.egress.client import FetchLimits
from footnote_shared.egress.policy import EgressPolicy
from footnote_testing.loopback_server import LoopbackServer

HERE = EgressPolicy(allowed=(ip_network("127.0.0.1/32"),))
NO_REDIS = "redis://127.0.0.1:1/0"
"""Without Redis each process counts its requests for itself."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. With `versioned` it has an ETag, and 304 says that it has not changed."""

    body: str | bytes = ""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    versioned: bool = False

    @property
    def content(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else self.body


@dataclass(frozen=True, slots=True)
class SiteRequest:
    """A request as it came: path and query apart, header names in small letters."""

    path: str
    query: str
    headers: dict[str, str]
    body: bytes = b""


@dataclass
class LocalSite:
    """`replies` by path; `answer` takes what is not among them. `asked` is every request."""

    url: str = ""
    replies: dict[str, Reply] = field(default_factory=dict)
    answer: Callable[[SiteRequest], Reply] = lambda request: Reply("not here", 404)
    asked: list[SiteRequest] = field(default_factory=list)

    def paths(self) -> list[str]:
        """The paths that were asked for since the last look."""
        found = [request.path for request in self.asked]
        self.asked.clear()
        return found

    def reply_to(self, request: SiteRequest) -> Reply:
        self.asked.append(request)
        found = self.replies.get(request.path)
        return found if found is not None else self.answer(request)


@contextmanager
def serving() -> Iterator[LocalSite]:
    """The site while it serves."""
    site = LocalSite()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            headers = {name.lower(): value for name, value in self.headers.items()}
            sent = self.rfile.read(int(headers.get("content-length", "0")))
            reply = site.reply_to(SiteRequest(path, query, headers, sent))
            etag = f'"{sha256(reply.content).hexdigest()[:16]}"'
            unchanged = reply.versioned and headers.get("if-none-match") == etag
            body = b"" if unchanged else reply.content
            self.send_response(304 if unchanged else reply.status)
            for name, value in {
                "Content-Type": reply.kind,
                "Content-Length": str(len(body)),
                **({"ETag": etag} if reply.versioned else {}),
                **reply.headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            return

    server = LoopbackServer(Handler)
    site.url = server.url
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield site
    server.shutdown()
    server.server_close()


def outside(policy: EgressPolicy = HERE, most_a_minute: int = 10_000, max_bytes: int = 100_000) -> Outside:
    """A client of one run that may reach loopback."""
    return Outside(OutsideResources(policy, NO_REDIS, most_a_minute, FetchLimits(max_bytes=max_bytes)))
