"""Queries over the moves of turns."""

from collections.abc import Sequence
from typing import Any

from sqlmodel import col, select

from footnote_agent.store.ownership import owned
from footnote_agent.store.tables import MoveRow, TurnRow
from footnote_agent.store.turns import LeasedTurn
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession


def add_move(session: WriteSession, leased: LeasedTurn, position: int, move: dict[str, Any]) -> bool:
    """Keep a move. False when this run may not write any more: the turn has ended, or another has it."""
    mine = (
        col(TurnRow.id) == leased.id,
        col(TurnRow.status) == "running",
        col(TurnRow.attempts) == leased.fence,
    )
    # Five times in a turn: its question and its caller are not read anew each time.
    whose = select(TurnRow.workspace_id, TurnRow.avatar_id, TurnRow.thread_id).where(*mine).with_for_update()
    row = session.exec(whose).first()
    if row is None:
        return False
    workspace_id, avatar_id, thread_id = row
    session.add(
        MoveRow(
            turn_id=leased.id,
            position=position,
            workspace_id=workspace_id,
            avatar_id=avatar_id,
            thread_id=thread_id,
            move=move,
        )
    )
    return True


def moves_of(
    session: ReadSession, caller: Principal, turn_ids: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """The moves of these turns of the caller, in order, by turn."""
    query = (
        owned(MoveRow, caller)
        .where(col(MoveRow.turn_id).in_(turn_ids))
        .order_by(col(MoveRow.turn_id), col(MoveRow.position))
    )
    found: dict[str, list[dict[str, Any]]] = {}
    for row in session.exec(query).all():
        found.setdefault(row.turn_id, []).append(row.move)
    return found
