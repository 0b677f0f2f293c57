"""What the bridge serves: each route, the body that it is sent, and what it does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import qdrant_edge as qe
from pydantic import ValidationError

from footnote_bridge.bodies import (
    Body,
    ChangeAliasesBody,
    CountBody,
    CreateCollectionBody,
    CreateIndexBody,
    DeleteBody,
    EmptyBody,
    QueryBatchBody,
    RetrieveBody,
    ScrollBody,
    SetPayloadBody,
    UpsertBody,
)
from footnote_bridge.collections import Collections
from footnote_bridge.convert import from_record, from_scored, to_filter, to_index, to_point, to_query
from footnote_bridge.following import (
    deleted,
    deleted_where,
    nothing_changed,
    payload_set_where,
    upserted,
)
from footnote_bridge.given_points import ScoresBody, VectorsBody, scores, vectors
from footnote_bridge.hybrid import HybridBody, hybrid
from footnote_bridge.refused import Refused
from footnote_bridge.shards import engine_errors

B = TypeVar("B", bound=Body)

_PROBLEMS_NAMED = 3


@dataclass(frozen=True, slots=True)
class Operation(Generic[B]):
    """A route. `run` gets the collections, the name in the path (empty where it has none) and the body.

    What only `reads` waits for no update.
    """

    method: str
    path: str
    body: type[B]
    run: Callable[[Collections, str, B], object]
    reads: bool = False

    def answer(self, collections: Collections, name: str, raw: bytes) -> object:
        """The result for a body as it was sent. Raises Refused."""
        try:
            body = self.body.model_validate_json(raw or b"{}")
        except ValidationError as error:
            raise Refused(f"Format error in JSON body: {_problems(error)}") from error
        with engine_errors():
            return self.run(collections, name, body)


def list_aliases(collections: Collections, name: str, body: EmptyBody) -> object:
    pairs = sorted(collections.catalogue.aliases.items())
    return {"aliases": [{"alias_name": alias, "collection_name": target} for alias, target in pairs]}


def change_aliases(collections: Collections, name: str, body: ChangeAliasesBody) -> object:
    collections.change_aliases(body.actions)
    return True


def create_collection(collections: Collections, name: str, body: CreateCollectionBody) -> object:
    collections.create(name, body)
    return True


def drop_collection(collections: Collections, name: str, body: EmptyBody) -> object:
    return collections.drop(name)


def describe_collection(collections: Collections, name: str, body: EmptyBody) -> object:
    """What Qdrant's client requires of a description; of its members that change nothing here, constants."""
    record, shard = collections.open(name)
    info = shard.engine.info()
    return {
        "status": "green",
        "optimizer_status": "ok",
        "points_count": info.points_count,
        "indexed_vectors_count": info.indexed_vectors_count,
        "segments_count": info.segments_count,
        "payload_schema": {
            field: {"data_type": str(index.data_type).rsplit(".", 1)[-1].lower(), "points": index.points}
            for field, index in info.payload_schema.items()
        },
        "config": {
            "params": {
                "vectors": record.config.get("vectors"),
                "sparse_vectors": record.config.get("sparse_vectors"),
            },
            "hnsw_config": {"m": 0, "ef_construct": 100, "full_scan_threshold": 10_000},
            "optimizer_config": {"default_segment_number": 0, "flush_interval_sec": 5},
            "metadata": record.metadata,
        },
    }


def create_index(collections: Collections, name: str, body: CreateIndexBody) -> object:
    update = qe.UpdateOperation.create_field_index(body.field_name, to_index(body.field_schema))
    return _completed(collections.shard(name).apply(update, touched=1, follow=nothing_changed()))


def upsert(collections: Collections, name: str, body: UpsertBody) -> object:
    update = qe.UpdateOperation.upsert_points([to_point(point) for point in body.points])
    shard = collections.shard(name)
    return _completed(shard.apply(update, touched=len(body.points), follow=upserted(body.points)))


def delete(collections: Collections, name: str, body: DeleteBody) -> object:
    shard = collections.shard(name)
    if body.points is not None:
        update = qe.UpdateOperation.delete_points(list(body.points))
        return _completed(shard.apply(update, touched=len(body.points), follow=deleted(body.points)))
    assert body.filter is not None, "the body has one of the two"
    chosen = to_filter(body.filter)
    update = qe.UpdateOperation.delete_points_by_filter(chosen)
    return _completed(shard.apply(update, follow=deleted_where(chosen)))


def set_payload(collections: Collections, name: str, body: SetPayloadBody) -> object:
    chosen = to_filter(body.filter)
    update = qe.UpdateOperation.set_payload_by_filter(chosen, body.payload)
    return _completed(collections.shard(name).apply(update, follow=payload_set_where(chosen)))


def retrieve(collections: Collections, name: str, body: RetrieveBody) -> object:
    engine = collections.shard(name).engine
    return [
        from_record(point) for point in engine.retrieve(list(body.ids), body.with_payload, body.with_vector)
    ]


def scroll(collections: Collections, name: str, body: ScrollBody) -> object:
    request = qe.ScrollRequest(
        offset=body.offset,
        limit=body.limit,
        filter=None if body.filter is None else to_filter(body.filter),
        with_payload=body.with_payload,
        with_vector=body.with_vector,
    )
    points, following = collections.shard(name).engine.scroll(request)
    return {"points": [from_record(point) for point in points], "next_page_offset": following}


def count(collections: Collections, name: str, body: CountBody) -> object:
    condition = None if body.filter is None else to_filter(body.filter)
    return {
        "count": collections.shard(name).engine.count(qe.CountRequest(exact=body.exact, filter=condition))
    }


def query_batch(collections: Collections, name: str, body: QueryBatchBody) -> object:
    requests = [to_query(search) for search in body.searches]
    answers = collections.shard(name).engine.query_batch(qe.QueryBatchRequest(requests))
    return [from_scored(answer) for answer in answers]


def _completed(number: int) -> dict[str, object]:
    return {"operation_id": number, "status": "completed"}


def _problems(error: ValidationError) -> str:
    """The first problems with their places. A condition that is of no kind has a problem for each kind."""
    found = [f"{_place(problem['loc'])}: {problem['msg']}" for problem in error.errors()]
    return "; ".join(found[:_PROBLEMS_NAMED])


def _place(steps: tuple[int | str, ...]) -> str:
    """The place in the body, without the names of the kinds that pydantic has tried there."""
    shown = [str(step) for step in steps]
    return ".".join(step for step in shown if "[" not in step and not step.endswith("Body"))


_COLLECTION = "/collections/{name}"

OPERATIONS: tuple[Operation[Any], ...] = (
    Operation("POST", f"{_COLLECTION}/points/hybrid", HybridBody, hybrid, reads=True),
    Operation("POST", f"{_COLLECTION}/points/vectors", VectorsBody, vectors, reads=True),
    Operation("POST", f"{_COLLECTION}/points/scores", ScoresBody, scores, reads=True),
    Operation("GET", "/aliases", EmptyBody, list_aliases, reads=True),
    Operation("POST", "/collections/aliases", ChangeAliasesBody, change_aliases),
    Operation("PUT", _COLLECTION, CreateCollectionBody, create_collection),
    Operation("GET", _COLLECTION, EmptyBody, describe_collection, reads=True),
    Operation("DELETE", _COLLECTION, EmptyBody, drop_collection),
    Operation("PUT", f"{_COLLECTION}/index", CreateIndexBody, create_index),
    Operation("PUT", f"{_COLLECTION}/points", UpsertBody, upsert),
    Operation("POST", f"{_COLLECTION}/points", RetrieveBody, retrieve, reads=True),
    Operation("POST", f"{_COLLECTION}/points/delete", DeleteBody, delete),
    Operation("POST", f"{_COLLECTION}/points/payload", SetPayloadBody, set_payload),
    Operation("POST", f"{_COLLECTION}/points/scroll", ScrollBody, scroll, reads=True),
    Operation("POST", f"{_COLLECTION}/points/count", CountBody, count, reads=True),
    Operation("POST", f"{_COLLECTION}/points/query/batch", QueryBatchBody, query_batch, reads=True),
)
"""Requests are compared with the routes one by one, so what searches ask comes first."""
