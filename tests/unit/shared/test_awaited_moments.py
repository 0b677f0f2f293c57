"""When a moment that another process has written is over, whichever clock that process has."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.db.awaited_moments import LONGEST_LEASE, is_over
from footnote_shared.kernel.clock import now

LEASES = st.floats(0.001, LONGEST_LEASE.total_seconds()).map(lambda seconds: timedelta(seconds=seconds))


@given(LEASES)
def test_what_the_right_clock_has_written_is_waited_for_and_no_longer(lease: timedelta) -> None:
    written = now()
    until = written + lease
    assert not is_over(until, LONGEST_LEASE, written)
    assert is_over(until, LONGEST_LEASE, until)


@given(LEASES, st.timedeltas(LONGEST_LEASE, timedelta(days=3650)))
def test_a_clock_that_is_ahead_keeps_nobody_waiting_longer_than_a_lease_may_last(
    lease: timedelta, ahead: timedelta
) -> None:
    right = now()
    assert is_over(right + ahead + lease, LONGEST_LEASE, right)


@pytest.mark.parametrize("ahead", [timedelta(seconds=-1), timedelta(minutes=59), timedelta(minutes=61)])
def test_by_the_clock_of_this_moment(ahead: timedelta) -> None:
    assert is_over(now() + ahead, LONGEST_LEASE) is (ahead != timedelta(minutes=59))


def test_nothing_to_wait_for() -> None:
    assert is_over(None, LONGEST_LEASE)
