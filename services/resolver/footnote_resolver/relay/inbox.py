"""What reaches a relay from outside: raw events, the loss of its lease, the silence of the agent."""

import asyncio

from footnote_resolver.streams.hub import StreamEntry


class TurnLeaseLost(Exception):
    """Another resolver may write by now, or the streams are not what we knew: stop, and look again."""


class RelayInbox:
    """One per relay. An agent that writes nothing for `patience_s` seconds counts as gone."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._entries: list[StreamEntry] = []
        self._woken = asyncio.Event()
        self._lease_lost = False
        self._silent = False
        self._loop = asyncio.get_running_loop()
        self._heard_at = self._loop.time()

    def begin(self) -> None:
        """The raw stream is read from its start: drop what came of it before, and restart the clock."""
        self._entries.clear()
        self._hear()

    def take_in(self, entries: list[StreamEntry]) -> None:
        """Entries of the raw stream, in order."""
        self._entries += entries
        self._hear()
        self._woken.set()

    def lose_lease(self) -> None:
        """Another process may hold the turn. Whoever waits for entries hears of that instead."""
        self._lease_lost = True
        self._woken.set()

    def hold_lease(self) -> None:
        """The lease is ours (again)."""
        self._lease_lost = False

    def look_at_clock(self) -> None:
        """Notice an agent that has been silent for too long.

        To be called every now and then, which costs less than a timer.
        """
        if self._loop.time() - self._heard_at > self._patience_s:
            self._silent = True
            self._woken.set()

    async def entries(self) -> list[StreamEntry]:
        """What has come, once something has; empty when the agent counts as gone. Raises TurnLeaseLost."""
        while not (self._entries or self._lease_lost or self._silent):
            self._woken.clear()
            await self._woken.wait()
        if self._lease_lost:
            raise TurnLeaseLost
        entries, self._entries = self._entries, []
        return entries

    def _hear(self) -> None:
        self._silent, self._heard_at = False, self._loop.time()
