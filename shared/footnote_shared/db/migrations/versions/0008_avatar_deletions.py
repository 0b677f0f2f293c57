"""Deletions of avatars: what there is to remove of a person, and what was.

A process of the release before knows none: it would let a token of an issuer in while a deletion goes on.
"""

import sqlalchemy as sa
from alembic import op

revision = "shared_0008"
down_revision = "shared_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "avatar_deletions",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("gone_at", sa.DateTime(timezone=True)),
        sa.Column("removed", sa.JSON, nullable=False),
        sa.Column("turns", sa.JSON, nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True)),
        sa.Column("lease_until", sa.DateTime(timezone=True)),
        sa.Column("looks", sa.Integer, nullable=False),
        sa.Column("reason", sa.String),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("shared", sa.Boolean, nullable=False),
    )
    op.create_index("ix_avatar_deletions_due_at", "avatar_deletions", ["due_at"])
    op.create_index("ix_avatar_deletions_workspace_id", "avatar_deletions", ["workspace_id"])


def downgrade() -> None:
    op.drop_table("avatar_deletions")
