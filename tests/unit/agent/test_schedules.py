"""When an automation is due: which schedules are taken, and what clocks of a zone do to them (spec 5.10)."""

from datetime import datetime, timedelta
from itertools import islice

import pytest

from footnote_agent.automations.due_plan import ON_TIME, plan_due
from footnote_agent.automations.schedule import check_pace, read_schedule
from footnote_shared.kernel.clock import UTC
from footnote_shared.kernel.errors import InvalidRequest

QUARTER = timedelta(minutes=15)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def due(expression: str, zone: str, since: str, count: int) -> list[str]:
    moments = islice(read_schedule(expression, zone).after(at(since)), count)
    return [moment.strftime("%m-%d %H:%M") for moment in moments]


class TestWhenClocksChange:
    """In Berlin they go from 02:00 to 03:00 on March 29 of 2026, and from 03:00 to 02:00 on October 25."""

    def test_a_time_that_is_skipped_comes_when_they_have_gone_forward(self) -> None:
        assert due("30 2 * * *", "Europe/Berlin", "2026-03-28", 3) == [
            "03-28 01:30",
            "03-29 01:00",
            "03-30 00:30",
        ]

    def test_a_time_that_comes_twice_counts_at_its_first(self) -> None:
        assert due("30 2 * * *", "Europe/Berlin", "2026-10-24", 3) == [
            "10-24 00:30",
            "10-25 00:30",
            "10-26 01:30",
        ]

    def test_two_times_that_become_one_are_due_once(self) -> None:
        assert due("0 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00", 3) == [
            "03-29 01:00",
            "03-30 00:00",
            "03-30 01:00",
        ]

    def test_between_the_two_times_the_first_is_over(self) -> None:
        # It is 02:15 for the second time.
        assert due("30 2 * * *", "Europe/Berlin", "2026-10-25T01:15", 1) == ["10-26 01:30"]

    def test_a_pace_is_kept(self) -> None:
        assert due("*/30 * * * *", "Europe/Berlin", "2026-10-25T00:00", 4) == [
            "10-25 00:30",
            "10-25 01:00",
            "10-25 01:30",
            "10-25 02:00",
        ]


class TestWhatIsTaken:
    @pytest.mark.parametrize(
        ("expression", "zone", "field"),
        [
            ("0 9 * *", "UTC", "schedule"),
            ("0 0 9 * * *", "UTC", "schedule"),
            ("61 9 * * *", "UTC", "schedule"),
            ("0 9 30 2 *", "UTC", "schedule"),
            ("0 9 * * mon..fri", "UTC", "schedule"),
            ("٣ 9 * * *", "UTC", "schedule"),
            ("@daily", "UTC", "schedule"),
            ("", "UTC", "schedule"),
            ("0 9 * * *", "Europe/Atlantis", "time_zone"),
            ("0 9 * * *", "../../etc/passwd", "time_zone"),
            ("0 9 * * *", "America", "time_zone"),
            ("0 9 * * *", "", "time_zone"),
        ],
    )
    def test_says_which_field_is_wrong(self, expression: str, zone: str, field: str) -> None:
        with pytest.raises(InvalidRequest) as refused:
            read_schedule(expression, zone)
        assert [error.field for error in refused.value.errors] == [field]

    @pytest.mark.parametrize("expression", ["*/14 * * * *", "* * 1 1 *", "0,5 9 * * *", "59,0 0,23 * * *"])
    def test_one_that_is_due_too_often_is_refused(self, expression: str) -> None:
        with pytest.raises(InvalidRequest, match="more often than every 15 minutes"):
            check_pace(read_schedule(expression, "UTC"), at("2026-01-01"), QUARTER)

    @pytest.mark.parametrize("expression", ["*/15 * * * *", "0 9 * * mon-fri", "0 0 29 2 *", "0 0 L * *"])
    def test_one_that_keeps_the_least_time_is_taken(self, expression: str) -> None:
        check_pace(read_schedule(expression, "UTC"), at("2026-01-01"), QUARTER)


class TestPlans:
    HOURLY = read_schedule("0 * * * *", "UTC")

    def test_on_time_ends_where_missed_begins(self) -> None:
        first = at("2026-01-01T09:00")
        on_time = plan_due(self.HOURLY, first, first + ON_TIME, "skip", busy=False)
        assert (on_time.trigger, on_time.left_out) == ("schedule", None)
        late = plan_due(self.HOURLY, first, first + ON_TIME + timedelta(seconds=1), "skip", busy=False)
        assert (late.trigger, late.left_out) == ("missed", "missed")

    def test_all_that_was_missed_is_one_run_for_the_latest(self) -> None:
        plan = plan_due(self.HOURLY, at("2026-01-01T09:00"), at("2026-01-03T12:30"), "run_once", busy=False)
        assert (plan.due_at, plan.missed_since) == (at("2026-01-03T12:00"), at("2026-01-01T09:00"))
        assert (plan.trigger, plan.left_out) == ("missed", None)
        assert plan.next_due_at == at("2026-01-03T13:00")

    def test_nothing_runs_beside_a_run(self) -> None:
        first = at("2026-01-01T09:00")
        assert plan_due(self.HOURLY, first, first, "run_once", busy=True).left_out == "busy"
