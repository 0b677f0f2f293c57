"""Points score by the query that the best of them have moved as if that one had been asked."""

import base64
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from footnote_bridge.bodies import CreateCollectionBody, CreateIndexBody, DeleteBody, SparseVectorBody
from footnote_bridge.collections import Collections
from footnote_bridge.given_points import ScoresBody, scores
from footnote_bridge.moved_query import FeedbackBody, added_terms, blended, moved_vector, trust_in
from footnote_bridge.operations import create_index, delete
from footnote_bridge.stored_vectors import StoredVectors
from footnote_shared.vectors.filters import Filter, Match
from tests.unit.bridge.test_points_in_memory import (
    DIMENSION,
    LAYOUT,
    NAME,
    Points,
    ask,
    point,
    put,
    text_of,
)

FEEDBACK = FeedbackBody(
    alpha=0.4, passages=3, once="text_hash", likeness=0.35, towards=0.8, terms=4, added=0.2
)
EVERYWHERE = Match("document_type", "text")
Query = tuple[list[float], list[int]]


@pytest.fixture
def collections(tmp_path: Path) -> Iterator[Collections]:
    made = Collections.load(tmp_path)
    made.create(NAME, CreateCollectionBody.model_validate(LAYOUT))
    index = {"field_name": "ordinal", "field_schema": {"type": "integer"}}
    create_index(made, NAME, CreateIndexBody.model_validate(index))
    yield made
    made.close()


def passage_of(stored: dict[str, Any]) -> StoredVectors:
    terms = stored["vector"].get("sparse", {"indices": [], "values": []})
    return StoredVectors(np.asarray(stored["vector"]["dense"], np.float32), terms["indices"], terms["values"])


def scored(
    collections: Collections,
    ids: list[str],
    query: Query,
    best: list[StoredVectors],
    trust: list[float],
    corpus: Filter,
) -> Any:
    """What the points score by the query as these passages move it."""
    dense = moved_vector(np.asarray(query[0], np.float32), best, trust, FEEDBACK.towards)
    terms = SparseVectorBody(indices=query[1], values=[1.0] * len(query[1]))
    weights = dict.fromkeys(query[1], 1.0)
    for term, more in zip(*added_terms(terms, best, trust, FEEDBACK), strict=True):
        weights[term] = weights.get(term, 0.0) + more
    body = {
        "ids": ids,
        "dense": base64.b64encode(dense.astype("<f4").tobytes()).decode(),
        "sparse": {"indices": list(weights), "values": list(weights.values())},
        "corpus": text_of(corpus),
    }
    return scores(collections, NAME, ScoresBody.model_validate_json(orjson.dumps(body)))


@pytest.mark.parametrize(
    "corpus", [Match("workspace_id", "w0"), Match("ordinal", 2)], ids=["memory", "engine"]
)
def test_they_score_as_if_the_moved_query_were_asked(collections: Collections, corpus: Filter) -> None:
    chance = np.random.default_rng(11)
    points: Points = {}
    added = 0.0
    for _ in range(30):
        fresh = [point(chance, str(uuid.UUID(int=int(number)))) for number in chance.integers(1, 80, 9)]
        put(collections, *{one["id"]: one for one in fresh}.values())
        points |= {one["id"]: one for one in fresh}
        gone = chance.choice(sorted(points), 2, replace=False).tolist()
        delete(collections, NAME, DeleteBody.model_validate_json(orjson.dumps({"points": gone})))
        points = {name: one for name, one in points.items() if name not in gone}
        query = (chance.standard_normal(DIMENSION).tolist(), chance.choice(30, 4, replace=False).tolist())
        found = ask(collections, query, EVERYWHERE, corpus, feedback=FEEDBACK)
        blend = blended(dict(found["dense"]), dict(found["sparse"]), FEEDBACK.alpha)
        best = list(blend)[: FEEDBACK.passages]
        assert found["moved"]["by"] == best
        passages = [passage_of(points[str(name)]) for name in best]
        trust = trust_in([blend[name] for name in best], FEEDBACK.likeness)
        expected = scored(collections, found["ids"], query, passages, trust, corpus)
        assert found["moved"]["dense"] == pytest.approx([pair[0] for pair in expected], abs=1e-5)
        assert found["moved"]["sparse"] == pytest.approx([pair[1] for pair in expected], abs=1e-5)
        added += sum(found["moved"]["sparse"]) - sum(weight for _, weight in found["sparse"])
    assert added > 0, "no term was ever added"


def test_what_has_the_same_text_moves_the_query_once(collections: Collections) -> None:
    chance = np.random.default_rng(12)
    first = point(chance, str(uuid.UUID(int=1)))
    copies = [first | {"id": str(uuid.UUID(int=number))} for number in (2, 3)]
    others = [point(chance, str(uuid.UUID(int=number))) for number in range(4, 9)]
    put(collections, first, *copies, *others)
    of_no_point = [31]
    query = (first["vector"]["dense"], of_no_point)
    found = ask(collections, query, EVERYWHERE, EVERYWHERE, feedback=FEEDBACK)
    by = found["moved"]["by"]
    assert by[0] == first["id"]
    assert len(by) == 3
    assert not {one["id"] for one in copies} & set(by)


def test_a_search_that_found_nothing_or_one_leg_alone_moves_nothing(collections: Collections) -> None:
    query = ([1.0] * DIMENSION, [1])
    assert ask(collections, query, EVERYWHERE, EVERYWHERE, feedback=FEEDBACK)["moved"] is None
    put(collections, point(np.random.default_rng(13), str(uuid.UUID(int=1))))
    assert ask(collections, query, EVERYWHERE, EVERYWHERE)["moved"] is None
    incomplete = ask(collections, query, EVERYWHERE, EVERYWHERE, complete=False, feedback=FEEDBACK)
    assert incomplete["moved"] is None
