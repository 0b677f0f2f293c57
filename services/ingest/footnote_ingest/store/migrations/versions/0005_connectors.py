"""Connectors, their runs, items and web hooks; which connector a document came by, and who may read it."""

import sqlalchemy as sa
from alembic import op

revision = "ingest_0005"
down_revision = "ingest_0004"
branch_labels = None
depends_on = None

_OPEN = sa.text("ended_at IS NULL")
_COUNTS = ("seen", "new", "changed", "unchanged", "skipped", "failed", "deleted")


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.add_column("documents", sa.Column("connector_id", sa.String))
    op.add_column("documents", sa.Column("reader_groups", sa.JSON))
    op.create_index("ix_documents_connector", "documents", ["connector_id"])
    op.create_table(
        "document_groups",
        sa.Column(
            "document_id",
            sa.String,
            sa.ForeignKey("documents.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("name", sa.String, primary_key=True),
    )
    op.create_table(
        "connectors",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("avatar_id", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("folder", sa.String, nullable=False),
        sa.Column("config", sa.JSON, nullable=False),
        sa.Column("schedule_s", sa.Integer),
        sa.Column("credentials", sa.Text),
        sa.Column("hook_secret", sa.Text, nullable=False),
        sa.Column("hook_secret_before", sa.Text),
        sa.Column("hook_secret_before_until", moment),
        sa.Column("cursor", sa.Text),
        sa.Column("paused", sa.Boolean, nullable=False),
        sa.Column("problem", sa.Text),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("due_at", moment),
        sa.Column("asked_at", moment),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("updated_at", moment, nullable=False),
        sa.Column("deleted_at", moment),
    )
    op.create_index("ix_connectors_listing", "connectors", ["workspace_id", "id"])
    op.create_index("ix_connectors_due", "connectors", ["due_at"])
    op.create_table(
        "connector_runs",
        sa.Column("id", sa.String, primary_key=True),
        _connector(),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("trigger", sa.String, nullable=False),
        sa.Column("phase", sa.String, nullable=False),
        sa.Column("cursor", sa.Text),
        sa.Column("next_cursor", sa.Text),
        sa.Column("may_delete", sa.Integer),
        sa.Column("would_delete", sa.Integer),
        *(sa.Column(name, sa.Integer, nullable=False) for name in _COUNTS),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("notes", sa.JSON, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("started_at", moment),
        sa.Column("ended_at", moment),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("available_at", moment, nullable=False),
        sa.Column("dispatched_at", moment),
        sa.Column("lease_token", sa.String),
        sa.Column("lease_until", moment),
    )
    op.create_index("ix_connector_runs_listing", "connector_runs", ["connector_id", "id"])
    op.create_index(
        "uq_connector_runs_open",
        "connector_runs",
        ["connector_id"],
        unique=True,
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )
    op.create_table(
        "connector_items",
        _connector(primary_key=True),
        sa.Column("item_id", sa.String, primary_key=True),
        sa.Column("document_id", sa.String),
        sa.Column("revision", sa.Text),
        sa.Column("token", sa.Text),
        sa.Column("said_at", moment),
        sa.Column("seen_in", sa.String),
        sa.Column("skipped", sa.Text),
        sa.Column("touched_at", moment, nullable=False),
    )
    op.create_index("ix_connector_items_seen", "connector_items", ["connector_id", "seen_in"])
    op.create_table(
        "connector_changes",
        _connector(primary_key=True),
        sa.Column("item_id", sa.String, primary_key=True),
        sa.Column("event_id", sa.String, nullable=False),
        sa.Column("deleted", sa.Boolean, nullable=False),
        sa.Column("body", sa.Text),
        sa.Column("said_at", moment, nullable=False),
        sa.Column("received_at", moment, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("available_at", moment, nullable=False),
    )
    op.create_index("ix_connector_changes_due", "connector_changes", ["available_at"])
    op.create_table(
        "connector_events",
        _connector(primary_key=True),
        sa.Column("event_id", sa.String, primary_key=True),
        sa.Column("received_at", moment, nullable=False),
    )
    op.create_index("ix_connector_events_age", "connector_events", ["received_at"])


def downgrade() -> None:
    for table in (
        "connector_events",
        "connector_changes",
        "connector_items",
        "connector_runs",
        "connectors",
        "document_groups",
    ):
        op.drop_table(table)
    op.drop_index("ix_documents_connector", "documents")
    op.drop_column("documents", "reader_groups")
    op.drop_column("documents", "connector_id")


def _connector(*, primary_key: bool = False) -> "sa.Column[str]":
    return sa.Column(
        "connector_id",
        sa.String,
        sa.ForeignKey("connectors.id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )
