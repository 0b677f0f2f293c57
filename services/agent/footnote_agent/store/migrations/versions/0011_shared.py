"""Since when an answer may be read by its whole workspace."""

import sqlalchemy as sa
from alembic import op

revision = "agent_0011"
down_revision = "agent_0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("messages", sa.Column("shared_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("messages", "shared_at")
