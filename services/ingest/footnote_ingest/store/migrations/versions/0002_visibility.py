"""Who sees a document, and whether its points know."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0002"
down_revision = "ingest_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for column in (
        sa.Column("visibility", sa.String, nullable=False, server_default="workspace"),
        sa.Column("withheld_at", sa.DateTime(timezone=True)),
        sa.Column("points_lag", sa.Boolean, nullable=False, server_default=sa.false()),
    ):
        op.add_column("documents", column)


def downgrade() -> None:
    for name in ("points_lag", "withheld_at", "visibility"):
        op.drop_column("documents", name)
