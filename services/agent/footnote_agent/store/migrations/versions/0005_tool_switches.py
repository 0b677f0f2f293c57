"""Tools that a workspace has switched off."""

import sqlalchemy as sa
from alembic import op

revision = "agent_0005"
down_revision = "agent_0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tool_switches",
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), primary_key=True),
        sa.Column("tool", sa.String, primary_key=True),
        sa.Column("allowed", sa.Boolean, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("tool_switches")
