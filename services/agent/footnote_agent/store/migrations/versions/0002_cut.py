"""Why an answer ends before its end."""

import sqlalchemy as sa
from alembic import op

revision = "agent_0002"
down_revision = "agent_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("messages", sa.Column("cut", sa.String))


def downgrade() -> None:
    op.drop_column("messages", "cut")
