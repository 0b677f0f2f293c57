"""What the adapter sends is of Qdrant's API: the official client's own models take every body.

These models refuse a member that they do not know. A server would leave it out, and a filter clause that is
left out shows one workspace the points of another.
"""

from typing import Any as AnyJson

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from qdrant_client import models

from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.vectors.filters import All, Any, Filter, HasId, IsEmpty, Match, MatchAny, Not, Range
from footnote_shared.vectors.protocol import HybridQuery
from footnote_shared.vectors.qdrant_convert import to_filter, to_point
from footnote_shared.vectors.qdrant_requests import score_requests, search_requests
from footnote_shared.vectors.schema import collection_body, payload_indexes
from tests.contract.vector_samples import FINGERPRINT, random_points

DENSE = np.full(4, 0.1, np.float32)
TERMS = SparseVector([1, 2], [0.5, 1.0])

words = st.sampled_from(["workspace_id", "groups", "created_at", "ordinal"])
moments = st.datetimes(timezones=st.timezones()).filter(lambda moment: 1 < moment.year < 9999)
leaves: st.SearchStrategy[Filter] = st.one_of(
    st.builds(Match, words, st.one_of(st.text(), st.integers(), st.booleans())),
    st.builds(MatchAny, words, st.lists(st.text()).map(tuple)),
    st.builds(Range, words, gte=moments, lt=st.none() | moments),
    st.builds(Range, words, gt=st.floats(allow_nan=False, allow_infinity=False)),
    st.builds(HasId, st.frozensets(st.uuids().map(str))),
    st.builds(IsEmpty, words),
)
filters = st.recursive(
    leaves,
    lambda parts: st.one_of(
        st.builds(All, st.lists(parts).map(tuple)),
        st.builds(Any, st.lists(parts).map(tuple)),
        st.builds(Not, parts),
    ),
    max_leaves=8,
)


def as_sent(body: object) -> AnyJson:
    return orjson.loads(orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY))


def assert_is(model: type[BaseModel], body: object) -> None:
    """The model takes the body, and means by it what the body says: nothing fell out on the way."""
    sent = as_sent(body)
    taken = model.model_validate(sent)
    assert _times(taken.model_dump(mode="json", exclude_unset=True)) == _times(sent)


def _times(value: AnyJson) -> AnyJson:
    """UTC can be written in two ways."""
    if isinstance(value, dict):
        return {key: _times(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_times(inner) for inner in value]
    return value.removesuffix("+00:00").removesuffix("Z") if isinstance(value, str) else value


@settings(max_examples=40)
@given(filters)
def test_a_filter_is_a_filter_there(condition: Filter) -> None:
    assert_is(models.Filter, to_filter(condition))


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize(("dense", "sparse"), [(DENSE, TERMS), (DENSE, None), (None, TERMS)])
def test_a_search_is_a_batch_of_queries(dense: AnyJson, sparse: SparseVector | None, complete: bool) -> None:
    query = HybridQuery(
        dense, sparse, 40, Match("workspace_id", "w"), All(()), complete=complete, bare=complete
    )
    for body in search_requests(query).values():
        assert_is(models.QueryRequest, body)


def test_scores_of_points_are_queries() -> None:
    for dense in (DENSE, None):
        for body in score_requests(frozenset({"a"}), dense, TERMS, All(())).values():
            assert_is(models.QueryRequest, body)


def test_points_are_points() -> None:
    for point in random_points(3, seed=2):
        assert_is(models.PointStruct, to_point(point))


def test_a_lane_is_a_collection_with_indexes() -> None:
    assert_is(models.CreateCollection, collection_body(FINGERPRINT))
    kinds: dict[str, type[BaseModel]] = {
        "keyword": models.KeywordIndexParams,
        "integer": models.IntegerIndexParams,
        "bool": models.BoolIndexParams,
        "datetime": models.DatetimeIndexParams,
    }
    for schema in payload_indexes().values():
        assert_is(kinds[schema["type"]], schema)


def test_a_number_of_a_vector_arrives_as_it_was() -> None:
    """In single precision, which is how the store keeps it."""
    point = random_points(1, seed=3)[0]
    sent = as_sent(to_point(point))["vector"]["dense"]
    assert np.array_equal(np.asarray(sent, np.float32), point.dense)
