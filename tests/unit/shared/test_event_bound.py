"""Events of a model's stream are bounded one by one, however their bytes are cut."""

import gzip
import tracemalloc
from collections.abc import AsyncIterator, Callable

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.kernel.unpacking import UnpackFailed
from footnote_shared.models.event_bound import (
    EVENT_BYTES,
    EVENT_LINES,
    EventBound,
    EventTooLong,
    bound_events,
)

ends = st.sampled_from([b"\n\n", b"\r\n\r\n"])


def took(*pieces: bytes) -> None:
    bound = EventBound()
    for piece in pieces:
        bound.take(piece)


def cut(text: bytes, at: list[int]) -> list[bytes]:
    places = sorted({0, len(text), *(place % (len(text) + 1) for place in at)})
    return [text[a:b] for a, b in zip(places, places[1:], strict=False)]


@given(ends, st.lists(st.integers(0, 10**7), max_size=12))
def test_events_that_fit_go_on_for_ever(end: bytes, at: list[int]) -> None:
    line = b"data: " + b"x" * 9_000
    took(*cut((line + end) * 300, at))


@given(ends, st.integers(1, 5), st.lists(st.integers(0, 10**7), max_size=12))
def test_one_byte_too_many_is_refused_wherever_it_is_cut(end: bytes, before: int, at: list[int]) -> None:
    fits = (b"data: x" + end) * before + b"x" * EVENT_BYTES
    took(*cut(fits, at))
    with pytest.raises(EventTooLong):
        took(*cut(fits + b"x", at))


@given(st.lists(st.integers(0, 10**5), max_size=12))
def test_one_line_too_many_is_refused(at: list[int]) -> None:
    lines = b"data: x\n\n" + b"a\n" * EVENT_LINES
    took(*cut(lines, at))
    with pytest.raises(EventTooLong):
        took(*cut(lines + b"a\n", at))


def test_a_byte_at_a_time_is_counted_once() -> None:
    took(*[b"x"] * 1000, b"x" * (EVENT_BYTES - 1000))


@pytest.mark.parametrize("end", [b"\r\r\n", b"\n \n", b"\n\r"])
def test_what_is_no_end_for_the_libraries_is_none(end: bytes) -> None:
    with pytest.raises(EventTooLong):
        took(*[b"a" + end] * EVENT_LINES)


async def read(packed: bytes, encoding: str) -> bytes:
    """What a library gets of a reply that comes so, three bytes at a time."""

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(packed), 3):
            yield packed[at : at + 3]

    response = httpx2.Response(200, headers={"Content-Encoding": encoding}, content=pieces())
    bound_events(response)
    return b"".join([piece async for piece in response.aiter_bytes()])


@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("identity", bytes)])
async def test_a_reply_is_read_as_it_is_packed(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    said = b"data: Hello\n\n" * 100
    assert await read(pack(said), encoding) == said
    with pytest.raises(EventTooLong):
        await read(pack(b"x" * (EVENT_BYTES + 1)), encoding)


async def test_a_bomb_is_not_unpacked_at_once() -> None:
    bomb = gzip.compress(b"x" * 64 * EVENT_BYTES)
    tracemalloc.start()
    try:
        with pytest.raises(EventTooLong):
            await read(bomb, "gzip")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 8 * EVENT_BYTES


@pytest.mark.parametrize(("packed", "encoding"), [(b"no gzip at all", "gzip"), (b"x", "br")])
async def test_what_nobody_can_unpack_is_no_reply(packed: bytes, encoding: str) -> None:
    with pytest.raises(UnpackFailed):
        await read(packed, encoding)


@pytest.mark.parametrize("part", [b"x" * 1_048_576, b"a\r\n" * 256], ids=["a mebibyte", "512 ends of lines"])
def test_that_much_of_one_event_is_kept(part: bytes) -> None:
    took(b"data: first\n\n", part)
    with pytest.raises(EventTooLong):
        took(b"data: first\n\n", part, b"b\n")
