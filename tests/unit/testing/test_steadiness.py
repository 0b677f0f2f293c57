"""A slope in an hour with its error: what grows is told, what only trembles is not."""

import random

import pytest

from tests.chaos.steadiness import TooFew, slope_of

SECONDS = [5.0 * n for n in range(240)]


def samples(an_hour: float, noise: float) -> list[float]:
    chance = random.Random(4)
    return [200 + an_hour * at / 3600 + chance.uniform(-noise, noise) for at in SECONDS]


@pytest.mark.parametrize("an_hour", [-30.0, 0.0, 12.5])
def test_a_straight_line_has_its_own_slope_and_no_error(an_hour: float) -> None:
    slope = slope_of(SECONDS, samples(an_hour, 0))
    assert slope.an_hour == pytest.approx(an_hour)
    assert slope.error == pytest.approx(0, abs=1e-6)
    assert slope.first == pytest.approx(200)
    assert slope.last == pytest.approx(200 + an_hour * SECONDS[-1] / 3600)


@pytest.mark.parametrize(("an_hour", "grows"), [(0.0, False), (9.0, False), (14.0, True)])
def test_a_leak_is_told_from_the_noise_around_it(an_hour: float, grows: bool) -> None:
    assert slope_of(SECONDS, samples(an_hour, 2)).grows(10) is grows


def test_much_noise_proves_nothing() -> None:
    assert not slope_of(SECONDS, samples(14, 60)).grows(10)


@pytest.mark.parametrize("seconds", [[], [1.0, 2.0], [1.0, 1.0, 1.0], [0.0, 0.1, 50.0]])
def test_a_moment_is_no_time(seconds: list[float]) -> None:
    with pytest.raises(TooFew):
        slope_of(seconds, [1.0] * len(seconds))
