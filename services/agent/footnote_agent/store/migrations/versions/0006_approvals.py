"""Calls that wait for a person's word, and tools that ask first."""

import sqlalchemy as sa
from alembic import op

revision = "agent_0006"
down_revision = "agent_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "approvals",
        sa.Column("turn_id", sa.String, sa.ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("call_id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("avatar_id", sa.String, sa.ForeignKey("avatars.id"), nullable=False),
        sa.Column("tool", sa.String, nullable=False),
        sa.Column("arguments", sa.JSON, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True)),
        sa.Column("approved", sa.Boolean),
    )
    op.add_column(
        "tool_switches", sa.Column("ask_first", sa.Boolean, nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    op.drop_column("tool_switches", "ask_first")
    op.drop_table("approvals")
