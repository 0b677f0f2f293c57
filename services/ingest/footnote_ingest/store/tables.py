"""The tables of ingest. SQL is the queue of record: `documents` says what there is to do (docs/adr/0001)."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from footnote_shared.contracts.connectors import RunStatus, RunTrigger
from footnote_shared.contracts.documents import SourceType, Status, Visibility
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id

ROOT = "/"
"""The path of the root folder, which has no row."""

UNDISPATCHED = "status = 'queued' AND dispatched_at IS NULL"
IN_FLIGHT = "dispatched_at IS NOT NULL"
UNSETTLED = "settle_at IS NOT NULL"
UNENDED = "status NOT IN ('indexed', 'failed', 'skipped', 'deleting', 'deleted')"
UNENDED_RUN = "ended_at IS NULL"


class FolderRow(SQLModel, table=True):
    """A folder of a workspace. `path` is absolute and normalised: `/reports/2026`. The root has no row."""

    __tablename__ = "folders"
    __table_args__ = (UniqueConstraint("workspace_id", "path", name="uq_folders_path"),)

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    path: str
    parent_id: str | None = Field(default=None, foreign_key="folders.id")
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


class DocumentRow(SQLModel, table=True):
    """A document and the work on its last accepted version.

    `identity` makes an upload a new version of the document. `version` is the one that was accepted last, at
    `accepted_at`; `live_version` is the one that readers see. `seq` is the last number of its timeline.

    `dispatched_at` is set while the document is in flight, and `lease_token` while a worker holds it.
    `settle_at` is set while something of it has to be removed or brought up to date, and `points_lag` while
    its points may carry an earlier folder or visibility.

    `avatar_id` is the owner. `withheld_at` is the time at which a document that the workspace saw was made
    private; it is None for a document that the workspace sees or never saw.

    `connector_id` is the connector that brought it in. If `reader_groups` is set, only its owner and avatars
    in one of these groups see it; `document_groups` has a row for each, by which readers are compared.

    `chunks_in_work` is the number of chunks of the last version that was chunked, and `language` its language
    as a code of ISO 639; None where it could not be told.
    """

    __tablename__ = "documents"
    __table_args__ = (
        UniqueConstraint("workspace_id", "identity", name="uq_documents_identity"),
        Index("ix_documents_listing", "workspace_id", "id"),
        Index("ix_documents_status", "workspace_id", "status"),
        Index("ix_documents_folder", "folder_id"),
        Index("ix_documents_parent", "parent_id"),
        Index("ix_documents_connector", "connector_id"),
        *(
            Index(name, *columns, sqlite_where=text(condition), postgresql_where=text(condition))
            for name, columns, condition in (
                ("ix_documents_undispatched", ("workspace_id", "id"), UNDISPATCHED),
                ("ix_documents_in_flight", ("workspace_id", "status", "lease_until"), IN_FLIGHT),
                ("ix_documents_unsettled", ("settle_at",), UNSETTLED),
                ("ix_documents_unended", ("accepted_at",), UNENDED),
            )
        ),
    )

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    avatar_id: str
    folder_id: str | None = Field(default=None, foreign_key="folders.id")
    parent_id: str | None = None
    identity: str
    external_id: str | None = None
    title: str
    title_given: bool
    filename: str
    mime: str
    size: int
    sha256: str
    source_type: SourceType = Field(sa_type=String)
    connector_id: str | None = None
    reader_groups: list[str] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    url: str | None = None
    attributes: dict[str, Any] = Field(
        default_factory=dict, sa_column=Column("metadata", JSON, nullable=False)
    )
    is_public: bool = False
    session_id: str | None = None
    visibility: Visibility = Field(default="workspace", sa_type=String)
    withheld_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    points_lag: bool = False

    version: int = 0
    live_version: int | None = None
    chunk_count: int = 0
    chunks_in_work: int = 0
    language: str | None = None
    status: Status = Field(default="queued", sa_type=String)
    error_stage: Status | None = Field(default=None, sa_type=String)
    error_code: str | None = None
    error_reason: str | None = Field(default=None, sa_column=Column(Text))
    error_retryable: bool | None = None
    seq: int = 0
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    updated_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    accepted_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    stage_since: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    indexed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    attempts: int = 0
    waits: int = 0
    last_code: str | None = None
    last_reason: str | None = Field(default=None, sa_column=Column(Text))
    available_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    dispatched_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    lease_token: str | None = None
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    settle_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class VersionRow(SQLModel, table=True):
    """One accepted version.

    `live_at` is the time at which readers first saw it. `lane_digest` names the lane of its vectors.
    `needs_bytes` keeps its original in the object store, which several versions may share.
    """

    __tablename__ = "document_versions"
    __table_args__ = (Index("ix_document_versions_bytes", "workspace_id", "sha256"),)

    document_id: str = Field(
        sa_column=Column(String, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    )
    version: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    workspace_id: str
    title: str
    filename: str
    mime: str
    declared_mime: str
    size: int
    sha256: str
    needs_bytes: bool = True
    lane_digest: str | None = None
    pages: int | None = None
    warnings: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    accepted_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    live_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class ChunkRow(SQLModel, table=True):
    """One chunk of one version.

    Readers see those of the live version. A retired chunk is a tombstone for old citations.

    `text_hash` is the hash of the text alone; versions are aligned by it. `embed_hash` is the hash of what
    the vector was made from, which is `embed_prefix` and text. It is part of the point's id, and the wire
    calls it `text_hash`.

    `language` is a code of ISO 639, and None for code and where the language could not be told.
    `code_language` is the programming language of code, if it is known.
    """

    __tablename__ = "chunks"
    __table_args__ = (
        Index("ix_chunks_document", "document_id", "version", "ordinal"),
        Index("ix_chunks_reuse", "workspace_id", "embed_hash"),
    )

    chunk_id: str = Field(primary_key=True)
    version: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    document_id: str = Field(
        sa_column=Column(String, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False)
    )
    workspace_id: str
    ordinal: int
    text: str = Field(sa_column=Column(Text, nullable=False))
    embed_prefix: str = Field(sa_column=Column(Text, nullable=False))
    text_hash: str
    embed_hash: str
    kind: str
    language: str | None = None
    code_language: str | None = None
    heading_path: list[str] = Field(sa_column=Column(JSON, nullable=False))
    page_start: int | None = None
    page_end: int | None = None
    char_start: int
    char_end: int
    policy: str
    tokens: int
    retired_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    @property
    def embed_text(self) -> str:
        """What the vectors are made from."""
        return self.embed_prefix + self.text


class TimelineRow(SQLModel, table=True):
    """One row of a document's timeline.

    `duration_ms` is the time that the stage took which ended with this row.
    """

    __tablename__ = "document_timeline"

    document_id: str = Field(
        sa_column=Column(String, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    )
    seq: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    version: int
    status: Status = Field(sa_type=String)
    at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    duration_ms: float | None = None
    attempt: int = 0
    detail: str | None = Field(default=None, sa_column=Column(Text))


class DocumentGroupRow(SQLModel, table=True):
    """One group whose members may read a document that not everybody may read."""

    __tablename__ = "document_groups"

    document_id: str = Field(
        sa_column=Column(String, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    )
    name: str = Field(primary_key=True)


class GenerationRow(SQLModel, table=True):
    """The number of index changes that a workspace has committed."""

    __tablename__ = "index_generations"

    workspace_id: str = Field(primary_key=True)
    value: int


def _of_connector(*, primary_key: bool = False) -> Column[str]:
    key = ForeignKey("connectors.id", ondelete="CASCADE")
    return Column("connector_id", String, key, primary_key=primary_key, nullable=False)


class ConnectorRow(SQLModel, table=True):
    """A connector. `avatar_id` made it and owns what it brings in; `folder` is where that is filed.

    `credentials` and the secrets of its web hook are sealed. The secret before is good until
    `hook_secret_before_until`. `cursor` is how far the last complete sync came, if the kind has one.

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
    hook_secret: str = Field(sa_column=Column(Text, nullable=False))
    hook_secret_before: str | None = Field(default=None, sa_column=Column(Text))
    hook_secret_before_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    cursor: str | None = Field(default=None, sa_column=Column(Text))
    paused: bool = False
    problem: str | None = Field(default=None, sa_column=Column(Text))
    failures: int = 0
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    asked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    updated_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class ConnectorRunRow(SQLModel, table=True):
    """One sync of a connector: its report, and where it goes on. At most one of a connector is open.

    `cursor` belongs to `phase`, and `next_cursor` is where the next run begins. `would_delete` is what the
    guard stopped, and `may_delete` what somebody has confirmed. `notes` holds the first items that were
    skipped or failed, each with its reason.
    """

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
    notes: list[dict[str, str]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    reason: str | None = Field(default=None, sa_column=Column(Text))
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    attempts: int = 0
    available_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    dispatched_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    lease_token: str | None = None
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime)


class ConnectorItemRow(SQLModel, table=True):
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


class ConnectorChangeRow(SQLModel, table=True):
    """What a web hook said of an item and nobody has applied yet. A later word takes its place."""

    __tablename__ = "connector_changes"
    __table_args__ = (Index("ix_connector_changes_due", "available_at"),)

    connector_id: str = Field(sa_column=_of_connector(primary_key=True))
    item_id: str = Field(primary_key=True)
    event_id: str
    deleted: bool
    body: str | None = Field(default=None, sa_column=Column(Text))
    said_at: datetime = Field(sa_type=UtcDateTime)
    received_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    attempts: int = 0
    available_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


class ConnectorEventRow(SQLModel, table=True):
    """An event that a web hook has brought, so that the same one counts once."""

    __tablename__ = "connector_events"
    __table_args__ = (Index("ix_connector_events_age", "received_at"),)

    connector_id: str = Field(sa_column=_of_connector(primary_key=True))
    event_id: str = Field(primary_key=True)
    received_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
