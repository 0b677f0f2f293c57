"""A process goes by the clock of its database, whichever its machine has (docs/adr/0099)."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, create_engine, event

from footnote_shared.db.awaited_moments import LONGEST_LEASE, is_over
from footnote_shared.db.database_clock import ClockReader
from footnote_shared.kernel.clock import ProcessClock

START = datetime(2026, 3, 2, 8, 30, tzinfo=UTC)
SECOND = timedelta(seconds=1)
ROUNDED = timedelta(microseconds=3)
YEARS = timedelta(days=3650)
OFF = st.timedeltas(-YEARS, YEARS)


def standing(ahead: timedelta) -> ProcessClock:
    """A clock that stands still, `ahead` of a database where it is always the same moment."""
    return ProcessClock(lambda: START + ahead)


def taught(ahead: timedelta) -> ProcessClock:
    clock = standing(ahead)
    clock.learn(START, clock.machine(), 0.0)
    return clock


@given(OFF, OFF, st.timedeltas(timedelta(), 30 * SECOND), st.floats(0, 1))
def test_it_is_off_by_a_second_and_the_time_of_an_answer_at_most(
    ahead: timedelta, known: timedelta, took: timedelta, part: float
) -> None:
    clock = standing(ahead)
    clock.behind = known
    clock.learn(START + took * part, clock.machine(), took.total_seconds())
    assert abs(clock.now() - START) <= SECOND + took + ROUNDED


@pytest.mark.parametrize(
    ("ahead_s", "took_s", "corrected"),
    [
        (0.9, 0.0, False),
        (-0.9, 0.0, False),
        (1.1, 0.0, True),
        (-1.1, 0.0, True),
        (5.0, 10.0, False),
        (86_400.0, 10.0, True),
    ],
)
def test_what_an_answer_does_not_show_to_be_wrong_stays(
    ahead_s: float, took_s: float, corrected: bool
) -> None:
    clock = standing(timedelta(seconds=ahead_s))
    assert clock.learn(START + timedelta(seconds=took_s / 2), clock.machine(), took_s) is corrected
    assert (clock.behind != timedelta()) is corrected
    assert clock.learn(START, clock.machine(), 0.0) is (ahead_s == 5.0)


@given(OFF, OFF, st.timedeltas(5 * SECOND, LONGEST_LEASE - 2 * SECOND))
def test_a_lease_of_one_process_is_as_long_for_another(
    ahead: timedelta, of_the_other: timedelta, lease: timedelta
) -> None:
    until = taught(ahead).now() + lease
    begins = taught(of_the_other).now()
    assert not is_over(until, LONGEST_LEASE, begins)
    assert not is_over(until, LONGEST_LEASE, begins + lease - 3 * SECOND)
    assert is_over(until, LONGEST_LEASE, begins + lease + 3 * SECOND)


class Machine:
    """A machine whose clock is set, and whose seconds since its start are not."""

    def __init__(self) -> None:
        self._started = datetime.now(UTC)
        self.seconds = 0.0
        self.ahead = timedelta()

    def clock(self) -> datetime:
        return self._started + timedelta(seconds=self.seconds) + self.ahead

    def tick(self) -> float:
        return self.seconds


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = create_engine("sqlite://")
    yield made
    made.dispose()


@pytest.fixture
def asked(engine: Engine) -> list[str]:
    """What the database was asked."""
    seen: list[str] = []

    def note(_conn: Any, _cursor: Any, text: str, *_: Any) -> None:
        seen.append(text)

    event.listen(engine, "before_cursor_execute", note)
    return seen


def test_the_database_is_asked_once_a_minute(engine: Engine, asked: list[str]) -> None:
    machine = Machine()
    reader = ClockReader(engine, ProcessClock(machine.clock), machine.tick)
    counts = []
    for seconds in (0.0, 59.0, 61.0, 120.0, 122.0):
        machine.seconds = seconds
        reader.read_when_due()
        counts.append(len(asked))
    assert counts == [1, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("ahead", "noticed"),
    [
        (timedelta(days=1), True),
        (timedelta(days=-1), True),
        (timedelta(seconds=2), True),
        (timedelta(seconds=0.5), False),
    ],
)
def test_a_clock_that_is_set_is_noticed_before_the_next_transaction(
    engine: Engine, asked: list[str], ahead: timedelta, noticed: bool
) -> None:
    machine = Machine()
    clock = ProcessClock(machine.clock)
    reader = ClockReader(engine, clock, machine.tick)
    reader.read_when_due()
    machine.ahead = ahead
    reader.read_when_due()
    assert len(asked) == 1 + noticed
    assert abs(clock.now() - machine.clock() + ahead) < (timedelta(minutes=1) if noticed else SECOND)
    reader.read_when_due()
    assert len(asked) == 1 + noticed
