"""What a turn has done so far, and the handles of a conversation."""

import sqlalchemy as sa
from alembic import op

revision = "agent_0003"
down_revision = "agent_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("threads", sa.Column("handles", sa.JSON, nullable=False, server_default="{}"))
    op.create_table(
        "turn_moves",
        sa.Column("turn_id", sa.String, sa.ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("avatar_id", sa.String, sa.ForeignKey("avatars.id"), nullable=False),
        sa.Column(
            "thread_id",
            sa.String,
            sa.ForeignKey("threads.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("move", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("turn_moves")
    op.drop_column("threads", "handles")
