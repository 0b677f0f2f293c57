"""Calls of tools that a person is asked about: queries, and the time that turns have waited for answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import col, select

from footnote_agent.store.ownership import owned
from footnote_agent.store.tables import ApprovalRow, TurnRow
from footnote_agent.store.threads import storable
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, NotFound


@dataclass(frozen=True, slots=True)
class AskedAbout:
    """A question to a person. `approved` is None as long as nobody has answered."""

    asked_at: datetime
    approved: bool | None


def ask(
    session: WriteSession,
    caller: Principal,
    turn_id: str,
    call_id: str,
    tool: str,
    arguments: Mapping[str, Any],
) -> AskedAbout:
    """Ask about a call, once. A run that takes the turn over finds the question and its answer."""
    row = session.get(ApprovalRow, (turn_id, call_id))
    if row is None:
        row = ApprovalRow(
            turn_id=turn_id,
            call_id=call_id,
            workspace_id=caller.workspace_id,
            avatar_id=caller.avatar_id,
            tool=tool,
            arguments=dict(arguments),
        )
        session.add(row)
    return AskedAbout(row.asked_at, row.approved)


def was_asked(session: ReadSession, turn_id: str, call_id: str) -> bool:
    """Whether somebody was asked about the call, answered or not."""
    return session.get(ApprovalRow, (turn_id, call_id)) is not None


def answered(session: ReadSession, turn_id: str, call_id: str) -> bool | None:
    """What the person said; None as long as nobody has answered."""
    row = session.get(ApprovalRow, (turn_id, call_id))
    return row.approved if row is not None else None


def close_unanswered(session: WriteSession, turn_id: str, call_id: str) -> bool:
    """Take a question back that nobody has answered in time. Returns the answer, which may just have come."""
    row = session.get(ApprovalRow, (turn_id, call_id), with_for_update=True)
    if row is None:
        return False
    if row.approved is None:
        row.approved, row.answered_at = False, now()
        session.add(row)
    return bool(row.approved)


def answer(session: WriteSession, caller: Principal, turn_id: str, call_id: str, *, approved: bool) -> None:
    """Keep a person's word on a call. The same word may come twice.

    Raises NotFound where the turn asks no such thing, and Conflict where it is too late.
    """
    query = owned(ApprovalRow, caller).where(
        col(ApprovalRow.turn_id) == turn_id, col(ApprovalRow.call_id) == storable(call_id)
    )
    row = session.exec(query.with_for_update()).first()
    if row is None:
        raise NotFound
    if row.approved is not None:
        if row.approved == approved:
            return
        raise Conflict("This call was answered otherwise before.")
    turn = session.get(TurnRow, turn_id)
    if turn is None or turn.status != "running":
        raise Conflict("The turn has ended.")
    row.approved, row.answered_at = approved, now()
    session.add(row)


def unanswered_of(session: ReadSession, caller: Principal, turn_id: str) -> list[ApprovalRow]:
    """The questions of a turn that nobody has answered, in the order in which they were asked."""
    query = owned(ApprovalRow, caller).where(
        col(ApprovalRow.turn_id) == turn_id, col(ApprovalRow.approved).is_(None)
    )
    return list(session.exec(query.order_by(col(ApprovalRow.asked_at), col(ApprovalRow.call_id))).all())


def waited(session: ReadSession | WriteSession, turn_id: str, moment: datetime) -> timedelta:
    """How long the turn has waited for answers up to this moment. That time is not its own."""
    rows = session.exec(select(ApprovalRow).where(col(ApprovalRow.turn_id) == turn_id)).all()
    return covered([(row.asked_at, row.answered_at or moment) for row in rows])


def covered(spans: Sequence[tuple[datetime, datetime]]) -> timedelta:
    """The time that lies within one of the spans, whether or not they overlap. Pure."""
    total, end = timedelta(0), None
    for start, stop in sorted(spans):
        begin = start if end is None else max(start, end)
        total += max(stop - begin, timedelta(0))
        end = stop if end is None else max(end, stop)
    return total
