"""The answer of an endpoint of OpenAI's kind as it comes: pieces of bytes become pieces of an answer.

The client's own stream takes each line and each event of it through a step of its own and reads JSON twice,
which costs more than all else that becomes of a piece.
"""

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import anyio
import httpx2
from openai import APIConnectionError, APIError, APITimeoutError, AsyncStream
from openai.types.chat import ChatCompletionChunk
from pydantic import ValidationError

NOT_REACHED = (httpx2.RequestError, ssl.SSLError, anyio.EndOfStream)
"""What comes of a connection that fails. The last two are how some handshakes of TLS end."""

_DONE = b"[DONE]"
_REST_ENDS_WITHIN_S = 0.1
"""Seconds for what is left behind the end of an answer. A connection that has given all of it can be used
again, and one that has not is closed."""


class EventData:
    """Cuts the bytes of an event stream into the data of its events, however they come (WHATWG HTML, 9.2.6).

    Pure. How long an event may become is bounded before (`event_bound.py`). An event without data is none.
    """

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._behind_cr = False

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that end in this piece."""
        if not piece:
            return []
        if self._behind_cr:
            piece = piece.removeprefix(b"\n")
        self._behind_cr = piece.endswith(b"\r")
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in piece:
            self._line.append(piece)
            return []
        *lines, rest = b"".join([*self._line, piece]).split(b"\n")
        self._line = [rest] if rest else []
        return [data for line in lines if (data := self._ended_by(line)) is not None]

    def _ended_by(self, line: bytes) -> bytes | None:
        """The data of the event that ends with this line, if it has any."""
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
            return None
        data, self._data = self._data, []
        return b"\n".join(data) if data else None


class ChunkStream(AsyncStream[ChatCompletionChunk]):
    """The pieces of one answer. It raises the errors that the client's own stream raises."""

    def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        return self._iterator

    async def __stream__(self) -> AsyncGenerator[ChatCompletionChunk, None]:
        response, events = self.response, EventData()
        pieces = response.aiter_bytes()
        try:
            async for piece in pieces:
                for data in events.feed(piece):
                    if data.startswith(_DONE):
                        if response.http_version == "HTTP/1.1":
                            await _read_rest(pieces)
                        return
                    yield self._chunk_of(data)
        except httpx2.TimeoutException as error:
            raise APITimeoutError(request=response.request) from error
        except NOT_REACHED as error:
            raise APIConnectionError(request=response.request) from error
        finally:
            await response.aclose()

    def _chunk_of(self, data: bytes) -> ChatCompletionChunk:
        """A piece of the answer. Raises APIError for an error that an endpoint tells in the place of one."""
        if b'"error"' not in data:
            # What is not as the interface says is read as the client reads it, which takes anything.
            with contextlib.suppress(ValidationError):
                return ChatCompletionChunk.model_validate_json(data)
        told: Any = json.loads(data.decode())
        if isinstance(told, dict) and (error := told.get("error")):
            said = error.get("message") if isinstance(error, dict) else None
            message = said if said and isinstance(said, str) else "An error occurred during streaming"
            raise APIError(message, self.response.request, body=error)
        chunk: ChatCompletionChunk = self._client._process_response_data(
            data=told, cast_to=ChatCompletionChunk, response=self.response
        )
        return chunk


async def _read_rest(pieces: AsyncIterator[bytes]) -> None:
    """Read what is left, in the time for that. An answer that is whole cannot fail by it any more."""
    with contextlib.suppress(TimeoutError, *NOT_REACHED):
        async with asyncio.timeout(_REST_ENDS_WITHIN_S):
            async for _ in pieces:
                # One that never has to wait would not hear that its time is up.
                await asyncio.sleep(0)
