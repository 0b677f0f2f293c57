"""Sends calls: the key, the time limits, the tries, and errors as those of this client."""

from asyncio import sleep
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import Any

import httpx

from footnote_client.authorities import authorities_for
from footnote_client.call import Answer_, Call, error_from
from footnote_client.errors import ClientError, NoServer, WrongAnswer
from footnote_client.listing import Item, Paged
from footnote_client.retrying import RetryPatience, pause_before_next

_CONNECT_S = 5.0
_ANSWER_S = 120.0


class AsyncServerLink:
    """One connection pool to one server. `transport` is httpx's own, for proxies and tests."""

    def __init__(
        self,
        url: str,
        key: str,
        patience: RetryPatience,
        transport: httpx.AsyncBaseTransport | None,
        session_id: str | None = None,
    ) -> None:
        within = {} if session_id is None else {"Footnote-Session": session_id}
        self.patience = patience
        self.chance = Random()  # noqa: S311
        self._http = httpx.AsyncClient(
            base_url=url.rstrip("/"),
            headers={"Authorization": f"Bearer {key}", **within},
            timeout=httpx.Timeout(_ANSWER_S, connect=_CONNECT_S),
            transport=transport,
            verify=authorities_for(url),
        )

    async def send(self, call: Call[Answer_]) -> Answer_:
        """The answer of a call, after as many tries as patience allows. Raises ClientError."""
        return call.read(await self.fetch(call))

    async def fetch(self, call: Call[Any]) -> bytes:
        """The bytes that a call answers. Raises like `send`."""
        tries = 0
        while True:
            tries += 1
            try:
                async with self.open(call) as response:
                    return await response.aread()
            except httpx.DecodingError as error:
                raise WrongAnswer("The answer is packed in a way of its own.") from error
            except httpx.TransportError as error:
                failure: ClientError = _gone(error)
            except ClientError as error:
                failure = error
            await self.pause(tries, failure, once=call.once)

    async def pause(self, tries: int, failure: ClientError, *, once: bool = False) -> None:
        """Wait for the next try; raises the failure where there is none."""
        pause_s = pause_before_next(tries, failure, self.patience, self.chance, once=once)
        if pause_s is None:
            raise failure
        await sleep(pause_s)

    @asynccontextmanager
    async def open(
        self, call: Call[Any], headers: dict[str, str] | None = None
    ) -> AsyncIterator[httpx.Response]:
        """The head of an answer that succeeded. Its body is read inside, where httpx's errors are raised."""
        async with AsyncExitStack() as stack:
            files = [("file", (file.name, stack.enter_context(file.open()))) for file in call.files]
            asked = self._http.build_request(
                call.method,
                call.target,
                params=call.params,
                headers={**call.headers, **(headers or {}), **_media_type(call)},
                content=call.content,
                data=dict(call.fields) if files else None,
                files=files or None,
            )
            try:
                response = await self._http.send(asked, stream=True)
            except httpx.TransportError as error:
                raise _gone(error) from error
            stack.push_async_callback(response.aclose)
            if not response.is_success:
                content = await response.aread()
                raise error_from(response.status_code, content, response.headers.get("Retry-After", ""))
            yield response

    async def each(self, call: Call[Any], page: type[Paged[Item]]) -> AsyncIterator[Item]:
        """All items of a listing, page after page."""
        cursor: str | None = None
        while True:
            found: Paged[Item] = await self.send(
                Call(
                    call.method, call.path, call.answer, ids=call.ids, query={**call.query, "cursor": cursor}
                )
            )
            for item in found.items:
                yield item
            if found.next_cursor is None:
                return
            if found.next_cursor == cursor:
                raise WrongAnswer("The listing leads to the same page again.")
            cursor = found.next_cursor

    async def aclose(self) -> None:
        await self._http.aclose()


def _media_type(call: Call[Any]) -> dict[str, str]:
    return {} if call.body is None else {"Content-Type": "application/json"}


def _gone(error: httpx.TransportError) -> NoServer:
    return NoServer(f"Footnote does not answer: {error or type(error).__name__}.")
