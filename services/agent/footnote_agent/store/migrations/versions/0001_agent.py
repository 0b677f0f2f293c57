"""Threads, turns, messages."""

import sqlalchemy as sa
from alembic import op

revision = "agent_0001"
down_revision = None
branch_labels = ("agent",)
depends_on = "shared_0001"


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "threads",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("avatar_id", sa.String, sa.ForeignKey("avatars.id"), nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("opened", sa.Boolean, nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("updated_at", moment, nullable=False),
    )
    op.create_index("ix_threads_listing", "threads", ["workspace_id", "avatar_id", "updated_at", "id"])
    op.create_table(
        "turns",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("avatar_id", sa.String, sa.ForeignKey("avatars.id"), nullable=False),
        sa.Column(
            "thread_id",
            sa.String,
            sa.ForeignKey("threads.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("message_id", sa.String, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("engine", sa.String, nullable=False),
        sa.Column("model", sa.String),
        sa.Column("caller", sa.JSON, nullable=False),
        sa.Column("request", sa.JSON, nullable=False),
        sa.Column("settings_hash", sa.String, nullable=False),
        sa.Column("state", sa.JSON, nullable=False),
        sa.Column("error", sa.JSON),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("lease_owner", sa.String, nullable=False),
        sa.Column("lease_until", moment, nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("ended_at", moment),
    )
    op.create_index("ix_turns_leases", "turns", ["status", "lease_until"])
    op.create_index("ix_turns_in_flight", "turns", ["workspace_id", "status"])
    op.create_table(
        "messages",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("avatar_id", sa.String, sa.ForeignKey("avatars.id"), nullable=False),
        sa.Column("thread_id", sa.String, sa.ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
        sa.Column("turn_id", sa.String, sa.ForeignKey("turns.id", ondelete="CASCADE"), nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("citations", sa.JSON, nullable=False),
        sa.Column("compliance", sa.JSON),
        sa.Column("verification", sa.JSON),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.UniqueConstraint("turn_id", "role", name="uq_messages_turn_role"),
    )
    op.create_index("ix_messages_thread", "messages", ["thread_id", "id"])


def downgrade() -> None:
    for table in ("messages", "turns", "threads"):
        op.drop_table(table)
