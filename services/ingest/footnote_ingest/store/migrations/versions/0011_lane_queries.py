"""The queries that a version of a lane is compared by, in a table of their own that can be encrypted.

Column `queries` of `lane_versions` stays for processes of the release before, which find it empty.
"""

import sqlalchemy as sa
from alembic import op

from footnote_shared.db.sealed_rows import refuse_while_sealed

revision = "ingest_0011"
down_revision = "ingest_0010"
branch_labels = None
depends_on = None

_VERSIONS = sa.table(
    "lane_versions", sa.column("id"), sa.column("workspace_id"), sa.column("queries", sa.JSON)
)
_QUERIES = sa.table(
    "lane_queries", sa.column("version_id"), sa.column("workspace_id"), sa.column("queries", sa.JSON)
)


def upgrade() -> None:
    made = op.create_table(
        "lane_queries",
        sa.Column("version_id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("queries", sa.JSON, nullable=False),
        sa.Column("sealed", sa.LargeBinary),
    )
    connection = op.get_bind()
    rows = connection.execute(sa.select(_VERSIONS.c.id, _VERSIONS.c.workspace_id, _VERSIONS.c.queries))
    given = [
        {"version_id": row.id, "workspace_id": row.workspace_id, "queries": row.queries}
        for row in rows
        if row.queries
    ]
    if given:
        connection.execute(sa.insert(made), given)
        connection.execute(sa.update(_VERSIONS).values(queries=[]))
    with op.batch_alter_table("lane_versions") as batch:
        batch.alter_column("queries", existing_type=sa.JSON, existing_nullable=False, server_default="[]")


def downgrade() -> None:
    connection = op.get_bind()
    refuse_while_sealed(connection, ["lane_queries"])
    for row in connection.execute(sa.select(_QUERIES.c.version_id, _QUERIES.c.queries)).all():
        mine = sa.update(_VERSIONS).where(_VERSIONS.c.id == row.version_id)
        connection.execute(mine.values(queries=row.queries))
    with op.batch_alter_table("lane_versions") as batch:
        batch.alter_column("queries", existing_type=sa.JSON, existing_nullable=False, server_default=None)
    op.drop_table("lane_queries")
