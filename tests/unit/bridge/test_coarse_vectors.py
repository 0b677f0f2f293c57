"""Bytes of vectors say how far a product may be from the true one, and change nothing of what is found."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_bridge.coarse_vectors import coarse_query, coarse_vectors, joined
from footnote_bridge.held_block import Bools, Floats, HeldPoint
from footnote_bridge.held_points import HeldPoints
from footnote_bridge.held_search import Matches, search

DIMENSION = 24


def unit(rows: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> Floats:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)


numbers = st.floats(-1, 1, width=32)
vectors = st.lists(
    st.lists(numbers, min_size=DIMENSION, max_size=DIMENSION)
    | st.sampled_from([[0.0] * DIMENSION, [1.0] + [0.0] * (DIMENSION - 1), [1.0] * DIMENSION]),
    min_size=1,
    max_size=12,
)


@given(vectors, vectors)
def test_no_product_is_further_off_than_is_said(rows: list[list[float]], queries: list[list[float]]) -> None:
    kept = unit(np.asarray(rows, np.float64))
    half = len(kept) // 2
    coarse = joined([coarse_vectors(kept[:half]), coarse_vectors(kept[half:])])
    for query in unit(np.asarray(queries, np.float64)):
        found, off = coarse_query(query).products(coarse)
        true = kept.astype(np.float64) @ query.astype(np.float64)
        assert np.abs(found - true).max() <= off
        some = np.asarray([len(kept) - 1, 0])
        assert np.array_equal(coarse_query(query).products(coarse.taken(some))[0], found[some])


def test_real_products_are_off_by_little() -> None:
    chance = np.random.default_rng(1)
    kept, query = unit(chance.standard_normal((500, 384))), unit(chance.standard_normal(384))
    assert coarse_query(query).products(coarse_vectors(kept))[1] < 0.025


def held(rows: Floats, blocks: int) -> HeldPoints:
    points = HeldPoints(rows.shape[1])
    for begin, end in pairwise(np.linspace(0, len(rows), blocks + 1, dtype=int).tolist()):
        points.put(
            HeldPoint(number, rows[number].tolist(), None, {"workspace_id": f"w{number % 7}"})
            for number in range(begin, end)
        )
    return points


def only(may: Bools) -> Matches:
    return lambda block: may[np.asarray(block.ids, np.intp)]


@pytest.mark.parametrize("limit", [1, 10, 400])
@pytest.mark.parametrize("apart", [0.0, 1e-4, 1e-2, 1.0])
def test_the_nearest_are_those_that_whole_vectors_tell(limit: int, apart: float) -> None:
    # The smaller `apart`, the more points lie as near as the bytes can tell.
    chance = np.random.default_rng(round(apart * 1e6) + limit)
    middle = chance.standard_normal(384)
    rows = unit(middle + apart * chance.standard_normal((600, 384)))
    points = held(rows, 3)
    for query in unit(middle + chance.standard_normal((4, 384))):
        for share in (1.0, 0.5, 0.1):
            may = chance.random(600) < share
            found = search(
                points.parts,
                only(may),
                None,
                query,
                None,
                limit,
                complete=False,
            ).cosines
            true = {number: float(np.vecdot(rows[number], query)) for number in np.flatnonzero(may).tolist()}
            best = sorted(true.values(), reverse=True)[:limit]
            assert sorted(found.values(), reverse=True) == pytest.approx(best, abs=1e-6)
            for (part, place), cosine in found.items():
                assert cosine == pytest.approx(true[int(str(points.parts[part].block.ids[place]))], abs=1e-6)


def test_points_without_a_vector_are_near_to_nothing() -> None:
    points = held(unit(np.random.default_rng(2).standard_normal((3, 8))), 1)
    points.put([HeldPoint(number, None, None, {}) for number in range(3, 90)])
    query = unit(np.ones(8))
    everything = search(
        points.parts, lambda block: np.ones(len(block), np.bool_), None, query, None, 50, complete=False
    )
    ids = [points.parts[part].block.ids[place] for part, place in everything.cosines]
    assert sorted(map(str, ids)) == ["0", "1", "2"]
