"""How the results of two versions of a lane are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.lanes.rankings import DEPTH, difference, documents_of, fused, mean, ndcg

RANKING = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True)


def test_equal_results_differ_in_nothing() -> None:
    found = difference(["a", "b", "c"], ["a", "b", "c"])
    assert found is not None
    assert (found.overlap, found.first_kept, found.rank_change) == (1.0, True, 0.0)


def test_other_results_have_nothing_to_move() -> None:
    found = difference(["a", "b"], ["x", "y"])
    assert found is not None
    assert (found.overlap, found.first_kept, found.rank_change) == (0.0, False, None)


def test_places_are_counted_of_what_both_have() -> None:
    found = difference(["a", "b", "c", "d"], ["c", "a", "x"])
    assert found is not None
    assert found.overlap == 0.5
    assert not found.first_kept
    assert found.rank_change == 1.5


def test_a_query_that_found_nothing_says_nothing() -> None:
    assert difference([], ["a"]) is None
    gone = difference(["a"], [])
    assert gone is not None
    assert gone.overlap == 0


def test_ndcg_is_that_of_the_textbook() -> None:
    assert ndcg(["a", "b"], ["a"]) == 1
    assert ndcg(["b", "a"], ["a"]) == pytest.approx(0.6309, abs=1e-4)
    assert ndcg(["x", "y"], ["a"]) == 0
    assert ndcg(["a", "x", "b"], ["a", "b"]) == pytest.approx((1 + 0.5) / (1 + 0.6309), abs=1e-4)


def test_what_stands_behind_the_tenth_place_does_not_count() -> None:
    others = [str(n) for n in range(DEPTH - 1)]
    assert ndcg([*others, "a"], ["a"]) > 0
    assert ndcg([*others, "x", "a"], ["a"]) == 0


def test_both_legs_count() -> None:
    assert fused([["a", "b"], ["b", "c"]])[0] == "b"
    assert fused([["b"], ["a"]]) == ["a", "b"]
    assert len(fused([[str(n) for n in range(50)]])) == DEPTH


def test_a_document_counts_once() -> None:
    assert documents_of(["p1", "p2", "q"], {"p1": "p", "p2": "p", "q": "q"}) == ["p", "q"]
    assert ndcg(["a", "a", "a"], ["a", "b"]) == ndcg(["a"], ["a", "b"])
    assert mean([]) is None


@given(RANKING, RANKING)
def test_figures_stay_within_their_bounds(former: list[str], following: list[str]) -> None:
    found = difference(former, following)
    assert (found is None) == (not former)
    if found is not None:
        assert 0 <= found.overlap <= 1
        assert found.rank_change is None or 0 <= found.rank_change < DEPTH
        assert not found.first_kept or found.overlap > 0


@given(RANKING, st.sets(st.sampled_from("abcdefghijklmnop"), min_size=1))
def test_ndcg_is_a_share_and_best_where_the_relevant_come_first(
    ranking: list[str], relevant: set[str]
) -> None:
    assert 0 <= ndcg(ranking, relevant) <= 1
    best = sorted(ranking, key=lambda one: one not in relevant)
    assert ndcg(best, relevant) >= ndcg(ranking, relevant)
