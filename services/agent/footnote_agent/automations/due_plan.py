"""What is done about the due moments that have come: one run, or a word on why there is none. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from footnote_agent.automations.schedule import Schedule
from footnote_agent.contracts.automations import AutomationTrigger, Missed

ON_TIME = timedelta(minutes=5)
"""A due moment was missed when nobody took it for longer than this. A restart takes less."""

LeftOut = Literal["missed", "busy"]


@dataclass(frozen=True, slots=True)
class DuePlan:
    """One run for all due moments up to `due_at`; `missed_since` is the first of them if there are more.

    `left_out` says why it does not run: its owner wants no run for what was missed, or another run goes on.
    `next_due_at` is None where the schedule has come to its end.
    """

    due_at: datetime
    missed_since: datetime | None
    trigger: AutomationTrigger
    left_out: LeftOut | None
    next_due_at: datetime | None


def plan_due(schedule: Schedule, first: datetime, moment: datetime, missed: Missed, *, busy: bool) -> DuePlan:
    """The plan for an automation whose next due moment was `first`, which has come by `moment`."""
    latest = schedule.latest(first, moment)
    late = moment - latest > ON_TIME
    left_out: LeftOut | None = None
    if late and missed == "skip":
        left_out = "missed"
    elif busy:
        left_out = "busy"
    return DuePlan(
        due_at=latest,
        missed_since=first if first < latest else None,
        trigger="missed" if late else "schedule",
        left_out=left_out,
        next_due_at=schedule.next_after(moment),
    )
