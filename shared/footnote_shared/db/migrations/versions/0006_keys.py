"""The keys of encryption at rest, and how far it has come.

A process of the release before knows no key. Switch encryption on when none of them runs any more.
"""

import sqlalchemy as sa
from alembic import op

from footnote_shared.db.sealed_rows import refuse_while_sealed

revision = "shared_0006"
down_revision = "shared_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "wrapping_keys",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("wrapped", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("wrapped_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "workspace_keys",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("wrapped", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("destroyed_at", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_workspace_keys_workspace", "workspace_keys", ["workspace_id", "id"])
    op.create_table(
        "sealing",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("goal", sa.String, nullable=False),
        sa.Column("after", sa.Text),
        sa.Column("changed", sa.Integer, nullable=False),
        sa.Column("changed_in_pass", sa.Integer, nullable=False),
        sa.Column("done_for", sa.String, nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True)),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.add_column("idempotency", sa.Column("sealed", sa.LargeBinary))


def downgrade() -> None:
    refuse_while_sealed(op.get_bind(), ["idempotency"])
    op.drop_column("idempotency", "sealed")
    op.drop_table("sealing")
    op.drop_table("workspace_keys")
    op.drop_table("wrapping_keys")
