"""What an avatar's turns of a day have cost. Who writes without knowing the column adds nothing to it."""

import sqlalchemy as sa
from alembic import op

revision = "agent_0012"
down_revision = "agent_0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("usage_days", sa.Column("cost", sa.Double, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("usage_days", "cost")
