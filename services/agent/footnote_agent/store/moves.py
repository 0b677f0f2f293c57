"""Queries over the moves of turns."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, insert, select
from sqlmodel import SQLModel, col

from footnote_agent.store.ownership import owned
from footnote_agent.store.tables import MOVE_TEXTS, MOVES, MoveRow
from footnote_agent.store.turns import LeasedTurn
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.clock import now

# Core statements, built once: five times in a turn a move is kept, and its question is not read for that.
_TURN = SQLModel.metadata.tables["turns"]
_WHOSE = (
    select(_TURN.c.workspace_id, _TURN.c.avatar_id, _TURN.c.thread_id)
    .where(_TURN.c.id == bindparam("turn"), _TURN.c.status == "running")
    .where(_TURN.c.attempts == bindparam("fence"))
    .with_for_update()
)
_ADD = insert(MOVES)


def add_move(session: WriteSession, leased: LeasedTurn, position: int, move: dict[str, Any]) -> bool:
    """Keep a move. False when this run may not write any more: the turn has ended, or another has it."""
    connection = session.connection()
    row = connection.execute(_WHOSE, {"turn": leased.id, "fence": leased.fence}).first()
    if row is None:
        return False
    workspace_id, avatar_id, thread_id = row
    kept = {
        "turn_id": leased.id,
        "position": position,
        "workspace_id": workspace_id,
        "avatar_id": avatar_id,
        "thread_id": thread_id,
        "move": move,
        "created_at": now(),
    }
    connection.execute(_ADD, MOVE_TEXTS.sealed_rows(session, [kept]))
    return True


def moves_of(
    session: ReadSession, caller: Principal, turn_ids: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """The moves of these turns of the caller, in order, by turn."""
    if not turn_ids:
        return {}
    query = (
        owned(MoveRow, caller)
        .where(col(MoveRow.turn_id).in_(turn_ids))
        .order_by(col(MoveRow.turn_id), col(MoveRow.position))
    )
    found: dict[str, list[dict[str, Any]]] = {}
    for row in session.exec(query).all():
        found.setdefault(row.turn_id, []).append(row.move)
    return found
