"""The tables that every service reads: workspaces, avatars, API keys, flags, kept answers, the audit log."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, Index, LargeBinary
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field

from footnote_shared.db.sealed_rows import SealableString, seal_rows_of
from footnote_shared.db.table_row import TableRow
from footnote_shared.kernel.clock import UTC, now
from footnote_shared.kernel.ids import new_id


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC on every database. SQLite alone would drop the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


class WorkspaceRow(TableRow, table=True):
    """A tenant."""

    __tablename__ = "workspaces"

    id: str = Field(default_factory=new_id, primary_key=True)
    name: str
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


class DeletionRow(TableRow):
    """The work of removing all that somebody had, and later its receipt.

    `removed` counts what went where, and `gone_at` is when a look found nothing more. `turns` are those that
    ran meanwhile. At `due_at` a worker has to look, for the last time an hour after `gone_at`; `looks` counts
    those that have ended. The row stays as the receipt, so it hangs on nothing that goes.
    """

    id: str = Field(primary_key=True)
    asked_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    gone_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    removed: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    turns: list[str] = Field(default_factory=list, sa_type=JSON)
    due_at: datetime | None = Field(default_factory=now, sa_type=UtcDateTime, nullable=True, index=True)
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    looks: int = 0
    reason: str | None = None


class WorkspaceDeletionRow(DeletionRow, table=True):
    """A workspace that its operator deletes or has deleted. While the row is there nobody comes into it."""

    __tablename__ = "workspace_deletions"

    name: str


class AvatarDeletionRow(DeletionRow, table=True):
    """A person whom an admin of the workspace deletes or has deleted. Nobody comes in as them meanwhile.

    With `shared` the documents that they shared with the workspace go as well.
    """

    __tablename__ = "avatar_deletions"

    workspace_id: str = Field(foreign_key="workspaces.id", index=True)
    shared: bool = False


class AvatarRow(TableRow, table=True):
    """An identity inside a workspace that owns documents and turns."""

    __tablename__ = "avatars"

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id", index=True)
    name: str
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


class ApiKeyRow(TableRow, table=True):
    """An API key, kept as a hash.

    `scopes` is a list with commas; `hint` shows the first characters to people. `groups` are those that its
    bearer is in; a process of the release before leaves them out.
    """

    __tablename__ = "api_keys"

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id", index=True)
    avatar_id: str = Field(foreign_key="avatars.id")
    name: str
    hash: str = Field(unique=True)
    hint: str
    scopes: str
    groups: list[str] | None = Field(default=None, sa_type=JSON, nullable=True)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class IdempotencyRow(TableRow, table=True):
    """The answer to a creating request of one avatar, kept for 24 hours (spec 1.4)."""

    __tablename__ = "idempotency"

    workspace_id: str = Field(primary_key=True)
    avatar_id: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    fingerprint: str
    body: str = Field(sa_type=SealableString)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime, index=True)


class FlagOverridesRow(TableRow, table=True):
    """What a workspace has set in place of the operator's settings: values by the flag's name.

    `version` counts the changes, and never goes back.
    """

    __tablename__ = "flag_overrides"

    workspace_id: str = Field(foreign_key="workspaces.id", primary_key=True)
    version: int = 0
    overrides: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    updated_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


class AuditRow(TableRow, table=True):
    """One change of what a workspace is set to. Rows are added and read, and nothing else."""

    __tablename__ = "audit_log"
    __table_args__ = (Index("ix_audit_log_workspace_id_id", "workspace_id", "id"),)

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    avatar_id: str
    action: str
    subject: str
    before: Any = Field(default=None, sa_type=JSON, nullable=True)
    after: Any = Field(default=None, sa_type=JSON, nullable=True)


ANSWERS = seal_rows_of(IdempotencyRow, "body")
