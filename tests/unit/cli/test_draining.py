"""How long a web process that was told to stop takes requests."""

import pytest

from footnote_cli.draining import drain_is_over


@pytest.mark.parametrize(
    ("now", "last_request", "over"),
    [
        (9.9, 0.0, False),
        (10.0, 0.0, True),
        (10.0, 5.1, False),
        (10.0, 5.0, True),
        (14.9, 10.0, False),
        (15.0, 10.0, True),
        (19.9, 19.8, False),
        (20.0, 19.9, True),
    ],
)
def test_it_ends_when_requests_stay_away_and_at_twice_its_time_at_the_latest(
    now: float, last_request: float, over: bool
) -> None:
    assert drain_is_over(100 + now, 100, 100 + last_request, 10) is over


def test_none_ends_at_once() -> None:
    assert drain_is_over(7, 7, 7, 0)
