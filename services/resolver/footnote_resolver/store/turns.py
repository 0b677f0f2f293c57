"""Queries over turn streams: which run, who may read them, and how they ended, once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from footnote_resolver.store.tables import CONVERSATIONS, TERMINALS, TURN_STREAMS
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.security.keyring import KeyDestroyed

_TURN, _CONVERSATION = TURN_STREAMS.c, CONVERSATIONS.c


@dataclass(frozen=True, slots=True)
class AnnouncedTurn:
    """What the agent's announcement says of a turn. `traceparent` is known to the first who carries it."""

    turn_id: str
    workspace_id: str
    conversation_id: str
    traceparent: str = ""


@dataclass(frozen=True, slots=True)
class EndedTurn:
    """A turn's one terminal event, as JSON, and when it was decided."""

    terminal_type: str
    terminal: str
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class KnownTurn:
    """A turn that is noted in SQL, and how it ended, if it has."""

    turn_id: str
    conversation_id: str
    ended: EndedTurn | None


def _owned() -> ColumnElement[bool]:
    """The conversation is the caller's. One that is not opened yet belongs to the turn's workspace."""
    return or_(
        _CONVERSATION.id.is_(None),
        and_(
            _CONVERSATION.workspace_id == bindparam("workspace"),
            _CONVERSATION.avatar_id == bindparam("avatar"),
        ),
    )


# Core statements, built once. Every turn and every reader runs them, and building them would take most of the
# time.
_RECORD = {
    "postgresql": postgresql.insert(TURN_STREAMS).on_conflict_do_nothing(),
    "sqlite": sqlite.insert(TURN_STREAMS).on_conflict_do_nothing(),
}
_END = (
    update(TURN_STREAMS)
    .where(_TURN.turn_id == bindparam("turn"), _TURN.status == "running")
    .values(
        status="ended",
        terminal_type=bindparam("terminal_type"),
        terminal=bindparam("terminal"),
        sealed=bindparam("sealed"),
        ended_at=bindparam("ended_at"),
    )
)
_END_COLUMNS = _TURN.terminal_type, _TURN.terminal, _TURN.ended_at, _TURN.workspace_id, _TURN.sealed
_ENDING = select(*_END_COLUMNS)
_ENDING_OF = _ENDING.where(_TURN.turn_id == bindparam("turn"))
_READABLE = (
    select(_TURN.conversation_id, *_END_COLUMNS)
    .select_from(TURN_STREAMS.outerjoin(CONVERSATIONS, _CONVERSATION.id == _TURN.conversation_id))
    .where(
        _TURN.turn_id == bindparam("turn"),
        _TURN.workspace_id == bindparam("workspace"),
        _owned(),
    )
)
_OWNER = select(_CONVERSATION.workspace_id, _CONVERSATION.avatar_id).where(
    _CONVERSATION.id == bindparam("conversation")
)
_RUNNING = (
    select(_TURN.turn_id, _TURN.workspace_id, _TURN.conversation_id)
    .where(_TURN.status == "running")
    .order_by(_TURN.started_at)
)
_ENDED = select(_TURN.turn_id, *_END_COLUMNS).where(
    _TURN.turn_id.in_(bindparam("turns", expanding=True)), _TURN.status == "ended"
)


def record_turns(session: WriteSession, announced: Sequence[AnnouncedTurn]) -> None:
    """Note that turns run. One that is known, running or ended, is left as it is."""
    moment = now()
    rows = [
        {
            "turn_id": turn.turn_id,
            "workspace_id": turn.workspace_id,
            "conversation_id": turn.conversation_id,
            "status": "running",
            "started_at": moment,
        }
        for turn in announced
    ]
    if rows:
        session.connection().execute(_RECORD[session.get_bind().dialect.name], rows)


def record_terminal(
    session: WriteSession, turn: AnnouncedTurn, event_type: str, event: str, *, plain: bool = False
) -> str:
    """End the turn with this event, as JSON, unless it has ended before.

    Returns the event that the turn really ended with. `plain`: the event says nothing of the workspace's
    content. Raises KeyDestroyed for any other of a workspace that was destroyed.
    """
    record_turns(session, [turn])
    stored: Mapping[str, Any] = {"terminal": event, "sealed": None}
    if not plain:
        row = {"turn_id": turn.turn_id, "workspace_id": turn.workspace_id, "terminal": event}
        (stored,) = TERMINALS.sealed_rows(session, [row])
    session.connection().execute(
        _END,
        {
            "turn": turn.turn_id,
            "terminal_type": event_type,
            "terminal": stored["terminal"],
            "sealed": stored["sealed"],
            "ended_at": now(),
        },
    )
    ended = end_of_turn(session, turn.turn_id)
    return event if ended is None else ended.terminal


def end_of_turn(session: ReadSession | WriteSession, turn_id: str) -> EndedTurn | None:
    """How a turn ended; None while it runs or is unknown.

    It asks for no owner: for relays, never for an answer.
    """
    row = session.connection().execute(_ENDING_OF, {"turn": turn_id}).first()
    return None if row is None else _ending(session, turn_id, *row)


async def readable_turn(database: Database, caller: Principal, turn_id: str) -> KnownTurn | None:
    """The turn, if it is noted and the caller may read it.

    On SQLite one that runs is read on the spot: each turn waits for its first reader to be let in.
    """
    given = {"turn": turn_id, "workspace": caller.workspace_id, "avatar": caller.avatar_id}
    rows = database.rows_at_once(_READABLE, given)
    if rows is not None and not any(terminal_type for _, terminal_type, *_ in rows):
        return KnownTurn(turn_id, rows[0][0], None) if rows else None

    def read(session: ReadSession) -> KnownTurn | None:
        row = session.connection().execute(_READABLE, given).first()
        return None if row is None else KnownTurn(turn_id, row[0], _ending(session, turn_id, *row[1:]))

    return await database.read_async(read)


async def may_read(database: Database, caller: Principal, turn: AnnouncedTurn) -> bool:
    """Whether the caller may read a turn that is announced and perhaps not noted yet."""
    if turn.workspace_id != caller.workspace_id:
        return False
    owner = await database.first_async(_OWNER, {"conversation": turn.conversation_id})
    return owner is None or tuple(owner) == (caller.workspace_id, caller.avatar_id)


def running_turns(session: ReadSession) -> list[AnnouncedTurn]:
    """Turns that have not ended, oldest first."""
    return [AnnouncedTurn(*row) for row in session.connection().execute(_RUNNING)]


def ended_turns(session: ReadSession, turn_ids: list[str]) -> dict[str, EndedTurn | None]:
    """How the turns ended that have ended, by turn; None where nobody can read it any more.

    They may be of many workspaces, of which some were destroyed.
    """
    found: dict[str, EndedTurn | None] = {}
    for turn_id, *rest in session.connection().execute(_ENDED, {"turns": turn_ids}):
        try:
            ended = _ending(session, turn_id, *rest)
        except KeyDestroyed:
            found[turn_id] = None
        else:
            if ended is not None:
                found[turn_id] = ended
    return found


def _ending(
    session: ReadSession | WriteSession,
    turn_id: str,
    terminal_type: str | None,
    terminal: str | None,
    ended_at: datetime | None,
    workspace_id: str,
    sealed: bytes | None,
) -> EndedTurn | None:
    if terminal_type is None or terminal is None or ended_at is None:
        return None
    if sealed is not None:
        terminal = TERMINALS.opened(session, (turn_id,), sealed, workspace_id)["terminal"]
    return EndedTurn(terminal_type, terminal, ended_at)
