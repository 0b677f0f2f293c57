"""The two Redis streams of a turn, and its lease, which guards what is written.

A paused resolver that wakes up late cannot write. Every append names the lease that it believes to hold and
the number of events that it believes to be there, and Redis checks both in one step.
"""

import os
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import redis.asyncio

from footnote_resolver.streams import lua
from footnote_resolver.streams.hub import StreamEntry
from footnote_resolver.streams.lua_calls import AppendArguments, LuaCalls
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.redis import keys
from footnote_shared.redis.connection import redis_errors

UNKNOWN = 0
"""The `seq` of an end when nobody knows how many events came before it. Readers count on from theirs."""

_STATE_MS = 24 * 3600 * 1000
_PAGE = 1000
_FIRST_AT_MOST = 32
"""Raw entries of a new turn that come with its lease. It has seldom said more than two by then."""

LeaseOutcome = Literal["held", "known", "gone", "new"]


@dataclass(frozen=True, slots=True)
class WrittenEvent:
    """An entry of an events stream. The event and the answer log beside it are JSON."""

    id: str
    type: str
    event: str
    answer_log: str

    @property
    def moment_ms(self) -> int:
        """When it was written, by the clock of Redis."""
        return int(self.id.partition("-")[0])


@dataclass(frozen=True, slots=True)
class TakenLease:
    """What came of a try to take a lease. `first`: what a new turn has said, from its beginning."""

    outcome: LeaseOutcome
    first: list[StreamEntry] = field(default_factory=list)


class LocalReaders(Protocol):
    """The readers of a turn in this process. They need not ask Redis for what it has just written."""

    def written_here(self, present: int, entries: list[StreamEntry]) -> None:
        """Entries were written behind the `present` ones."""

    def let_go(self) -> None:
        """From now on another process may be the one that writes."""


class TurnStreams:
    """Typed access to the streams of turns. Errors of Redis are `Unavailable("redis")`.

    One per process. `run` must be running while it is used.
    """

    def __init__(self, client: "redis.asyncio.Redis", *, lease_s: float, retention_s: int) -> None:
        self._client = client
        self._calls = LuaCalls(client)
        self._lease_ms = round(lease_s * 1000)
        self._retention_ms = retention_s * 1000
        self._local: dict[str, LocalReaders] = {}

    async def run(self) -> None:
        """Send what has been asked for until cancelled."""
        await self._calls.run()

    def attach(self, turn_id: str, readers: LocalReaders) -> None:
        """Tell these readers what this process writes for the turn. A turn has one object of readers."""
        self._local[turn_id] = readers

    def detach(self, turn_id: str) -> None:
        """Tell the turn's readers nothing more."""
        self._local.pop(turn_id, None)

    def let_go(self, turn_id: str) -> None:
        """This process does not carry the turn any more, or does not know what became of its last append."""
        readers = self._local.get(turn_id)
        if readers is not None:
            readers.let_go()

    async def take(self, turn_id: str, lease_token: str, *, announced: bool) -> TakenLease:
        """Try to take the lease.

        `new`: nobody had the turn before.
        `known`: somebody had it.
        `held`: somebody has it now.
        `gone`: the lease is ours, but Redis has lost what it knew of a turn that was not announced just now.
        """
        keys_of = [keys.turn_lease(turn_id), keys.turn_state(turn_id), keys.turn_raw(turn_id)]
        outcome, *first = await self._calls.call(
            lua.TAKE,
            keys_of,
            [lease_token, self._lease_ms, _STATE_MS, int(announced), _FIRST_AT_MOST],
            decoded=False,
        )
        return TakenLease(
            outcome.decode(), [(entry_id, fields) for entry_id, fields in first[0]] if first else []
        )

    async def renew(self, turn_id: str, lease_token: str) -> bool:
        """Keep the lease; False when it is not ours any more."""
        return bool(
            await self._calls.call(lua.RENEW, [keys.turn_lease(turn_id)], [lease_token, self._lease_ms])
        )

    async def release(self, turn_id: str, lease_token: str) -> None:
        """Give the lease up, so that another resolver can take it at once. Safe when it is not ours."""
        await self._calls.call(lua.RELEASE, [keys.turn_lease(turn_id)], [lease_token])

    async def append(
        self,
        turn_id: str,
        lease_token: str,
        present: int,
        events: Sequence[tuple[str, bytes]],
        *,
        first_seq: int,
        not_before_ms: int = 0,
        answer_log: bytes = b"",
        last: bool = False,
    ) -> int | None:
        """Append (type, JSON) pairs behind the `present` events. The first of them is number `first_seq`.

        `last` says that the terminal event is among them: the streams begin to expire, and the lease is free.

        Returns the time of Redis in ms under which they stand, at least `not_before_ms`. Returns None when
        the lease or the number of events is not as believed.
        """
        arguments: list[str | int | bytes] = [
            lease_token, present, first_seq, not_before_ms, answer_log,
            self._retention_ms if last else 0, len(events),
        ]  # fmt: skip
        for event in events:
            arguments += event
        keys_of = (
            keys.turn_lease(turn_id), keys.turn_events(turn_id),
            keys.turn_raw(turn_id), keys.turn_state(turn_id),
        )  # fmt: skip
        said = await self._calls.append(AppendArguments(keys_of, arguments))
        if said.startswith("failed"):
            raise Unavailable("redis", "Redis refused an event.")
        if not said.isdigit():
            return None
        self._tell_readers(turn_id, present, said, events, first_seq)
        return int(said)

    def _tell_readers(
        self, turn_id: str, present: int, moment: str, events: Sequence[tuple[str, bytes]], first_seq: int
    ) -> None:
        readers = self._local.get(turn_id)
        if readers is not None:
            entries: list[StreamEntry] = [
                (b"%b-%d" % (moment.encode(), seq), [b"t", kind.encode(), b"e", event])
                for seq, (kind, event) in enumerate(events, first_seq)
            ]
            readers.written_here(present, entries)

    async def written(self, turn_id: str) -> list[WrittenEvent]:
        """Every event that has been written for the turn."""
        found: list[WrittenEvent] = []
        start = "-"
        while True:
            with redis_errors():
                page: Any = await self._client.xrange(keys.turn_events(turn_id), min=start, count=_PAGE)
            found += [_written(entry_id, fields) for entry_id, fields in page]
            if len(page) < _PAGE:
                return found
            start = f"({page[-1][0]}"

    async def last_written(self, turn_id: str) -> WrittenEvent | None:
        """The newest event of the turn, if any."""
        with redis_errors():
            entries: Any = await self._client.xrevrange(keys.turn_events(turn_id), count=1)
        return next((_written(entry_id, fields) for entry_id, fields in entries), None)

    async def first_raw(self, turn_id: str) -> str | None:
        """The first raw event of the turn, as JSON, if any."""
        with redis_errors():
            entries: Any = await self._client.xrange(keys.turn_raw(turn_id), count=1)
        return next((str(fields.get("e", "")) for _, fields in entries), None)

    async def holdings(self, turn_ids: Sequence[str]) -> list[tuple[bool, bool]]:
        """For each turn, whether somebody holds it, and whether Redis still knows it."""
        with redis_errors():
            pipeline = self._client.pipeline(transaction=False)
            for turn_id in turn_ids:
                pipeline.exists(keys.turn_lease(turn_id))
                pipeline.exists(keys.turn_state(turn_id))
            found = [bool(answer) for answer in await pipeline.execute()]
        return list(zip(found[::2], found[1::2], strict=True))


def _written(entry_id: str, fields: dict[str, str]) -> WrittenEvent:
    return WrittenEvent(entry_id, fields["t"], fields["e"], fields.get("j", ""))


def new_token() -> str:
    """The value of a lease: it names the process that holds it, and no two holders ever have the same."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
