"""Server-sent events on the wire (WHATWG HTML, section 9.2)."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from footnote_shared.kernel.asyncio_tasks import end_tasks

HEARTBEAT = b": beat\n\n"
READER_PATIENCE_S = 300.0
"""Seconds that one write to a reader may take before the reader counts as gone."""

_LOOKS = 4
_ENDS_WITHIN_S = 5.0


def encode_event(data: str | bytes, *, event_id: str | bytes | None, event: str | bytes) -> bytes:
    """One event. `data` must be a single line, as our JSON is.

    A reader that is cut off behind an event without an id resumes from the last one that had one.
    """
    id_line = b"" if event_id is None else b"id: %b\n" % _bytes(event_id)
    return b"%bevent: %b\ndata: %b\n\n" % (id_line, _bytes(event), _bytes(data))


def event_stream(
    chunks: AsyncIterator[bytes],
    headers: dict[str, str] | None = None,
    *,
    patience_s: float = READER_PATIENCE_S,
) -> StreamingResponse:
    """A stream as an answer that no proxy buffers or caches. Each chunk must hold whole events."""
    return EventStream(
        chunks, {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", **(headers or {})}, patience_s
    )


class EventStream(StreamingResponse):
    """Sends chunks until they end, the reader leaves, or the reader takes nothing for `patience_s` seconds.

    A reader that is cut off can resume: the last event that it has is whole, or else a part that it drops.
    """

    def __init__(self, chunks: AsyncIterator[bytes], headers: dict[str, str], patience_s: float) -> None:
        super().__init__(chunks, media_type="text/event-stream", headers=headers)
        self._chunks = chunks
        self._patience_s = patience_s
        self._sends = 0
        self._sending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.create_task(self._send_all(send))
        gone = asyncio.create_task(self.listen_for_disconnect(receive))
        try:
            await self._until_done(sending, gone)
        finally:
            await end_tasks({sending, gone}, _ENDS_WITHIN_S)
        if sending.done() and not sending.cancelled():
            sending.result()

    async def _until_done(self, sending: "asyncio.Task[None]", gone: "asyncio.Task[None]") -> None:
        looks, last = 0, -1
        while looks < _LOOKS:
            done, _ = await asyncio.wait(
                {sending, gone}, timeout=self._patience_s / _LOOKS, return_when=asyncio.FIRST_COMPLETED
            )
            if done:
                return
            looks = looks + 1 if self._sending and self._sends == last else 0
            last = self._sends

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            async for chunk in self._chunks:
                self._sends += 1
                self._sending = True
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                self._sending = False
        finally:
            if isinstance(self._chunks, AsyncGenerator):
                await self._chunks.aclose()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text
