"""Which version's text another one takes over, so that a model is not asked again about the same bytes.

A process of the release before leaves it out, and asks.
"""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0019"
down_revision = "ingest_0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("document_versions", sa.Column("read_as", sa.Integer))


def downgrade() -> None:
    with op.batch_alter_table("document_versions") as table:
        table.drop_column("read_as")
