"""The answer of a model in pieces: read as the client's own stream reads it, however its bytes come."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import APIConnectionError, APITimeoutError, AsyncStream
from openai.types.chat import ChatCompletionChunk

from footnote_shared.models.chunk_stream import ChunkStream
from footnote_shared.models.plain_openai import PlainOpenAI
from footnote_testing.eventually import LIMIT_S

CLIENT = PlainOpenAI("http://127.0.0.1:9", "k", httpx2.AsyncClient(verify=False))
"""Nothing is sent."""

TEXTS = st.sampled_from(["gull", "ü\n", "\ud83d", '"error"', "data: x", "\u2028", None])
PIECES = st.builds(
    lambda text, made, finish: {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": made,
        "model": "m",
        "choices": [{"index": 0, "delta": {"content": text, "reasoning": "r"}, "finish_reason": finish}],
    },
    TEXTS,
    st.sampled_from([1, 1.0, "1", 10**22]),
    st.sampled_from([None, "stop", "eos"]),
)
STRANGE: st.SearchStrategy[Any] = st.sampled_from(
    [
        {"error": {"message": "no"}},
        {"error": {"message": 5}},
        {"error": "bad"},
        {"error": None, "choices": []},
        [1],
        None,
        {"choices": None, "usage": {"prompt_tokens": 3, "x": float("nan")}},
        {"choices": [{"delta": None}]},
    ]
)


@st.composite
def bodies(draw: st.DrawFn) -> list[bytes]:
    """A reply, as bytes that were cut somewhere."""
    end = draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    body = b""
    for told in draw(st.lists(st.one_of(PIECES, PIECES, PIECES, STRANGE), max_size=4)):
        body += draw(
            st.sampled_from([b"", b": alive" + end + end, b"event: message" + end, b"retry: 5" + end])
        )
        text = json.dumps(told, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
        for line in text.encode("utf-8", "surrogatepass").split(b"\n"):
            body += draw(st.sampled_from([b"data: ", b"data:"])) + line + end
        body += end
    body += draw(st.sampled_from([b"data: [DONE]" + end + end, b"", b"data: {", b"data: {" + end + end]))
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=12)))
    return [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]


class Body(httpx2.AsyncByteStream):
    def __init__(
        self, pieces: Sequence[bytes], end: Exception | None = None, *, endless: bool = False
    ) -> None:
        self._pieces = pieces
        self._end = end
        self._endless = endless

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
        while self._endless:
            yield b": on and on\n\n"
        if self._end is not None:
            raise self._end


def response_of(body: Body) -> httpx2.Response:
    request = httpx2.Request("POST", "http://127.0.0.1:9/chat/completions")
    return httpx2.Response(200, stream=body, request=request, extensions={"http_version": b"HTTP/1.1"})


async def read(kind: type[AsyncStream[Any]], response: httpx2.Response) -> list[str]:
    """What comes, and the error that ends it. Where it is the bytes' own, its words name their place."""
    found: list[str] = []
    try:
        async with kind(cast_to=ChatCompletionChunk, response=response, client=CLIENT) as stream:
            found += [repr(chunk) async for chunk in stream]
    except UnicodeDecodeError as error:
        found.append(type(error).__name__)
    except Exception as error:  # noqa: BLE001
        # Whatever it is, it has to be the same for both.
        found.append(f"{type(error).__name__} {error} {getattr(error, 'body', None)}")
    return found


@given(bodies())
def test_a_reply_is_read_as_the_client_reads_it(pieces: list[bytes]) -> None:
    async def both() -> None:
        response = response_of(Body(pieces))
        assert await read(ChunkStream, response) == await read(AsyncStream, response_of(Body(pieces)))
        assert response.is_closed

    asyncio.run(both())


async def test_ends_of_lines_may_be_mixed_and_come_one_by_one() -> None:
    body = b'data: {"id": "x", "choices": []}\r\n\n' * 2
    alone = [body[at : at + 1] for at in range(len(body))]
    found = await read(ChunkStream, response_of(Body(alone)))
    assert len(found) == 2
    assert found == await read(ChunkStream, response_of(Body([body])))


DONE = b"data: [DONE]\n\n"


@pytest.mark.parametrize(
    ("error", "told"),
    [(httpx2.ReadTimeout("late"), APITimeoutError), (httpx2.ReadError("gone"), APIConnectionError)],
)
async def test_a_connection_that_fails_is_told_as_the_client_tells_it(
    error: Exception, told: type[Exception]
) -> None:
    response = response_of(Body([b": alive\n\n"], error))
    with pytest.raises(told):
        async for _ in ChunkStream(cast_to=ChatCompletionChunk, response=response, client=CLIENT):
            pass
    assert response.is_closed


async def test_one_that_fails_behind_the_end_is_no_error() -> None:
    response = response_of(Body([DONE], httpx2.ReadError("gone")))
    assert await read(ChunkStream, response) == []
    assert response.is_closed


async def test_what_never_ends_behind_the_end_is_not_waited_for() -> None:
    response = response_of(Body([DONE], endless=True))
    async with asyncio.timeout(LIMIT_S):
        assert await read(ChunkStream, response) == []
    assert response.is_closed
