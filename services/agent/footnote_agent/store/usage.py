"""Turns and tokens of each avatar by day. Counted when a turn ends, so that nobody adds up turns."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col

from footnote_agent.contracts.answer_records import AnswerRecord
from footnote_agent.contracts.usage import AvatarUsage, DayUsage, Spent, TurnUsage
from footnote_agent.store.tables import TurnRow, UsageDayRow
from footnote_shared.contracts.events import COST_DIGITS, Usage
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.tables import AvatarRow
from footnote_shared.kernel.clock import now

MOST_AVATARS = 50
"""Avatars that are named. A workspace may have thousands."""

_TABLE = UsageDayRow.metadata.tables[str(UsageDayRow.__tablename__)]
_KEY = ["workspace_id", "avatar_id", "day"]
_COUNTS = ("turns", "failed", "input_tokens", "output_tokens", "cost_unknown", "partial")
_SUMS = (*_COUNTS, "cost")


def _adding(insert: postgresql.Insert | sqlite.Insert) -> postgresql.Insert | sqlite.Insert:
    """Add a turn to its day. Built once: to build it takes five times as long as to run it."""
    more = {name: _TABLE.c[name] + insert.excluded[name] for name in _SUMS}
    return insert.on_conflict_do_update(index_elements=_KEY, set_=more)


_ADD = {"postgresql": _adding(postgresql.insert(_TABLE)), "sqlite": _adding(sqlite.insert(_TABLE))}


def count_turn(session: WriteSession, turn: TurnRow, record: AnswerRecord) -> None:
    """Count a turn that ends in this transaction. A deleted conversation does not take it back."""
    used = record.usage or Usage()
    values: Mapping[str, Any] = {
        "workspace_id": turn.workspace_id,
        "avatar_id": turn.avatar_id,
        "day": now().date().isoformat(),
        "turns": 1,
        "failed": int(turn.status == "failed"),
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cost": used.cost or 0.0,
        "cost_unknown": int(
            used.cost is None and (used.partial or used.input_tokens + used.output_tokens > 0)
        ),
        "partial": int(used.partial),
    }
    session.connection().execute(_ADD[session.get_bind().dialect.name], values)


def turn_usage(session: ReadSession, workspace_id: str, since: date) -> TurnUsage:
    """What the workspace has asked from this day on."""
    mine = col(UsageDayRow.workspace_id) == workspace_id, col(UsageDayRow.day) >= since.isoformat()
    by_day = (
        select(col(UsageDayRow.day), *_sums())
        .where(*mine)
        .group_by(col(UsageDayRow.day))
        .order_by(col(UsageDayRow.day))
    )
    by_avatar = (
        select(col(UsageDayRow.avatar_id), col(AvatarRow.name), *_sums())
        .join(AvatarRow, col(AvatarRow.id) == col(UsageDayRow.avatar_id))
        .where(*mine)
        .group_by(col(UsageDayRow.avatar_id), col(AvatarRow.name))
        .order_by(func.sum(col(UsageDayRow.turns)).desc(), col(UsageDayRow.avatar_id))
        .limit(MOST_AVATARS)
    )
    connection = session.connection()
    days = [DayUsage(day=row[0], **_spent(row[1:])) for row in connection.execute(by_day)]
    avatars = [
        AvatarUsage(avatar_id=row[0], name=row[1], **_spent(row[2:])) for row in connection.execute(by_avatar)
    ]
    total = Spent(**_spent([sum(getattr(day, name) for day in days) for name in _SUMS]))
    return TurnUsage(since=since.isoformat(), total=total, days=days, avatars=avatars)


def _sums() -> list[ColumnElement[Any]]:
    return [func.sum(getattr(UsageDayRow, name)) for name in _SUMS]


def _spent(sums: Sequence[Any]) -> dict[str, Any]:
    """Sums as they are told. Those of a database may be decimals."""
    told: dict[str, Any] = {name: int(value) for name, value in zip(_COUNTS, sums[:-1], strict=True)}
    return {**told, "cost": round(float(sums[-1]), COST_DIGITS)}
