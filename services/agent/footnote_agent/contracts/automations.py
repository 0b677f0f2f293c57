"""Automations: a question with a schedule, and the runs that it has had (spec 5.10)."""

from typing import Any, Literal

from pydantic import Field

from footnote_shared.contracts.base import Moment, Request, WireModel
from footnote_shared.contracts.turns import Mention

Missed = Literal["run_once", "skip"]
AutomationTrigger = Literal["schedule", "missed", "call"]
AutomationRunStatus = Literal["queued", "running", "completed", "failed", "cancelled", "skipped"]

_SCHEDULE = (
    "Five fields of cron: minute, hour, day of the month, month, day of the week, such as `0 9 * * mon-fri`."
)
_ZONE = "The time zone in which the schedule is read, such as `Europe/Berlin`."
_MISSED = "What becomes of moments at which nobody was there: one run for all of them, or none."
_THREAD = "The thread in which answers land."


class NewAutomation(Request):
    """Body of `POST /v1/automations`. `text`, `mentions`, `preset` and `settings` are those of a turn."""

    name: str = Field(min_length=1, max_length=200)
    text: str = Field(min_length=1)
    mentions: list[Mention] = Field(default_factory=list, max_length=50)
    preset: str | None = None
    settings: dict[str, Any] | None = None
    schedule: str = Field(max_length=100, description=_SCHEDULE)
    time_zone: str = Field("UTC", max_length=100, description=_ZONE)
    missed: Missed = Field("run_once", description=_MISSED)
    thread_id: str | None = Field(
        None, max_length=100, description=f"{_THREAD} Absent: one of its own, made with the first run."
    )
    paused: bool = False


class AutomationChanges(Request):
    """Body of `PATCH /v1/automations/{id}`. A field that is absent changes nothing."""

    name: str | None = Field(None, min_length=1, max_length=200)
    text: str | None = Field(None, min_length=1)
    mentions: list[Mention] | None = Field(None, max_length=50)
    preset: str | None = Field(None, description="Empty: none.")
    settings: dict[str, Any] | None = None
    schedule: str | None = Field(None, max_length=100, description=_SCHEDULE)
    time_zone: str | None = Field(None, max_length=100, description=_ZONE)
    missed: Missed | None = Field(None, description=_MISSED)
    thread_id: str | None = Field(None, max_length=100, description=f"{_THREAD} Empty: one of its own.")
    paused: bool | None = Field(
        None, description="A paused automation runs only when asked. What passes meanwhile was not missed."
    )
    if_version: int | None = Field(
        None, ge=1, description="The version that was read. Another one since then is 409."
    )


class AutomationRun(WireModel):
    """One run of an automation, or one that was left out.

    `due_at` is the moment of the schedule, or when it was called for. With `missed_since`, moments from that
    one on had passed unnoticed, and this run stands for all of them.
    """

    id: str
    automation_id: str
    version: int = Field(description="The version of the automation that ran.")
    trigger: AutomationTrigger
    status: AutomationRunStatus
    reason: str | None = Field(None, description="Why it failed or was left out, and who has to act.")
    due_at: Moment
    missed_since: Moment | None = None
    thread_id: str | None = None
    turn_id: str | None = None
    created_at: Moment
    ended_at: Moment | None = None


class Automation(WireModel):
    """An automation as its owner sees it. Without `next_due_at` no run is to come by itself."""

    id: str
    name: str
    version: int
    text: str
    mentions: list[Mention] = Field(default_factory=list)
    preset: str | None = None
    settings: dict[str, Any] | None = None
    schedule: str
    time_zone: str
    missed: Missed
    thread_id: str | None = None
    paused: bool
    next_due_at: Moment | None = None
    last_run: AutomationRun | None = None
    created_at: Moment
    updated_at: Moment
