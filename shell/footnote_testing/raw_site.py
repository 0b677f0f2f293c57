"""A web site on loopback whose answers are raw bytes, for clients that must bear whatever a site sends."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

RawAnswer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]
"""All bytes of an answer, or what writes them as it likes."""


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """One request as it came in; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class RawSite:
    """`answers` by path. A path without one gets 404. `requests` are all that came."""

    answers: dict[str, RawAnswer] = field(default_factory=dict)
    requests: list[SeenRequest] = field(default_factory=list)
    connections: int = 0
    url: str = ""
    port: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection. Each answer ends it, so that no length has to be told."""
        self.connections += 1
        try:
            request = await _request(reader)
            self.requests.append(request)
            answer = self.answers.get(
                request.path.partition("?")[0], plain(b"not here", status="404 Not Found")
            )
            if isinstance(answer, bytes):
                writer.write(answer)
            else:
                await answer(writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(
    answers: Mapping[str, RawAnswer] | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[RawSite]:
    """A site on a free port, for as long as the block runs."""
    site = RawSite(dict(answers or {}))
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0, ssl=tls)
    site.port = server.sockets[0].getsockname()[1]
    site.url = f"{'https' if tls else 'http'}://127.0.0.1:{site.port}"
    try:
        yield site
    finally:
        server.close()


def plain(body: bytes, *, kind: str = "text/html", status: str = "200 OK", **headers: str) -> bytes:
    """An answer that ends with its connection. Further headers by their names in snake case."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def moved(where: str, status: str = "302 Found") -> bytes:
    """A redirect."""
    return plain(b"", status=status, Location=where)


async def _request(reader: asyncio.StreamReader) -> SeenRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return SeenRequest(method, path, headers, body)
