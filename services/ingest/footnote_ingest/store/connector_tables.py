"""The tables of connectors: what brings items in, its runs, its items, and what web hooks have told."""

from datetime import datetime, timedelta
from typing import Any, ClassVar

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Index, LargeBinary, String, Text, text
from sqlmodel import Field

from footnote_ingest.store.leased_row import LeasedRow
from footnote_shared.contracts.connectors import RunStatus, RunTrigger
from footnote_shared.db.sealed_rows import SealableText, seal_rows_of
from footnote_shared.db.table_row import TableRow
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id

UNENDED_RUN = "ended_at IS NULL"


def _of_connector(*, primary_key: bool = False) -> Column[str]:
    key = ForeignKey("connectors.id", ondelete="CASCADE")
    return Column("connector_id", String, key, primary_key=primary_key, nullable=False)


class ConnectorRow(TableRow, table=True):
    """A connector. `avatar_id` made it and owns what it brings in; `folder` is where that is filed.

    `credentials`, `access` (the access token that they have brought) and the secrets of its web hook are
    sealed. Until `renewing_until` somebody asks for the next access token. The secret before is good until
    `hook_secret_before_until`. `cursor` is how far the last complete sync came, if the kind has one.

    A system that makes its own secret offers it by its hook (`offered_secret`, at `offered_at`). Once it is
    taken it is `told_secret`; the one before is good until `told_before_until`. They are sealed as well.

    `due_at` is when the next sync is due by schedule. `asked_at` is set when something asked for a sync that
    no run has begun for yet. `problem` says what its owner has to do, and `failures` counts the runs that
    failed in a row.
    """

    __tablename__ = "connectors"
    __table_args__ = (
        Index("ix_connectors_listing", "workspace_id", "id"),
        Index("ix_connectors_due", "due_at"),
    )

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    avatar_id: str
    kind: str
    name: str
    folder: str
    config: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    schedule_s: int | None = None
    credentials: str | None = Field(default=None, sa_column=Column(Text))
    access: str | None = Field(default=None, sa_column=Column(Text))
    renewing_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    hook_secret: str = Field(sa_column=Column(Text, nullable=False))
    hook_secret_before: str | None = Field(default=None, sa_column=Column(Text))
    hook_secret_before_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    offered_secret: str | None = Field(default=None, sa_column=Column(Text))
    offered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    told_secret: str | None = Field(default=None, sa_column=Column(Text))
    told_secret_before: str | None = Field(default=None, sa_column=Column(Text))
    told_before_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    cursor: str | None = Field(default=None, sa_column=Column(Text))
    paused: bool = False
    problem: str | None = Field(default=None, sa_column=Column(Text))
    failures: int = 0
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    asked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    updated_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class ConnectorRunRow(LeasedRow, table=True):
    """One sync of a connector: its report, and where it goes on. At most one of a connector is open.

    `cursor` belongs to `phase`, and `next_cursor` is where the next run begins. `would_delete` is what the
    guard stopped, and `may_delete` what somebody has confirmed. `notes` holds the first items that were
    skipped or failed, each with its reason, and with the groups that may read it (`readers`) unless all may.
    A source may ask for hours of patience.
    """

    longest_ahead: ClassVar[timedelta] = timedelta(hours=12)

    __tablename__ = "connector_runs"
    __table_args__ = (
        Index("ix_connector_runs_listing", "connector_id", "id"),
        Index(
            "uq_connector_runs_open",
            "connector_id",
            unique=True,
            sqlite_where=text(UNENDED_RUN),
            postgresql_where=text(UNENDED_RUN),
        ),
    )

    id: str = Field(default_factory=new_id, primary_key=True)
    connector_id: str = Field(sa_column=_of_connector())
    workspace_id: str
    status: RunStatus = Field(default="queued", sa_type=String)
    trigger: RunTrigger = Field(sa_type=String)
    phase: str = "sync"
    cursor: str | None = Field(default=None, sa_column=Column(Text))
    next_cursor: str | None = Field(default=None, sa_column=Column(Text))
    may_delete: int | None = None
    would_delete: int | None = None
    seen: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: int = 0
    deleted: int = 0
    bytes: int = Field(default=0, sa_type=BigInteger)
    notes: list[dict[str, Any]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    reason: str | None = Field(default=None, sa_column=Column(Text))
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class ConnectorItemRow(TableRow, table=True):
    """An item of a connector, and the document that it became; None if it became none or is gone.

    `revision` is what the source said of its content when it was taken last, and `token` what it asks to be
    told again. `said_at` is the moment for which a web hook said it, `skipped` why it was left out, and
    `seen_in` the run that saw it last.
    """

    __tablename__ = "connector_items"
    __table_args__ = (Index("ix_connector_items_seen", "connector_id", "seen_in"),)

    connector_id: str = Field(sa_column=_of_connector(primary_key=True))
    item_id: str = Field(primary_key=True)
    document_id: str | None = None
    revision: str | None = Field(default=None, sa_column=Column(Text))
    token: str | None = Field(default=None, sa_column=Column(Text))
    said_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    seen_in: str | None = None
    skipped: str | None = Field(default=None, sa_column=Column(Text))
    touched_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


class ConnectorChangeRow(TableRow, table=True):
    """What a web hook said of an item and nobody has applied yet. A later word takes its place."""

    __tablename__ = "connector_changes"
    __table_args__ = (Index("ix_connector_changes_due", "available_at"),)

    connector_id: str = Field(sa_column=_of_connector(primary_key=True))
    item_id: str = Field(primary_key=True)
    event_id: str
    workspace_id: str = ""
    deleted: bool
    body: str | None = Field(default=None, sa_column=Column(SealableText))
    said_at: datetime = Field(sa_type=UtcDateTime)
    received_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    attempts: int = 0
    available_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_column=Column(LargeBinary))


HOOK_BODIES = seal_rows_of(ConnectorChangeRow, "body")


class ConnectorEventRow(TableRow, table=True):
    """An event that a web hook has brought, so that the same one counts once."""

    __tablename__ = "connector_events"
    __table_args__ = (Index("ix_connector_events_age", "received_at"),)

    connector_id: str = Field(sa_column=_of_connector(primary_key=True))
    event_id: str = Field(primary_key=True)
    received_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
