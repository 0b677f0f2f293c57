"""An idempotency key belongs to an avatar.

Whose a kept answer was cannot be told any more, so the answers of the last 24 hours are forgotten. A process
of the release before, which names no avatar, can go on keeping answers.
"""

import sqlalchemy as sa
from alembic import op

revision = "shared_0003"
down_revision = "shared_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("idempotency")
    _create(sa.Column("avatar_id", sa.String, primary_key=True, server_default=""))


def downgrade() -> None:
    op.drop_table("idempotency")
    _create()


def _create(*more: sa.Column[str]) -> None:
    op.create_table(
        "idempotency",
        sa.Column("workspace_id", sa.String, primary_key=True),
        *more,
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("fingerprint", sa.String, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )
