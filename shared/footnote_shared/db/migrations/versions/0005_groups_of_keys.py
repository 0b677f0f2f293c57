"""The groups that the bearer of a key is in.

A process of the release before reads and writes none: to it nobody is in a group.
"""

import sqlalchemy as sa
from alembic import op

revision = "shared_0005"
down_revision = "shared_0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("groups", sa.JSON))


def downgrade() -> None:
    op.drop_column("api_keys", "groups")
