"""Deletions of whole workspaces: what there is to remove, and what was.

A process of the release before knows none: it would let a token of an issuer in while a deletion goes on.
"""

import sqlalchemy as sa
from alembic import op

revision = "shared_0007"
down_revision = "shared_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "workspace_deletions",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("gone_at", sa.DateTime(timezone=True)),
        sa.Column("removed", sa.JSON, nullable=False),
        sa.Column("turns", sa.JSON, nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True)),
        sa.Column("lease_until", sa.DateTime(timezone=True)),
        sa.Column("looks", sa.Integer, nullable=False),
        sa.Column("reason", sa.String),
    )
    op.create_index("ix_workspace_deletions_due_at", "workspace_deletions", ["due_at"])


def downgrade() -> None:
    op.drop_table("workspace_deletions")
