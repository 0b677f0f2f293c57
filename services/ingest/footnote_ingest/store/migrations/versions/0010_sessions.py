"""Anonymous uploads, which end with their session."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0010"
down_revision = "ingest_0009"
branch_labels = None
depends_on = None

EXPIRING = "expires_at IS NOT NULL AND deleted_at IS NULL"


def upgrade() -> None:
    op.add_column("documents", sa.Column("expires_at", sa.DateTime(timezone=True)))
    op.create_index(
        "ix_documents_expiring",
        "documents",
        ["expires_at"],
        sqlite_where=sa.text(EXPIRING),
        postgresql_where=sa.text(EXPIRING),
    )


def downgrade() -> None:
    op.drop_index("ix_documents_expiring", "documents")
    op.drop_column("documents", "expires_at")
