"""The versions of lanes, and what each still has to learn."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0008"
down_revision = "ingest_0007"
branch_labels = None
depends_on = None

_COUNTS = ("documents", "documents_total", "chunks", "chunks_total", "embedded")


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "lanes",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("live", sa.Integer, nullable=False),
        sa.Column("closed", sa.Boolean, nullable=False),
        sa.Column("kept", sa.JSON, nullable=False),
    )
    op.create_table(
        "lane_versions",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("lane", sa.String, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("query_prefix", sa.String, nullable=False),
        sa.Column("document_prefix", sa.String, nullable=False),
        sa.Column("fingerprint", sa.JSON),
        sa.Column("terms", sa.Integer),
        sa.Column("queries", sa.JSON, nullable=False),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("go", sa.Boolean, nullable=False),
        sa.Column("min_overlap", sa.Float, nullable=False),
        sa.Column("cursor", sa.String, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in _COUNTS),
        sa.Column("rate", sa.Float),
        sa.Column("checks", sa.JSON),
        sa.Column("reason", sa.Text),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("live_at", moment),
        sa.Column("ended_at", moment),
        sa.Column("dropped_at", moment),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("available_at", moment, nullable=False),
        sa.Column("dispatched_at", moment),
        sa.Column("lease_token", sa.String),
        sa.Column("lease_until", moment),
        sa.UniqueConstraint("lane", "number", name="uq_lane_versions_number"),
    )
    op.create_table(
        "lane_changes",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("lane", sa.String, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("document_id", sa.String, nullable=False),
    )
    op.create_index("ix_lane_changes_version", "lane_changes", ["lane", "number", "id"])


def downgrade() -> None:
    op.drop_table("lane_changes")
    op.drop_table("lane_versions")
    op.drop_table("lanes")
