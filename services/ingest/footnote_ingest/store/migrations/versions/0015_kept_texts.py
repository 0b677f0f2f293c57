"""How much the replaced texts of a document's versions take, and from which version on all see it."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0015"
down_revision = "ingest_0014"
branch_labels = None
depends_on = None

KEEPING = "kept_bytes > 0"


def upgrade() -> None:
    op.add_column("documents", sa.Column("open_from", sa.Integer, nullable=False, server_default="0"))
    op.add_column(
        "document_versions", sa.Column("kept_bytes", sa.BigInteger, nullable=False, server_default="0")
    )
    op.add_column(
        "document_versions", sa.Column("texts_gone", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.create_index(
        "ix_document_versions_kept",
        "document_versions",
        ["workspace_id", "live_at"],
        sqlite_where=sa.text(KEEPING),
        postgresql_where=sa.text(KEEPING),
    )
    # Until now a text that was replaced in place was not kept, so no earlier version is whole. Its removed
    # passages are there, and they count.
    op.execute(
        "UPDATE document_versions SET texts_gone = true WHERE version < "
        "(SELECT live_version FROM documents WHERE documents.id = document_versions.document_id)"
    )
    size = "length(CAST(text AS BLOB))" if op.get_bind().dialect.name == "sqlite" else "octet_length(text)"
    op.execute(
        "UPDATE document_versions SET kept_bytes = COALESCE("
        f"(SELECT sum({size} + COALESCE(length(sealed), 0)) FROM chunks "
        "WHERE chunks.document_id = document_versions.document_id "
        "AND chunks.version = document_versions.version AND retired_at IS NOT NULL), 0)"
    )


def downgrade() -> None:
    op.drop_index("ix_document_versions_kept", "document_versions")
    op.drop_column("document_versions", "texts_gone")
    op.drop_column("document_versions", "kept_bytes")
    op.drop_column("documents", "open_from")
