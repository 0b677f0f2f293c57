"""MCP servers whose tools a workspace has added."""

import sqlalchemy as sa
from alembic import op

from footnote_shared.db.sealed_rows import refuse_while_sealed

revision = "agent_0013"
down_revision = "agent_0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tool_servers",
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), primary_key=True),
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("url", sa.String, nullable=False),
        sa.Column("credential", sa.String, nullable=False),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("tools", sa.JSON, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    refuse_while_sealed(op.get_bind(), ["tool_servers"])
    op.drop_table("tool_servers")
