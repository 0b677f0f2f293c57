"""Facts of documents, and the work of reading them."""

import sqlalchemy as sa
from alembic import op

from footnote_shared.db.sealed_rows import refuse_while_sealed

revision = "ingest_0012"
down_revision = "ingest_0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    document = ("documents.id",)
    op.create_table(
        "fact_jobs",
        sa.Column("document_id", sa.String, sa.ForeignKey(*document, ondelete="CASCADE"), primary_key=True),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("classification", sa.String, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("passages", sa.String),
        sa.Column("lane_digest", sa.String),
        sa.Column("reason", sa.Text),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("available_at", moment, nullable=False),
        sa.Column("dispatched_at", moment),
        sa.Column("lease_token", sa.String),
        sa.Column("lease_until", moment),
    )
    op.create_index("ix_fact_jobs_due", "fact_jobs", ["status", "available_at"])
    op.create_table(
        "facts",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("document_id", sa.String, sa.ForeignKey(*document, ondelete="CASCADE"), nullable=False),
        sa.Column("chunk_id", sa.String, nullable=False),
        sa.Column("chunk_hash", sa.String, nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("group_id", sa.String, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("quote", sa.Text, nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("sealed", sa.LargeBinary),
    )
    op.create_index("ix_facts_document", "facts", ["document_id"])
    op.create_index("ix_facts_chunk", "facts", ["chunk_id"])
    op.create_index("ix_facts_group", "facts", ["workspace_id", "group_id"])


def downgrade() -> None:
    refuse_while_sealed(op.get_bind(), ["facts"])
    op.drop_table("facts")
    op.drop_table("fact_jobs")
