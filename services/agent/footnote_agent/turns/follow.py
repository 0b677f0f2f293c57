"""The resolver's stream of a turn, handed on to the client that asked. It survives the end of a resolver."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from footnote_agent.store.turns import answer_of, find_turn
from footnote_agent.turns.crew import Crew
from footnote_agent.turns.shown_messages import hidden_entries
from footnote_agent.turns.wait import TurnGone, wait_for_end
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.contracts.answers import Compliance
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.events import (
    TERMINAL,
    Event,
    EventType,
    MessageCompleted,
    TurnCancelled,
    TurnFailed,
    whole_text_before,
)
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import NotFound, Unavailable
from footnote_shared.kernel.polling import GrowingPause
from footnote_shared.kernel.problem_document import problem_of
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger
from footnote_shared.web.sse import encode_event

_TRIES = 60
_FIRST_PAUSE_S = 0.02
_STORED_PATIENCE_S = 2.0
_log = logger(__name__)


class FrameReader:
    """Cuts the bytes of an event stream into frames. It knows the last id and whether the end has come."""

    def __init__(self) -> None:
        self._buffer = b""
        self.last_id: str | None = None
        self.events = 0
        self.ended = False

    def feed(self, chunk: bytes) -> tuple[bytes, bytes]:
        """The frames that are complete now, and apart from them the terminal one. The rest is kept."""
        whole, mark, self._buffer = (self._buffer + chunk).rpartition(b"\n\n")
        frames = whole.split(b"\n\n") if mark else []
        before = [frame for frame in frames if not self._look(frame)]
        last = frames[len(before) :][:1]
        return b"".join(frame + mark for frame in before), b"".join(frame + mark for frame in last)

    def drop_rest(self) -> None:
        """Forget the part of a frame that a broken connection left. It will come again."""
        self._buffer = b""

    def _look(self, frame: bytes) -> bool:
        """Note what the frame is. Returns whether the terminal event has come by now."""
        for line in frame.split(b"\n"):
            name, _, value = line.partition(b":")
            if name == b"id":
                self.last_id = value.strip().decode()
            elif name == b"event":
                self.events += 1
                self.ended |= value.strip().decode() in TERMINAL
        return self.ended


async def follow(
    resolver: ResolverClient, crew: Crew, database: Database, caller: Principal, turn_id: str
) -> AsyncGenerator[bytes, None]:
    """The events of a turn until its end. Where the stream is gone, the end is what SQL knows of it.

    A reader that has seen events of the stream then gets the whole text before the end. While SQL is away,
    the stream is looked at again until it says the end or SQL is back.

    A turn may be gone: a repetition of its request waited here while its stream could not be opened, or its
    thread was deleted. That is an end too.

    The terminal event waits a moment for the answer to be stored, so that whoever has seen the end finds the
    message in the thread.
    """
    reader = FrameReader()
    pause = GrowingPause(_FIRST_PAUSE_S)
    for _ in range(_TRIES):
        try:
            async with aclosing(resolver.stream(caller, turn_id, reader.last_id)) as chunks:
                async for chunk in chunks:
                    frames, last = reader.feed(chunk)
                    if frames:
                        yield frames
                    if last:
                        crew.end_seen(turn_id)
                        await _wait_until_stored(crew, database, caller, turn_id)
                        yield last
                        return
        except (Unavailable, NotFound):
            reader.drop_rest()
        try:
            ending = await database.read_async(
                lambda session: stored_end(session, caller, turn_id, reader.events + 1)
            )
        except NotFound:
            yield _frame(_gone(turn_id, reader.events + 1))
            return
        except Unavailable as error:
            _log.warning("follow.end_not_asked", turn=turn_id, reason=error.detail)
            ending = None
        if ending is not None:
            yield _frames_of(await _as_readable(resolver, caller, ending), seen=reader.events)
            return
        await asyncio.sleep(pause.next_s())


async def _wait_until_stored(crew: Crew, database: Database, caller: Principal, turn_id: str) -> None:
    """Give the agent a moment to store the answer. Without SQL, nobody can tell, and the end goes out."""
    try:
        await wait_for_end(crew, database, caller, turn_id, _STORED_PATIENCE_S)
    except Unavailable as error:
        metrics.DEGRADED.labels("sql").inc()
        _log.warning("follow.end_before_storing", turn=turn_id, reason=error.detail)


def _frames_of(end: Event, *, seen: int) -> bytes:
    """The end for a reader of `seen` events of a stream that is gone. Its deltas may have gaps."""
    whole = whole_text_before(end, end.seq) if seen else None
    if whole is None:
        return _frame(end)
    return _frame(whole) + _frame(end.model_copy(update={"seq": end.seq + 1}))


def _gone(turn_id: str, seq: int) -> Event:
    failed = TurnFailed(message_id="", problem=problem_of(TurnGone()))
    data = failed.model_dump(mode="json", exclude_none=True)
    return Event(turn_id=turn_id, seq=seq, type="turn.failed", at=now(), data=data)


def _frame(event: Event) -> bytes:
    return encode_event(event.model_dump_json(), event_id=None, event=event.type)


@dataclass(frozen=True, slots=True)
class StoredEnd:
    """The terminal event of a turn, made from what is stored, and the thread whose entries it holds."""

    thread_id: str
    event: Event


async def _as_readable(resolver: ResolverClient, caller: Principal, ending: StoredEnd) -> Event:
    """The event without what the caller may not see at this moment."""
    data = ending.event.data
    entries = [CitationEntry.model_validate(entry) for entry in data.get("citations", ())]
    hidden = await hidden_entries(resolver, caller, ending.thread_id, entries)
    shown = [hidden.get(entry.n, entry).model_dump(mode="json", exclude_none=True) for entry in entries]
    return ending.event.model_copy(update={"data": {**data, "citations": shown}})


def stored_end(session: ReadSession, caller: Principal, turn_id: str, seq: int) -> StoredEnd | None:
    """The end of a turn by what is stored. None while the turn runs."""
    turn = find_turn(session, caller, turn_id)
    answer = answer_of(session, caller, turn_id)
    if turn.status == "running" or answer is None:
        return None
    citations = [CitationEntry.model_validate(entry) for entry in answer.citations]
    compliance = Compliance.model_validate(answer.compliance) if answer.compliance else None
    kept = {"message_id": answer.id, "text": answer.text, "citations": citations}
    end: MessageCompleted | TurnCancelled | TurnFailed
    kind: EventType
    match turn.status:
        case "completed":
            kind, end = (
                "message.completed",
                MessageCompleted.model_validate(
                    {
                        **kept,
                        "compliance": compliance or Compliance(),
                        "verification": answer.verification,
                        "cut": answer.cut,
                    }
                ),
            )
        case "cancelled":
            kind, end = "turn.cancelled", TurnCancelled.model_validate({**kept, "compliance": compliance})
        case _:
            kind, end = (
                "turn.failed",
                TurnFailed.model_validate({**kept, "compliance": compliance, "problem": turn.error or {}}),
            )
    data = end.model_dump(mode="json", exclude_none=True)
    event = Event(turn_id=turn_id, seq=seq, type=kind, at=turn.ended_at or now(), data=data)
    return StoredEnd(turn.thread_id, event)
