"""When a shard is flushed and rebuilt: often enough to lose little, seldom enough to disturb nobody."""

import pytest

from footnote_bridge.upkeep import Upkeep


def test_nothing_is_due_where_nothing_was_written() -> None:
    upkeep = Upkeep()
    assert not upkeep.save_due(10**6)
    assert not upkeep.flush_due(10**6, calm=True)
    assert not upkeep.rebuild_due(10**6, 0)


def test_a_loss_of_power_costs_the_updates_of_five_seconds_at_most() -> None:
    upkeep = Upkeep()
    upkeep.wrote(1, 100.0)
    upkeep.wrote(1, 104.0)
    assert not upkeep.save_due(104.9)
    assert upkeep.save_due(105.0)
    upkeep.saved(105.0)
    assert not upkeep.save_due(200.0)
    upkeep.wrote(1, 200.0)
    assert not upkeep.save_due(204.9)
    assert upkeep.save_due(205.0)


def test_what_is_written_while_the_log_is_saved_is_saved_later() -> None:
    upkeep = Upkeep()
    upkeep.wrote(1, 100.0)
    upkeep.wrote(1, 105.5)
    upkeep.saved(105.0)
    assert upkeep.save_due(110.5)
    upkeep.flushed()
    assert not upkeep.save_due(200.0)


@pytest.mark.parametrize(("calm", "after_s"), [(True, 60.0), (False, 600.0)])
def test_a_flush_waits_for_a_calm_disk_but_not_for_ever(calm: bool, after_s: float) -> None:
    upkeep = Upkeep()
    upkeep.wrote(1, 100.0)
    upkeep.wrote(1, 150.0)
    assert not upkeep.flush_due(99.9 + after_s, calm=calm)
    assert upkeep.flush_due(100.0 + after_s, calm=calm)
    upkeep.flushed()
    assert not upkeep.flush_due(10**6, calm=calm)


@pytest.mark.parametrize(("calm", "points"), [(True, 10_000), (False, 100_000)])
def test_many_updates_are_flushed_before_their_time(calm: bool, points: int) -> None:
    upkeep = Upkeep()
    upkeep.wrote(points - 1, 0.0)
    assert not upkeep.flush_due(0.1, calm=calm)
    upkeep.wrote(1, 0.1)
    assert upkeep.flush_due(0.1, calm=calm)


@pytest.mark.parametrize(
    ("written", "outside", "idle_s", "due"),
    [
        (1, 5_000, 30.0, True),
        (1, 4_999, 30.0, False),
        (1, 5_000, 29.9, False),
        (20_000, 0, 30.0, True),
        (19_999, 0, 30.0, False),
        (20_000, 0, 29.9, False),
        (1, 14_999, 0.0, False),
        (1, 15_000, 0.0, True),
        (59_999, 0, 0.0, False),
        (60_000, 0, 0.0, True),
    ],
)
def test_a_rebuild_waits_until_it_pays_and_nobody_writes_but_not_for_ever(
    written: int, outside: int, idle_s: float, due: bool
) -> None:
    upkeep = Upkeep()
    upkeep.wrote(written, 50.0)
    assert upkeep.rebuild_due(50.0 + idle_s, outside) is due


def test_the_next_rebuild_waits_for_as_many_points_again() -> None:
    upkeep = Upkeep()
    upkeep.wrote(30_000, 0.0)
    upkeep.rebuilt()
    assert not upkeep.rebuild_due(100.0, 0)
