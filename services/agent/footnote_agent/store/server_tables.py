"""MCP servers of workspaces as they lie in SQL."""

from datetime import datetime
from typing import Any

from sqlalchemy import LargeBinary
from sqlmodel import Field

from footnote_shared.db.sealed_rows import SealableJson, SealableString, seal_rows_of
from footnote_shared.db.table_row import TableRow
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now


class ToolServerRow(TableRow, table=True):
    """A server of tools that a workspace has added. `tools` holds those that were allowed, as they were then.

    `credential` is sealed for this row by the key of credentials, and empty where there is none. Where
    encryption at rest is on, it is sealed by the key of its workspace too, and goes with that.
    """

    __tablename__ = "tool_servers"

    workspace_id: str = Field(foreign_key="workspaces.id", primary_key=True)
    name: str = Field(primary_key=True)
    url: str
    credential: str = Field(default="", sa_type=SealableString)
    enabled: bool = True
    tools: list[dict[str, Any]] = Field(default_factory=list, sa_type=SealableJson)
    sealed: bytes | None = Field(default=None, sa_type=LargeBinary)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    updated_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


SEALED_SERVERS = seal_rows_of(ToolServerRow, "credential", "tools")
