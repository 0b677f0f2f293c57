"""Presets of a workspace."""

import sqlalchemy as sa
from alembic import op

revision = "retriever_0001"
down_revision = None
branch_labels = ("retriever",)
depends_on = "shared_0001"


def upgrade() -> None:
    op.create_table(
        "presets",
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), primary_key=True),
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("presets")
