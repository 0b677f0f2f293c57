"""Automations and their runs."""

import sqlalchemy as sa
from alembic import op

revision = "agent_0007"
down_revision = "agent_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "automations",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("avatar_id", sa.String, sa.ForeignKey("avatars.id"), nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("request", sa.JSON, nullable=False),
        sa.Column("schedule", sa.String, nullable=False),
        sa.Column("time_zone", sa.String, nullable=False),
        sa.Column("missed", sa.String, nullable=False),
        sa.Column("thread_id", sa.String, sa.ForeignKey("threads.id", ondelete="SET NULL"), index=True),
        sa.Column("own_thread", sa.Boolean, nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("paused", sa.Boolean, nullable=False),
        sa.Column("next_due_at", moment, index=True),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("updated_at", moment, nullable=False),
    )
    op.create_index("ix_automations_listing", "automations", ["workspace_id", "avatar_id", "id"])
    op.create_table(
        "automation_runs",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("avatar_id", sa.String, sa.ForeignKey("avatars.id"), nullable=False),
        sa.Column(
            "automation_id", sa.String, sa.ForeignKey("automations.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("trigger", sa.String, nullable=False),
        sa.Column("due_key", sa.String, nullable=False),
        sa.Column("due_at", moment, nullable=False),
        sa.Column("missed_since", moment),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("reason", sa.String),
        sa.Column("thread_id", sa.String),
        sa.Column("turn_id", sa.String, sa.ForeignKey("turns.id", ondelete="SET NULL"), index=True),
        sa.Column("takes", sa.Integer, nullable=False),
        sa.Column("lost", sa.Integer, nullable=False),
        sa.Column("lease_owner", sa.String),
        sa.Column("lease_until", moment, nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("ended_at", moment),
        sa.UniqueConstraint("automation_id", "due_key", name="uq_automation_runs_due"),
    )
    op.create_index("ix_automation_runs_open", "automation_runs", ["status", "lease_until"])
    op.create_index("ix_automation_runs_listing", "automation_runs", ["automation_id", "id"])


def downgrade() -> None:
    op.drop_table("automation_runs")
    op.drop_table("automations")
