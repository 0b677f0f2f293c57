"""The events of one turn as they come, taken up again where a connection breaks (docs/streams.md)."""

from collections.abc import AsyncIterator
from typing import Any

import httpx

from footnote_client.aio.server_link import AsyncServerLink
from footnote_client.answer import LAST, AnswerSoFar, WholeAnswer
from footnote_client.call import Call
from footnote_client.errors import BusyServer, ClientError, NoServer, WrongAnswer
from footnote_client.models import Turn
from footnote_client.sse import EventReader, TurnEvent


class AsyncTurnStream:
    """Iterate over it for the events, or ask for the `answer` at once. A turn goes on when its reader leaves.

    `so_far` is what has come of the answer. `turn_id` is known once the first event has come.
    """

    def __init__(self, link: AsyncServerLink, asking: Call[Any], turn_id: str = "") -> None:
        self.so_far = AnswerSoFar()
        self.turn_id = turn_id
        self._link = link
        self._next = asking
        self._events = self._followed()

    def __aiter__(self) -> AsyncIterator[TurnEvent]:
        return self._events

    async def answer(self) -> WholeAnswer:
        """The whole answer, once the turn has ended. Raises TurnEnded where there is none."""
        async for _ in self._events:
            pass
        return self.so_far.whole()

    async def cancel(self) -> Turn:
        """Stop the turn; what it has written is kept. The events go on to `turn.cancelled`."""
        return await self._link.send(
            Call("POST", "/v1/turns/{turn_id}:cancel", Turn, {"turn_id": self.turn_id})
        )

    async def _followed(self) -> AsyncIterator[TurnEvent]:
        tries = 0
        while self.so_far.ended is None:
            tries += 1
            failure: ClientError = NoServer("The stream ended before its turn.")
            try:
                async for event in self._connection():
                    tries = 0
                    self.so_far.take(event)
                    yield event
                    if event.type in LAST:
                        return
            except (NoServer, BusyServer) as error:
                failure = error
            except httpx.DecodingError as error:
                raise WrongAnswer("The stream is packed in a way of its own.") from error
            except httpx.TransportError as error:
                failure = NoServer(f"The stream broke off: {error or type(error).__name__}.")
            await self._link.pause(max(tries, 1), failure)

    async def _connection(self) -> AsyncIterator[TurnEvent]:
        """The events of one connection, behind the last one that was had."""
        last = self.so_far.last_id
        reader = EventReader()
        async with self._link.open(self._next, {"Last-Event-ID": last} if last else None) as response:
            self.turn_id = response.headers.get("Footnote-Turn-Id", "") or self.turn_id
            self._next = Call("GET", "/v1/streams/{turn_id}", type(None), {"turn_id": self.turn_id})
            async for piece in response.aiter_bytes():
                for event in reader.feed(piece):
                    yield event
