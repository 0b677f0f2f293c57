"""The universal query: nearest, fused, ordered and sampled, with nested prefetches, singly, in batches and in groups."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import qdrant_edge as qe

from footnote_bridge.body import (
    Json,
    Record,
    bad,
    choice,
    flag,
    items,
    number,
    numbers,
    optional,
    record,
    required,
    text,
    whole,
)
from footnote_bridge.collections import Call, Collections
from footnote_bridge.convert import (
    PointId,
    from_vector,
    to_filter,
    to_id,
    to_named_vector,
    to_payload_selector,
    to_vector_selector,
)
from footnote_bridge.points import to_order, vector_of
from footnote_bridge.shards import Shard, engine_errors

Scoring: TypeAlias = qe.Query | qe.Fusion | qe.OrderBy | qe.Sample | qe.Mmr

# Qdrant's rank constant where a request names none.
_RRF_K = 2
_STAGE = frozenset({"prefetch", "query", "using", "filter", "params", "score_threshold", "limit"})
_QUERY = _STAGE | {"offset", "with_payload", "with_vector"}
_GROUPS = _QUERY - {"offset"} | {"group_by", "group_size"}
_PARAMS = frozenset({"hnsw_ef", "exact", "quantization", "indexed_only", "acorn", "idf"})


@dataclass(slots=True)
class _Reader:
    """Reads one query. Points that it names by id are looked up in the shard, and left out of the answer."""

    shard: Shard
    named: set[PointId] = field(default_factory=set)

    def request(self, body: Record) -> qe.QueryRequest:
        scoring, prefetches, limit = self._stage(body, "the body")
        condition = optional(to_filter, body, "filter", "the body")
        if self.named:
            unnamed = qe.Filter(must_not=[qe.HasIdCondition(set(self.named))])
            condition = qe.Filter(must=[condition, unnamed]) if condition else unnamed
        with engine_errors():
            return qe.QueryRequest(
                limit=limit,
                offset=optional(whole, body, "offset", "the body") or 0,
                query=scoring,
                prefetches=prefetches,
                with_vector=to_vector_selector(body.get("with_vector")),
                with_payload=to_payload_selector(body.get("with_payload"), default=False),
                filter=condition,
                score_threshold=optional(number, body, "score_threshold", "the body"),
                params=optional(_to_params, body, "params", "the body"),
            )

    def _stage(self, body: Record, where: str) -> tuple[Scoring | None, list[qe.Prefetch], int]:
        limit = optional(whole, body, "limit", where)
        limit = 10 if limit is None else limit
        prefetch = body.get("prefetch", [])
        stages = prefetch if isinstance(prefetch, list) else [prefetch]
        prefetches = [self._prefetch(stage, f"{where}.prefetch") for stage in stages]
        scoring = self._scoring(body["query"], body, limit, f"{where}.query") if "query" in body else None
        if prefetches and scoring is None:
            raise bad(f"{where}: a query is needed to merge the prefetches")
        return scoring, prefetches, limit

    def _prefetch(self, value: Json, where: str) -> qe.Prefetch:
        body = record(value, where, _STAGE)
        scoring, prefetches, limit = self._stage(body, where)
        with engine_errors():
            return qe.Prefetch(
                limit=limit,
                query=scoring,
                prefetches=prefetches,
                params=optional(_to_params, body, "params", where),
                filter=optional(to_filter, body, "filter", where),
                score_threshold=optional(number, body, "score_threshold", where),
            )

    def _scoring(self, value: Json, body: Record, limit: int, where: str) -> Scoring:
        using = optional(text, body, "using", where) or ""
        if not isinstance(value, dict) or "indices" in value:
            return self._nearest(value, using, where)
        found = record(value, where)
        match sorted(found):
            case ["nearest"]:
                return self._nearest(found["nearest"], using, where)
            case ["mmr", "nearest"]:
                return self._diverse(found, using, limit, where)
            case ["fusion"]:
                fusions: dict[str, object] = {"rrf": qe.Fusion.Rrf(_RRF_K), "dbsf": qe.Fusion.Dbsf()}
                return _fusion(choice(fusions)(found["fusion"], where))
            case ["rrf"]:
                rrf = record(found["rrf"], where, frozenset({"k", "weights"}))
                k = optional(whole, rrf, "k", where)
                weights = optional(numbers, rrf, "weights", where)
                return _fusion(qe.Fusion.Rrf(_RRF_K if k is None else k, weights))
            case ["order_by"]:
                return to_order(found["order_by"], where)
            case ["sample"]:
                return choice({"random": qe.Sample.Random})(found["sample"], where)
        raise bad(f"{where}: queries of the kind `{', '.join(sorted(found))}` are not served here")

    def _nearest(self, value: Json, using: str, where: str) -> qe.Query:
        with engine_errors():
            return qe.Query.Nearest(to_named_vector(self._looked_up(value, using), where), using=using)

    def _diverse(self, found: Record, using: str, limit: int, where: str) -> qe.Mmr:
        mmr = record(found["mmr"], where, frozenset({"diversity", "candidates_limit"}))
        diversity = optional(number, mmr, "diversity", where)
        candidates = optional(whole, mmr, "candidates_limit", where)
        vector = to_named_vector(self._looked_up(found["nearest"], using), where)
        relevance = 0.5 if diversity is None else 1.0 - diversity
        with engine_errors():
            return qe.Mmr(vector, relevance, limit if candidates is None else candidates, using=using)

    def _looked_up(self, value: Json, using: str) -> Json:
        if not isinstance(value, str | int) or isinstance(value, bool):
            return value
        point_id = to_id(value)
        self.named.add(point_id)
        return vector_of(self.shard, point_id, using)


def _fusion(method: object) -> qe.Fusion:
    """The engine's stubs do not say that each method is a `Fusion`."""
    assert isinstance(method, qe.Fusion)
    return method


def _to_params(value: Json, where: str) -> qe.SearchParams:
    """Search is exact here, so all that trades exactness for speed is read and has no effect."""
    found = record(value, where, _PARAMS)
    return qe.SearchParams(
        exact=optional(flag, found, "exact", where) or False, idf=optional(_to_idf, found, "idf", where)
    )


def _to_idf(value: Json, where: str) -> qe.IdfParams:
    if value == "global":
        return qe.IdfParams()
    found = record(value, where, frozenset({"corpus"}))
    return qe.IdfParams(to_filter(required(found, "corpus", where), f"{where}.corpus"))


def query(collections: Collections, call: Call) -> object:
    shard = collections.shard(call.collection)
    request = _Reader(shard).request(record(call.body, "the body", _QUERY))
    with engine_errors():
        return {"points": _scored(shard.engine.query(request))}


def query_batch(collections: Collections, call: Call) -> object:
    shard = collections.shard(call.collection)
    body = record(call.body, "the body", frozenset({"searches"}))
    searches = items(required(body, "searches", "the body"), "searches")
    requests = [_Reader(shard).request(record(search, "searches", _QUERY)) for search in searches]
    with engine_errors():
        answers = shard.engine.query_batch(qe.QueryBatchRequest(requests))
    return [{"points": _scored(answer)} for answer in answers]


def query_groups(collections: Collections, call: Call) -> object:
    """The best groups by their best point. Looks deeper until the groups are full or no points are left."""
    shard = collections.shard(call.collection)
    body = record(call.body, "the body", _GROUPS)
    key = text(required(body, "group_by", "the body"), "group_by")
    size = optional(whole, body, "group_size", "the body") or 3
    wanted = optional(whole, body, "limit", "the body") or 10
    shown = to_payload_selector(body.get("with_payload"), default=False)
    depth = max(100, 4 * wanted * size)
    search: Record = {name: value for name, value in body.items() if name not in ("group_by", "group_size")}
    while True:
        request = _Reader(shard).request({**search, "limit": depth, "with_payload": True})
        with engine_errors():
            points = shard.engine.query(request)
        groups = _grouped(points, key, size)
        best = list(groups.items())[:wanted]
        if len(points) < depth or (len(best) == wanted and all(len(members) == size for _, members in best)):
            break
        depth *= 4
    with engine_errors():
        payloads = {
            found.id: found.payload
            for found in shard.engine.retrieve([point.id for _, hits in best for point in hits], shown, False)
        }
    return {
        "groups": [
            {"id": group, "hits": [{**_hit(point), "payload": payloads.get(point.id)} for point in hits]}
            for group, hits in best
        ]
    }


def _grouped(points: Sequence[qe.ScoredPoint], key: str, size: int) -> dict[str | int, list[qe.ScoredPoint]]:
    groups: dict[str | int, list[qe.ScoredPoint]] = {}
    for point in points:
        value = (point.payload or {}).get(key)
        for group in value if isinstance(value, list) else [value]:
            if isinstance(group, str | int) and not isinstance(group, bool):
                members = groups.setdefault(group, [])
                if len(members) < size:
                    members.append(point)
    return groups


def _scored(points: Sequence[qe.ScoredPoint]) -> list[dict[str, object]]:
    return [_hit(point) for point in points]


def _hit(point: qe.ScoredPoint) -> dict[str, object]:
    return {
        "id": point.id,
        "version": point.version,
        "score": point.score,
        "payload": point.payload,
        "vector": from_vector(point.vector),
    }
