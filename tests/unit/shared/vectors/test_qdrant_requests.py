"""What the adapter sends to Qdrant at once."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from qdrant_client import models

from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.vectors.protocol import VectorPoint
from footnote_shared.vectors.qdrant_convert import to_point
from footnote_shared.vectors.qdrant_requests import id_batches, point_batches, points_body
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
    largest = max(len(json.dumps([to_point(point) for point in batch])) for batch in point_batches(points))
    assert largest < LARGEST_REQUEST / 2


@pytest.mark.parametrize("key", [None, "3 of 8"])
def test_points_are_written_as_the_models_of_the_client_write_them(key: str | None) -> None:
    made = [*random_points(20, seed=3), make_point(text='ä "\n\0 \U0001f600')]
    made.append(replace(made[0], sparse=SparseVector([], [])))
    body = json.loads(points_body(made, key))
    points = [models.PointStruct(**point) for point in body["points"]]
    written = models.PointsList(points=points, shard_key=key).model_dump_json(exclude_none=True)
    assert json.loads(written) == body
    assert [point.id for point in points] == [point.id for point in made]
    assert "sparse" not in body["points"][-1]["vector"]
    assert body.get("shard_key") == key


def test_ids_go_by_the_thousand_each_once() -> None:
    ids = [new_id() for _ in range(2_300)]
    batches = list(id_batches([*ids, *ids]))
    assert [len(batch) for batch in batches] == [1000, 1000, 300]
    assert sorted(ids) == [each for batch in batches for each in batch]
