"""Threads, turns and messages as they lie in SQL."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Double, LargeBinary, Table
from sqlmodel import Field, SQLModel

from footnote_shared.db.sealed_rows import SealableJson, SealableString, SealableText, seal_rows_of
from footnote_shared.db.table_row import TableRow
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id


class ThreadRow(TableRow, table=True):
    """A conversation. `opened` says that the resolver knows it under the same id.

    `handles` holds, by letter, what the handles of the conversation stand for. `client_chat` is the
    fingerprint of the chat that a client of the OpenAI interface holds, while the thread has no more than it.
    """

    __tablename__ = "threads"

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    avatar_id: str = Field(foreign_key="avatars.id")
    title: str = Field(default="", sa_type=SealableString)
    opened: bool = False
    handles: dict[str, Any] = Field(default_factory=dict, sa_type=SealableJson)
    client_chat: str | None = None
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    updated_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)


class TurnRow(TableRow, table=True):
    """A turn and who works on it. `attempts` counts its runs, and is the fence against earlier ones."""

    __tablename__ = "turns"

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    avatar_id: str = Field(foreign_key="avatars.id")
    thread_id: str = Field(foreign_key="threads.id", ondelete="CASCADE")
    message_id: str = Field(default_factory=new_id)
    status: str = "running"
    engine: str
    model: str | None = None
    caller: dict[str, Any] = Field(sa_type=JSON)
    request: dict[str, Any] = Field(sa_type=SealableJson)
    settings_hash: str
    state: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    error: dict[str, Any] | None = Field(default=None, sa_type=JSON)
    attempts: int = 1
    lease_owner: str
    lease_until: datetime = Field(sa_type=UtcDateTime)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)


class MessageRow(TableRow, table=True):
    """A message. Ids sort by the time of the question, so an answer follows the question it belongs to.

    Since `shared_at` the whole workspace may read it, with the question before it.
    """

    __tablename__ = "messages"

    id: str = Field(default_factory=new_id, primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    avatar_id: str = Field(foreign_key="avatars.id")
    thread_id: str = Field(foreign_key="threads.id", ondelete="CASCADE")
    turn_id: str = Field(foreign_key="turns.id", ondelete="CASCADE")
    role: str
    text: str = Field(sa_type=SealableText)
    citations: list[dict[str, Any]] = Field(default_factory=list, sa_type=SealableJson)
    compliance: dict[str, Any] | None = Field(default=None, sa_type=SealableJson)
    verification: dict[str, Any] | None = Field(default=None, sa_type=SealableJson)
    cut: str | None = None
    retrieval_used: bool | None = None
    status: str = "completed"
    shared_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)


class MoveRow(TableRow, table=True):
    """A move of a turn: a reply of the model or the result of a tool, in the order of `position`."""

    __tablename__ = "turn_moves"

    turn_id: str = Field(foreign_key="turns.id", ondelete="CASCADE", primary_key=True)
    position: int = Field(primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    avatar_id: str = Field(foreign_key="avatars.id")
    thread_id: str = Field(foreign_key="threads.id", ondelete="CASCADE")
    move: dict[str, Any] = Field(sa_type=SealableJson)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)


class AnswerRecordRow(TableRow, table=True):
    """Why the answer of a turn is what it is (spec 5.9)."""

    __tablename__ = "answer_records"

    turn_id: str = Field(foreign_key="turns.id", ondelete="CASCADE", primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    avatar_id: str = Field(foreign_key="avatars.id")
    record: dict[str, Any] = Field(sa_type=SealableJson)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)


class UsageDayRow(TableRow, table=True):
    """What an avatar has asked on a day, `YYYY-MM-DD` in UTC. It outlives the turns that it counts."""

    __tablename__ = "usage_days"

    workspace_id: str = Field(foreign_key="workspaces.id", primary_key=True)
    day: str = Field(primary_key=True)
    avatar_id: str = Field(foreign_key="avatars.id", primary_key=True)
    turns: int = Field(default=0, sa_type=BigInteger)
    failed: int = Field(default=0, sa_type=BigInteger)
    input_tokens: int = Field(default=0, sa_type=BigInteger)
    output_tokens: int = Field(default=0, sa_type=BigInteger)
    cost: float = Field(default=0.0, sa_type=Double, sa_column_kwargs={"server_default": "0"})
    cost_unknown: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    partial: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})


class ApprovalRow(TableRow, table=True):
    """A call of a tool that a person is asked about. `approved` is None as long as nobody has answered.

    `arguments` is what the person is shown of them.
    """

    __tablename__ = "approvals"

    turn_id: str = Field(foreign_key="turns.id", ondelete="CASCADE", primary_key=True)
    call_id: str = Field(primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    avatar_id: str = Field(foreign_key="avatars.id")
    tool: str
    arguments: dict[str, Any] = Field(sa_type=SealableJson)
    asked_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    answered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    approved: bool | None = None
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)


class ToolSwitchRow(TableRow, table=True):
    """A tool that a workspace has switched off, or on again, or that asks first."""

    __tablename__ = "tool_switches"

    workspace_id: str = Field(foreign_key="workspaces.id", primary_key=True)
    tool: str = Field(primary_key=True)
    allowed: bool = True
    ask_first: bool = False
    updated_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


MOVES: Table = SQLModel.metadata.tables["turn_moves"]
MOVE_TEXTS = seal_rows_of(MoveRow, "move")
SEALED_TABLES = (
    seal_rows_of(ThreadRow, "title", "handles"),
    seal_rows_of(TurnRow, "request"),
    seal_rows_of(MessageRow, "text", "citations", "compliance", "verification"),
    MOVE_TEXTS,
    seal_rows_of(AnswerRecordRow, "record"),
    seal_rows_of(ApprovalRow, "arguments"),
)
