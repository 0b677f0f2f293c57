"""A filter that indexes would answer differently is refused when it is made."""

from datetime import UTC, datetime

import pytest

from footnote_shared.vectors.filters import Range

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"gt": 1, "gte": 1},
        {"lt": 1, "lte": 2},
        {"gte": 1, "lt": MOMENT},
        {"gte": MOMENT.replace(tzinfo=None)},
    ],
)
def test_ranges_without_one_clear_meaning_are_refused(bounds: dict[str, float | datetime]) -> None:
    with pytest.raises(ValueError, match="the range of when"):
        Range("when", **bounds)


def test_a_range_takes_one_bound_on_each_side() -> None:
    assert Range("when", gte=MOMENT, lt=MOMENT).gte == MOMENT
