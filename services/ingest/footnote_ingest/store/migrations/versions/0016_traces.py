"""The trace that a document was handed in with, so that all of its stages stand in it."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0016"
down_revision = "ingest_0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("traceparent", sa.String))


def downgrade() -> None:
    op.drop_column("documents", "traceparent")
