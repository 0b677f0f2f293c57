"""From request bodies to the engine's values, and from its points to answers."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import qdrant_edge as qe

from footnote_bridge.bodies import (
    Condition,
    CreateCollectionBody,
    FilterBody,
    HasIdConditionBody,
    IndexSchemaBody,
    IsEmptyConditionBody,
    MatchAnyBody,
    MatchConditionBody,
    MatchValueBody,
    NearestBody,
    PointBody,
    PrefetchBody,
    QueryBody,
    RangeBody,
    RangeConditionBody,
    ScalarQuantizationBody,
    SearchParamsBody,
    SparseVectorBody,
    Vector,
)

# Every kind that the engine declares: its lists are typed by all of them.
EngineCondition: TypeAlias = (
    qe.FieldCondition
    | qe.IsEmptyCondition
    | qe.IsNullCondition
    | qe.HasIdCondition
    | qe.HasVectorCondition
    | qe.NestedCondition
    | qe.Filter
)
EngineIndex: TypeAlias = (
    qe.KeywordIndexParams | qe.IntegerIndexParams | qe.BoolIndexParams | qe.DatetimeIndexParams
)

# A shard that is open in the server has no graph built: while the engine builds one, it holds the
# interpreter, and the whole process stands still.
_NO_GRAPH = qe.HnswIndexConfig(m=0, payload_m=0, ef_construct=100, full_scan_threshold=10_000)
_NEVER = qe.EdgeOptimizersConfig(
    deleted_threshold=0.5, vacuum_min_vector_number=10_000, indexing_threshold=1_000_000_000
)

# What `rebuild` builds in a process of its own: a graph for each workspace, since each search is within one,
# as in production. Thresholds are in KB of vectors: a workspace of less than 3,000 points is scanned, which
# is exact and as fast.
_SCANNED_KB = 5_000
_GRAPH = qe.HnswIndexConfig(
    m=0, payload_m=16, ef_construct=128, full_scan_threshold=_SCANNED_KB, max_indexing_threads=1
)
_BUILD = qe.EdgeOptimizersConfig(
    deleted_threshold=0.1,
    vacuum_min_vector_number=1_000,
    default_segment_number=1,
    indexing_threshold=_SCANNED_KB,
)


def to_config(body: CreateCollectionBody) -> qe.EdgeConfig:
    """The layout of a new shard."""
    return _config(body, _NO_GRAPH, _NEVER)


def to_graph_config(body: CreateCollectionBody) -> qe.EdgeConfig:
    """The layout of a shard that is given a graph."""
    return _config(body, _GRAPH, _BUILD)


def _config(
    body: CreateCollectionBody, graph: qe.HnswIndexConfig, optimizers: qe.EdgeOptimizersConfig
) -> qe.EdgeConfig:
    modifiers = {"idf": qe.Modifier.Idf, "none": None, None: None}
    return qe.EdgeConfig(
        vectors={
            name: qe.EdgeVectorParams(
                size=params.size,
                distance=qe.Distance.Cosine,
                on_disk=params.on_disk,
                quantization_config=_to_quantization(params.quantization_config),
            )
            for name, params in body.vectors.items()
        },
        sparse_vectors={
            name: qe.EdgeSparseVectorParams(modifier=modifiers[params.modifier])
            for name, params in body.sparse_vectors.items()
        },
        hnsw_config=graph,
        optimizers=optimizers,
    )


def _to_quantization(body: ScalarQuantizationBody | None) -> qe.ScalarQuantizationConfig | None:
    """A shard gets quantised vectors when it is rebuilt; until then it is searched by whole ones."""
    if body is None:
        return None
    return qe.ScalarQuantizationConfig(
        qe.ScalarType.Int8, quantile=body.scalar.quantile, always_ram=body.scalar.always_ram
    )


def to_index(schema: IndexSchemaBody) -> EngineIndex:
    """A payload index."""
    match schema.type:
        case "keyword":
            return qe.KeywordIndexParams(is_tenant=schema.is_tenant, enable_hnsw=schema.enable_hnsw)
        case "integer":
            return qe.IntegerIndexParams(enable_hnsw=schema.enable_hnsw)
        case "bool":
            return qe.BoolIndexParams(enable_hnsw=schema.enable_hnsw)
        case "datetime":
            return qe.DatetimeIndexParams(enable_hnsw=schema.enable_hnsw)


def to_point(point: PointBody) -> qe.Point:
    """A point; the engine checks the names and dimensions of its vectors."""
    return qe.Point(
        point.id, {name: _to_vector(vector) for name, vector in point.vector.items()}, point.payload
    )


def to_filter(body: FilterBody) -> qe.Filter:
    """A filter with the filters within it."""
    return qe.Filter(
        must=_to_conditions(body.must),
        should=_to_conditions(body.should),
        must_not=_to_conditions(body.must_not),
    )


def to_query(body: QueryBody) -> qe.QueryRequest:
    """One search with the prefetches within it."""
    return qe.QueryRequest(
        limit=body.limit,
        query=_to_nearest(body),
        prefetches=[_to_prefetch(prefetch) for prefetch in body.prefetch],
        filter=_to_optional_filter(body.filter),
        params=_to_params(body.params),
        with_payload=body.with_payload,
        with_vector=False,
    )


def from_record(point: qe.Record) -> dict[str, object]:
    """A stored point as Qdrant writes it."""
    return {"id": point.id, "payload": point.payload, "vector": _from_vector(point.vector)}


def from_scored(points: Sequence[qe.ScoredPoint]) -> dict[str, object]:
    """The hits of one search as Qdrant writes them."""
    return {
        "points": [
            {"id": point.id, "version": point.version, "score": point.score, "payload": point.payload}
            for point in points
        ]
    }


def _to_vector(vector: Vector) -> list[float] | qe.SparseVector:
    if isinstance(vector, SparseVectorBody):
        return qe.SparseVector(vector.indices, vector.values)
    return vector


def _from_vector(value: object) -> object:
    if isinstance(value, dict):
        return {name: _from_vector(named) for name, named in value.items()}
    if isinstance(value, qe.SparseVector):
        return {"indices": value.indices, "values": value.values}
    return value


def _to_conditions(conditions: list[Condition] | None) -> list[EngineCondition] | None:
    return None if conditions is None else [_to_condition(condition) for condition in conditions]


def _to_condition(condition: Condition) -> EngineCondition:
    match condition:
        case MatchConditionBody():
            return qe.FieldCondition(condition.key, match=_to_match(condition.match))
        case RangeConditionBody():
            return qe.FieldCondition(condition.key, range=_to_range(condition.range))
        case HasIdConditionBody(has_id=ids):
            return qe.HasIdCondition(set(ids))
        case IsEmptyConditionBody(is_empty=field):
            return qe.IsEmptyCondition(field.key)
        case FilterBody():
            return to_filter(condition)


def _to_match(body: MatchValueBody | MatchAnyBody) -> qe.MatchValue | qe.MatchAny:
    if isinstance(body, MatchAnyBody):
        return qe.MatchAny(body.any)
    return qe.MatchValue(_to_value(body.value))


def _to_value(value: bool | int | str) -> bool | int | str:
    """The engine's binding takes Python's truth values for numbers, and numpy's for what they are."""
    if isinstance(value, bool):
        truth: bool = np.asarray([value])[0]
        return truth
    return value


def _to_range(body: RangeBody) -> qe.RangeFloat | qe.RangeDateTime:
    bounds = body.model_dump(exclude_none=True)
    if any(isinstance(bound, str) for bound in bounds.values()):
        return qe.RangeDateTime(**bounds)
    return qe.RangeFloat(**bounds)


def _to_optional_filter(body: FilterBody | None) -> qe.Filter | None:
    return None if body is None else to_filter(body)


def _to_prefetch(body: PrefetchBody) -> qe.Prefetch:
    return qe.Prefetch(
        limit=body.limit,
        query=_to_nearest(body),
        prefetches=[_to_prefetch(prefetch) for prefetch in body.prefetch],
        filter=_to_optional_filter(body.filter),
        params=_to_params(body.params),
    )


def _to_nearest(body: PrefetchBody) -> qe.Query | None:
    if body.query is None:
        return None
    vector = body.query.nearest if isinstance(body.query, NearestBody) else body.query
    return qe.Query.Nearest(_to_vector(vector), using=body.using)


def _to_params(body: SearchParamsBody | None) -> qe.SearchParams | None:
    if body is None:
        return None
    idf = None if body.idf is None else qe.IdfParams(to_filter(body.idf.corpus))
    given = body.quantization
    quantization = None
    if given is not None:
        quantization = qe.QuantizationSearchParams(
            ignore=given.ignore, rescore=given.rescore, oversampling=given.oversampling
        )
    acorn = None
    if body.acorn is not None:
        acorn = qe.AcornSearchParams(enable=body.acorn.enable, max_selectivity=body.acorn.max_selectivity)
    return qe.SearchParams(
        exact=body.exact, hnsw_ef=body.hnsw_ef, acorn=acorn, idf=idf, quantization=quantization
    )
