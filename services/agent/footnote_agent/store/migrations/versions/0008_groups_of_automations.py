"""The groups of the key by which an automation was last written. Until it is written again: none."""

import sqlalchemy as sa
from alembic import op

revision = "agent_0008"
down_revision = "agent_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("automations", sa.Column("groups", sa.JSON))


def downgrade() -> None:
    op.drop_column("automations", "groups")
