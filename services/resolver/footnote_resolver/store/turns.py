"""Queries over turn streams: which run, who owns them, and how they ended, once."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col, select

from footnote_resolver.store.tables import ConversationRow, TurnStreamRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.clock import now


@dataclass(frozen=True, slots=True)
class AnnouncedTurn:
    """What the agent's announcement says of a turn."""

    turn_id: str
    workspace_id: str
    conversation_id: str


@dataclass(frozen=True, slots=True)
class EndedTurn:
    """A turn's one terminal event, as JSON, and when it was decided."""

    terminal_type: str
    terminal: str
    ended_at: datetime


def record_turn(session: WriteSession, turn: AnnouncedTurn) -> None:
    """Note that the turn runs; a turn that is known already, running or ended, is left as it is."""
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    row = {
        "turn_id": turn.turn_id,
        "workspace_id": turn.workspace_id,
        "conversation_id": turn.conversation_id,
        "status": "running",
        "started_at": now(),
    }
    session.execute(dialect.insert(TurnStreamRow).on_conflict_do_nothing(), [row])


def record_terminal(session: WriteSession, turn: AnnouncedTurn, event_type: str, event: str) -> str:
    """End the turn with this event, as JSON, unless it has ended before. Returns the event that it really ended with."""
    record_turn(session, turn)
    session.execute(
        update(TurnStreamRow)
        .where(col(TurnStreamRow.turn_id) == turn.turn_id, col(TurnStreamRow.status) == "running")
        .values(status="ended", terminal_type=event_type, terminal=event, ended_at=now())
    )
    return (
        session.exec(select(TurnStreamRow.terminal).where(TurnStreamRow.turn_id == turn.turn_id)).one()
        or event
    )


def find_turn(session: ReadSession, turn_id: str) -> TurnStreamRow | None:
    """The row whoever owns it: for relays and for the check of access, never for an answer."""
    return session.get(TurnStreamRow, turn_id)


def may_read(session: ReadSession, caller: Principal, turn: AnnouncedTurn) -> bool:
    """Whether the caller owns the conversation of a turn. One that is not opened yet belongs to the turn's workspace."""
    if turn.workspace_id != caller.workspace_id:
        return False
    row = session.get(ConversationRow, turn.conversation_id)
    return row is None or (row.workspace_id == caller.workspace_id and row.avatar_id == caller.avatar_id)


def running_turns(session: ReadSession) -> list[AnnouncedTurn]:
    """Turns that have not ended, oldest first."""
    query = (
        select(TurnStreamRow.turn_id, TurnStreamRow.workspace_id, TurnStreamRow.conversation_id)
        .where(TurnStreamRow.status == "running")
        .order_by(col(TurnStreamRow.started_at))
    )
    return [AnnouncedTurn(*row) for row in session.exec(query)]


def ended_turns(session: ReadSession, turn_ids: list[str]) -> dict[str, EndedTurn]:
    """How those of the turns ended that have ended."""
    query = select(TurnStreamRow).where(
        col(TurnStreamRow.turn_id).in_(turn_ids), TurnStreamRow.status == "ended"
    )
    return {row.turn_id: ended for row in session.exec(query) if (ended := end_of(row)) is not None}


def end_of(row: TurnStreamRow) -> EndedTurn | None:
    """How a turn ended; None while it runs."""
    if row.terminal_type is None or row.terminal is None or row.ended_at is None:
        return None
    return EndedTurn(row.terminal_type, row.terminal, row.ended_at)
