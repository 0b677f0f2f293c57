"""Answers about automations. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime
from typing import Any

from pydantic import Field

from footnote_client.answer_model import AnswerModel


class AutomationRun(AnswerModel):
    """One run of an automation, or one that was left out.

    `due_at` is the moment of the schedule, or when it was called for. With `missed_since`, moments from that
    one on had passed unnoticed, and this run stands for all of them.
    """

    id: str
    automation_id: str
    version: int
    """The version of the automation that ran."""
    trigger: str
    """One of `schedule`, `missed`, `call`."""
    status: str
    """One of `queued`, `running`, `completed`, `failed`, `cancelled`, `skipped`."""
    reason: str | None = None
    """Why it failed or was left out, and who has to act."""
    due_at: datetime
    missed_since: datetime | None = None
    thread_id: str | None = None
    turn_id: str | None = None
    created_at: datetime
    ended_at: datetime | None = None


class Mention(AnswerModel):
    """A mention is scope and not content: nothing of it is fetched before the model asks (spec 5.3)."""

    type: str
    """One of `document`, `folder`, `connector`, `chat`."""
    id: str


class AutomationRunList(AnswerModel):
    """One page of AutomationRunList."""

    items: list[AutomationRun]
    next_cursor: str | None = None


class Automation(AnswerModel):
    """An automation as its owner sees it. Without `next_due_at` no run is to come by itself."""

    id: str
    name: str
    version: int
    text: str
    mentions: list[Mention] = Field(default_factory=list)
    preset: str | None = None
    settings: dict[str, Any] | None = Field(default_factory=dict)
    schedule: str
    time_zone: str
    missed: str
    """One of `run_once`, `skip`."""
    thread_id: str | None = None
    paused: bool
    next_due_at: datetime | None = None
    last_run: AutomationRun | None = None
    created_at: datetime
    updated_at: datetime


class AutomationList(AnswerModel):
    """One page of AutomationList."""

    items: list[Automation]
    next_cursor: str | None = None
