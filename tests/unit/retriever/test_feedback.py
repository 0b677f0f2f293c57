"""What the best passages of a first look add to a query."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_retriever.funnel.embed import QueryVectors
from footnote_retriever.funnel.feedback import rm3, rocchio, trust_in, with_terms
from footnote_retriever.funnel.second_order import moved_by
from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.vectors.protocol import Dense, PointVectors

VECTORS = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).map(lambda v: np.array(v, np.float32))
TERMS = st.dictionaries(st.integers(0, 12), st.floats(0.1, 3), max_size=8).map(
    lambda terms: SparseVector(list(terms), list(terms.values()))
)


def weights(vector: SparseVector) -> dict[int, float]:
    return dict(zip(vector.indices, vector.values, strict=True))


@given(VECTORS, st.lists(VECTORS, min_size=1, max_size=4), st.floats(0, 2))
def test_the_query_moves_towards_the_passages(query: Dense, passages: list[Dense], weight: float) -> None:
    moved = rocchio(query, passages, weight)
    length = float(np.linalg.norm(moved))
    assert length == pytest.approx(1.0, abs=1e-4) or length == pytest.approx(0.0, abs=1e-4)
    units = [passage / (np.linalg.norm(passage) or 1.0) for passage in passages]
    mean = np.mean(units, axis=0)
    before = query / (np.linalg.norm(query) or 1.0)
    if np.linalg.norm(before + weight * mean) > 1e-3:
        assert float(moved @ mean) >= float(before @ mean) - 1e-3


def test_without_passages_the_query_stays() -> None:
    query = np.array([0.6, 0.8], np.float32)
    assert (rocchio(query, []) == query).all()
    terms = SparseVector([1], [1.0])
    assert rm3(terms, []) == terms


@given(TERMS, st.lists(TERMS, max_size=4), st.floats(0.05, 0.9), st.integers(1, 5))
def test_added_terms_have_their_share(
    query: SparseVector, passages: list[SparseVector], share: float, most: int
) -> None:
    before, after = weights(query), weights(rm3(query, passages, share, most))
    assert all(after[term] >= value for term, value in before.items())
    assert len(after) <= len(before) + most
    present = {term for passage in passages for term in passage.indices}
    assert after.keys() <= before.keys() | present
    shared = sum(value for term, value in before.items() if term in present)
    if shared:
        added = sum(after.values()) - sum(before.values())
        assert added / (added + shared) == pytest.approx(share)
    else:
        assert after == before


def test_a_long_passage_counts_no_more_than_a_short_one() -> None:
    query = SparseVector([1], [1.0])
    short, long = SparseVector([1, 2], [1.0, 1.0]), SparseVector([1, 3, 4, 5], [3.0, 3.0, 3.0, 3.0])
    after = weights(rm3(query, [short, long], 0.5, 2))
    assert after[2] > 0
    assert 3 not in after


def test_a_query_is_asked_for_ten_terms_of_its_passages_and_moves_two_fifths_of_the_way() -> None:
    terms = list(range(1, 21))
    assert len(rm3(SparseVector([1], [1.0]), [SparseVector(terms, [1.0] * 20)]).indices) == 10
    moved = rocchio(np.array([1, 0], np.float32), [np.array([0, 1], np.float32)])
    assert moved[1] / moved[0] == pytest.approx(0.4)


@pytest.mark.parametrize(("times", "added_first"), [(0.173, True), (0.18, False)])
def test_an_added_term_weighs_less_than_a_fifth_of_the_one_that_is_asked_for(
    times: float, added_first: bool
) -> None:
    """A text has the added term once, and another one the asked one so many times."""
    after = weights(rm3(SparseVector([1], [1.0]), [SparseVector([1, 2], [1.0, 1.0])]))
    assert (after[2] > times * after[1]) is added_first


@given(st.lists(st.floats(-4, 4), min_size=1, max_size=6))
def test_trust_is_shared_out_by_score(scores: list[float]) -> None:
    trust = trust_in(scores)
    assert sum(trust) == pytest.approx(1.0)
    order = sorted(range(len(scores)), key=lambda place: scores[place])
    assert [trust[place] for place in order] == sorted(trust)
    assert trust_in([]) == []


def test_a_passage_that_stands_out_counts_nearly_alone_and_equal_ones_alike() -> None:
    assert trust_in([2.0, 0.9, 0.5])[0] > 0.94
    assert trust_in([2.0, 1.65])[0] == pytest.approx(0.731, abs=0.001)
    assert trust_in([1.0, 1.0]) == pytest.approx([0.5, 0.5])


def test_what_is_not_trusted_changes_nothing() -> None:
    query, near, far = (np.array(v, np.float32) for v in ([1, 0, 0], [0, 1, 0], [0, 0, 1]))
    assert rocchio(query, [near, far], 0.8, [1.0, 0.0])[2] == 0
    asked = SparseVector([1], [1.0])
    passages = [SparseVector([1, 2], [1.0, 1.0]), SparseVector([3], [9.0])]
    after = weights(rm3(asked, passages, 0.5, 2, trust=[1.0, 0.0]))
    assert after[2] > 0
    assert 3 not in after


def test_terms_of_other_wordings_weigh_by_how_many_have_them() -> None:
    query = SparseVector([1], [1.0])
    others = [SparseVector([1, 2], [1.0, 1.0]), SparseVector([2, 3], [1.0, 1.0])]
    assert weights(with_terms(query, others)) == {1: 1.0, 2: 0.5, 3: 0.25}
    assert with_terms(query, []) == query


def test_the_second_order_moves_a_query_four_fifths_of_the_way_to_its_passages() -> None:
    asked = QueryVectors(np.array([1, 0], np.float32), SparseVector([3], [1.0]))
    passage = PointVectors(np.array([0, 1], np.float32), SparseVector([7], [1.0]))
    moved = moved_by(asked, [(1.0, passage)], 0.0)
    assert moved.dense is not None
    assert moved.dense[1] / moved.dense[0] == pytest.approx(0.8)
    assert moved.sparse == asked.sparse
