"""Streams of events to readers that go away."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from footnote_shared.web.sse import event_stream
from footnote_testing.own_clock import on_own_clock


@on_own_clock
async def test_an_answer_that_drops_a_cancel_ends_with_its_reader() -> None:
    began = asyncio.Event()

    async def chunks() -> AsyncGenerator[bytes, None]:
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.Event().wait()
        yield b""

    async def receive() -> dict[str, Any]:
        await began.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        pass

    async with asyncio.timeout(4):
        await event_stream(chunks())({"type": "http"}, receive, send)
