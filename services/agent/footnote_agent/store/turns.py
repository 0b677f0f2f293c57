"""Turns: queries, leases, and the one transaction that ends a turn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from sqlalchemy import bindparam, case, func
from sqlalchemy import select as sql_select
from sqlmodel import SQLModel, and_, col, or_, select, update

from footnote_agent.contracts.answer_records import AnswerRecord
from footnote_agent.store.answer_records import add_record
from footnote_agent.store.approvals import waited
from footnote_agent.store.ownership import find_owned, owned
from footnote_agent.store.tables import MessageRow, ThreadRow, TurnRow
from footnote_agent.store.usage import count_turn
from footnote_shared.contracts.base import from_any_release
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import NewTurn
from footnote_shared.db.awaited_moments import LONGEST_LEASE, has_come, is_over
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import NotFound

_LOOKED_THROUGH = 10_000

# Core statements, built once: each turn is accepted behind both.
_TURN = SQLModel.metadata.tables["turns"]
_RUNNING = (_TURN.c.workspace_id == bindparam("workspace"), _TURN.c.status == "running")
_IN_THREAD = and_(_TURN.c.avatar_id == bindparam("avatar"), _TURN.c.thread_id == bindparam("thread"))
_RUNNING_IN = sql_select(_TURN.c.id).where(*_RUNNING, _IN_THREAD)
_RUNNING_BESIDE = sql_select(func.count(), func.count(case((_IN_THREAD, 1)))).where(*_RUNNING)


@dataclass(frozen=True, slots=True)
class LeasedTurn:
    """A turn as whoever runs it sees it. `fence` grows with every run; the highest alone may write.

    With `waits` another turn of the thread ran when this one was accepted, and has to end first. `began_at`
    is when that wait was over. `waited`: how long earlier runs have waited for a person's word. `flags`: what
    stood when it was accepted, and who had decided it.
    """

    id: str
    thread_id: str
    message_id: str
    caller: Principal
    request: NewTurn
    engine: str
    model: str | None
    settings_hash: str
    fence: int
    created_at: datetime
    announced: bool
    trace_id: str = ""
    span_id: str = ""
    waits: bool = False
    began_at: datetime | None = None
    waited: timedelta = timedelta(0)
    flags: dict[str, Any] = field(default_factory=dict)

    @property
    def time_began_at(self) -> datetime:
        """The moment from which its wall time counts. Waiting for a turn or a person costs it nothing.

        A clock that was ahead gives it no time beyond that: a moment yet to come is this one.
        """
        return min((self.began_at or self.created_at) + self.waited, now())


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended and what of it is kept."""

    status: str
    text: str
    citations: list[dict[str, Any]]
    compliance: dict[str, Any] | None = None
    verification: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    cut: str | None = None
    retrieval_used: bool | None = None


def leased_turn(row: TurnRow, waited: timedelta = timedelta(0)) -> LeasedTurn:
    return LeasedTurn(
        waited=waited,
        id=row.id,
        thread_id=row.thread_id,
        message_id=row.message_id,
        caller=Principal.model_validate(row.caller),
        request=from_any_release(NewTurn, row.request),
        engine=row.engine,
        model=row.model,
        settings_hash=row.settings_hash,
        fence=row.attempts,
        created_at=row.created_at,
        announced=bool(row.state.get("announced")),
        trace_id=str(row.state.get("trace_id") or ""),
        span_id=str(row.state.get("span_id") or ""),
        waits=bool(row.state.get("waits")),
        began_at=datetime.fromisoformat(row.state["began_at"]) if "began_at" in row.state else None,
        flags=row.state.get("flags") or {},
    )


def find_turn(session: ReadSession | WriteSession, caller: Principal, turn_id: str) -> TurnRow:
    """The caller's turn. Raises NotFound for one that is not there, and for another avatar's alike."""
    row = find_turn_or_none(session, caller, turn_id)
    if row is None:
        raise NotFound
    return row


def find_turn_or_none(session: ReadSession | WriteSession, caller: Principal, turn_id: str) -> TurnRow | None:
    return find_owned(session, TurnRow, caller, turn_id)


def answer_of(session: ReadSession | WriteSession, caller: Principal, turn_id: str) -> MessageRow | None:
    """The stored answer of a turn, once there is one."""
    query = owned(MessageRow, caller).where(
        col(MessageRow.turn_id) == turn_id, col(MessageRow.role) == "assistant"
    )
    return session.exec(query).first()


def running_beside(session: WriteSession, caller: Principal, thread_id: str) -> tuple[int, bool]:
    """How many turns of the caller's workspace have not ended, and whether any of these is in the thread."""
    given = {"workspace": caller.workspace_id, "avatar": caller.avatar_id, "thread": thread_id}
    in_flight, in_thread = session.connection().execute(_RUNNING_BESIDE, given).one()
    return in_flight, in_thread > 0


def running_in(session: ReadSession | WriteSession, caller: Principal, thread_id: str) -> list[str]:
    """Ids of the turns of a thread that have not ended."""
    given = {"workspace": caller.workspace_id, "avatar": caller.avatar_id, "thread": thread_id}
    return list(session.connection().scalars(_RUNNING_IN, given))


def running_before(session: ReadSession, leased: LeasedTurn) -> bool:
    """Whether a turn of the same thread that was accepted earlier has not ended."""
    query = (
        owned(TurnRow, leased.caller)
        .where(col(TurnRow.thread_id) == leased.thread_id, col(TurnRow.status) == "running")
        .where(
            or_(
                col(TurnRow.created_at) < leased.created_at,
                and_(col(TurnRow.created_at) == leased.created_at, col(TurnRow.id) < leased.id),
            )
        )
    )
    return session.exec(query.limit(1)).first() is not None


def mark_begun(session: WriteSession, leased: LeasedTurn) -> datetime:
    """Keep and return when a turn's wait for others was over. Whoever takes it over counts its time alike."""
    moment = now()
    row = session.get(TurnRow, leased.id, with_for_update=True)
    if row is not None and row.status == "running":
        row.state = {**row.state, "waits": False, "began_at": moment.isoformat()}
        session.add(row)
    return moment


def renew_leases(session: WriteSession, owner: str, turn_ids: Sequence[str], until: datetime) -> set[str]:
    """Prolong the leases that `owner` still holds on these turns. Returns the ids of those turns.

    What was asked is not read: a turn whose workspace was destroyed must not cost the others their leases.
    """
    held = select(TurnRow.id, TurnRow.state).where(
        col(TurnRow.id).in_(turn_ids), col(TurnRow.lease_owner) == owner, col(TurnRow.status) == "running"
    )
    found = session.exec(held.order_by(col(TurnRow.id)).with_for_update()).all()
    for turn_id, state in found:
        values: dict[str, Any] = {"lease_until": until}
        if not state.get("announced"):
            values["state"] = {**state, "announced": True}
        mine = update(TurnRow).where(col(TurnRow.id) == turn_id)
        session.exec(mine.values(**values).execution_options(synchronize_session=False))
    return {turn_id for turn_id, _ in found}


def release_leases(session: WriteSession, owner: str) -> None:
    """Give back every turn that `owner` holds, so that another replica takes it at once."""
    session.exec(
        update(TurnRow)
        .where(col(TurnRow.lease_owner) == owner, col(TurnRow.status) == "running")
        .values(lease_until=now() - timedelta(seconds=1))
    )


def expired(
    session: ReadSession, moment: datetime, limit: int, wanted: Callable[[str], bool] | None = None
) -> list[tuple[str, int]]:
    """Turns that nobody works on, the oldest first, each with the number of its runs.

    `wanted` says by its id whether a turn is one of those; then no more than 10,000 are looked through.
    """
    query = (
        select(TurnRow.id, TurnRow.attempts)
        .where(col(TurnRow.status) == "running", has_come(col(TurnRow.lease_until), LONGEST_LEASE, moment))
        .order_by(col(TurnRow.lease_until))
        .limit(limit if wanted is None else _LOOKED_THROUGH)
    )
    found = ((turn_id, attempts) for turn_id, attempts in session.exec(query).all())
    return list(islice((one for one in found if wanted is None or wanted(one[0])), limit))


def take_over(
    session: WriteSession, owner: str, turn_id: str, attempts: int, until: datetime
) -> LeasedTurn | None:
    """Take a turn whose lease has run out. None when it has ended, or somebody else was quicker."""
    row = session.exec(select(TurnRow).where(col(TurnRow.id) == turn_id).with_for_update()).first()
    if row is None or row.status != "running" or row.attempts != attempts:
        return None
    if not is_over(row.lease_until, LONGEST_LEASE):
        return None
    row.attempts += 1
    row.lease_owner = owner
    row.lease_until = until
    session.add(row)
    return leased_turn(row, waited(session, row.id, now()))


def end_unreadable(session: WriteSession, turn_id: str, attempts: int, problem: dict[str, Any]) -> None:
    """Fail a turn that nobody works on and whose workspace was destroyed. Nothing of it is read or kept."""
    mine = col(TurnRow.id) == turn_id, col(TurnRow.status) == "running", col(TurnRow.attempts) == attempts
    ended = {"status": "failed", "error": problem, "ended_at": now()}
    session.exec(update(TurnRow).where(*mine).values(**ended).execution_options(synchronize_session=False))


def end_turn(session: WriteSession, turn_id: str, ending: Ending, record: AnswerRecord) -> bool:
    """Store the answer, the end and the answer record (spec 5.9), once.

    False when the turn had ended already or its thread is gone.
    """
    row = session.get(TurnRow, turn_id, with_for_update=True)
    if row is None or row.status != "running":
        return False
    row.status, row.error, row.ended_at = ending.status, ending.error, now()
    session.add(row)
    add_record(session, row, record)
    count_turn(session, row, record)
    session.add(
        MessageRow(
            id=row.message_id,
            workspace_id=row.workspace_id,
            avatar_id=row.avatar_id,
            thread_id=row.thread_id,
            turn_id=row.id,
            role="assistant",
            text=ending.text,
            citations=ending.citations,
            compliance=ending.compliance,
            verification=ending.verification,
            cut=ending.cut,
            retrieval_used=ending.retrieval_used,
            status=ending.status,
        )
    )
    thread = session.get(ThreadRow, row.thread_id)
    if thread is not None:
        thread.updated_at = now()
        session.add(thread)
    return True


def forget_turn(session: WriteSession, caller: Principal, turn_id: str) -> None:
    """Remove a turn that could not be started, as though nobody had asked for it."""
    row = find_turn(session, caller, turn_id)
    for message in session.exec(owned(MessageRow, caller).where(col(MessageRow.turn_id) == turn_id)).all():
        session.delete(message)
    session.flush()
    session.delete(row)
