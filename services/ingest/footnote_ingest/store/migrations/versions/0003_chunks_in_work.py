"""How long the version in work is, by which embedding takes the shortest first."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0003"
down_revision = "ingest_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("chunks_in_work", sa.Integer, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("documents", "chunks_in_work")
