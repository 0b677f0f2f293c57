"""The secrets by which the systems of connectors say that they will sign."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0014"
down_revision = "ingest_0013"
branch_labels = None
depends_on = None

_TEXTS = ("offered_secret", "told_secret", "told_secret_before")
_MOMENTS = ("offered_at", "told_before_until")


def upgrade() -> None:
    for name in _TEXTS:
        op.add_column("connectors", sa.Column(name, sa.Text))
    for name in _MOMENTS:
        op.add_column("connectors", sa.Column(name, sa.DateTime(timezone=True)))


def downgrade() -> None:
    for name in (*_MOMENTS, *_TEXTS):
        op.drop_column("connectors", name)
