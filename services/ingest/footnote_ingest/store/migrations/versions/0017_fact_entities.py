"""Whom and what facts name."""

import sqlalchemy as sa
from alembic import op

from footnote_shared.db.sealed_rows import refuse_while_sealed

revision = "ingest_0017"
down_revision = "ingest_0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "fact_entities",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("fact_id", sa.String, sa.ForeignKey("facts.id", ondelete="CASCADE"), nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("name_hash", sa.String, nullable=False),
        sa.Column("looked_up", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text),
        sa.Column("organisation", sa.Text),
        sa.Column("address", sa.Text),
        sa.Column("sealed", sa.LargeBinary),
    )
    op.create_index("ix_fact_entities_fact", "fact_entities", ["fact_id"])
    op.create_index("ix_fact_entities_name", "fact_entities", ["workspace_id", "name_hash"])


def downgrade() -> None:
    refuse_while_sealed(op.get_bind(), ["fact_entities"])
    op.drop_table("fact_entities")
