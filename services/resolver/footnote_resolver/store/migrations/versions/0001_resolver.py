"""Conversations, citation entries, what was shown to whom, turn streams."""

import sqlalchemy as sa
from alembic import op

revision = "resolver_0001"
down_revision = None
branch_labels = ("resolver",)
depends_on = "shared_0001"


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "conversations",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, nullable=False, index=True),
        sa.Column("avatar_id", sa.String, nullable=False),
        sa.Column("title", sa.String),
        sa.Column("next_n", sa.Integer, nullable=False),
        sa.Column("forked_from", sa.String),
        sa.Column("created_at", moment, nullable=False),
    )
    op.create_table(
        "citation_entries",
        sa.Column(
            "conversation_id",
            sa.String,
            sa.ForeignKey("conversations.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("source_key", sa.String, nullable=False),
        sa.Column("source_type", sa.String, nullable=False),
        sa.Column("locator", sa.JSON, nullable=False),
        sa.Column("display", sa.JSON, nullable=False),
        sa.Column("quote", sa.Text, nullable=False),
        sa.Column("span_start", sa.Integer),
        sa.Column("span_end", sa.Integer),
        sa.Column("content_hash", sa.String, nullable=False),
        sa.Column("source_version", sa.Integer),
        sa.Column("first_turn_id", sa.String),
        sa.Column("created_at", moment, nullable=False),
        sa.UniqueConstraint("conversation_id", "source_key", name="uq_citation_entries_key"),
    )
    op.create_table(
        "shown_passages",
        sa.Column(
            "conversation_id",
            sa.String,
            sa.ForeignKey("conversations.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("turn_id", sa.String, primary_key=True),
        sa.Column("agent", sa.String, primary_key=True),
        sa.Column("content_hash", sa.String, primary_key=True),
        sa.Column("text", sa.Text),
        sa.Column("shown_at", moment, nullable=False),
    )
    op.create_index("ix_shown_passages_turn", "shown_passages", ["conversation_id", "turn_id"])
    op.create_table(
        "turn_streams",
        sa.Column("turn_id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, nullable=False),
        sa.Column("conversation_id", sa.String, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("terminal_type", sa.String),
        sa.Column("terminal", sa.Text),
        sa.Column("started_at", moment, nullable=False),
        sa.Column("ended_at", moment),
    )
    op.create_index("ix_turn_streams_running", "turn_streams", ["status", "started_at"])


def downgrade() -> None:
    for table in ("turn_streams", "shown_passages", "citation_entries", "conversations"):
        op.drop_table(table)
