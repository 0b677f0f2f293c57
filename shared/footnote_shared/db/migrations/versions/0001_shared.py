"""Workspaces, avatars, keys, idempotency."""

import sqlalchemy as sa
from alembic import op

revision = "shared_0001"
down_revision = None
branch_labels = ("shared",)
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "workspaces",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("created_at", moment, nullable=False),
    )
    op.create_table(
        "avatars",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False, index=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("created_at", moment, nullable=False),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False, index=True),
        sa.Column("avatar_id", sa.String, sa.ForeignKey("avatars.id"), nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("hash", sa.String, nullable=False, unique=True),
        sa.Column("hint", sa.String, nullable=False),
        sa.Column("scopes", sa.String, nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("revoked_at", moment),
    )
    op.create_table(
        "idempotency",
        sa.Column("workspace_id", sa.String, primary_key=True),
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("fingerprint", sa.String, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", moment, nullable=False, index=True),
    )


def downgrade() -> None:
    for table in ("idempotency", "api_keys", "avatars", "workspaces"):
        op.drop_table(table)
