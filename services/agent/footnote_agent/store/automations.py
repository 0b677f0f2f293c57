"""Queries over automations and their runs."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy import func
from sqlmodel import and_, col, delete, or_, select

from footnote_agent.contracts.automations import Automation, AutomationRun
from footnote_agent.store.automation_tables import AutomationRow, AutomationRunRow
from footnote_agent.store.ownership import owned
from footnote_agent.store.tables import TurnRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.awaited_moments import LONGEST_LEASE, has_come
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.ids import is_id

LONGEST_WAIT = 2 * LONGEST_LEASE
"""No run that is to be begun waits longer for its next try. What stands in its way may ask for an hour."""

RUNS_KEPT = 500
"""Runs of one automation that are kept. Older ones are forgotten."""


def automation_view(row: AutomationRow, last_run: AutomationRunRow | None) -> Automation:
    """The automation as the API shows it."""
    return Automation.model_validate(
        {
            **row.model_dump(exclude={"request"}),
            **{name: row.request.get(name) for name in ("text", "preset", "settings")},
            "mentions": row.request.get("mentions") or [],
            "last_run": run_view(last_run) if last_run is not None else None,
        }
    )


def run_view(row: AutomationRunRow) -> AutomationRun:
    """The run as the API shows it."""
    return AutomationRun.model_validate(row.model_dump())


def find_automation(
    session: ReadSession | WriteSession, caller: Principal, automation_id: str, *, lock: bool = False
) -> AutomationRow:
    """The caller's automation. Raises NotFound for one that is not there, and for another avatar's alike."""
    query = owned(AutomationRow, caller).where(col(AutomationRow.id) == automation_id)
    row = session.exec(query.with_for_update() if lock else query).first() if is_id(automation_id) else None
    if row is None:
        raise NotFound
    return row


def list_automations(
    session: ReadSession, caller: Principal, limit: int, before: str | None
) -> list[AutomationRow]:
    """The caller's automations behind the given one, newest first."""
    query = owned(AutomationRow, caller)
    if before is not None:
        query = query.where(col(AutomationRow.id) < before)
    return list(session.exec(query.order_by(col(AutomationRow.id).desc()).limit(limit)).all())


def count_automations(session: WriteSession, caller: Principal) -> int:
    query = select(func.count()).select_from(AutomationRow)
    mine = (
        col(AutomationRow.workspace_id) == caller.workspace_id,
        col(AutomationRow.avatar_id) == caller.avatar_id,
    )
    return session.exec(query.where(*mine)).one()


def list_runs(
    session: ReadSession, caller: Principal, automation_id: str, limit: int, before: str | None
) -> list[AutomationRunRow]:
    """The runs of the caller's automation behind the given one, newest first."""
    find_automation(session, caller, automation_id)
    query = owned(AutomationRunRow, caller).where(col(AutomationRunRow.automation_id) == automation_id)
    if before is not None:
        query = query.where(col(AutomationRunRow.id) < before)
    return list(session.exec(query.order_by(col(AutomationRunRow.id).desc()).limit(limit)).all())


def last_runs(
    session: ReadSession | WriteSession, automation_ids: Iterable[str]
) -> Mapping[str, AutomationRunRow]:
    """The newest run of each of these automations that has one."""
    newest = (
        select(func.max(AutomationRunRow.id))
        .where(col(AutomationRunRow.automation_id).in_(list(automation_ids)))
        .group_by(col(AutomationRunRow.automation_id))
    )
    rows = session.exec(select(AutomationRunRow).where(col(AutomationRunRow.id).in_(newest))).all()
    return {row.automation_id: row for row in rows}


def due_automations(session: ReadSession, moment: datetime, limit: int) -> list[str]:
    """Ids of the automations of whose due moments one has come, the one that waits longest first."""
    query = select(AutomationRow.id).where(col(AutomationRow.next_due_at) <= moment)
    return list(session.exec(query.order_by(col(AutomationRow.next_due_at)).limit(limit)).all())


def untaken_runs(session: ReadSession, moment: datetime, limit: int) -> list[str]:
    """Ids of the runs that wait to be begun and that nobody holds, the oldest first."""
    query = select(AutomationRunRow.id).where(
        col(AutomationRunRow.status) == "queued",
        has_come(col(AutomationRunRow.lease_until), LONGEST_WAIT, moment),
    )
    return list(session.exec(query.order_by(col(AutomationRunRow.id)).limit(limit)).all())


def ended_runs(session: ReadSession, limit: int) -> list[str]:
    """Ids of the runs whose turn has ended or is gone, and that do not say so yet."""
    query = (
        select(AutomationRunRow.id)
        .join(TurnRow, col(TurnRow.id) == col(AutomationRunRow.turn_id), isouter=True)
        .where(
            col(AutomationRunRow.status) == "running",
            or_(col(TurnRow.id).is_(None), col(TurnRow.status) != "running"),
        )
    )
    return list(session.exec(query.limit(limit)).all())


def is_busy(session: WriteSession, automation_id: str) -> bool:
    """Whether a run of the automation waits to be begun, or its turn goes on."""
    query = (
        select(AutomationRunRow.id)
        .join(TurnRow, col(TurnRow.id) == col(AutomationRunRow.turn_id), isouter=True)
        .where(
            col(AutomationRunRow.automation_id) == automation_id,
            or_(
                col(AutomationRunRow.status) == "queued",
                and_(
                    col(AutomationRunRow.status) == "running",
                    or_(col(TurnRow.id).is_(None), col(TurnRow.status) == "running"),
                ),
            ),
        )
    )
    return session.exec(query.limit(1)).first() is not None


def has_run(session: WriteSession, automation_id: str, due_key: str) -> bool:
    """Whether this due moment of the automation has its run already."""
    query = select(AutomationRunRow.id).where(
        col(AutomationRunRow.automation_id) == automation_id, col(AutomationRunRow.due_key) == due_key
    )
    return session.exec(query).first() is not None


def forget_old_runs(session: WriteSession, automation_id: str) -> None:
    """Delete the runs that have ended and are older than the latest ones that are kept."""
    of_it = col(AutomationRunRow.automation_id) == automation_id
    ids = select(AutomationRunRow.id).where(of_it).order_by(col(AutomationRunRow.id).desc())
    oldest = session.exec(ids.offset(RUNS_KEPT - 1).limit(1)).first()
    if oldest is not None:
        session.exec(
            delete(AutomationRunRow).where(
                of_it, col(AutomationRunRow.id) < oldest, col(AutomationRunRow.ended_at).is_not(None)
            )
        )
