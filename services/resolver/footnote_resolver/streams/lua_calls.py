"""Calls of the Lua scripts: those that come together travel together."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import redis.asyncio
from redis.client import NEVER_DECODE
from redis.exceptions import NoScriptError, RedisError

from footnote_resolver.streams import lua
from footnote_shared.kernel.errors import Unavailable

_APPENDS_AT_ONCE = 32
"""While Redis appends it does nothing else, so one call appends to at most this many streams."""


@dataclass(frozen=True, slots=True)
class AppendArguments:
    """One turn's part of `lua.APPEND`: its four keys and its arguments."""

    keys: Sequence[str]
    arguments: Sequence[str | int | bytes]


@dataclass(slots=True)
class _Call:
    source: str
    keys: list[str]
    arguments: list[str | int | bytes]
    answers: "list[asyncio.Future[Any]]"
    decoded: bool = True

    def settle(self, answer: Any) -> None:
        given = answer if self.source is lua.APPEND else [answer]
        for future, one in zip(self.answers, given, strict=True):
            if not future.done():
                future.set_result(one)

    def fail(self, error: Unavailable) -> None:
        for future in self.answers:
            if not future.done():
                future.set_exception(error)


class LuaCalls:
    """Calls Lua scripts in pipelines. Errors of Redis are `Unavailable("redis")`.

    One per process. `run` must be running while it is used.
    """

    def __init__(self, client: "redis.asyncio.Redis") -> None:
        self._client = client
        self._waiting: list[_Call] = []
        self._appends: list[tuple[AppendArguments, asyncio.Future[str]]] = []
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Send what has been asked for, batch after batch, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            batch, self._waiting = self._waiting, []
            appends, self._appends = self._appends, []
            batch += [
                _together(appends[at : at + _APPENDS_AT_ONCE])
                for at in range(0, len(appends), _APPENDS_AT_ONCE)
            ]
            try:
                await self._send(batch)
            finally:
                for call in batch:
                    call.fail(Unavailable("redis", "The resolver is stopping."))

    async def call(
        self, source: str, keys: list[str], arguments: Sequence[str | int], *, decoded: bool = True
    ) -> Any:
        """The answer of a script other than `lua.APPEND`. Where it is not `decoded`, its texts are bytes."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Call(source, keys, list(arguments), [answer], decoded))
        self._wake.set()
        return await answer

    async def append(self, arguments: AppendArguments) -> str:
        """What `lua.APPEND` answers for this turn. The appends of several turns are one call."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._appends.append((arguments, answer))
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
                    call.fail(_unavailable(error))
                return
            again = []
            for call, answer in zip(todo, answers, strict=True):
                if isinstance(answer, NoScriptError):
                    again.append(call)
                elif isinstance(answer, RedisError):
                    call.fail(_unavailable(answer))
                else:
                    call.settle(answer)
            # A Redis that has restarted knows no scripts. It learns those that it is sent in full.
            todo, by_hash = again, False

    async def _execute(self, calls: list[_Call], *, by_hash: bool) -> list[Any]:
        pipeline = self._client.pipeline(transaction=False)
        for call in calls:
            command = ("EVALSHA", lua.HASHES[call.source]) if by_hash else ("EVAL", call.source)
            plain = {} if call.decoded else {NEVER_DECODE: True}
            pipeline.execute_command(*command, len(call.keys), *call.keys, *call.arguments, **plain)
        answers: list[Any] = await pipeline.execute(raise_on_error=False)
        return answers


def _together(appends: "list[tuple[AppendArguments, asyncio.Future[str]]]") -> _Call:
    return _Call(
        lua.APPEND,
        [key for one, _ in appends for key in one.keys],
        [argument for one, _ in appends for argument in one.arguments],
        [answer for _, answer in appends],
    )


def _unavailable(error: RedisError) -> Unavailable:
    failure = Unavailable("redis", "Redis does not answer.")
    failure.__cause__ = error
    return failure
