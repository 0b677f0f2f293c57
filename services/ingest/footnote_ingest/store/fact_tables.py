"""The tables of facts and summaries: what models read from documents, and that work (spec 3.9)."""

from datetime import datetime

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, String, Text
from sqlmodel import Field

from footnote_ingest.store.leased_row import LeasedRow
from footnote_shared.contracts.facts import EntityKind, FactStatus
from footnote_shared.db.sealed_rows import SealableText, seal_rows_of
from footnote_shared.db.table_row import TableRow
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id


class FactJobRow(LeasedRow, table=True):
    """A document that says what it is (`classification`), and the work of reading facts from it.

    A classification of nothing is that of a document which had one. `version` is the one to be read or that
    was read. `passages` is the digest of what the model was shown
    last, so that it is not asked twice about the same. `lane_digest` tells by which model the facts were
    embedded.
    """

    __tablename__ = "fact_jobs"
    __table_args__ = (Index("ix_fact_jobs_due", "status", "available_at"),)

    document_id: str = Field(
        sa_column=Column(String, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    )
    workspace_id: str
    classification: str
    version: int
    status: FactStatus = Field(default="queued", sa_type=String)
    passages: str | None = None
    lane_digest: str | None = None
    reason: str | None = Field(default=None, sa_column=Column(Text))


class FactRow(TableRow, table=True):
    """A fact that one passage states. Its point in the lane of facts has the same id.

    `chunk_hash` is the `embed_hash` of the chunk as it was read: of another text the fact is none. Facts with
    one `group_id` say the same. Each keeps its own words, so nobody is shown those of another document.
    """

    __tablename__ = "facts"
    __table_args__ = (
        Index("ix_facts_document", "document_id"),
        Index("ix_facts_chunk", "chunk_id"),
        Index("ix_facts_group", "workspace_id", "group_id"),
    )

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str
    document_id: str = Field(
        sa_column=Column(String, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False)
    )
    chunk_id: str
    chunk_hash: str
    ordinal: int
    group_id: str
    text: str = Field(sa_column=Column(SealableText, nullable=False))
    quote: str = Field(sa_column=Column(SealableText, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_column=Column(LargeBinary))


FACT_TEXTS = seal_rows_of(FactRow, "text", "quote")


class SummaryRow(TableRow, table=True):
    """What a model has written of a document as a whole. It is shown while `version` is the live one.

    `passages` is the digest of what the model was shown.
    """

    __tablename__ = "document_summaries"

    document_id: str = Field(
        sa_column=Column(String, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    )
    workspace_id: str
    version: int
    passages: str
    text: str = Field(sa_column=Column(SealableText, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_column=Column(LargeBinary))


SUMMARY_TEXTS = seal_rows_of(SummaryRow, "text")


class FactEntityRow(TableRow, table=True):
    """An entity as one fact names it. Who of several is one person is decided for each reader.

    `looked_up` is the folded family name, or the name of what is no person. `name_hash` is its hash, by
    which others are found.
    """

    __tablename__ = "fact_entities"
    __table_args__ = (
        Index("ix_fact_entities_fact", "fact_id"),
        Index("ix_fact_entities_name", "workspace_id", "name_hash"),
    )

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str
    fact_id: str = Field(sa_column=Column(String, ForeignKey("facts.id", ondelete="CASCADE"), nullable=False))
    kind: EntityKind = Field(sa_type=String)
    name_hash: str
    looked_up: str = Field(sa_column=Column(SealableText, nullable=False))
    name: str = Field(sa_column=Column(SealableText, nullable=False))
    role: str | None = Field(default=None, sa_column=Column(SealableText))
    organisation: str | None = Field(default=None, sa_column=Column(SealableText))
    address: str | None = Field(default=None, sa_column=Column(SealableText))
    sealed: bytes | None = Field(default=None, sa_column=Column(LargeBinary))


FACT_ENTITIES = seal_rows_of(
    FactEntityRow,
    "looked_up",
    "name",
    "role",
    "organisation",
    "address",
    hashes={"name_hash": "looked_up"},
)
