"""Points: writing, reading by id or filter, counting, and changing payloads and vectors."""

from collections.abc import Callable

import qdrant_edge as qe

from footnote_bridge.body import (
    Json,
    Record,
    Refused,
    bad,
    choice,
    flag,
    items,
    optional,
    record,
    required,
    text,
    texts,
    whole,
)
from footnote_bridge.collections import Call, Collections
from footnote_bridge.convert import (
    PointId,
    from_record,
    to_filter,
    to_id,
    to_ids,
    to_payload_selector,
    to_vector,
    to_vector_selector,
)
from footnote_bridge.shards import Shard, engine_errors

_UPDATE_MODES = {
    "upsert": qe.UpdateMode.Upsert,
    "insert_only": qe.UpdateMode.InsertOnly,
    "update_only": qe.UpdateMode.UpdateOnly,
}
_POINT = frozenset({"id", "vector", "payload"})
_DIRECTIONS = {"asc": qe.Direction.Asc, "desc": qe.Direction.Desc}

Updates = tuple[list[qe.UpdateOperation], int]


def upsert(collections: Collections, call: Call) -> object:
    return _written(collections, call, _upserts(call.body))


def delete(collections: Collections, call: Call) -> object:
    return _written(collections, call, _deletes(call.body))


def set_payload(collections: Collections, call: Call) -> object:
    return _written(collections, call, _payload_sets(call.body))


def overwrite_payload(collections: Collections, call: Call) -> object:
    return _written(collections, call, _payload_overwrites(call.body))


def delete_payload(collections: Collections, call: Call) -> object:
    return _written(collections, call, _payload_deletes(call.body))


def clear_payload(collections: Collections, call: Call) -> object:
    return _written(collections, call, _payload_clears(call.body))


def update_vectors(collections: Collections, call: Call) -> object:
    return _written(collections, call, _vector_updates(call.body))


def delete_vectors(collections: Collections, call: Call) -> object:
    return _written(collections, call, _vector_deletes(call.body))


def batch(collections: Collections, call: Call) -> object:
    """Operations in order. All are read before the first is applied."""
    body = record(call.body, "the body", frozenset({"operations"}))
    read: list[Updates] = []
    for operation in items(required(body, "operations", "the body"), "operations"):
        found = record(operation, "operations")
        if len(found) != 1:
            raise bad("an operation has exactly one member")
        kind, content = next(iter(found.items()))
        read.append(choice(_OPERATIONS)(kind, "operations")(content))
    shard = collections.shard(call.collection)
    return [_completed(shard.apply(*updates)) for updates in read]


def _written(collections: Collections, call: Call, updates: Updates) -> object:
    return _completed(collections.shard(call.collection).apply(*updates))


def _completed(operation: int) -> dict[str, object]:
    return {"operation_id": operation, "status": "completed"}


def _upserts(body: Json) -> Updates:
    found = record(body, "the body", frozenset({"points", "batch", "update_filter", "update_mode"}))
    points = _batch_points(found["batch"]) if "batch" in found else _listed_points(found)
    update = qe.UpdateOperation.upsert_points(
        points,
        condition=optional(to_filter, found, "update_filter", "the body"),
        update_mode=optional(choice(_UPDATE_MODES), found, "update_mode", "the body"),
    )
    return [update], len(points)


def _listed_points(found: Record) -> list[qe.Point]:
    points = []
    for index, value in enumerate(items(required(found, "points", "the body"), "points")):
        where = f"points[{index}]"
        point = record(value, where, _POINT)
        with engine_errors():
            points.append(
                qe.Point(
                    to_id(required(point, "id", where), where),
                    to_vector(required(point, "vector", where), where),
                    _payload(point.get("payload"), where),
                )
            )
    return points


def _batch_points(value: Json) -> list[qe.Point]:
    found = record(value, "batch", frozenset({"ids", "vectors", "payloads"}))
    ids = to_ids(required(found, "ids", "batch"), "batch.ids")
    vectors = required(found, "vectors", "batch")
    payloads = items(found.get("payloads", [None] * len(ids)), "batch.payloads")
    rows: list[Json]
    if isinstance(vectors, dict):
        columns = {name: items(column, f"batch.vectors.{name}") for name, column in vectors.items()}
        if any(len(column) != len(ids) for column in columns.values()):
            raise bad("batch: as many vectors as ids are needed")
        rows = [{name: column[index] for name, column in columns.items()} for index in range(len(ids))]
    else:
        rows = items(vectors, "batch.vectors")
    if len(rows) != len(ids) or len(payloads) != len(ids):
        raise bad("batch: as many vectors and payloads as ids are needed")
    with engine_errors():
        return [
            qe.Point(point_id, to_vector(row), _payload(payload, "batch"))
            for point_id, row, payload in zip(ids, rows, payloads, strict=True)
        ]


def _payload(value: Json, where: str) -> Record | None:
    if value is not None and not isinstance(value, dict):
        raise bad(f"{where}: a payload must be an object")
    return value


def _selection(body: Json, *members: str) -> tuple[Record, list[PointId] | None, qe.Filter]:
    """The body, and the points that it names, by id or else by filter."""
    found = record(body, "the body", frozenset({"points", "filter", *members}))
    if ("points" in found) == ("filter" in found):
        raise bad("either `points` or `filter` is needed")
    if "points" in found:
        return found, to_ids(found["points"]), qe.Filter()
    return found, None, to_filter(found["filter"])


def _touched(ids: list[PointId] | None) -> int:
    """How many points an update changes; 0 where only the engine can tell."""
    return 0 if ids is None else max(1, len(ids))


def _deletes(body: Json) -> Updates:
    _, ids, condition = _selection(body)
    if ids is None:
        return [qe.UpdateOperation.delete_points_by_filter(condition)], _touched(ids)
    return [qe.UpdateOperation.delete_points(ids)], _touched(ids)


def _payload_sets(body: Json) -> Updates:
    found, ids, condition = _selection(body, "payload", "key")
    payload = _payload(required(found, "payload", "the body"), "the body") or {}
    key = optional(text, found, "key", "the body")
    if ids is None:
        return [qe.UpdateOperation.set_payload_by_filter(condition, payload, key)], _touched(ids)
    return [qe.UpdateOperation.set_payload(ids, payload, key)], _touched(ids)


def _payload_overwrites(body: Json) -> Updates:
    found, ids, condition = _selection(body, "payload")
    payload = _payload(required(found, "payload", "the body"), "the body") or {}
    if ids is None:
        return [qe.UpdateOperation.overwrite_payload_by_filter(condition, payload)], _touched(ids)
    return [qe.UpdateOperation.overwrite_payload(ids, payload)], _touched(ids)


def _payload_deletes(body: Json) -> Updates:
    found, ids, condition = _selection(body, "keys")
    keys = texts(required(found, "keys", "the body"), "keys")
    if ids is None:
        return [qe.UpdateOperation.delete_payload_by_filter(condition, keys)], _touched(ids)
    return [qe.UpdateOperation.delete_payload(ids, keys)], _touched(ids)


def _payload_clears(body: Json) -> Updates:
    _, ids, condition = _selection(body)
    if ids is None:
        return [qe.UpdateOperation.clear_payload_by_filter(condition)], _touched(ids)
    return [qe.UpdateOperation.clear_payload(ids)], _touched(ids)


def _vector_updates(body: Json) -> Updates:
    found = record(body, "the body", frozenset({"points", "update_filter"}))
    points = []
    for value in items(required(found, "points", "the body"), "points"):
        point = record(value, "points", frozenset({"id", "vector"}))
        with engine_errors():
            vector = to_vector(required(point, "vector", "points"))
            points.append(qe.PointVectors(to_id(required(point, "id", "points")), vector))
    condition = optional(to_filter, found, "update_filter", "the body")
    return [qe.UpdateOperation.update_vectors(points, condition)], len(points)


def _vector_deletes(body: Json) -> Updates:
    found, ids, condition = _selection(body, "vector")
    names = texts(required(found, "vector", "the body"), "vector")
    if ids is None:
        return [qe.UpdateOperation.delete_vectors_by_filter(condition, names)], _touched(ids)
    return [qe.UpdateOperation.delete_vectors(ids, names)], _touched(ids)


_OPERATIONS: dict[str, Callable[[Json], Updates]] = {
    "upsert": _upserts,
    "delete": _deletes,
    "set_payload": _payload_sets,
    "overwrite_payload": _payload_overwrites,
    "delete_payload": _payload_deletes,
    "clear_payload": _payload_clears,
    "update_vectors": _vector_updates,
    "delete_vectors": _vector_deletes,
}


def retrieve(collections: Collections, call: Call) -> object:
    body = record(call.body, "the body", frozenset({"ids", "with_payload", "with_vector"}))
    shard = collections.shard(call.collection)
    ids = to_ids(required(body, "ids", "the body"), "ids")
    return [from_record(point) for point in _records(shard, ids, body)]


def retrieve_one(collections: Collections, call: Call) -> object:
    name = call.path["id"]
    point_id = to_id(int(name) if name.isdecimal() else name)
    found = _records(collections.shard(call.collection), [point_id], {"with_vector": True})
    if not found:
        raise Refused(f"Not found: Point with id {name} does not exists!", status=404)
    return from_record(found[0])


def _records(shard: Shard, ids: list[PointId], body: Record) -> list[qe.Record]:
    with_payload = to_payload_selector(body.get("with_payload"), default=True)
    with engine_errors():
        return shard.engine.retrieve(ids, with_payload, to_vector_selector(body.get("with_vector")))


def scroll(collections: Collections, call: Call) -> object:
    known = frozenset({"offset", "limit", "filter", "with_payload", "with_vector", "order_by"})
    body = record(call.body, "the body", known)
    request = qe.ScrollRequest(
        offset=optional(to_id, body, "offset", "the body"),
        limit=optional(whole, body, "limit", "the body") or 10,
        filter=optional(to_filter, body, "filter", "the body"),
        with_payload=to_payload_selector(body.get("with_payload"), default=True),
        with_vector=to_vector_selector(body.get("with_vector")),
        order_by=optional(to_order, body, "order_by", "the body"),
    )
    with engine_errors():
        points, following = collections.shard(call.collection).engine.scroll(request)
    return {"points": [from_record(point) for point in points], "next_page_offset": following}


def to_order(value: Json, where: str) -> qe.OrderBy:
    """Order by a payload field, named alone or with direction and start."""
    found = record({"key": value} if isinstance(value, str) else value, where)
    record(found, where, frozenset({"key", "direction", "start_from"}))
    start = found.get("start_from")
    if isinstance(start, bool | list | dict):
        raise bad(f"{where}.start_from must be a number or a moment")
    direction = optional(choice(_DIRECTIONS), found, "direction", where)
    with engine_errors():
        return qe.OrderBy(text(required(found, "key", where), where), direction, start)


def count(collections: Collections, call: Call) -> object:
    body = record(call.body, "the body", frozenset({"filter", "exact"}))
    exact = optional(flag, body, "exact", "the body")
    request = qe.CountRequest(
        exact=True if exact is None else exact, filter=optional(to_filter, body, "filter", "the body")
    )
    with engine_errors():
        return {"count": collections.shard(call.collection).engine.count(request)}


def facet(collections: Collections, call: Call) -> object:
    body = record(call.body, "the body", frozenset({"key", "limit", "filter", "exact"}))
    request = qe.FacetRequest(
        text(required(body, "key", "the body"), "key"),
        limit=optional(whole, body, "limit", "the body") or 10,
        exact=optional(flag, body, "exact", "the body") or False,
        filter=optional(to_filter, body, "filter", "the body"),
    )
    with engine_errors():
        hits = collections.shard(call.collection).engine.facet(request).hits
    return {"hits": [{"value": hit.value, "count": hit.count} for hit in hits]}


def vector_of(shard: Shard, point_id: PointId, using: str) -> Json:
    """A stored vector as JSON, to search by the id of a point."""
    with engine_errors():
        found = shard.engine.retrieve([point_id], False, [using] if using else True)
    if not found:
        raise Refused(f"Not found: No point with id {point_id} found", status=404)
    vector = from_record(found[0])["vector"]
    named = vector.get(using) if isinstance(vector, dict) and using else vector
    if isinstance(named, list | dict) and named:
        return named
    raise bad(f"point {point_id} has no vector `{using}`")
