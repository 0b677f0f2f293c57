"""The language of a document, of a chunk and of its code. Rows that were there before know none."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0004"
down_revision = "ingest_0003"
branch_labels = None
depends_on = None

_COLUMNS = (("documents", "language"), ("chunks", "language"), ("chunks", "code_language"))


def upgrade() -> None:
    for table, name in _COLUMNS:
        op.add_column(table, sa.Column(name, sa.String, nullable=True))


def downgrade() -> None:
    for table, name in reversed(_COLUMNS):
        op.drop_column(table, name)
