"""A sample of what was searched for, to compare versions of a lane by."""

import sqlalchemy as sa
from alembic import op

from footnote_shared.db.sealed_rows import refuse_while_sealed

revision = "ingest_0018"
down_revision = "ingest_0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recorded_queries",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sealed", sa.LargeBinary),
    )
    op.create_index("ix_recorded_queries_workspace", "recorded_queries", ["workspace_id", "asked_at"])


def downgrade() -> None:
    refuse_while_sealed(op.get_bind(), ["recorded_queries"])
    op.drop_table("recorded_queries")
