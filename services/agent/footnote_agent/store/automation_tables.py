"""Automations and their runs as they lie in SQL."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, LargeBinary
from sqlmodel import Field

from footnote_shared.db.sealed_rows import SealableJson, seal_rows_of
from footnote_shared.db.table_row import TableRow
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id


class AutomationRow(TableRow, table=True):
    """A question with a schedule. `request` holds what a turn is asked with, as a body of its route.

    `scopes` and `groups` are those of the key by which it was last written: a run gets no more of them than
    its owner has at its moment. `thread_id` is empty before the first run where `own_thread`, and when the
    thread is gone.
    """

    __tablename__ = "automations"

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    avatar_id: str = Field(foreign_key="avatars.id")
    name: str
    version: int = 1
    request: dict[str, Any] = Field(sa_type=SealableJson)
    schedule: str
    time_zone: str
    missed: str
    thread_id: str | None = Field(default=None, foreign_key="threads.id", ondelete="SET NULL")
    own_thread: bool
    scopes: list[str] = Field(sa_type=JSON)
    groups: list[str] | None = Field(default=None, sa_type=JSON, nullable=True)
    paused: bool = False
    next_due_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    updated_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


class AutomationRunRow(TableRow, table=True):
    """A run. SQL lets one row alone have the `due_key` of an automation, which names the due moment.

    `queued` runs wait for a process that begins their turn; `takes` counts those that took one, and is the
    fence against earlier ones, and `lost` counts those of them that were never heard of again. `turn_id` is
    set by the transaction that makes the turn.
    """

    __tablename__ = "automation_runs"

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    avatar_id: str = Field(foreign_key="avatars.id")
    automation_id: str = Field(foreign_key="automations.id", ondelete="CASCADE")
    version: int
    trigger: str
    due_key: str
    due_at: datetime = Field(sa_type=UtcDateTime)
    missed_since: datetime | None = Field(default=None, sa_type=UtcDateTime)
    status: str = "queued"
    reason: str | None = None
    thread_id: str | None = None
    turn_id: str | None = Field(default=None, foreign_key="turns.id", ondelete="SET NULL")
    takes: int = 0
    lost: int = 0
    lease_owner: str | None = None
    lease_until: datetime = Field(sa_type=UtcDateTime)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


AUTOMATION_REQUESTS = seal_rows_of(AutomationRow, "request")
