"""What a model has written of a document as a whole.

A process of the release before asks for none, and what is here then waits for its version to be live again.
"""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0020"
down_revision = "ingest_0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "document_summaries",
        sa.Column(
            "document_id", sa.String, sa.ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("passages", sa.String, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("sealed", sa.LargeBinary),
    )


def downgrade() -> None:
    op.drop_table("document_summaries")
