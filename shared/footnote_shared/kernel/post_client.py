"""POST to one neighbour, for the calls that every search makes.

A request by httpx takes 0.9 ms of processor time, more than what is asked for takes.
By aiohttp it takes 0.2.
"""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

import aiohttp

_CONNECT_S = 3.0
_LONGEST_ANSWER = 64 * 2**20
_NOT_SAID = ("Accept", "Accept-Encoding", "User-Agent")
"""Headers that aiohttp would add. Nobody compresses answers for a neighbour."""


class PostAnswer(NamedTuple):
    """A whole answer; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class Unreachable(Exception):
    """No connection could be made, or it broke before the whole answer was there."""


class PostClient:
    """Connections to one origin, kept between requests. Belongs to the event loop of its first request."""

    def __init__(self, url: str) -> None:
        """`url`: scheme, host, port, and perhaps a path that stands before that of each request."""
        self._url = url.rstrip("/")
        self._session: aiohttp.ClientSession | None = None

    async def post(
        self, path: str, body: bytes, headers: Mapping[str, str], *, answer_s: float
    ) -> PostAnswer:
        """The answer, whatever its status. The request must be one that may be made twice.

        Raises Unreachable, and TimeoutError after `answer_s` seconds.
        """
        async with asyncio.timeout(answer_s):
            try:
                try:
                    return await self._ask(path, body, headers)
                except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                    # The other side may close a kept connection at any time.
                    return await self._ask(path, body, headers)
            except aiohttp.ConnectionTimeoutError as error:
                raise Unreachable(f"{self._url} cannot be reached") from error
            except aiohttp.ClientError as error:
                raise Unreachable(f"{self._url}: {error}") from error

    async def _ask(self, path: str, body: bytes, headers: Mapping[str, str]) -> PostAnswer:
        request = self._opened().post(self._url + path, data=body, headers=headers, allow_redirects=False)
        async with request as answer:
            pieces, size = [], 0
            async for piece in answer.content.iter_any():
                pieces.append(piece)
                size += len(piece)
                if size > _LONGEST_ANSWER:
                    answer.close()
                    raise Unreachable("the answer is too long")
            found = {name.lower(): value for name, value in answer.headers.items()}
            return PostAnswer(answer.status, found, b"".join(pieces))

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=_NOT_SAID,
                auto_decompress=False,
            )
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
