"""What the adapter sends to Qdrant at once."""

import json

from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.kernel.ids import new_id
from footnote_shared.vectors.protocol import VectorPoint
from footnote_shared.vectors.qdrant_convert import to_point
from footnote_shared.vectors.qdrant_requests import id_batches, point_batches
from tests.contract.vector_samples import make_point, random_points

LARGEST_REQUEST = 32 * 2**20
"""Bytes of one request that Qdrant takes, by its default settings."""


def sizes(points: list[VectorPoint]) -> list[int]:
    return [len(batch) for batch in point_batches(points)]


@given(st.lists(st.integers(0, 3_000_000), max_size=20))
def test_batches_hold_every_point_once_and_in_order(text_lengths: list[int]) -> None:
    points = [make_point(text="x" * length) for length in text_lengths]
    batches = list(point_batches(points))
    assert [point for batch in batches for point in batch] == points
    assert all(batches)


def test_small_points_go_in_batches_of_256() -> None:
    assert sizes(random_points(600, seed=1)) == [256, 256, 88]


def test_points_with_much_text_go_in_smaller_batches() -> None:
    assert sizes([make_point(text="x" * 500_000) for _ in range(7)]) == [3, 3, 1]


def test_a_batch_stays_far_below_what_qdrant_takes() -> None:
    points = [make_point(text="ä" * 10_000) for _ in range(600)]
    largest = max(
        len(json.dumps([to_point(point).model_dump(mode="json") for point in batch], default=str))
        for batch in point_batches(points)
    )
    assert largest < LARGEST_REQUEST / 2


def test_ids_go_by_the_thousand_each_once() -> None:
    ids = [new_id() for _ in range(2_300)]
    batches = list(id_batches([*ids, *ids]))
    assert [len(batch) for batch in batches] == [1000, 1000, 300]
    assert sorted(ids) == [each for batch in batches for each in batch]
