"""Weights of metadata change the order only where they differ, and only in the direction that they say."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_retriever.funnel.weigh import is_weighed, order_of, weighed, weight_of
from footnote_shared.contracts.search import MetadataWeight, SearchSettings
from footnote_shared.vectors.protocol import PointPayload

DAY = date(2026, 6, 1)
SCORES = st.lists(st.floats(-1e300, 1e300, allow_nan=False), max_size=30)
WEIGHT = st.floats(0, 10)
PAIRS = st.lists(st.tuples(st.integers(-1000, 1000), WEIGHT), min_size=1, max_size=30)
DAYS = st.integers(0, 20_000)
HALF_LIFE = st.floats(0.5, 10_000)


def point(source_type: str = "upload", folders: tuple[str, ...] = (), days_old: int = 0) -> PointPayload:
    return PointPayload(
        workspace_id="w",
        avatar_id="a",
        document_id="d",
        chunk_id="c",
        folder_ids=folders,
        source_type=source_type,
        kind="paragraph",
        document_type="text/plain",
        ordinal=0,
        created_at=datetime(2026, 6, 1, 12, tzinfo=UTC) - timedelta(days=days_old),
        version=1,
    )


@given(SCORES, st.floats(0.01, 10))
def test_equal_weights_change_no_order(scores: list[float], weight: float) -> None:
    falling = sorted(scores, reverse=True)
    assert order_of(weighed(falling, [weight] * len(falling))) == list(range(len(falling)))


@given(PAIRS)
def test_a_value_lies_between_nothing_and_the_weight(pairs: list[tuple[int, float]]) -> None:
    scores, weights = [float(score) for score, _ in pairs], [weight for _, weight in pairs]
    values = weighed(scores, weights)
    assert len(values) == len(pairs)
    assert all(0 <= value <= weight for value, weight in zip(values, weights, strict=True))
    best = scores.index(max(scores))
    assert values[best] == weights[best]


@given(PAIRS, st.data())
def test_more_weight_never_costs_a_rank(pairs: list[tuple[int, float]], data: st.DataObject) -> None:
    scores, weights = [float(score) for score, _ in pairs], [weight for _, weight in pairs]
    at = data.draw(st.integers(0, len(pairs) - 1))
    heavier = [*weights[:at], data.draw(st.floats(weights[at], 20)), *weights[at + 1 :]]
    before = order_of(weighed(scores, weights)).index(at)
    assert order_of(weighed(scores, heavier)).index(at) <= before


@given(PAIRS, st.sampled_from([0.5, 2.0, 8.0]), st.integers(-64, 64))
def test_the_scale_of_the_scores_does_not_matter(
    pairs: list[tuple[int, float]], factor: float, shift: int
) -> None:
    scores, weights = [float(score) for score, _ in pairs], [weight for _, weight in pairs]
    moved = [score * factor + shift for score in scores]
    assert weighed(moved, weights) == pytest.approx(weighed(scores, weights))


@given(DAYS, HALF_LIFE)
def test_each_half_life_halves(days: int, half_life: float) -> None:
    settings = SearchSettings(half_life_days=half_life)
    assert weight_of(point(days_old=days), settings, DAY) == pytest.approx(0.5 ** (days / half_life))


@given(DAYS, DAYS, HALF_LIFE)
def test_what_is_older_never_weighs_more(one: int, other: int, half_life: float) -> None:
    settings = SearchSettings(half_life_days=half_life)
    older, newer = max(one, other), min(one, other)
    assert weight_of(point(days_old=older), settings, DAY) <= weight_of(point(days_old=newer), settings, DAY)


def test_what_is_from_later_is_new() -> None:
    assert weight_of(point(days_old=-30), SearchSettings(half_life_days=1), DAY) == 1


@given(WEIGHT, WEIGHT)
def test_all_weights_that_hold_are_multiplied(mail: float, folder: float) -> None:
    settings = SearchSettings(
        weights=(
            MetadataWeight(source_type="email", weight=mail),
            MetadataWeight(folder_id="old", weight=folder),
            MetadataWeight(source_type="email", folder_id="other", weight=7),
        )
    )
    assert weight_of(point("email", ("root", "old")), settings, DAY) == pytest.approx(mail * folder)
    assert weight_of(point("email"), settings, DAY) == mail
    assert weight_of(point("upload", ("old",)), settings, DAY) == folder
    assert weight_of(point("upload", ("other",)), settings, DAY) == 1


def test_without_weights_nothing_is_weighed() -> None:
    assert not is_weighed(SearchSettings())
    assert is_weighed(SearchSettings(half_life_days=30))
    assert is_weighed(SearchSettings(weights=(MetadataWeight(weight=2),)))
