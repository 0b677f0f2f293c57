"""Client of the resolver service."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import partial

import httpx

from footnote_shared.clients.base import ServiceClient, encoded, error_of
from footnote_shared.clients.in_process import DirectCall, DirectCallOf, DirectStream
from footnote_shared.clients.in_process_calls import InProcessCalls
from footnote_shared.contracts.citations import CitationEntries, CitationEntry, Pill
from footnote_shared.contracts.conversations import Conversation, NewConversation
from footnote_shared.contracts.evidence import RegisterRequest, RegisterResult
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import FootnoteError, Unavailable
from footnote_shared.telemetry.logs import logger

_SILENT_S = 60.0
"""A stream has heartbeats far more often than that."""


CITATIONS = "/v1/conversations/{conversation_id}/citations"
"""Where evidence is numbered: the path of the route, as it is lent within a process."""

STREAM = "/v1/streams/{turn_id}"
"""Where the events of a turn are."""

_log = logger(__name__)


class ResolverClient(ServiceClient):
    service = "resolver"

    def __init__(
        self,
        http: httpx.AsyncClient,
        base_url: str,
        secret: str,
        *,
        direct: Mapping[str, DirectCall] | None = None,
        direct_of: Mapping[str, DirectCallOf] | None = None,
        direct_streams: Mapping[str, DirectStream] | None = None,
        here: InProcessCalls | None = None,
    ) -> None:
        """See ServiceClient. `direct_of`: the same as `direct` for paths with an id in them.

        `direct_streams`: what stands behind streams, where the resolver runs in this process. When it has
        nothing there, the resolver is not open.
        """
        super().__init__(http, base_url, secret, direct=direct, here=here)
        self._direct_of = {} if direct_of is None else direct_of
        self._direct_streams = direct_streams

    async def open_conversation(self, principal: Principal, request: NewConversation) -> Conversation:
        """Make a conversation. With an id that the caller owns already, this changes nothing."""
        return await self.call(principal, "POST", "/v1/conversations", Conversation, body=request)

    async def register(
        self, principal: Principal, conversation_id: str, request: RegisterRequest
    ) -> RegisterResult:
        """Number evidence and render it, in one round trip."""
        path = CITATIONS.format(conversation_id=conversation_id)
        lent = self._direct_of.get(CITATIONS)
        if lent is None:
            return await self.call(principal, "POST", path, RegisterResult, body=request)
        return await self._asked_directly(
            partial(lent, conversation_id), principal, "POST", encoded(request), RegisterResult
        )

    async def citations(
        self,
        principal: Principal,
        conversation_id: str,
        numbers: list[int],
        *,
        shown_last: bool = False,
        owner: str | None = None,
    ) -> list[CitationEntry]:
        """Those entries of a conversation as the principal may see them at this moment.

        Their quotes are what was shown first; with `shown_last` what was shown last. `owner` is the avatar
        whose conversation it is, where a message of it was shared.
        """
        path = f"/v1/conversations/{conversation_id}/citations"
        params: dict[str, list[int] | str] = {"n": numbers}
        if shown_last:
            # What is not asked for is not sent: in an upgrade, a resolver may not know the field yet.
            params["shown_last"] = "true"
        if owner is not None:
            params["owner"] = owner
        return (await self.call(principal, "GET", path, CitationEntries, params=params)).items

    async def pill(
        self, principal: Principal, conversation_id: str, n: int, turn_id: str, *, owner: str
    ) -> Pill:
        """What the principal gets who opens a citation of another avatar's conversation, as the turn was
        shown it."""
        path = f"/v1/conversations/{conversation_id}/citations/{n}"
        return await self.call(principal, "GET", path, Pill, params={"turn_id": turn_id, "owner": owner})

    async def stream(
        self, principal: Principal, turn_id: str, last_event_id: str | None = None
    ) -> AsyncGenerator[bytes, None]:
        """The server-sent events of a turn as they come. Ends after the terminal event."""
        pieces = (
            self._by_http(principal, turn_id, last_event_id)
            if self._direct_streams is None
            else self._in_process(self._direct_streams, principal, turn_id, last_event_id)
        )
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece

    async def _by_http(
        self, principal: Principal, turn_id: str, last_event_id: str | None
    ) -> AsyncGenerator[bytes, None]:
        headers = self.headers(principal)
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        timeout = httpx.Timeout(_SILENT_S, connect=3.0)
        try:
            async with self._http.stream(
                "GET", self._base + STREAM.format(turn_id=turn_id), headers=headers, timeout=timeout
            ) as response:
                if not response.is_success:
                    await response.aread()
                    raise error_of(self.service, response)
                async for chunk in response.aiter_raw():
                    yield chunk
        except httpx.HTTPError as error:
            raise self._silent() from error

    async def _in_process(
        self,
        lent: Mapping[str, DirectStream],
        principal: Principal,
        turn_id: str,
        last_event_id: str | None,
    ) -> AsyncGenerator[bytes, None]:
        begin = lent.get(STREAM)
        if begin is None:
            raise self._silent()
        try:
            async with aclosing(begin(principal, turn_id, last_event_id)) as pieces:
                while (piece := await self._next_of(pieces)) is not None:
                    yield piece
        except FootnoteError:
            raise
        except TimeoutError as error:
            raise self._silent() from error
        except Exception as error:
            # As behind HTTP: what nobody foresaw breaks a stream off, and its reader may go on elsewhere.
            _log.error("in_process.failed", service=self.service, exc_info=error)
            raise self._silent() from error

    async def _next_of(self, pieces: AsyncGenerator[bytes, None]) -> bytes | None:
        async with asyncio.timeout(_SILENT_S):
            return await anext(pieces, None)

    def _silent(self) -> Unavailable:
        return Unavailable(self.service, "The resolver service does not answer.")
