"""Access tokens of connectors, and who renews them at the moment."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0013"
down_revision = "ingest_0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("connectors", sa.Column("access", sa.Text))
    op.add_column("connectors", sa.Column("renewing_until", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("connectors", "renewing_until")
    op.drop_column("connectors", "access")
