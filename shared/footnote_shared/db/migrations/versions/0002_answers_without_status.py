"""A stored answer keeps no status: its route knows it."""

import sqlalchemy as sa
from alembic import op

revision = "shared_0002"
down_revision = "shared_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("idempotency", "status")


def downgrade() -> None:
    op.add_column("idempotency", sa.Column("status", sa.Integer, nullable=False, server_default="200"))
