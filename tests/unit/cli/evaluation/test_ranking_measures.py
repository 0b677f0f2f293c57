"""The measures of ranked lists: cases worked out by hand, and what holds for every list."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_cli.evaluation.ranking_measures import (
    hit,
    ndcg,
    recall,
    reciprocal_rank,
    span_precision,
    span_recall,
)

NAMES = st.sampled_from("abcdefgh")
LISTS = st.lists(NAMES, max_size=12)
GAINS = st.dictionaries(NAMES, st.integers(1, 3), min_size=1)
SPANS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.integers(1, 10)).map(
        lambda span: (span[0], span[1], span[1] + span[2])
    ),
    min_size=1,
    max_size=6,
)


def test_the_gain_of_a_rank_falls_with_its_logarithm() -> None:
    # DCG = 3/1 + 0 + 1/2; the best order has 3/1 + 1/log2(3).
    assert ndcg(["a", "x", "b"], {"a": 3, "b": 1}, 10) == pytest.approx(3.5 / (3 + 1 / math.log2(3)))
    assert ndcg(["x", "y", "a"], {"a": 1}, 10) == 0.5
    assert ndcg(["x", "y", "a"], {"a": 1}, 2) == 0


def test_more_is_asked_for_than_a_list_may_hold() -> None:
    assert ndcg(["a", "b"], {"a": 1, "b": 1, "c": 1}, 2) == 1
    assert recall(["a", "b"], {"a": 1, "b": 1, "c": 1}, 2) == pytest.approx(2 / 3)


def test_a_name_that_comes_again_takes_no_rank() -> None:
    assert reciprocal_rank(["x", "x", "a"], {"a": 1}, 10) == 0.5
    assert hit(["x", "x", "x", "a"], {"a": 1}, 2) == 1


@given(LISTS, GAINS, st.integers(1, 12))
def test_every_measure_lies_between_0_and_1(found: list[str], gains: dict[str, int], limit: int) -> None:
    for measure in (ndcg, recall, reciprocal_rank, hit):
        assert 0 <= measure(found, gains, limit) <= 1 + 1e-12


@given(GAINS, LISTS)
def test_the_best_order_has_1_and_nothing_behind_it_changes_that(
    gains: dict[str, int], more: list[str]
) -> None:
    best = sorted(gains, key=lambda name: -gains[name])
    assert ndcg([*best, *more], gains, len(best)) == pytest.approx(1)


@given(LISTS, GAINS)
def test_a_measure_of_a_longer_list_is_no_lower(found: list[str], gains: dict[str, int]) -> None:
    for measure in (recall, reciprocal_rank, hit):
        assert measure(found, gains, 3) <= measure(found, gains, 6)


def test_characters_count_once_however_often_they_are_shown() -> None:
    shown = [("a", 0, 10), ("a", 5, 20), ("b", 0, 5)]
    assert span_recall(shown, [("a", 8, 28)]) == 12 / 20
    assert span_precision(shown, [("a", 8, 28)]) == 12 / 25
    assert span_recall([], [("a", 0, 1)]) == span_precision([], [("a", 0, 1)]) == 0


@given(SPANS, SPANS)
def test_spans_count_as_their_characters_do(
    shown: list[tuple[str, int, int]], asked: list[tuple[str, int, int]]
) -> None:
    seen, wanted = ({(d, n) for d, a, b in spans for n in range(a, b)} for spans in (shown, asked))
    assert span_recall(shown, asked) == pytest.approx(len(seen & wanted) / len(wanted))
    assert span_precision(shown, asked) == pytest.approx(len(seen & wanted) / len(seen))
