"""The one client for addresses outside of Footnote (spec 7.2): crawls, scrapes, connectors and web hooks.

A synchronous task runs it by `asyncio.run`, with a client of its own.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

import httpx

from footnote_shared.egress.charset import decoded
from footnote_shared.egress.errors import FetchedTooMuch, FetchRefused, SiteFailed, SiteTooSlow
from footnote_shared.egress.pinned_transport import PinnedTransport
from footnote_shared.egress.policy import EgressPolicy, Resolve, by_the_system
from footnote_shared.egress.targets import origin_of, read_target
from footnote_shared.egress.unpacking import SiteUnpacker
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.kernel.unpacking import ACCEPTED
from footnote_shared.telemetry import metrics

_AGENT = "Footnote"
_MOVED = (301, 302, 303, 307, 308)
_NOT_DONE_HERE = (301, 307, 308)
"""The address says that another one does it (RFC 9110, 15.4). By 302 and 303 many say that it was done."""
_PIECES_AT_ONCE = 64
_CONNECT_S = 5.0
_LONGEST_ETAG, _LONGEST_DATE = 500, 100


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """`max_bytes` hold for the body as it comes and as it is unpacked; `total_s` for all of the fetch."""

    max_bytes: int = 5 * 2**20
    total_s: float = 20.0
    redirects: int = 5


@dataclass(frozen=True, slots=True)
class Validators:
    """What an earlier answer said of its version (RFC 9110, 8.8). Empty: it said nothing."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class FetchAsked:
    """A request: `headers` and `content` go to the origin of the URL alone. `seen`: 304 if unchanged."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    seen: Validators | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """A whole answer, whatever its status. `url` is where the last redirect led to."""

    url: str
    status: int
    headers: httpx.Headers
    body: bytes

    @property
    def unchanged(self) -> bool:
        """Whether what was seen before still holds. There is no body then."""
        return self.status == 304

    @property
    def media_type(self) -> str:
        """The type without its parameters, in lower case; empty if the site tells none."""
        declared: str = self.headers.get("content-type", "")
        return declared.partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as text, in the charset that it declares or that its bytes show."""
        return decoded(self.body, self.headers.get("content-type", ""))

    @property
    def validators(self) -> Validators:
        """What the next conditional fetch of this address sends."""
        return validators_of(self.headers)


class Answering:
    """An answer whose body has not been read yet. `pieces` gives it, once."""

    def __init__(self, url: httpx.URL, response: httpx.Response, limits: FetchLimits, ends_at: float) -> None:
        self.url = str(url)
        self.status = response.status_code
        self.headers = response.headers
        self._response = response
        self._limits = limits
        self._ends_at = ends_at

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body, unpacked, in pieces of at most 64 KiB. Raises FetchedTooMuch, SiteFailed, SiteTooSlow."""
        limit = self._limits.max_bytes
        length = self.headers.get("content-length", "")
        if length.isdecimal() and int(length) > limit:
            raise _too_much(limit)
        unpacker = SiteUnpacker(self.headers.get("content-encoding", ""))
        received = given = count = 0
        stream = self._response.aiter_raw()
        while (packed := await self._next(stream)) is not None:
            received += len(packed)
            for piece in unpacker.unpack(packed):
                given += len(piece)
                if max(given, received) > limit:
                    raise _too_much(limit)
                yield piece
            if received > limit:
                raise _too_much(limit)
            count += 1
            if count % _PIECES_AT_ONCE == 0:
                # A body of tiny pieces that are all here already would hold up every other task.
                await asyncio.sleep(0)
        unpacker.check_end()

    async def _next(self, stream: AsyncIterator[bytes]) -> bytes | None:
        try:
            async with asyncio.timeout_at(self._ends_at):
                return await anext(stream, None)
        except TimeoutError as error:
            raise _too_slow(self._limits) from error


class EgressClient:
    """Fetches what the policy allows. Belongs to one event loop; `aclose` ends its connections."""

    def __init__(
        self, policy: EgressPolicy, resolve: Resolve = by_the_system, tls: ssl.SSLContext | None = None
    ) -> None:
        """`tls`: the authorities that are believed; None: those of the web."""
        self._transport = PinnedTransport(policy, resolve, tls)

    async def fetch(self, url: str, limits: FetchLimits | None = None) -> Fetched:
        """The whole of what stands at an address. Raises like `send`."""
        return await self.send(FetchAsked(url), limits)

    async def send(self, asked: FetchAsked, limits: FetchLimits | None = None) -> Fetched:
        """The whole answer to a request.

        Raises FetchRefused where the guard does not go, FetchedTooMuch, SiteFailed and SiteTooSlow.
        """
        async with self.open(asked, limits) as answer:
            body = b"".join([piece async for piece in answer.pieces()])
            return Fetched(answer.url, answer.status, answer.headers, body)

    @asynccontextmanager
    async def open(self, asked: FetchAsked, limits: FetchLimits | None = None) -> AsyncIterator[Answering]:
        """The answer to a request, for bodies that are not to lie in memory. Raises like `send`."""
        try:
            async with self._opened(asked, limits or FetchLimits()) as answer:
                yield answer
        except FootnoteError as error:
            metrics.FETCHES.labels(error.code).inc()
            raise
        metrics.FETCHES.labels("ok").inc()

    @asynccontextmanager
    async def _opened(self, asked: FetchAsked, limits: FetchLimits) -> AsyncIterator[Answering]:
        ends_at = asyncio.get_running_loop().time() + limits.total_s
        try:
            async with asyncio.timeout_at(ends_at):
                url, response = await self._follow(asked, limits)
        except TimeoutError as error:
            raise _too_slow(limits) from error
        async with aclosing(response):
            yield Answering(url, response, limits, ends_at)

    async def _follow(self, asked: FetchAsked, limits: FetchLimits) -> tuple[httpx.URL, httpx.Response]:
        """The first answer that is no redirect. Each address on the way is checked like the first."""
        url = first = read_target(asked.url)
        for _ in range(limits.redirects + 1):
            at_home = origin_of(url) == origin_of(first)
            response = await self._transport.handle_async_request(_request(asked, url, at_home=at_home))
            where = response.headers.get("location")
            if response.status_code not in _MOVED or not where:
                return url, response
            await response.aclose()
            if asked.method not in ("GET", "HEAD"):
                if response.status_code not in _NOT_DONE_HERE:
                    raise SiteFailed("The site may have done what was asked, and shows its answer elsewhere.")
                raise FetchRefused("The address sends a request on that is not sent on.")
            url = _next_url(url, where)
        raise FetchRefused(f"The address leads on more than {limits.redirects} times.")

    async def aclose(self) -> None:
        await self._transport.aclose()


def validators_of(headers: httpx.Headers) -> Validators:
    """What an answer says of its version, as far as a request can say it back."""
    return Validators(
        _sendable(headers.get("etag", ""), _LONGEST_ETAG),
        _sendable(headers.get("last-modified", ""), _LONGEST_DATE),
    )


def _sendable(value: str, longest: int) -> str:
    """The value if it fits into a request as it stands. A part of it would name no version."""
    return value if len(value) <= longest and value.isascii() and value.isprintable() else ""


def _request(asked: FetchAsked, url: httpx.URL, *, at_home: bool) -> httpx.Request:
    headers = {"Accept": "*/*", "Accept-Encoding": ACCEPTED, "User-Agent": _AGENT}
    if at_home:
        # A secret or a version of the first origin is nothing for whomever it redirects to.
        headers |= asked.headers
        if asked.seen and asked.seen.etag:
            headers["If-None-Match"] = asked.seen.etag
        if asked.seen and asked.seen.last_modified:
            headers["If-Modified-Since"] = asked.seen.last_modified
    return httpx.Request(
        asked.method,
        url,
        headers=headers,
        content=asked.content,
        extensions={"timeout": {"connect": _CONNECT_S}},
    )


def _next_url(url: httpx.URL, where: str) -> httpx.URL:
    try:
        joined = str(url.join(where))
    except (httpx.InvalidURL, UnicodeError) as error:
        raise SiteFailed("The site leads on to what is no address.") from error
    return read_target(joined)


def _too_much(limit: int) -> FetchedTooMuch:
    return FetchedTooMuch(f"The address holds more than {limit} bytes.")


def _too_slow(limits: FetchLimits) -> SiteTooSlow:
    return SiteTooSlow(f"The site did not send everything within {limits.total_s:g} seconds.")
