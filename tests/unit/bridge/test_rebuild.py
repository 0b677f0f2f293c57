"""A shard is rebuilt as a copy, by another process, while searches and updates go on."""

from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
import qdrant_edge as qe

from footnote_bridge.bodies import CreateCollectionBody
from footnote_bridge.collections import Collections
from footnote_bridge.refused import Refused

DIMENSION = 8
POINTS = 300
NAME = "lane"
LAYOUT = {
    "vectors": {"dense": {"size": DIMENSION, "distance": "Cosine"}},
    "sparse_vectors": {"sparse": {"modifier": "idf"}},
}


def filled(folder: Path) -> Collections:
    collections = Collections.load(folder)
    collections.create(NAME, CreateCollectionBody.model_validate(LAYOUT))
    put(collections, range(1, POINTS + 1))
    return collections


def put(collections: Collections, numbers: range) -> None:
    points = [
        qe.Point(
            number,
            {"dense": vector_of(number), "sparse": qe.SparseVector([number % 7], [1.0])},
            {"workspace_id": f"w{number % 2}"},
        )
        for number in numbers
    ]
    collections.shards[NAME].apply(qe.UpdateOperation.upsert_points(points), touched=len(points))


def vector_of(number: int) -> list[float]:
    found: list[float] = np.random.default_rng(number).standard_normal(DIMENSION).tolist()
    return found


def stored(collections: Collections) -> set[int]:
    records, _ = collections.shards[NAME].engine.scroll(qe.ScrollRequest(limit=10 * POINTS))
    return {int(record.id) for record in records}


def nearest(collections: Collections) -> list[list[tuple[int | UUID | str, float]]]:
    engine = collections.shards[NAME].engine
    found = []
    for number in range(20):
        query = qe.Query.Nearest(vector_of(-number + 10_000), using="dense")
        within = qe.Filter(must=[qe.FieldCondition("workspace_id", match=qe.MatchValue("w1"))])
        points = engine.query(qe.QueryRequest(limit=10, query=query, filter=within))
        found.append([(point.id, round(point.score, 5)) for point in points])
    return found


def folders(collections: Collections) -> list[str]:
    return sorted(path.name for path in (collections.folder / "shards").iterdir())


def test_a_rebuilt_shard_finds_the_same_also_after_a_restart(tmp_path: Path) -> None:
    collections = filled(tmp_path)
    before, folder = nearest(collections), folders(collections)
    collections.rebuild(NAME)
    assert nearest(collections) == before
    assert len(folders(collections)) == 1
    assert folders(collections) != folder
    put(collections, range(1001, 1011))
    collections.close()
    again = Collections.load(tmp_path)
    assert stored(again) == {*range(1, POINTS + 1), *range(1001, 1011)}
    assert again.catalogue.collections[NAME].in_graph == POINTS
    again.close()


def test_what_was_written_since_the_copy_is_in_the_rebuilt_shard(tmp_path: Path) -> None:
    collections = filled(tmp_path)
    shard, (folder,) = collections.shards[NAME], folders(collections)
    before = shard.engine
    shard.copy(tmp_path / "shards" / folder, tmp_path / "copy")
    put(collections, range(1001, 1004))
    shard.apply(qe.UpdateOperation.delete_points([1, 2]), touched=2)
    within = qe.Filter(must=[qe.FieldCondition("workspace_id", match=qe.MatchValue("w0"))])
    shard.apply(qe.UpdateOperation.delete_points_by_filter(within))
    shard.adopt(tmp_path / "copy", lambda: None)
    assert shard.engine is not before
    assert stored(collections) == {*range(3, POINTS + 1, 2), 1001, 1003}
    collections.close()


def test_a_rebuild_that_fails_leaves_the_shard_as_it_was(tmp_path: Path) -> None:
    collections = filled(tmp_path)
    record = collections.catalogue.collections[NAME]
    unbuildable = record.model_copy(update={"config": {"vectors": {"dense": {"size": 0}}}})
    collections.catalogue = collections.catalogue.model_copy(update={"collections": {NAME: unbuildable}})
    before = folders(collections)
    with pytest.raises(Refused, match="building a graph ended"):
        collections.rebuild(NAME)
    assert folders(collections) == before
    put(collections, range(1001, 1002))
    assert 1001 in stored(collections)
    collections.close()


def test_a_server_that_stops_begins_no_rebuild(tmp_path: Path) -> None:
    collections = filled(tmp_path)
    before = folders(collections)
    collections.close()
    with pytest.raises(Refused, match="stopping"):
        collections.rebuild(NAME)
    assert folders(collections) == before
