"""Turns and tokens of each avatar, a row for each day on which it asked."""

import sqlalchemy as sa
from alembic import op

revision = "agent_0010"
down_revision = "agent_0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "usage_days",
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), primary_key=True),
        sa.Column("day", sa.String, primary_key=True),
        sa.Column("avatar_id", sa.String, sa.ForeignKey("avatars.id"), primary_key=True),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in ("turns", "failed", "input_tokens", "output_tokens")
        ),
    )


def downgrade() -> None:
    op.drop_table("usage_days")
