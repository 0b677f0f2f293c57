"""The resolver's tables. SQL is the truth of registries and of how turns ended.

Redis only carries the streams.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    ScalarSelect,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy import select as sql_select
from sqlmodel import Field, SQLModel

from footnote_shared.db.sealed_rows import SealableString, SealedColumns, seal_rows_of
from footnote_shared.db.table_row import TableRow
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id


class ConversationRow(TableRow, table=True):
    """The scope of numbering. Numbers 1 to `next_n - 1` are issued, without gaps; `next_n` only grows."""

    __tablename__ = "conversations"

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(index=True)
    avatar_id: str
    title: str | None = Field(default=None, sa_type=SealableString)
    next_n: int = 1
    forked_from: str | None = None
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)


class CitationEntryRow(TableRow, table=True):
    """What a number stands for, for ever: no column is ever updated.

    `quote` is the passage as it was first shown.
    """

    __tablename__ = "citation_entries"
    __table_args__ = (UniqueConstraint("conversation_id", "source_key", name="uq_citation_entries_key"),)

    conversation_id: str = Field(
        sa_column=Column(String, ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True)
    )
    n: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    source_key: str
    source_type: str
    locator: dict[str, str] = Field(sa_column=Column(JSON, nullable=False))
    display: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    quote: str = Field(sa_column=Column(Text, nullable=False))
    span_start: int | None = None
    span_end: int | None = None
    content_hash: str
    source_version: int | None = None
    first_turn_id: str | None = None
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)


class ShownRow(TableRow, table=True):
    """A showing of a unit to an agent in a turn. `text` is set where it differs from the entry's quote."""

    __tablename__ = "shown_passages"
    __table_args__ = (Index("ix_shown_passages_turn", "conversation_id", "turn_id"),)

    conversation_id: str = Field(
        sa_column=Column(String, ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True)
    )
    n: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    turn_id: str = Field(primary_key=True)
    agent: str = Field(primary_key=True)
    content_hash: str = Field(primary_key=True)
    text: str | None = Field(default=None, sa_column=Column(Text))
    shown_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)


class TurnStreamRow(TableRow, table=True):
    """A turn whose stream we serve.

    `terminal` is its one terminal event. The row decides races between resolvers.
    """

    __tablename__ = "turn_streams"
    __table_args__ = (Index("ix_turn_streams_running", "status", "started_at"),)

    turn_id: str = Field(primary_key=True)
    workspace_id: str
    conversation_id: str
    status: str = "running"
    terminal_type: str | None = None
    terminal: str | None = Field(default=None, sa_column=Column(Text))
    started_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)


CONVERSATIONS: Table = SQLModel.metadata.tables["conversations"]
ENTRIES: Table = SQLModel.metadata.tables["citation_entries"]
SHOWN: Table = SQLModel.metadata.tables["shown_passages"]
TURN_STREAMS: Table = SQLModel.metadata.tables["turn_streams"]


def _owner(table: Table) -> ScalarSelect[str]:
    """The workspace of a row's conversation."""
    owner = sql_select(CONVERSATIONS.c.workspace_id).where(CONVERSATIONS.c.id == table.c.conversation_id)
    return owner.correlate(table).scalar_subquery()


TITLES = seal_rows_of(ConversationRow, "title")
ENTRY_TEXTS = SealedColumns(ENTRIES, ("quote", "display"), _owner(ENTRIES), hashes={"content_hash": "quote"})
SHOWN_TEXTS = SealedColumns(SHOWN, ("text",), _owner(SHOWN), hashes={"content_hash": "text"})
TERMINALS = SealedColumns(TURN_STREAMS, ("terminal",))
