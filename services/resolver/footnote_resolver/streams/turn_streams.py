"""The two Redis streams of a turn, and its lease. What is written is fenced by the lease.

A paused resolver that wakes up late cannot write: every append names the lease that it believes to hold and the number of
events that it believes to be there, and Redis checks both in one step.
"""

import asyncio
import os
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import redis.asyncio
from redis.exceptions import NoScriptError, RedisError

from footnote_resolver.streams import lua as scripts
from footnote_resolver.streams.hub import Entry
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.redis import keys
from footnote_shared.redis.connection import redis_errors

UNKNOWN = 0
"""The `seq` of an end before which nobody knows how many events there were: readers count on from what they have."""

_STATE_MS = 24 * 3600 * 1000
_PAGE = 1000
_TURNS_AT_ONCE = 32

Taken = Literal["held", "known", "gone", "new"]


@dataclass(frozen=True, slots=True)
class WrittenEvent:
    """An entry of an events stream: its id, its type, the event as JSON, and the journal recorded with it, as JSON."""

    id: str
    type: str
    event: str
    journal: str

    @property
    def moment_ms(self) -> int:
        """When it was written, by the clock of Redis."""
        return int(self.id.partition("-")[0])


class LocalReaders(Protocol):
    """The readers of a turn in this process: they need not ask Redis for what this process has just written."""

    def written_here(self, present: int, entries: list[Entry]) -> None:
        """Entries were written behind the `present` ones."""

    def let_go(self) -> None:
        """Whoever writes on may be another process."""


@dataclass(slots=True)
class _Call:
    script: str
    keys: list[str]
    arguments: list[str | int | bytes]
    answers: "list[asyncio.Future[Any]]"


@dataclass(slots=True)
class _Append:
    turn_id: str
    arguments: list[str | int | bytes]
    answer: "asyncio.Future[str]"


class TurnStreams:
    """Typed access to the streams of turns. Calls that come together travel together, as one pipeline.

    One per process. `run` must be running while it is used. Errors of Redis are `Unavailable("redis")`.
    """

    def __init__(self, client: "redis.asyncio.Redis", *, lease_s: float, retention_s: int) -> None:
        self.client = client
        self._lease_ms = max(100, round(lease_s * 1000))
        self._retention_ms = retention_s * 1000
        self._waiting: list[_Call] = []
        self._appends: list[_Append] = []
        self._wake = asyncio.Event()
        self._local: dict[str, LocalReaders] = {}

    async def run(self) -> None:
        """Send what has been asked for, batch after batch, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            batch, self._waiting = self._waiting, []
            appends, self._appends = self._appends, []
            batch += [
                _together(appends[at : at + _TURNS_AT_ONCE]) for at in range(0, len(appends), _TURNS_AT_ONCE)
            ]
            try:
                await self._send(batch)
            finally:
                for call in batch:
                    _fail(call, Unavailable("redis", "The resolver is stopping."))

    def attach(self, turn_id: str, readers: LocalReaders) -> None:
        """Tell the turn's readers in this process what this process writes. One per turn."""
        self._local[turn_id] = readers

    def detach(self, turn_id: str) -> None:
        self._local.pop(turn_id, None)

    def let_go(self, turn_id: str) -> None:
        """This process does not carry the turn any more, or does not know what became of its last append."""
        readers = self._local.get(turn_id)
        if readers is not None:
            readers.let_go()

    async def take(self, turn_id: str, token: str, *, announced: bool) -> Taken:
        """Try to take the lease. `new`: nobody had the turn before; `known`: somebody had; `held`: somebody has;
        `gone`: the lease is ours, but Redis has lost what it knew of a turn that was not announced just now.
        """
        keys_of = [keys.turn_lease(turn_id), keys.turn_state(turn_id)]
        answer: Taken = await self._call(
            scripts.TAKE, keys_of, [token, self._lease_ms, _STATE_MS, int(announced)]
        )
        return answer

    async def renew(self, turn_id: str, token: str) -> bool:
        """Keep the lease; False when it is not ours any more."""
        return bool(await self._call(scripts.RENEW, [keys.turn_lease(turn_id)], [token, self._lease_ms]))

    async def release(self, turn_id: str, token: str) -> None:
        """Hand the turn back, so that another resolver takes it at once."""
        await self._call(scripts.RELEASE, [keys.turn_lease(turn_id)], [token])

    async def append(
        self,
        turn_id: str,
        token: str,
        present: int,
        events: Sequence[tuple[str, bytes]],
        *,
        first_seq: int,
        not_before_ms: int = 0,
        journal: bytes = b"",
        last: bool = False,
    ) -> int | None:
        """Append (type, JSON) pairs behind the `present` events, numbered from `first_seq` on. `last`: with the terminal event, after which
        the streams expire and the lease is free.

        Returns the time of Redis, in ms, under which they stand, `not_before_ms` at the least; None when the lease or the
        number of events is not as believed.
        """
        arguments: list[str | int | bytes] = [
            token, present, first_seq, not_before_ms, journal, self._retention_ms if last else 0, len(events),
        ]  # fmt: skip
        for event in events:
            arguments += event
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._appends.append(_Append(turn_id, arguments, answer))
        self._wake.set()
        said = await answer
        if not said.isdigit():
            if said.startswith("failed"):
                raise Unavailable("redis", "Redis refused an event.")
            return None
        readers = self._local.get(turn_id)
        if readers is not None:
            readers.written_here(
                present,
                [
                    (b"%b-%d" % (said.encode(), seq), [b"t", kind.encode(), b"e", event])
                    for seq, (kind, event) in enumerate(events, first_seq)
                ],
            )
        return int(said)

    async def written(self, turn_id: str) -> list[WrittenEvent]:
        """Every event that has been written for the turn."""
        entries = await self._whole(keys.turn_events(turn_id))
        return [_written(entry_id, fields) for entry_id, fields in entries]

    async def last_written(self, turn_id: str) -> WrittenEvent | None:
        """The newest event of the turn, if any."""
        with redis_errors():
            entries: Any = await self.client.xrevrange(keys.turn_events(turn_id), count=1)
        return next((_written(entry_id, fields) for entry_id, fields in entries), None)

    async def first_raw(self, turn_id: str) -> str | None:
        """The first raw event of the turn, as JSON, if any."""
        with redis_errors():
            entries: Any = await self.client.xrange(keys.turn_raw(turn_id), count=1)
        return next((str(fields.get("e", "")) for _, fields in entries), None)

    async def holdings(self, turn_ids: Sequence[str]) -> list[tuple[bool, bool]]:
        """For each turn, whether somebody holds it, and whether Redis still knows it."""
        with redis_errors():
            pipeline = self.client.pipeline(transaction=False)
            for turn_id in turn_ids:
                pipeline.exists(keys.turn_lease(turn_id))
                pipeline.exists(keys.turn_state(turn_id))
            found = [bool(answer) for answer in await pipeline.execute()]
        return list(zip(found[::2], found[1::2], strict=True))

    async def _whole(self, key: str) -> list[tuple[str, dict[str, str]]]:
        found: list[tuple[str, dict[str, str]]] = []
        start = "-"
        while True:
            with redis_errors():
                page: Any = await self.client.xrange(key, min=start, count=_PAGE)
            found += page
            if len(page) < _PAGE:
                return found
            start = f"({page[-1][0]}"

    async def _call(self, script: str, keys_of: list[str], arguments: Sequence[str | int]) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Call(script, keys_of, list(arguments), [answer]))
        self._wake.set()
        return await answer

    async def _send(self, batch: list[_Call]) -> None:
        todo = [call for call in batch if not all(answer.done() for answer in call.answers)]
        by_hash = True
        while todo:
            try:
                answers = await self._execute(todo, by_hash=by_hash)
            except RedisError as error:
                for call in todo:
                    _fail(call, _unavailable(error))
                return
            again = []
            for call, answer in zip(todo, answers, strict=True):
                if isinstance(answer, NoScriptError):
                    again.append(call)
                elif isinstance(answer, RedisError):
                    _fail(call, _unavailable(answer))
                else:
                    _settle(call, answer)
            # A Redis that has restarted knows no scripts; it learns those that it is sent in full.
            todo, by_hash = again, False

    async def _execute(self, calls: list[_Call], *, by_hash: bool) -> list[Any]:
        pipeline = self.client.pipeline(transaction=False)
        for call in calls:
            send = "EVALSHA" if by_hash else "EVAL"
            script = scripts.HASHES[call.script] if by_hash else call.script
            pipeline.execute_command(send, script, len(call.keys), *call.keys, *call.arguments)
        answers: list[Any] = await pipeline.execute(raise_on_error=False)
        return answers


def _together(appends: list[_Append]) -> _Call:
    """The appends of several turns as one call."""
    keys_of: list[str] = []
    arguments: list[str | int | bytes] = []
    for one in appends:
        keys_of += (
            keys.turn_lease(one.turn_id), keys.turn_events(one.turn_id),
            keys.turn_raw(one.turn_id), keys.turn_state(one.turn_id),
        )  # fmt: skip
        arguments += one.arguments
    return _Call(scripts.APPEND, keys_of, arguments, [one.answer for one in appends])


def _settle(call: _Call, answer: Any) -> None:
    given = answer if call.script is scripts.APPEND else [answer]
    for future, one in zip(call.answers, given, strict=True):
        if not future.done():
            future.set_result(one)


def _fail(call: _Call, error: Unavailable) -> None:
    for future in call.answers:
        if not future.done():
            future.set_exception(error)


def _written(entry_id: str, fields: dict[str, str]) -> WrittenEvent:
    return WrittenEvent(entry_id, fields["t"], fields["e"], fields.get("j", ""))


def new_token() -> str:
    """A lease's value: says who holds it, and no two holders ever have the same."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"


def _unavailable(error: RedisError) -> Unavailable:
    failure = Unavailable("redis", "Redis does not answer.")
    failure.__cause__ = error
    return failure
