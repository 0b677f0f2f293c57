"""How long one event of a model's stream may become: the libraries keep it until it ends, and some never do.

What is counted is what they keep: the bytes and the lines since the last blank line. Each further line makes
them copy the event once more, so many short lines cost more than one long one.
"""

from collections.abc import AsyncIterator

import httpx2

from footnote_shared.kernel.unpacking import ACCEPTED, Unpacker

EVENT_BYTES = 2**20
"""More than any event that holds a whole call of a tool, or the signature of a long thought."""

EVENT_LINES = 512
"""Ends of lines. An event has one for each of its fields, twice that with CR LF."""

_END, _END_CRLF = b"\n\n", b"\r\n\r\n"
PACKED = {"Accept-Encoding": ACCEPTED}
"""Headers for the clients of models: how a reply may be packed, so that it can be unpacked in pieces."""


class EventTooLong(ValueError):
    """One event of the stream has no end, or none that is worth waiting for."""


class EventBound:
    """Counts the bytes of a stream as they come, however they are cut. Pure."""

    def __init__(self) -> None:
        self._bytes = 0
        self._lines = 0
        self._tail = b""

    def take(self, piece: bytes) -> None:
        """Count a piece. Raises EventTooLong where more is kept of one event than fits."""
        seen = self._tail + piece
        first, *others = seen.replace(_END_CRLF, _END).split(_END)
        # What is left of the piece before is counted already.
        self._add(len(first) - len(self._tail), _line_ends(first) - _line_ends(self._tail))
        for part in others:
            self._bytes = self._lines = 0
            self._add(len(part), _line_ends(part))
        self._tail = seen[-3:]

    def _add(self, count: int, lines: int) -> None:
        self._bytes += max(0, count)
        self._lines += max(0, lines)
        if self._bytes > EVENT_BYTES:
            raise EventTooLong(f"One event of the reply is longer than {EVENT_BYTES} bytes.")
        if self._lines > EVENT_LINES:
            raise EventTooLong(f"One event of the reply has more than {EVENT_LINES} ends of lines.")


def _line_ends(part: bytes) -> int:
    return part.count(b"\n") + part.count(b"\r")


class BoundedStream(httpx2.AsyncByteStream):
    """The bytes of a response, unpacked, as far as each of its events is bounded."""

    def __init__(self, stream: httpx2.AsyncByteStream, unpacker: Unpacker) -> None:
        self._stream = stream
        self._unpacker = unpacker

    async def __aiter__(self) -> AsyncIterator[bytes]:
        bound = EventBound()
        async for packed in self._stream:
            for piece in self._unpacker.unpack(packed):
                bound.take(piece)
                yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def bound_events(response: httpx2.Response) -> None:
    """Have a response unpacked in pieces, and its events bounded.

    Raises UnpackFailed where it is packed otherwise than was asked for.
    """
    unpacker = Unpacker(response.headers.pop("Content-Encoding", ""))
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = BoundedStream(response.stream, unpacker)
