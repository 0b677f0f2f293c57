"""A search over points in memory finds what an exact one finds, after any changes and while they happen."""

import base64
import math
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from footnote_bridge.bodies import (
    CreateCollectionBody,
    CreateIndexBody,
    DeleteBody,
    FilterBody,
    SetPayloadBody,
    UpsertBody,
)
from footnote_bridge.collections import Collections
from footnote_bridge.held_block import SHOWN, HeldPoint
from footnote_bridge.held_filters import LONGEST_KEPT
from footnote_bridge.held_points import HeldPoints
from footnote_bridge.hybrid import HybridBody, hybrid
from footnote_bridge.moved_query import FeedbackBody
from footnote_bridge.operations import create_index, delete, set_payload, upsert
from footnote_bridge.refused import Refused
from footnote_bridge.shards import engine_errors
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import SearchScope
from footnote_shared.vectors.filters import All, Filter, HasId, Match, MatchAny, Not, matches
from footnote_shared.vectors.protocol import BARE
from footnote_shared.vectors.qdrant_convert import to_filter
from footnote_shared.vectors.visibility import corpus_of, visible_to

DIMENSION = 6
NAME = "lane"
LAYOUT = {
    "vectors": {"dense": {"size": DIMENSION, "distance": "Cosine"}},
    "sparse_vectors": {"sparse": {"modifier": "idf"}},
}
Points = dict[str, dict[str, Any]]


@pytest.fixture
def collections(tmp_path: Path) -> Iterator[Collections]:
    made = Collections.load(tmp_path)
    made.create(NAME, CreateCollectionBody.model_validate(LAYOUT))
    yield made
    made.close()


def point(chance: np.random.Generator, point_id: str) -> dict[str, Any]:
    terms = sorted({int(term) for term in chance.integers(30, size=chance.integers(5))})
    payload: dict[str, Any] = {
        "workspace_id": f"w{chance.integers(2)}",
        "avatar_id": f"a{chance.integers(3)}",
        "document_id": f"d{chance.integers(6)}",
        "chunk_id": point_id,
        "text_hash": f"of {point_id}",
        "folder_ids": [f"f{number}" for number in range(chance.integers(3))],
        "source_type": "upload",
        "kind": str(chance.choice(["prose", "table"])),
        "document_type": "text",
        "ordinal": int(chance.integers(5)),
        "created_at": f"2026-0{chance.integers(1, 9)}-02T03:04:05.678{chance.choice(['Z', '+02:00'])}",
        "version": 1,
        "is_public": bool(chance.integers(2)),
        "groups": [[], ["red"], ["red", "blue"], ["avatar:a1"]][chance.integers(4)],
        "text": "not held",
    }
    if chance.integers(5) == 0:
        payload["session_id"] = "s1"
    sparse = {"indices": terms, "values": [float(1 + term % 3) for term in terms]}
    vector: dict[str, Any] = {"dense": chance.standard_normal(DIMENSION).tolist()}
    return {"id": point_id, "vector": {**vector, "sparse": sparse} if terms else vector, "payload": payload}


def put(collections: Collections, *points: dict[str, Any]) -> None:
    upsert(collections, NAME, UpsertBody.model_validate_json(orjson.dumps({"points": points})))


def text_of(condition: Filter) -> str:
    return to_filter(condition).model_dump_json(exclude_none=True)


def body_of(condition: Filter) -> FilterBody:
    return FilterBody.model_validate_json(text_of(condition))


def ask(
    collections: Collections,
    query: tuple[list[float], list[int]],
    condition: Filter,
    corpus: Filter,
    limit: int = 5,
    complete: bool = True,
    feedback: FeedbackBody | None = None,
) -> dict[str, Any]:
    body = {
        "dense": base64.b64encode(np.asarray(query[0], "<f4").tobytes()).decode(),
        "sparse": {"indices": query[1], "values": [1.0] * len(query[1])},
        "limit": limit,
        "filter": text_of(condition),
        "corpus": text_of(corpus),
        "complete": complete,
        "payload": sorted(SHOWN),
        "feedback": None if feedback is None else feedback.model_dump(),
    }
    found: dict[str, Any] = orjson.loads(
        orjson.dumps(hybrid(collections, NAME, HybridBody.model_validate_json(orjson.dumps(body))))
    )
    legs = {
        leg: [
            [name, score] for name, score in zip(found["ids"], found[leg], strict=True) if score is not None
        ]
        for leg in ("dense", "sparse")
    }
    return found | legs | {"payloads": dict(zip(found["ids"], found["payloads"], strict=True))}


def by_definition(
    points: Points, query: tuple[list[float], list[int]], condition: Filter, corpus: Filter
) -> tuple[dict[str, float], dict[str, float]]:
    """Scores of all that the filter matches, by leg; sparse ones where terms are shared."""
    wanted = np.asarray(query[0]) / np.linalg.norm(query[0])
    terms = {
        name: dict(zip(own["indices"], own["values"], strict=True))
        for name, p in points.items()
        if (own := p["vector"].get("sparse"))
    }
    counted = [own for name, own in terms.items() if matches(corpus, points[name]["payload"], name)]
    rarity = {}
    for term in query[1]:
        having = sum(term in own for own in counted)
        rarity[term] = math.log(1 + (len(counted) - having + 0.5) / (having + 0.5))
    dense, sparse = {}, {}
    for name, p in points.items():
        if matches(condition, p["payload"], name):
            vector = np.asarray(p["vector"]["dense"])
            dense[name] = float(vector @ wanted / np.linalg.norm(vector))
            shared = [term for term in query[1] if term in terms.get(name, {})]
            if shared:
                sparse[name] = sum(terms[name][term] * rarity[term] for term in shared)
    return dense, sparse


def assert_best(found: list[list[Any]], scores: dict[str, float], limit: int) -> None:
    """Ties may come in any order: the scores are those of the best, and each is its point's own."""
    assert len({name for name, _ in found}) == len(found) == min(limit, len(scores))
    best = sorted(scores.values(), reverse=True)[:limit]
    assert sorted((score for _, score in found), reverse=True) == pytest.approx(best, abs=1e-5)
    assert [score for _, score in found] == pytest.approx([scores[name] for name, _ in found], abs=1e-5)


def some_filter(chance: np.random.Generator, names: list[str]) -> tuple[Filter, Filter]:
    caller = Principal(
        workspace_id=f"w{chance.integers(2)}",
        avatar_id=f"a{chance.integers(3)}",
        scopes=frozenset({"read"}),
        groups=(("red",), (), ("blue", "avatar:a1"))[chance.integers(3)],
    )
    scopes = [
        {},
        {"document_ids": ["d1", "d2", "unknown"]},
        {"document_ids": []},
        {"folder_ids": ["f1"]},
        {"kinds": ["table"], "session_id": "s1"},
        {"created_from": "2026-03-01T00:00:00Z", "created_to": "2026-06-02T01:04:05.678Z"},
        {"memory": True},
    ]
    scope = SearchScope.model_validate(scopes[chance.integers(len(scopes))])
    visible = visible_to(caller, scope)
    if chance.integers(4) == 0:
        visible = All((visible, Not(HasId(frozenset(names[::2])))))
    return visible, corpus_of(caller, scope)


@pytest.mark.parametrize("seed", range(4))
def test_a_search_in_memory_is_the_exact_one_after_any_changes(collections: Collections, seed: int) -> None:
    chance = np.random.default_rng(seed)
    points: Points = {}
    names = [str(uuid.UUID(int=number)) for number in range(1, 90)]
    for _ in range(60):
        match chance.integers(7):
            case 0:
                gone = chance.choice(names, 5).tolist()
                delete(collections, NAME, DeleteBody.model_validate_json(orjson.dumps({"points": gone})))
                points = {name: p for name, p in points.items() if name not in gone}
            case 1:
                chosen = All((Match("document_id", f"d{chance.integers(6)}"), Match("workspace_id", "w0")))
                delete(collections, NAME, DeleteBody(filter=body_of(chosen)))
                points = {n: p for n, p in points.items() if not matches(chosen, p["payload"])}
            case 2:
                chosen = All((Match("document_id", f"d{chance.integers(6)}"),))
                changes = {"groups": [["blue"], []][chance.integers(2)], "is_public": False}
                set_payload(collections, NAME, SetPayloadBody(payload=changes, filter=body_of(chosen)))
                for p in points.values():
                    if matches(chosen, p["payload"]):
                        p["payload"] |= changes
            case _:
                fresh = [point(chance, str(name)) for name in chance.choice(names, chance.integers(1, 12))]
                put(collections, *fresh)
                points |= {p["id"]: p for p in fresh}
        assert collections.shards[NAME].held is not None, "this would compare the engine"
        query = (chance.standard_normal(DIMENSION).tolist(), chance.choice(32, 4, replace=False).tolist())
        visible, corpus = some_filter(chance, names)
        dense, sparse = by_definition(points, query, visible, corpus)
        plain = ask(collections, query, visible, corpus, complete=False)
        assert_best(plain["dense"], dense, 5)
        assert_best(plain["sparse"], sparse, 5)
        both = ask(collections, query, visible, corpus)
        union = {name for leg in ("dense", "sparse") for name, _ in plain[leg]}
        assert {name for name, _ in both["dense"]} == {name for name, _ in both["sparse"]} == union
        assert dict(both["dense"]) == pytest.approx({name: dense[name] for name in union}, abs=1e-5)
        assert dict(both["sparse"]) == pytest.approx({n: sparse.get(n, 0.0) for n in union}, abs=1e-5)
        for name, payload in both["payloads"].items():
            assert payload == {key: points[name]["payload"][key] for key in SHOWN}


def test_points_are_read_into_memory_while_others_are_written(tmp_path: Path) -> None:
    chance = np.random.default_rng(9)
    made = Collections.load(tmp_path)
    made.create(NAME, CreateCollectionBody.model_validate(LAYOUT))
    points = {
        str(uuid.UUID(int=number)): point(chance, str(uuid.UUID(int=number))) for number in range(1, 1800)
    }
    put(made, *points.values())
    made.close()
    again = Collections.load(tmp_path)
    shard = again.shards[NAME]
    assert shard.held is None
    reading = threading.Thread(target=shard.hold)
    reading.start()
    for number in range(1, 1800, 60):
        changed = point(chance, str(uuid.UUID(int=number)))
        put(again, changed)
        gone = str(uuid.UUID(int=number + 7))
        delete(again, NAME, DeleteBody.model_validate_json(orjson.dumps({"points": [gone]})))
        points = {name: p for name, p in {**points, changed["id"]: changed}.items() if name != gone}
    reading.join()
    assert shard.held is not None
    assert len(shard.held) == len(points)
    for _ in range(10):
        query = (chance.standard_normal(DIMENSION).tolist(), chance.choice(32, 4, replace=False).tolist())
        visible, corpus = some_filter(chance, list(points))
        dense, sparse = by_definition(points, query, visible, corpus)
        found = ask(again, query, visible, corpus, limit=40, complete=False)
        assert_best(found["dense"], dense, 40)
        assert_best(found["sparse"], sparse, 40)
    again.close()


def test_a_reader_sees_a_point_once_while_it_is_replaced() -> None:
    held = HeldPoints(DIMENSION)
    others = [HeldPoint(number, [1.0] * DIMENSION, None, {}) for number in range(1, 40)]
    held.put([HeldPoint(0, [1.0] * DIMENSION, None, {"kind": "first"}), *others])
    looked = threading.Event()
    replaced = 0

    def replace() -> None:
        nonlocal replaced
        while not looked.is_set():
            held.put([HeldPoint(0, [1.0] * DIMENSION, None, {"kind": str(replaced)})])
            replaced += 1

    writing = threading.Thread(target=replace)
    writing.start()
    seen, looks = set(), 0
    while replaced < 400 or looks < 100:
        looks += 1
        parts = held.parts
        seen.add(sum(part.block.ids[place] == 0 for part in parts for place in np.flatnonzero(part.alive)))
        seen.add(sum(part.living for part in parts) - 39)
    looked.set()
    writing.join()
    assert seen == {1}


def test_an_update_that_fails_has_the_points_read_anew(collections: Collections) -> None:
    put(collections, point(np.random.default_rng(1), str(uuid.UUID(int=1))))
    shard = collections.shards[NAME]
    wrong = {"id": 7, "vector": {"dense": [1.0]}, "payload": {}}
    with pytest.raises(Refused), engine_errors():
        put(collections, wrong)
    assert shard.held is None
    shard.hold()
    assert shard.held is not None
    assert len(shard.held) == 1


def test_values_of_points_that_are_gone_are_not_kept_for_ever() -> None:
    held = HeldPoints(DIMENSION)
    for number in range(40):
        names = [f"{number}-{place}" for place in range(100)]
        held.put([HeldPoint(1, None, None, {"document_id": name}) for name in names])
        held.put([HeldPoint(1, None, None, {"folder_ids": names})])
        if held.is_overgrown:
            break
    assert held.is_overgrown
    assert len(held.names) < 4_100


def test_the_engine_answers_for_what_is_not_in_memory(collections: Collections) -> None:
    index = {"field_name": "ordinal", "field_schema": {"type": "integer"}}
    create_index(collections, NAME, CreateIndexBody.model_validate(index))
    chance = np.random.default_rng(3)
    points = {name: point(chance, name) for name in (str(uuid.UUID(int=n)) for n in range(1, 60))}
    put(collections, *points.values())
    query = (chance.standard_normal(DIMENSION).tolist(), [1, 2, 3])
    visible, corpus = Match("ordinal", 2), Match("workspace_id", "w0")
    dense, _ = by_definition(points, query, visible, corpus)
    assert_best(ask(collections, query, visible, corpus, complete=False)["dense"], dense, 5)


def test_a_scope_of_many_documents_follows_every_change(collections: Collections) -> None:
    """What a long filter meant is kept. Points that come and go later are not in what was kept."""
    chance = np.random.default_rng(5)

    def of_document(number: int, workspace: str = "w0") -> dict[str, Any]:
        made = point(chance, str(uuid.UUID(int=number)))
        own = {"workspace_id": workspace, "document_id": f"d{number}", "is_public": True}
        made["payload"] |= own
        return made

    inside = Match("workspace_id", "w0")
    scope = All((inside, MatchAny("document_id", tuple(f"d{number}" for number in range(0, 4_000, 2)))))
    assert len(text_of(scope)) > LONGEST_KEPT

    def found() -> set[int]:
        answer = ask(collections, ([1.0] * DIMENSION, [1]), scope, inside, limit=50)
        return {uuid.UUID(point_id).int for point_id, _ in answer["dense"]}

    put(collections, of_document(2), of_document(3), of_document(4, "w1"), of_document(6))
    assert found() == {2, 6}
    assert found() == {2, 6}
    put(collections, of_document(8), of_document(9), of_document(6, "w1"))
    assert found() == {2, 8}
    delete(collections, NAME, DeleteBody(points=[uuid.UUID(int=2)]))
    assert found() == {8}


def test_what_is_shown_from_memory_is_what_the_adapter_asks_for() -> None:
    assert SHOWN == BARE
