"""Writes the events of one turn: to its stream under the lease, and its end to SQL first."""

import orjson

from footnote_resolver.relay.answer_log import AnswerLog
from footnote_resolver.relay.inbox import TurnLeaseLost
from footnote_resolver.relay.position import NumberedEvent, RelayPosition
from footnote_resolver.relay.requests import OutgoingEvent
from footnote_resolver.store import turns
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.streams.turn_streams import TurnStreams
from footnote_shared.contracts.events import TurnFailed
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.problem_document import problem_of
from footnote_shared.security.keyring import KeyDestroyed
from footnote_shared.telemetry import metrics


class EventWriter:
    """One per relay.

    Raises TurnLeaseLost when the stream or its lease is not as believed, Unavailable when a store is away.
    """

    def __init__(
        self, turn: AnnouncedTurn, lease_token: str, streams: TurnStreams, database: Database
    ) -> None:
        self._turn = turn
        self._lease_token = lease_token
        self._streams = streams
        self._database = database

    async def append(self, position: RelayPosition, events: list[NumberedEvent], log: AnswerLog) -> None:
        """Append events as one. What is new in the answer log goes beside the first of them."""
        if not events:
            return
        await self._append(
            position,
            [(event.type, event.line) for event in events],
            first_seq=position.next_seq,
            answer_log=log.encode(),
        )
        log.written()
        metrics.STREAM_LAG_SECONDS.observe(max(0.0, (now() - events[-1].at).total_seconds()))

    async def end(self, position: RelayPosition, terminal: OutgoingEvent) -> None:
        """Write the one terminal event. SQL decides which it is before any reader can see it.

        A turn whose workspace was destroyed meanwhile ends with an event that says so, and nothing else.
        """
        line = position.encode(position.end_seq, terminal).decode()
        try:
            ended = await self._recorded(terminal, line)
        except KeyDestroyed as destroyed:
            terminal = _unreadable(terminal, destroyed)
            line = position.encode(position.end_seq, terminal).decode()
            ended = await self._recorded(terminal, line, plain=True)
        if ended == line:
            _count_end(terminal)
        await self.append_end(position, ended)

    async def _recorded(self, terminal: OutgoingEvent, line: str, *, plain: bool = False) -> str:
        def work(session: WriteSession) -> str:
            return turns.record_terminal(session, self._turn, terminal.type, line, plain=plain)

        return await self._database.write_together_async(work)

    async def append_end(self, position: RelayPosition, ended: str) -> None:
        """Append the terminal event that SQL has decided on, given as JSON."""
        event = orjson.loads(ended)
        seq = max(int(event["seq"]), position.next_seq)
        await self._append(position, [(str(event["type"]), ended.encode())], first_seq=seq, last=True)

    async def _append(
        self,
        position: RelayPosition,
        events: list[tuple[str, bytes]],
        *,
        first_seq: int,
        answer_log: bytes = b"",
        last: bool = False,
    ) -> None:
        moment_ms = await self._streams.append(
            self._turn.turn_id,
            self._lease_token,
            position.present,
            events,
            first_seq=first_seq,
            not_before_ms=position.moment_ms,
            answer_log=answer_log,
            last=last,
        )
        if moment_ms is None:
            raise TurnLeaseLost
        position.appended(len(events), moment_ms)


def _unreadable(terminal: OutgoingEvent, destroyed: KeyDestroyed) -> OutgoingEvent:
    message_id = str(terminal.data.get("message_id") or "")
    failed = TurnFailed(message_id=message_id, problem=problem_of(destroyed))
    return OutgoingEvent("turn.failed", failed.model_dump(mode="json", exclude_none=True), now())


def _count_end(terminal: OutgoingEvent) -> None:
    metrics.STREAMS_ENDED.labels(terminal.type).inc()
    compliance = terminal.data.get("compliance") or {}
    report = compliance.get("report") or {}
    for outcome, count in (
        ("resolved", report.get("resolved", 0)),
        ("dropped", len(report.get("dropped", ()))),
        ("repaired", report.get("repaired", 0)),
        ("injected", compliance.get("injected", 0)),
        ("uncited", compliance.get("uncited", 0)),
    ):
        metrics.CITATIONS.labels(outcome).inc(count)
