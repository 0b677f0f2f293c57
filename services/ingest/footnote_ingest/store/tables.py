"""The tables of ingest. SQL is the queue of record: `documents` says what there is to do (docs/adr/0001)."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlmodel import Field

from footnote_ingest.store.leased_row import LeasedRow
from footnote_shared.contracts.documents import SourceType, Status, Visibility
from footnote_shared.db.sealed_rows import SealableJson, SealableText, seal_rows_of
from footnote_shared.db.table_row import TableRow
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id

ROOT = "/"
"""The path of the root folder, which has no row."""

UNDISPATCHED = "status = 'queued' AND dispatched_at IS NULL"
IN_FLIGHT = "dispatched_at IS NOT NULL"
EXPIRING = "expires_at IS NOT NULL AND deleted_at IS NULL"
UNSETTLED = "settle_at IS NOT NULL"
KEEPING = "kept_bytes > 0"
UNENDED = "status NOT IN ('indexed', 'failed', 'skipped', 'deleting', 'deleted')"


class FolderRow(TableRow, table=True):
    """A folder of a workspace. `path` is absolute and normalised: `/reports/2026`. The root has no row."""

    __tablename__ = "folders"
    __table_args__ = (UniqueConstraint("workspace_id", "path", name="uq_folders_path"),)

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    path: str
    parent_id: str | None = Field(default=None, foreign_key="folders.id")
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


class DocumentRow(LeasedRow, table=True):
    """A document and the work on its last accepted version.

    `identity` makes an upload a new version of the document. `version` is the one that was accepted last, at
    `accepted_at`; `live_version` is the one that readers see. `seq` is the last number of its timeline.

    `dispatched_at` is set while the document is in flight, and `lease_token` while a worker holds it.
    `settle_at` is set while something of it has to be removed or brought up to date, and `points_lag` while
    its points may carry an earlier folder or visibility.

    `avatar_id` is the owner. `withheld_at` is the time at which a document that the workspace saw was made
    private; it is None for a document that the workspace sees or never saw.

    `connector_id` is the connector that brought it in. If `reader_groups` is set, only its owner and avatars
    in one of these groups see it; `document_groups` has a row for each, by which readers are compared. While
    `is_public` is set, which nothing does yet, the groups do not count.

    One with a `session_id` is an anonymous upload: only its owner sees it, in that session, until it is
    deleted at `expires_at`.

    Versions before `open_from` were live before those who see the document now were given that: its owner
    alone sees them.

    While `legal_hold` is set the document is not deleted. `removed` is what its deletion has counted gone.

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
                ("ix_documents_expiring", ("expires_at",), EXPIRING),
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
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    visibility: Visibility = Field(default="workspace", sa_type=String)
    withheld_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    points_lag: bool = False
    legal_hold: bool = False
    removed: dict[str, int] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))

    version: int = 0
    live_version: int | None = None
    open_from: int = 0
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

    waits: int = 0
    last_code: str | None = None
    last_reason: str | None = Field(default=None, sa_column=Column(Text))
    settle_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    traceparent: str | None = None


class VersionRow(TableRow, table=True):
    """One accepted version.

    `live_at` is the time at which readers first saw it. `lane_digest` names the lane of its vectors.
    `needs_bytes` keeps its original in the object store, which several versions may share. `cut_by` is the
    digest of the settings by which it was cut; None if that was before digests were kept.

    `read_as` is an earlier version of the same bytes, whose text this one takes over: what a model has heard
    or seen is not asked for again.

    `staged` are its vectors while they wait to be indexed, as `pipeline/staged_vectors.py` packs them. It is
    None if they are a blob.

    `kept_bytes` is the size of the texts that no later version has. `texts_gone` is set if some of them are
    no longer kept, so that neither this version nor one before it can be compared with another.
    """

    __tablename__ = "document_versions"
    __table_args__ = (
        Index("ix_document_versions_bytes", "workspace_id", "sha256"),
        Index(
            "ix_document_versions_kept",
            "workspace_id",
            "live_at",
            sqlite_where=text(KEEPING),
            postgresql_where=text(KEEPING),
        ),
    )

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
    cut_by: str | None = None
    read_as: int | None = None
    staged: bytes | None = Field(default=None, sa_column=Column(LargeBinary))
    pages: int | None = None
    kept_bytes: int = Field(default=0, sa_type=BigInteger)
    texts_gone: bool = False
    warnings: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    accepted_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    live_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class RechunkRow(TableRow, table=True):
    """A workspace whose documents are being cut again. It goes when the last of them is done.

    Documents that were accepted after `requested_at` are left alone, so that each is cut again once at most.
    `total` is how many there were to be cut.
    """

    __tablename__ = "rechunk_requests"

    workspace_id: str = Field(primary_key=True, foreign_key="workspaces.id")
    requested_at: datetime = Field(sa_type=UtcDateTime)
    total: int


class ChunkRow(TableRow, table=True):
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
    text: str = Field(sa_column=Column(SealableText, nullable=False))
    embed_prefix: str = Field(sa_column=Column(SealableText, nullable=False))
    text_hash: str
    embed_hash: str
    kind: str
    language: str | None = None
    code_language: str | None = None
    heading_path: list[str] = Field(sa_column=Column(SealableJson, nullable=False))
    page_start: int | None = None
    page_end: int | None = None
    char_start: int
    char_end: int
    policy: str
    tokens: int
    retired_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_column=Column(LargeBinary))

    @property
    def embed_text(self) -> str:
        """What the vectors are made from."""
        return self.embed_prefix + self.text


CHUNK_TEXTS = seal_rows_of(ChunkRow, "text", "embed_prefix", "heading_path", hashes={"text_hash": "text"})


class TimelineRow(TableRow, table=True):
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


class DocumentGroupRow(TableRow, table=True):
    """One group whose members may read a document that not everybody may read."""

    __tablename__ = "document_groups"

    document_id: str = Field(
        sa_column=Column(String, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    )
    name: str = Field(primary_key=True)


class GenerationRow(TableRow, table=True):
    """The number of index changes that a workspace has committed."""

    __tablename__ = "index_generations"

    workspace_id: str = Field(primary_key=True)
    value: int
