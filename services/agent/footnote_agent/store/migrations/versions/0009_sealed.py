"""Where questions, messages and moves are, if they are encrypted.

A process of the release before does not look there. Switch encryption on when none of them runs any more.
"""

import sqlalchemy as sa
from alembic import op

from footnote_shared.db.sealed_rows import refuse_while_sealed

revision = "agent_0009"
down_revision = "agent_0008"
branch_labels = None
depends_on = None

_TABLES = ["threads", "turns", "messages", "turn_moves", "answer_records", "approvals", "automations"]


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("sealed", sa.LargeBinary))


def downgrade() -> None:
    refuse_while_sealed(op.get_bind(), _TABLES)
    for table in _TABLES:
        op.drop_column(table, "sealed")
