"""Folders, documents and the work on them, versions, chunks, timeline, index generations."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0001"
down_revision = None
branch_labels = ("ingest",)
depends_on = "shared_0001"


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "folders",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("path", sa.String, nullable=False),
        sa.Column("parent_id", sa.String, sa.ForeignKey("folders.id")),
        sa.Column("created_at", moment, nullable=False),
        sa.UniqueConstraint("workspace_id", "path", name="uq_folders_path"),
    )
    op.create_table(
        "documents",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("avatar_id", sa.String, nullable=False),
        sa.Column("folder_id", sa.String, sa.ForeignKey("folders.id")),
        sa.Column("parent_id", sa.String),
        sa.Column("identity", sa.String, nullable=False),
        sa.Column("external_id", sa.String),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("title_given", sa.Boolean, nullable=False),
        sa.Column("filename", sa.String, nullable=False),
        sa.Column("mime", sa.String, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.String, nullable=False),
        sa.Column("source_type", sa.String, nullable=False),
        sa.Column("url", sa.String),
        sa.Column("metadata", sa.JSON, nullable=False),
        sa.Column("is_public", sa.Boolean, nullable=False),
        sa.Column("session_id", sa.String),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("live_version", sa.Integer),
        sa.Column("chunk_count", sa.Integer, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("error_stage", sa.String),
        sa.Column("error_code", sa.String),
        sa.Column("error_reason", sa.Text),
        sa.Column("error_retryable", sa.Boolean),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("updated_at", moment, nullable=False),
        sa.Column("accepted_at", moment, nullable=False),
        sa.Column("stage_since", moment, nullable=False),
        sa.Column("indexed_at", moment),
        sa.Column("deleted_at", moment),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("waits", sa.Integer, nullable=False),
        sa.Column("last_code", sa.String),
        sa.Column("last_reason", sa.Text),
        sa.Column("available_at", moment, nullable=False),
        sa.Column("dispatched_at", moment),
        sa.Column("lease_token", sa.String),
        sa.Column("lease_until", moment),
        sa.Column("settle_at", moment),
        sa.UniqueConstraint("workspace_id", "identity", name="uq_documents_identity"),
    )
    op.create_index("ix_documents_listing", "documents", ["workspace_id", "id"])
    op.create_index("ix_documents_status", "documents", ["workspace_id", "status"])
    op.create_index("ix_documents_folder", "documents", ["folder_id"])
    op.create_index("ix_documents_parent", "documents", ["parent_id"])
    for name, columns, condition in (
        ("ix_documents_undispatched", ["workspace_id", "id"], "status = 'queued' AND dispatched_at IS NULL"),
        ("ix_documents_in_flight", ["workspace_id", "status", "lease_until"], "dispatched_at IS NOT NULL"),
        ("ix_documents_unsettled", ["settle_at"], "settle_at IS NOT NULL"),
        (
            "ix_documents_unended",
            ["accepted_at"],
            "status NOT IN ('indexed', 'failed', 'skipped', 'deleting', 'deleted')",
        ),
    ):
        where = sa.text(condition)
        op.create_index(name, "documents", columns, sqlite_where=where, postgresql_where=where)
    op.create_table(
        "document_versions",
        sa.Column(
            "document_id", sa.String, sa.ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("filename", sa.String, nullable=False),
        sa.Column("mime", sa.String, nullable=False),
        sa.Column("declared_mime", sa.String, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.String, nullable=False),
        sa.Column("needs_bytes", sa.Boolean, nullable=False),
        sa.Column("lane_digest", sa.String),
        sa.Column("pages", sa.Integer),
        sa.Column("warnings", sa.JSON, nullable=False),
        sa.Column("accepted_at", moment, nullable=False),
        sa.Column("live_at", moment),
    )
    op.create_index("ix_document_versions_bytes", "document_versions", ["workspace_id", "sha256"])
    op.create_table(
        "chunks",
        sa.Column("chunk_id", sa.String, primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column(
            "document_id", sa.String, sa.ForeignKey("documents.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("embed_prefix", sa.Text, nullable=False),
        sa.Column("text_hash", sa.String, nullable=False),
        sa.Column("embed_hash", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("heading_path", sa.JSON, nullable=False),
        sa.Column("page_start", sa.Integer),
        sa.Column("page_end", sa.Integer),
        sa.Column("char_start", sa.Integer, nullable=False),
        sa.Column("char_end", sa.Integer, nullable=False),
        sa.Column("policy", sa.String, nullable=False),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.Column("retired_at", moment),
    )
    op.create_index("ix_chunks_document", "chunks", ["document_id", "version", "ordinal"])
    op.create_index("ix_chunks_reuse", "chunks", ["workspace_id", "embed_hash"])
    op.create_table(
        "document_timeline",
        sa.Column(
            "document_id", sa.String, sa.ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("at", moment, nullable=False),
        sa.Column("duration_ms", sa.Float),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("detail", sa.Text),
    )
    op.create_table(
        "index_generations",
        sa.Column("workspace_id", sa.String, primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    for table in (
        "index_generations",
        "document_timeline",
        "chunks",
        "document_versions",
        "documents",
        "folders",
    ):
        op.drop_table(table)
