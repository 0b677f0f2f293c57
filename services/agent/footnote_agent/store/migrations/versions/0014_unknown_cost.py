"""Turns whose cost or tokens are not all known. Who writes without these columns adds nothing to them."""

import sqlalchemy as sa
from alembic import op

revision = "agent_0014"
down_revision = "agent_0013"
branch_labels = None
depends_on = None

_COUNTS = ("cost_unknown", "partial")


def upgrade() -> None:
    for name in _COUNTS:
        op.add_column("usage_days", sa.Column(name, sa.BigInteger, nullable=False, server_default="0"))


def downgrade() -> None:
    for name in _COUNTS:
        op.drop_column("usage_days", name)
