"""Streams of events to readers that leave, and to readers that take nothing."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from footnote_shared.web.sse import READER_PATIENCE_S, event_stream
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


class Reader:
    """A reader that stays, and takes `pause_s` seconds for each chunk."""

    def __init__(self, pause_s: float) -> None:
        self.taken: list[bytes] = []
        self._pause_s = pause_s

    async def receive(self) -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async def send(self, message: Any) -> None:
        await asyncio.sleep(self._pause_s)
        self.taken.append(message.get("body", b""))


async def letters(pause_s: float) -> AsyncGenerator[bytes, None]:
    for letter in (b"a", b"b", b"c"):
        await asyncio.sleep(pause_s)
        yield letter


@on_own_clock
async def test_a_slow_reader_gets_everything() -> None:
    reader = Reader(READER_PATIENCE_S * 0.7)
    await event_stream(letters(0))({"type": "http"}, reader.receive, reader.send)
    assert b"".join(reader.taken) == b"abc"


@on_own_clock
async def test_a_quiet_stream_is_not_cut_off() -> None:
    reader = Reader(0)
    await event_stream(letters(READER_PATIENCE_S * 3))({"type": "http"}, reader.receive, reader.send)
    assert b"".join(reader.taken) == b"abc"


@on_own_clock
async def test_a_reader_that_takes_nothing_for_5_minutes_is_cut_off() -> None:
    reader = Reader(3600)
    reader.taken = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            await reader.send(message)

    await event_stream(letters(0))({"type": "http"}, reader.receive, send)
    assert reader.taken == []
    assert 300 <= asyncio.get_running_loop().time() <= 300 * 1.25
