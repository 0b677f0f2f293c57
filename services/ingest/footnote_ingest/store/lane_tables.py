"""The tables of lanes: which version is live, what each was made with, and what it still has to learn."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, LargeBinary, String, Text, UniqueConstraint
from sqlmodel import Field

from footnote_ingest.contracts.lanes import LaneStatus
from footnote_ingest.store.leased_row import LeasedRow
from footnote_shared.db.sealed_rows import SealableJson, SealableText, seal_rows_of
from footnote_shared.db.table_row import TableRow
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id


class LaneRow(TableRow, table=True):
    """A lane. `live` is the number of the version that is searched and that indexing writes.

    Whoever shows a version of a document reads this row under a shared lock in the same transaction. So what
    it says holds for all that is shown after it was changed. While `closed` is set nothing new is shown.
    `kept` are the numbers of the other versions that have to learn of every change.
    """

    __tablename__ = "lanes"

    name: str = Field(primary_key=True)
    live: int
    closed: bool = False
    kept: list[int] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))


class LaneVersionRow(LeasedRow, table=True):
    """One version of a lane, and the work on it.

    `fingerprint` is None until a worker has loaded the model. `cursor` is the last document that a pass over
    all of them has done with, and `go` whether it becomes the live one as soon as it can. `rate` is in chunks
    per second. `dropped_at` is when its vectors had gone.
    """

    __tablename__ = "lane_versions"
    __table_args__ = (UniqueConstraint("lane", "number", name="uq_lane_versions_number"),)

    id: str = Field(default_factory=new_id, primary_key=True)
    lane: str
    number: int
    status: LaneStatus = Field(sa_type=String)
    model: str
    query_prefix: str = ""
    document_prefix: str = ""
    fingerprint: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    terms: int | None = None
    workspace_id: str = ""
    go: bool = False
    min_overlap: float = 0.0
    cursor: str = ""
    documents: int = 0
    documents_total: int = 0
    chunks: int = 0
    chunks_total: int = 0
    embedded: int = 0
    rate: float | None = None
    checks: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    reason: str | None = Field(default=None, sa_column=Column(Text))
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    live_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    dropped_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class LaneQueriesRow(TableRow, table=True):
    """The queries by which a version is compared, as somebody of the workspace has given them.

    They lie beside the version and not in it: whoever works on a version, or looks at one, must not need the
    key of that workspace.
    """

    __tablename__ = "lane_queries"

    version_id: str = Field(primary_key=True)
    workspace_id: str
    queries: list[dict[str, Any]] = Field(sa_column=Column(SealableJson, nullable=False))
    sealed: bytes | None = Field(default=None, sa_column=Column(LargeBinary))


LANE_QUERIES = seal_rows_of(LaneQueriesRow, "queries")


class RecordedQueryRow(TableRow, table=True):
    """A query that somebody of the workspace has searched for: one of a sample, kept for some days."""

    __tablename__ = "recorded_queries"
    __table_args__ = (Index("ix_recorded_queries_workspace", "workspace_id", "asked_at"),)

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str
    query: str = Field(sa_column=Column(SealableText, nullable=False))
    asked_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_column=Column(LargeBinary))


RECORDED_QUERIES = seal_rows_of(RecordedQueryRow, "query")


class LaneChangeRow(TableRow, table=True):
    """A document that was shown anew, changed or removed, and that a kept version has to look at.

    Each change adds a row, and the work removes those that it has read: none is lost between the two.
    """

    __tablename__ = "lane_changes"
    __table_args__ = (Index("ix_lane_changes_version", "lane", "number", "id"),)

    id: str = Field(default_factory=new_id, primary_key=True)
    lane: str
    number: int
    document_id: str
