"""OpenAI's client without its walks over requests and answers, which cost more than to send and read them.

The client looks at each value of a request by the types of its interface, for names and files that have to be
changed, and makes its headers anew. What the gateway library gives it is plain JSON already, so a request for
a stream goes out as it is, with headers that are made once.

A piece of an answer is read by pydantic where it is as the interface says. The client's own way, which takes
anything, walks over it by its types and takes ten times as long.
"""

import contextlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import httpx2
import orjson
from openai import APIConnectionError, APITimeoutError, AsyncOpenAI, NotGiven, Omit
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.types.chat import ChatCompletionChunk
from pydantic import ValidationError

from footnote_shared.models.chunk_stream import NOT_REACHED, ChunkStream


class _PlainCompletions(AsyncCompletions):
    _client: "PlainOpenAI"

    async def create(self, **asked: Any) -> Any:
        """A stream of pieces, for which alone this client is used."""
        given = {name: value for name, value in asked.items() if not isinstance(value, Omit | NotGiven)}
        headers, more = given.pop("extra_headers", None), given.pop("extra_body", None)
        return await self._client.stream(given | (more or {}), headers or {})


class _PlainChat(AsyncChat):
    @property
    def completions(self) -> _PlainCompletions:
        return _PlainCompletions(self._client)


class PlainOpenAI(AsyncOpenAI):
    """Asks once: who waits and asks again is above it."""

    def __init__(self, base_url: str, key: str, http: httpx2.AsyncClient) -> None:
        super().__init__(base_url=base_url, api_key=key, max_retries=0, http_client=http)

    @property
    def chat(self) -> _PlainChat:
        return _PlainChat(self)

    async def stream(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> ChunkStream:
        """The answer to a request as it comes. Raises the client's own errors, as `create` of it does."""
        request = self._client.build_request(
            "POST",
            self._chat_url,
            content=orjson.dumps(body),
            headers={**self._headers_once, **headers},
        )
        try:
            response = await self._client.send(request, stream=True)
        except httpx2.TimeoutException as error:
            raise APITimeoutError(request=request) from error
        except NOT_REACHED as error:
            raise APIConnectionError(request=request) from error
        if not response.is_success:
            await response.aread()
            raise self._make_status_error_from_response(response)
        return ChunkStream(cast_to=ChatCompletionChunk, response=response, client=self)

    @cached_property
    def _chat_url(self) -> httpx2.URL:
        return self._prepare_url("/chat/completions")

    @cached_property
    def _headers_once(self) -> dict[str, str]:
        every = {**self.default_headers, **self.auth_headers}
        return {name: value for name, value in every.items() if isinstance(value, str)}

    def _process_response_data(self, *, data: object, cast_to: Any, response: httpx2.Response) -> Any:
        if cast_to is ChatCompletionChunk and isinstance(data, dict):
            with contextlib.suppress(ValidationError):
                return ChatCompletionChunk.model_validate(data)
        return super()._process_response_data(data=data, cast_to=cast_to, response=response)
