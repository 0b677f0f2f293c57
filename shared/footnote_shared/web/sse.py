"""Server-sent events on the wire (WHATWG HTML, section 9.2)."""

from collections.abc import AsyncIterator

from fastapi.responses import StreamingResponse

HEARTBEAT = b": beat\n\n"


def encode_event(data: str | bytes, *, event_id: str, event: str) -> bytes:
    """One event. `data` is a single line of JSON, so it needs no splitting."""
    body = data.encode() if isinstance(data, str) else data
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (event_id.encode(), event.encode(), body)


def event_stream(chunks: AsyncIterator[bytes], headers: dict[str, str] | None = None) -> StreamingResponse:
    """An answer that no proxy buffers or caches."""
    return StreamingResponse(
        chunks,
        media_type="text/event-stream",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no", **(headers or {})},
    )
