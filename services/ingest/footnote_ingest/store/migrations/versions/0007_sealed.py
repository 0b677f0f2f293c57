"""Where texts of chunks, and what web hooks have brought, are if they are encrypted.

A process of the release before does not look there. Switch encryption on when none of them runs any more.
"""

import sqlalchemy as sa
from alembic import op

from footnote_shared.db.sealed_rows import refuse_while_sealed

revision = "ingest_0007"
down_revision = "ingest_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("chunks", sa.Column("sealed", sa.LargeBinary))
    op.add_column("connector_changes", sa.Column("sealed", sa.LargeBinary))
    # What waits from before belongs to no workspace by this column: it is applied as it is.
    op.add_column(
        "connector_changes", sa.Column("workspace_id", sa.String, nullable=False, server_default="")
    )


def downgrade() -> None:
    refuse_while_sealed(op.get_bind(), ["chunks", "connector_changes"])
    op.drop_column("connector_changes", "workspace_id")
    op.drop_column("connector_changes", "sealed")
    op.drop_column("chunks", "sealed")
