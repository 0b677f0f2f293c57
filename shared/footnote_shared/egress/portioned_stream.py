"""What a stranger's connection hands to the parser of HTTP: never many lines or bytes that are no body.

The parser works through a head, a trailer or a row of interim answers at once, on the event loop, and takes
some six microseconds for each line. A head of 100 KiB can hold twenty thousand lines. No rule for bodies
holds any of this back, so it is held back here, before the parser sees it.
"""

import ssl

import httpcore

from footnote_shared.egress.errors import SiteFailed

MOST_LINES = 512
"""Lines between two pieces of a body, or before the first one. Heads of real sites have under a hundred."""

MOST_BYTES = 32 * 2**10
"""Bytes between two pieces of a body, or before the first one. Heads of real sites have up to some 16 KiB."""


class PortionedStream(httpcore.AsyncNetworkStream):
    """One connection. A written request begins the count anew, and so does what `went_on` tells of."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._waiting = b""
        self._begin = 0
        self._lines = 0
        self._bytes = 0

    def went_on(self) -> None:
        """The head has ended, or a piece of the body was given to its reader."""
        self._lines = self._bytes = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """The next bytes, as many as the parser may see at once. Raises SiteFailed where it may see none."""
        if self._lines >= MOST_LINES or self._bytes >= MOST_BYTES:
            raise SiteFailed(
                f"The site sends more than {MOST_BYTES // 2**10} KiB or {MOST_LINES} lines around its answer."
            )
        if self._begin == len(self._waiting):
            self._waiting, self._begin = await self._stream.read(max_bytes, timeout), 0
        end = self._end_of_portion()
        portion = self._waiting[self._begin : end]
        self._begin = end
        self._bytes += len(portion)
        return portion

    def _end_of_portion(self) -> int:
        """Where the bytes end that the parser may see now. Counts their lines."""
        end = min(len(self._waiting), self._begin + MOST_BYTES - self._bytes)
        lines = self._waiting.count(b"\n", self._begin, end)
        if self._lines + lines > MOST_LINES:
            lines = MOST_LINES - self._lines
            end -= len(self._waiting[self._begin : end].split(b"\n", lines)[-1])
        self._lines += lines
        return end

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self.went_on()
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the port of httpcore has it
    ) -> httpcore.AsyncNetworkStream:
        """The connection under TLS. Raises SiteFailed, in plain words, for a certificate that is not good."""
        try:
            return PortionedStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))
        except httpcore.ConnectError as error:
            if isinstance(error.__cause__, ssl.SSLCertVerificationError):
                raise SiteFailed(_not_good(error.__cause__)) from error
            raise

    def get_extra_info(self, info: str) -> object:
        if info == "is_readable" and self._begin < len(self._waiting):
            # What came behind an answer is nothing that the next request has asked for.
            return True
        return self._stream.get_extra_info(info)


def _not_good(error: ssl.SSLCertVerificationError) -> str:
    reason = error.verify_message.rstrip(".")
    return f"The site's certificate is not good: {reason}. Whoever runs the site has to mend it."
