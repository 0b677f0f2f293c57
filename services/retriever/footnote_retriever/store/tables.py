"""A workspace's own presets."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON
from sqlmodel import Field

from footnote_shared.db.table_row import TableRow
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now


class PresetRow(TableRow, table=True):
    """A named set of settings of one workspace."""

    __tablename__ = "presets"

    workspace_id: str = Field(foreign_key="workspaces.id", primary_key=True)
    name: str = Field(primary_key=True)
    settings: dict[str, Any] = Field(sa_type=JSON)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    updated_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
