"""HTTP connections that go to the very address that was checked, under the name that was asked for.

The name is resolved where the connection is made and nowhere else, so there is no second look-up that a
hostile name server could answer otherwise. `Host` and the name in TLS stay those of the URL.
"""

import ssl
from collections.abc import AsyncIterator, Iterable

import httpcore
import httpx

from footnote_shared.egress.errors import SiteFailed
from footnote_shared.egress.policy import EgressPolicy, Resolve, addresses_of
from footnote_shared.egress.portioned_stream import PortionedStream
from footnote_shared.egress.web_authorities import web_authorities

_CONNECTIONS, _KEPT, _KEPT_S = 100, 20, 15.0
_ADDRESSES_TRIED = 3

SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


class PinnedTransport(httpx.AsyncBaseTransport):
    """Follows no redirect, keeps no cookie, knows no proxy and reads nothing of the environment."""

    def __init__(self, policy: EgressPolicy, resolve: Resolve, tls: ssl.SSLContext | None) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls or web_authorities(),
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_KEPT,
            keepalive_expiry=_KEPT_S,
            network_backend=_PinnedBackend(policy, resolve),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The head of the answer; its body follows on demand. Raises FetchRefused and SiteFailed."""
        url = request.url
        try:
            answer = await self._pool.handle_async_request(
                httpcore.Request(
                    request.method,
                    httpcore.URL(
                        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                    ),
                    headers=request.headers.raw,
                    content=request.content,
                    extensions=request.extensions,
                )
            )
        except _FAILURES as error:
            raise SiteFailed("The site cannot be reached, or it answers in no HTTP.") from error
        stream = answer.extensions["network_stream"]
        if not isinstance(stream, PortionedStream):
            await answer.aclose()
            raise SiteFailed("The site goes over to another protocol than HTTP.")
        stream.went_on()
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer, stream))

    async def aclose(self) -> None:
        await self._pool.aclose()


_FAILURES = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    httpcore.ConnectionNotAvailable,
    ssl.SSLError,
)


class _Body(httpx.AsyncByteStream):
    def __init__(self, answer: httpcore.Response, stream: PortionedStream) -> None:
        self._answer = answer
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._answer.aiter_stream():
                self._stream.went_on()
                yield piece
        except _FAILURES as error:
            raise SiteFailed("The site broke off within its answer.") from error

    async def aclose(self) -> None:
        await self._answer.aclose()


class _PinnedBackend(httpcore.AsyncNetworkBackend):
    """Looks the host up, has its addresses checked, and connects to one of them by its digits."""

    def __init__(self, policy: EgressPolicy, resolve: Resolve) -> None:
        self._policy = policy
        self._resolve = resolve
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the port of httpcore has it
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        failure: Exception | None = None
        for address in (await addresses_of(host, port, self._policy, self._resolve))[:_ADDRESSES_TRIED]:
            try:
                return PortionedStream(
                    await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise SiteFailed("The site cannot be reached.") from failure

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the port of httpcore has it
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise SiteFailed("The guard opens no socket of this machine.")

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)
