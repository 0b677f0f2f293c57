"""The scale of the gate: from 0 to 1, rising with both of its measures, and read as it is written."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.kernel.evidence_scale import AMONG, BEST, NEAR, Scale, evidence, means_of_others

shares = st.floats(0, 1)
cosines = st.floats(-1, 1)
weights = st.floats(0, 1000)


@given(st.builds(Scale, st.floats(-1000, 1000), weights, weights, weights), cosines, shares, cosines, shares)
def test_a_value_lies_between_0_and_1_and_rises(
    scale: Scale, cosine: float, share: float, others: float, more: float
) -> None:
    value = scale.value(cosine, share, others)
    assert 0 <= value <= 1
    assert scale.value(cosine + more, share, others) >= value
    assert scale.value(cosine, share + more, others) >= value
    assert scale.value(cosine, share, others + more) <= value


@given(st.builds(Scale, *[st.floats(-100, 100)] * 5) | st.builds(Scale, *[st.floats(-100, 100)] * 4))
def test_a_scale_is_read_as_it_is_written(scale: Scale) -> None:
    read = Scale.read(str(scale), reranked=bool(scale.rerank))
    assert all(math.isclose(a, b, rel_tol=1e-3) for a, b in zip(read, scale, strict=True))


@given(
    st.builds(Scale, st.floats(-1000, 1000), weights, weights, weights, weights), cosines, st.floats(-20, 20)
)
def test_a_value_rises_with_the_score_of_a_reranker(scale: Scale, cosine: float, score: float) -> None:
    assert 0 <= scale.value(cosine, 0.5, 0.5, score) <= scale.value(cosine, 0.5, 0.5, score + 1) <= 1


@given(st.lists(cosines, max_size=2 * AMONG))
def test_the_others_of_a_passage_are_the_first_ones_without_it(found: list[float]) -> None:
    for place, mean in enumerate(means_of_others(found)):
        rest = [cosine for at, cosine in enumerate(found[:AMONG]) if at != place]
        assert mean == pytest.approx(math.fsum(rest) / len(rest) if rest else 0.0, abs=1e-9)


@given(st.lists(shares, max_size=10))
def test_evidence_is_worth_no_more_than_its_best_passage(values: list[float]) -> None:
    assert 0 <= evidence(values) <= max(values[:BEST], default=0.0) + 1e-12


@given(st.lists(st.floats(0, 0.499), max_size=4), st.floats(NEAR, 1))
def test_passages_that_are_far_off_take_nothing_from_one_that_is_near(far: list[float], near: float) -> None:
    assert evidence([*far, near]) == pytest.approx(near)
