"""The tables of encryption at rest: wrapped keys, and how far the work in the background is (spec 7.3)."""

from datetime import datetime

from sqlalchemy import Index, LargeBinary, Text
from sqlmodel import Field

from footnote_shared.db.table_row import TableRow
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id

ONLY = "deployment"
"""The id of the one wrapping key."""


class WrappingKeyRow(TableRow, table=True):
    """The key of the deployment, under which those of workspaces lie. It is wrapped by the master key."""

    __tablename__ = "wrapping_keys"

    id: str = Field(default=ONLY, primary_key=True)
    wrapped: str = Field(sa_type=Text)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    wrapped_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


class WorkspaceKeyRow(TableRow, table=True):
    """A data key of a workspace, wrapped. The newest one encrypts, each decrypts.

    With `destroyed_at`, `wrapped` is empty for ever: nobody reads what was encrypted with it.
    """

    __tablename__ = "workspace_keys"
    __table_args__ = (Index("ix_workspace_keys_workspace", "workspace_id", "id"),)

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str
    wrapped: bytes = Field(sa_type=LargeBinary)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    destroyed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class SealingRow(TableRow, table=True):
    """How far the background work on one table, or on the blobs, has come.

    `after` is the place of the last row that was looked at, as JSON; None before the first. `changed` counts
    what `goal` has changed so far, and `done_for` is the goal of the last pass that found nothing to change.
    `lease_until` is set while a process works on what is no table.
    """

    __tablename__ = "sealing"

    name: str = Field(primary_key=True)
    goal: str = ""
    after: str | None = Field(default=None, sa_type=Text)
    changed: int = 0
    changed_in_pass: int = 0
    done_for: str = ""
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    updated_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
