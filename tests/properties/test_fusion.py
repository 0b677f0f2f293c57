"""Fusion is a function of the hits alone: not of their order, and of no accident of floats."""

import random
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from footnote_retriever.funnel.fuse import dbsf, fuse, ranked, rrf, weighted_blend
from footnote_shared.contracts.search import Fusion

IDS = st.integers(0, 40).map(lambda number: f"p{number:02}")
SCORES = st.floats(-50, 50, allow_nan=False, width=32)
LEG = st.dictionaries(IDS, SCORES, max_size=25)
METHODS: list[Fusion] = ["rrf", "weighted_blend", "dbsf", "dense_only", "sparse_only"]


def shuffled(leg: dict[str, float], seed: int) -> dict[str, float]:
    items = list(leg.items())
    random.Random(seed).shuffle(items)
    return dict(items)


@given(LEG, LEG, st.integers(), st.sampled_from(METHODS), st.floats(0, 1), st.integers(1, 1000))
def test_the_order_in_which_the_store_returns_hits_changes_nothing(
    dense: dict[str, float], sparse: dict[str, float], seed: int, how: Fusion, alpha: float, k: int
) -> None:
    expected = fuse(how, dense, sparse, alpha=alpha, rrf_k=k)
    assert fuse(how, shuffled(dense, seed), shuffled(sparse, seed + 1), alpha=alpha, rrf_k=k) == expected


@given(LEG, LEG, st.sampled_from(METHODS), st.floats(0, 1), st.integers(1, 1000))
def test_the_result_is_sorted_with_ties_by_id_and_holds_each_candidate_once(
    dense: dict[str, float], sparse: dict[str, float], how: Fusion, alpha: float, k: int
) -> None:
    found = fuse(how, dense, sparse, alpha=alpha, rrf_k=k)
    expected = {"dense_only": dense.keys(), "sparse_only": sparse.keys()}.get(
        how, dense.keys() | sparse.keys()
    )
    assert {fused.id for fused in found} == expected
    assert len(found) == len(expected)
    assert all((-a.score, a.id) < (-b.score, b.id) for a, b in pairwise(found))


@given(
    st.dictionaries(IDS, st.tuples(SCORES, SCORES), min_size=2),
    st.sampled_from(METHODS),
    st.floats(0, 1),
    st.integers(1, 1000),
)
def test_a_candidate_better_in_both_legs_is_never_behind(
    both: dict[str, tuple[float, float]], how: Fusion, alpha: float, k: int
) -> None:
    dense = {found: pair[0] for found, pair in both.items()}
    sparse = {found: pair[1] for found, pair in both.items()}
    scores = {fused.id: fused.score for fused in fuse(how, dense, sparse, alpha=alpha, rrf_k=k)}
    for one, (dense_one, sparse_one) in both.items():
        for other, (dense_other, sparse_other) in both.items():
            if dense_one > dense_other and sparse_one > sparse_other:
                assert scores[one] >= scores[other]


@given(LEG, LEG, st.integers(1, 500))
def test_rrf_moves_a_candidate_up_when_a_leg_does(
    dense: dict[str, float], sparse: dict[str, float], k: int
) -> None:
    assume(dense)
    lucky = sorted(dense)[0]
    before = rrf(dense, sparse, k=k)
    after = rrf({**dense, lucky: max(dense.values()) + 1}, sparse, k=k)
    assert after[lucky] >= before[lucky]
    assert all(after[other] <= before[other] for other in before if other != lucky)


@given(LEG, LEG, st.integers(1, 500))
def test_rrf_scores_are_those_of_the_formula_and_fall_with_k(
    dense: dict[str, float], sparse: dict[str, float], k: int
) -> None:
    scores, flatter = rrf(dense, sparse, k=k), rrf(dense, sparse, k=k + 1)
    for found, score in scores.items():
        expected = sum(1 / (k + ranked(leg).index(found) + 1) for leg in (dense, sparse) if found in leg)
        assert score == pytest.approx(expected)
        assert flatter[found] < score


@given(LEG, LEG)
def test_rrf_looks_at_ranks_alone(dense: dict[str, float], sparse: dict[str, float]) -> None:
    assert rrf({found: score * 4 for found, score in dense.items()}, sparse, k=60) == rrf(dense, sparse, k=60)


INTEGERS = st.dictionaries(IDS, st.integers(-1000, 1000).map(float), min_size=1, max_size=25)


@given(INTEGERS, INTEGERS, st.sampled_from([0.5, 2.0, 8.0]), st.integers(-100, 100))
def test_score_fusion_does_not_depend_on_the_scale_of_a_leg(
    dense: dict[str, float], sparse: dict[str, float], factor: float, shift: int
) -> None:
    moved = {found: score * factor + shift for found, score in sparse.items()}
    for method in (dbsf, lambda a, b: weighted_blend(a, b, alpha=0.5)):
        assert method(dense, moved) == pytest.approx(method(dense, sparse), abs=1e-6)


@given(st.dictionaries(IDS, st.tuples(SCORES, SCORES), min_size=1))
def test_all_weight_on_one_leg_orders_by_that_leg(both: dict[str, tuple[float, float]]) -> None:
    dense = {found: pair[0] for found, pair in both.items()}
    sparse = {found: pair[1] for found, pair in both.items()}
    blend = weighted_blend(dense, sparse, alpha=1.0)
    for one in both:
        for other in both:
            if blend[one] > blend[other]:
                assert dense[one] > dense[other]


@given(LEG, st.floats(0, 1), st.sampled_from(METHODS))
def test_a_leg_that_did_not_answer_has_no_say(leg: dict[str, float], alpha: float, how: Fusion) -> None:
    assume(how not in ("dense_only", "sparse_only"))
    distinct = {found: float(number) for number, found in enumerate(sorted(leg))}
    order = [fused.id for fused in fuse(how, distinct, {}, alpha=alpha, rrf_k=60)]
    assert order == ranked(distinct)
    assert [fused.id for fused in fuse(how, {}, distinct, alpha=alpha, rrf_k=60)] == order


@pytest.mark.parametrize("method", [dbsf, lambda a, b: weighted_blend(a, b, alpha=1.0)])
def test_scores_that_differ_by_rounding_are_equal_and_near_ones_are_not(
    method: Callable[[dict[str, float], dict[str, float]], dict[str, float]],
) -> None:
    rounded = method({"a": 0.1 + 0.2, "b": 0.3}, {})
    assert rounded["a"] == rounded["b"]
    near = method({"a": 0.8 + 1e-10, "b": 0.8}, {})
    assert near["a"] > near["b"]


def test_dbsf_is_the_formula_of_the_paper() -> None:
    # Mean 2, sample deviation 1: 1, 2, 3 become (x - (2 - 3)) / 6.
    assert dbsf({"a": 1.0, "b": 2.0, "c": 3.0}, {}) == pytest.approx({"a": 2 / 6, "b": 3 / 6, "c": 4 / 6})
    assert dbsf({"a": 7.0}, {"a": 1.0, "b": 1.0}) == {"a": 1.0, "b": 0.5}
