"""By what a version was cut, and workspaces whose documents are cut again."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0009"
down_revision = "ingest_0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("document_versions", sa.Column("cut_by", sa.String))
    op.create_table(
        "rechunk_requests",
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), primary_key=True),
        sa.Column("requested_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("rechunk_requests")
    op.drop_column("document_versions", "cut_by")
