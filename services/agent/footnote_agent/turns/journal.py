"""The raw stream of a turn: appended to by the one run that may, ended exactly once."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from pydantic import BaseModel, ValidationError
from redis.asyncio import Redis
from redis.commands.core import AsyncScript

from footnote_agent.store.turns import LeasedTurn
from footnote_agent.turns.options import kept_settings
from footnote_shared.contracts.events import TERMINAL, Event, EventType, RawEvent, TurnStarted
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import NoAnswer, OurFault, Unavailable
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.redis import keys
from footnote_shared.redis.connection import ping, redis_errors
from footnote_shared.telemetry import context
from footnote_shared.telemetry.logs import logger

RAW_KEPT_S = 24 * 3600
"""Life of a raw stream. The resolver shortens it when the turn has ended."""

_ANNOUNCEMENTS_KEPT = 100_000
_PAUSES_S = (0.1, 0.3, 0.6, 1.0)
"""Pauses between the tries of a write that Redis does not answer. A restart of Redis passes unnoticed."""

_log = logger(__name__)

# A stream that is there is left as it is, and resolvers are told once more, which changes nothing for them.
# So this may be repeated where an answer got lost. Nobody finds a stream that no resolver was told of.
_OPEN = """
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('XADD', KEYS[1], '*', 'e', ARGV[1], 'fence', ARGV[2], 'end', '0')
  redis.call('EXPIRE', KEYS[1], ARGV[3])
end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], '*', unpack(ARGV, 5))
return 'ok'
"""

# One atomic look and write. The last entry decides whether a run may append. A stream without entries was
# lost. A terminal entry ended the turn. A higher fence is that of a run that took the turn over. The nonce
# tells the repetition of an append whose answer got lost from a new append.
_APPEND = """
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 4)
if #last == 0 then return 'lost' end
local entries = {}
for i = 1, #last do
  entries[i] = {}
  for j = 1, #last[i][2], 2 do entries[i][last[i][2][j]] = last[i][2][j + 1] end
  if entries[i]['nonce'] == ARGV[2] then return 'ok' end
end
if entries[1]['end'] == '1' then return 'ended' end
if tonumber(entries[1]['fence'] or '0') > tonumber(ARGV[1]) then return 'fenced' end
for i = 3, #ARGV, 2 do
  redis.call('XADD', KEYS[1], '*', 'e', ARGV[i], 'fence', ARGV[1], 'end', ARGV[i + 1], 'nonce', ARGV[2])
end
return 'ok'
"""


class JournalClosed(Exception):
    """This run may not append any more."""


class StreamLost(JournalClosed):
    """The stream was opened and is gone: Redis lost its data."""


class StreamEnded(JournalClosed):
    """The stream holds its terminal event."""


class FencedOff(JournalClosed):
    """Another run has taken the turn over."""


@dataclass(frozen=True, slots=True)
class RawState:
    """What a raw stream says about how far its turn got."""

    exists: bool
    ended: bool
    text: str


class Journal:
    """Appends raw events (spec 6) and reads both streams of a turn, on the Redis where these are."""

    def __init__(self, servers: StreamServers[Redis]) -> None:
        self._servers = servers
        self._open = servers.each(lambda redis: redis.register_script(_OPEN))
        self._append = servers.each(lambda redis: redis.register_script(_APPEND))

    async def open(self, leased: LeasedTurn) -> None:
        """Write `turn.started` as the first event, and tell the resolvers. A second call changes nothing."""
        settings, _ = kept_settings(leased.request.settings)
        started = TurnStarted(
            thread_id=leased.thread_id,
            message_id=leased.message_id,
            engine=leased.engine,
            model=leased.model,
            settings_hash=leased.settings_hash,
            question=leased.request.text,
            injection=settings.injection,
            verification=settings.verification,
        )
        event = self.event(leased, "turn.started", started)
        announcement = {
            "turn_id": leased.id,
            "workspace_id": leased.caller.workspace_id,
            "thread_id": leased.thread_id,
            "traceparent": context.traceparent(),
        }
        arguments: list[str | int] = [event.model_dump_json(), leased.fence, RAW_KEPT_S, _ANNOUNCEMENTS_KEPT]
        arguments += chain.from_iterable(announcement.items())
        script, streams = self._open.of(leased.id), [keys.turn_raw(leased.id), keys.TURNS_STREAM]
        # The one who asks is told to come back where Redis hangs. A turn that runs is worth more patience.
        await _patiently(script, streams, arguments, through_silence=False)

    def event(self, leased: LeasedTurn, kind: EventType, data: BaseModel) -> RawEvent:
        """An event of the turn that happens at this moment."""
        return RawEvent(
            turn_id=leased.id,
            workspace_id=leased.caller.workspace_id,
            thread_id=leased.thread_id,
            type=kind,
            at=now(),
            data=data.model_dump(mode="json", exclude_none=True),
        )

    async def append(self, leased: LeasedTurn, kind: EventType, data: BaseModel) -> None:
        """Append one event. Raises JournalClosed when this run may not write any more, and Unavailable."""
        await self.append_all(leased, [self.event(leased, kind, data)])

    async def append_all(self, leased: LeasedTurn, events: Sequence[RawEvent]) -> None:
        """Append events as one: all of them or none.

        Raises JournalClosed when this run may not write any more, and Unavailable.
        """
        arguments: list[str | int] = [leased.fence, secrets.token_hex(8)]
        for event in events:
            arguments += [event.model_dump_json(), "1" if event.type in TERMINAL else "0"]
        script, streams = self._append.of(leased.id), [keys.turn_raw(leased.id)]
        answer = await _patiently(script, streams, arguments, through_silence=True)
        if answer == "lost":
            raise StreamLost(leased.id)
        if answer == "ended":
            raise StreamEnded(leased.id)
        if answer == "fenced":
            raise FencedOff(leased.id)

    async def state(self, turn_id: str) -> RawState:
        """How far the raw stream got."""
        with redis_errors():
            entries: Any = await self._servers.of(turn_id).xrange(keys.turn_raw(turn_id))
        events = [_read(RawEvent, fields) for _, fields in entries]
        text = "".join(str(event.data.get("text", "")) for event in events if event.type == "text.delta")
        return RawState(bool(events), bool(events) and events[-1].type in TERMINAL, text)

    async def closing_or_open(self, turn_id: str) -> tuple[Event | None, bool]:
        """The terminal event like `closing`, and whether the raw stream is there, looked at behind it."""
        with redis_errors():
            pipeline = self._servers.of(turn_id).pipeline(transaction=False)
            pipeline.xrevrange(keys.turn_events(turn_id), count=1)
            pipeline.exists(keys.turn_raw(turn_id))
            last, there = await pipeline.execute()
        return _terminal(last), bool(there)

    async def closing(self, turn_id: str) -> Event | None:
        """The terminal event that the resolver wrote. None when it has not come yet."""
        with redis_errors():
            last: Any = await self._servers.of(turn_id).xrevrange(keys.turn_events(turn_id), count=1)
        return _terminal(last)

    def server_of(self, turn_id: str) -> str:
        """The name of the Redis on which the turn is, for logs."""
        return self._servers.name_of(turn_id)

    async def answering(self) -> frozenset[str]:
        """The names of the servers that answer. Raises Unavailable where none does."""
        servers = dict(self._servers.items())
        answers = await asyncio.gather(*map(ping, servers.values()), return_exceptions=True)
        for name, answer in zip(servers, answers, strict=True):
            if isinstance(answer, Unavailable):
                _log.warning("journal.server_away", server=name, reason=answer.detail)
            elif isinstance(answer, BaseException):
                raise answer
        found = frozenset(name for name, answer in zip(servers, answers, strict=True) if answer is None)
        if not found:
            raise Unavailable("redis", "Redis does not answer.")
        return found


async def _patiently(
    script: AsyncScript, streams: Sequence[str], arguments: Sequence[str | int], *, through_silence: bool
) -> str:
    """What a script answers, which is run again after a pause where Redis is away. Raises Unavailable."""
    for pause in _PAUSES_S:
        try:
            return await _run(script, streams, arguments)
        except Unavailable as error:
            if isinstance(error, NoAnswer) and not through_silence:
                raise
            await asyncio.sleep(pause)
    return await _run(script, streams, arguments)


async def _run(script: AsyncScript, streams: Sequence[str], arguments: Sequence[str | int]) -> str:
    with redis_errors():
        return str(await script(keys=streams, args=arguments))


def _terminal(last: Any) -> Event | None:
    if not last:
        return None
    event: Event = _read(Event, last[0][1])
    return event if event.type in TERMINAL else None


def _read(model: type[RawEvent] | type[Event], fields: dict[str, str]) -> Any:
    try:
        return model.model_validate_json(fields["e"])
    except (KeyError, ValidationError) as error:
        raise OurFault("The stream of a turn holds an entry that is not an event.") from error
