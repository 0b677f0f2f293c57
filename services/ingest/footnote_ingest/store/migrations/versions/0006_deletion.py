"""What a deletion has removed, and documents that may not be deleted."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0006"
down_revision = "ingest_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("removed", sa.JSON))
    op.add_column("documents", sa.Column("legal_hold", sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("documents", "legal_hold")
    op.drop_column("documents", "removed")
