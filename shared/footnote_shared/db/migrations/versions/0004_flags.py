"""What a workspace sets for itself in place of the operator, and the log of such changes.

A process of the release before reads neither, and goes by its environment.
"""

import sqlalchemy as sa
from alembic import op

revision = "shared_0004"
down_revision = "shared_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "flag_overrides",
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("overrides", sa.JSON, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "audit_log",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("avatar_id", sa.String, nullable=False),
        sa.Column("action", sa.String, nullable=False),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("before", sa.JSON),
        sa.Column("after", sa.JSON),
    )
    op.create_index("ix_audit_log_workspace_id_id", "audit_log", ["workspace_id", "id"])


def downgrade() -> None:
    op.drop_table("audit_log")
    op.drop_table("flag_overrides")
