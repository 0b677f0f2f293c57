"""OpenAI's client without its walks over requests and answers, which cost more than to send and read them.

The client looks at each value of a request by the types of its interface, for names and files that have to be
changed. What the gateway library gives it is plain JSON already. So the long parts go out as the extra body,
which the client sends as it is.

A piece of an answer is read by pydantic where it is as the interface says. The client's own way, which takes
anything, walks over it by its types and takes ten times as long.
"""

import contextlib
from typing import Any

import httpx2
from openai import AsyncOpenAI, Omit
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.types.chat import ChatCompletionChunk
from pydantic import ValidationError

_LONG = ("messages", "tools")


class _PlainCompletions(AsyncCompletions):
    async def create(self, **asked: Any) -> Any:
        long = {name: asked.pop(name) for name in _LONG if not isinstance(asked.get(name, Omit()), Omit)}
        more = asked.pop("extra_body", None)
        return await super().create(messages=[], extra_body={**long, **(more or {})}, **asked)


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

    def _process_response_data(self, *, data: object, cast_to: Any, response: httpx2.Response) -> Any:
        if cast_to is ChatCompletionChunk and isinstance(data, dict):
            with contextlib.suppress(ValidationError):
                return ChatCompletionChunk.model_validate(data)
        return super()._process_response_data(data=data, cast_to=cast_to, response=response)
