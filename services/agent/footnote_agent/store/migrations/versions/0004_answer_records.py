"""Answer records in a table of their own, answers that rest on evidence, and chats that clients hold.

What `turns.state` holds of older answers becomes their record.
"""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "agent_0004"
down_revision = "agent_0003"
branch_labels = None
depends_on = None

_AT_ONCE = 500


def upgrade() -> None:
    op.add_column("messages", sa.Column("retrieval_used", sa.Boolean))
    op.add_column("threads", sa.Column("client_chat", sa.String))
    op.create_index("ix_threads_client_chat", "threads", ["avatar_id", "client_chat"])
    records = op.create_table(
        "answer_records",
        sa.Column("turn_id", sa.String, sa.ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("avatar_id", sa.String, sa.ForeignKey("avatars.id"), nullable=False),
        sa.Column("record", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    _move(records)


def _move(records: sa.Table) -> None:
    connection = op.get_bind()
    columns = ("id", "thread_id", "message_id", "workspace_id", "avatar_id", "status", "engine", "model")
    turns = sa.table(
        "turns",
        *(sa.column(name, sa.String) for name in (*columns, "settings_hash")),
        sa.column("state", sa.JSON),
        sa.column("created_at", sa.DateTime(timezone=True)),
        sa.column("ended_at", sa.DateTime(timezone=True)),
    )
    last = ""
    query = sa.select(turns).where(turns.c.status != "running").order_by(turns.c.id).limit(_AT_ONCE)
    while rows := connection.execute(query.where(turns.c.id > last)).all():
        connection.execute(records.insert(), [_record(row) for row in rows])
        last = rows[-1].id


def _record(row: Any) -> dict[str, Any]:
    ended_at = row.ended_at or row.created_at
    return {
        "turn_id": row.id,
        "workspace_id": row.workspace_id,
        "avatar_id": row.avatar_id,
        "created_at": ended_at,
        "record": {
            **(row.state.get("record") or {}),
            "turn_id": row.id,
            "thread_id": row.thread_id,
            "message_id": row.message_id,
            "status": row.status,
            "engine": row.engine,
            "model": row.model,
            "settings_hash": row.settings_hash,
            "created_at": _in_utc(row.created_at),
            "ended_at": _in_utc(ended_at),
        },
    }


def _in_utc(moment: datetime) -> str:
    """SQLite keeps moments in UTC and does not say so."""
    return moment.replace(tzinfo=moment.tzinfo or UTC).isoformat()


def downgrade() -> None:
    op.drop_table("answer_records")
    op.drop_index("ix_threads_client_chat", "threads")
    op.drop_column("threads", "client_chat")
    op.drop_column("messages", "retrieval_used")
