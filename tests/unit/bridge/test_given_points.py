"""Points that are given by their ids have the vectors and scores that a search would give them."""

import base64
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from footnote_bridge.bodies import CreateCollectionBody, CreateIndexBody, DeleteBody
from footnote_bridge.collections import Collections
from footnote_bridge.given_points import ScoresBody, VectorsBody, scores, vectors
from footnote_bridge.operations import create_index, delete
from footnote_bridge.refused import Refused
from footnote_shared.vectors.filters import EVERYTHING, Filter, Match
from tests.unit.bridge.test_points_in_memory import (
    DIMENSION,
    LAYOUT,
    NAME,
    Points,
    by_definition,
    point,
    put,
    text_of,
)

ABSENT = str(uuid.UUID(int=9_999))
Query = tuple[list[float], list[int]]


@pytest.fixture
def collections(tmp_path: Path) -> Iterator[Collections]:
    made = Collections.load(tmp_path)
    made.create(NAME, CreateCollectionBody.model_validate(LAYOUT))
    index = {"field_name": "ordinal", "field_schema": {"type": "integer"}}
    create_index(made, NAME, CreateIndexBody.model_validate(index))
    yield made
    made.close()


def filled(collections: Collections, chance: np.random.Generator) -> Points:
    """Points of which some were replaced and some removed, in several blocks."""
    points: Points = {}
    for first in (1, 40, 60):
        fresh = [point(chance, str(uuid.UUID(int=number))) for number in range(first, first + 30)]
        put(collections, *fresh)
        points |= {one["id"]: one for one in fresh}
    gone = sorted(points)[::7]
    delete(collections, NAME, DeleteBody.model_validate_json(orjson.dumps({"points": gone})))
    return {name: one for name, one in points.items() if name not in gone}


def asked(
    collections: Collections,
    ids: list[str],
    query: Query | None,
    terms: list[int] | None,
    corpus: Filter | None,
) -> Any:
    body = {
        "ids": ids,
        "dense": base64.b64encode(np.asarray(query[0], "<f4").tobytes()).decode() if query else None,
        "sparse": {"indices": terms, "values": [1.0] * len(terms)} if terms else None,
        "corpus": None if corpus is None else text_of(corpus),
    }
    return orjson.loads(
        orjson.dumps(scores(collections, NAME, ScoresBody.model_validate_json(orjson.dumps(body))))
    )


@pytest.mark.parametrize(
    ("corpus", "absent"),
    [(Match("workspace_id", "w0"), False), (Match("ordinal", 2), False), (Match("workspace_id", "w0"), True)],
    ids=["in memory", "a filter that memory knows nothing of", "with one that is not there"],
)
def test_scores_are_those_of_a_search(collections: Collections, corpus: Filter, absent: bool) -> None:
    chance = np.random.default_rng(5)
    points = filled(collections, chance)
    query = (chance.standard_normal(DIMENSION).tolist(), [1, 2, 3, 4])
    dense, sparse = by_definition(points, query, EVERYTHING, corpus)
    ids = [*sorted(points)[3:40], *([ABSENT] if absent else [])]
    found = asked(collections, ids, query, query[1], corpus)
    assert found[37:] == ([None] if absent else [])
    assert [pair[0] for pair in found[:37]] == pytest.approx([dense[name] for name in ids[:37]], abs=1e-5)
    assert [pair[1] for pair in found[:37]] == pytest.approx(
        [sparse.get(name, 0.0) for name in ids[:37]], abs=1e-5
    )


@pytest.mark.parametrize("corpus", [None, Match("ordinal", 2)], ids=["in memory", "by the engine"])
def test_a_leg_that_is_not_asked_has_no_score(collections: Collections, corpus: Filter | None) -> None:
    chance = np.random.default_rng(6)
    names = sorted(filled(collections, chance))[:3]
    query = (chance.standard_normal(DIMENSION).tolist(), [1])
    by_meaning = asked(collections, names, query, None, corpus)
    assert all(pair[0] is not None and pair[1] is None for pair in by_meaning)
    by_words = asked(collections, names, None, [1, 2, 3], corpus)
    assert all(pair[0] is None and pair[1] is not None for pair in by_words)
    assert asked(collections, [ABSENT], query, [1], corpus) == [None]
    assert asked(collections, [], query, [1], corpus) == []


def test_vectors_come_back_with_length_1_and_their_terms(collections: Collections) -> None:
    chance = np.random.default_rng(7)
    points = filled(collections, chance)
    names = sorted(points)[:9]
    body = VectorsBody.model_validate_json(orjson.dumps({"ids": [*names, ABSENT]}))
    found = orjson.loads(orjson.dumps(vectors(collections, NAME, body)))
    assert found.keys() == set(names)
    for name in names:
        stored = points[name]["vector"]
        expected = np.asarray(stored["dense"]) / np.linalg.norm(stored["dense"])
        assert np.frombuffer(base64.b64decode(found[name]["dense"]), "<f4") == pytest.approx(
            expected, abs=1e-5
        )
        own = stored.get("sparse", {"indices": [], "values": []})
        assert sorted(zip(found[name]["indices"], found[name]["values"], strict=True)) == sorted(
            zip(own["indices"], own["values"], strict=True)
        )


def test_what_is_no_vector_is_refused(collections: Collections) -> None:
    filled(collections, np.random.default_rng(8))
    body = ScoresBody(ids=[1], dense="no base64", sparse=None, corpus=None)
    with pytest.raises(Refused):
        scores(collections, NAME, body)
    short = base64.b64encode(np.zeros(2, "<f4").tobytes()).decode()
    with pytest.raises(Refused):
        scores(collections, NAME, ScoresBody(ids=[uuid.UUID(int=2)], dense=short, sparse=None, corpus=None))
