"""Whatever the schedule, the zone and the outages: each due moment has one run at most (spec 5.10)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from footnote_agent.automations.due_plan import ON_TIME, DuePlan, plan_due
from footnote_agent.automations.schedule import Schedule, read_schedule
from footnote_agent.contracts.automations import Missed
from footnote_shared.kernel.clock import UTC
from tests.properties.effort import examples

MINUTES = st.one_of(st.sampled_from(["0", "*/15", "*/20", "30", "15,45", "59"]), st.integers(0, 59).map(str))
HOURS = st.sampled_from(["*", "*/6", "0", "1", "2", "2,3", "1-3", "23", "0,12"])
DAYS = st.sampled_from(["* * *", "* * mon-fri", "* * sun", "1 * *", "L * *", "25-31 3,10 *"])
SCHEDULES = st.builds(
    read_schedule,
    st.builds("{} {} {}".format, MINUTES, HOURS, DAYS),
    st.sampled_from(
        [
            "UTC",
            "Europe/Berlin",
            "America/New_York",
            "America/Havana",
            "Africa/Cairo",
            "Asia/Kathmandu",
            "Australia/Lord_Howe",
            "America/St_Johns",
        ]
    ),
)
# A day or two before clocks change somewhere.
STARTS = st.sampled_from(["2026-03-07", "2026-03-27", "2026-04-03", "2026-10-23", "2026-10-30"]).map(
    lambda day: datetime.fromisoformat(day).replace(tzinfo=UTC)
)
PAUSES = st.lists(
    st.one_of(st.integers(1, 4), st.integers(5, 60), st.integers(60, 3 * 1440)), min_size=1, max_size=40
)
"""Minutes between two looks: a process that is there, one that starts again, and outages."""


def looks(schedule: Schedule, start: datetime, pauses: list[int], missed: Missed) -> Iterator[DuePlan]:
    """What is done about one automation by a process that looks behind each of the pauses."""
    coming, moment = schedule.next_after(start), start
    for minutes in pauses:
        moment += timedelta(minutes=minutes)
        if coming is not None and coming <= moment:
            plan = plan_due(schedule, coming, moment, missed, busy=False)
            assert plan.due_at <= moment
            assert plan.next_due_at is None or plan.next_due_at > moment
            yield plan
            coming = plan.next_due_at


@settings(max_examples=examples(300), deadline=None)
@given(SCHEDULES, STARTS, PAUSES)
def test_no_due_moment_is_taken_twice_and_none_is_forgotten(
    schedule: Schedule, start: datetime, pauses: list[int]
) -> None:
    plans = list(looks(schedule, start, pauses, "run_once"))
    end = start + timedelta(minutes=sum(pauses))
    expected = set()
    for due in schedule.after(start):
        if due > end:
            break
        expected.add(due)
    assert all(earlier.due_at < later.due_at for earlier, later in pairwise(plans))
    covered = [
        {due for due in expected if (plan.missed_since or plan.due_at) <= due <= plan.due_at}
        for plan in plans
    ]
    assert sum(map(len, covered)) == len(frozenset[datetime]().union(*covered)), "a moment has two runs"
    assert frozenset[datetime]().union(*covered) == expected


@settings(max_examples=examples(200), deadline=None)
@given(SCHEDULES, STARTS, st.integers(10, 5 * 1440))
def test_an_outage_is_caught_up_once_or_not_at_all(schedule: Schedule, start: datetime, outage: int) -> None:
    coming = schedule.next_after(start)
    back = start + timedelta(minutes=outage)
    assert coming is not None
    was_missed = coming <= back and back - schedule.latest(coming, back) > ON_TIME
    pauses = [outage, *[1] * 4]
    caught_up = [
        plan
        for plan in looks(schedule, start, pauses, "run_once")
        if plan.trigger == "missed" and plan.left_out is None
    ]
    assert len(caught_up) == was_missed
    left_out = [plan for plan in looks(schedule, start, pauses, "skip") if plan.trigger == "missed"]
    assert [plan.left_out for plan in left_out] == ["missed"] * was_missed
