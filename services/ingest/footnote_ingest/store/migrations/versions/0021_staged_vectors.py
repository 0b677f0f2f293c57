"""The vectors of a short version on their way to the index, which are no blob any more.

A process of the release before finds no blob there, and has the texts embedded again.
"""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0021"
down_revision = "ingest_0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("document_versions", sa.Column("staged", sa.LargeBinary))


def downgrade() -> None:
    with op.batch_alter_table("document_versions") as table:
        table.drop_column("staged")
