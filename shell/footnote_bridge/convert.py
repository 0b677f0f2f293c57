"""From Qdrant's JSON to the engine's values and back: ids, vectors, payload selectors and filters."""

import uuid
from typing import TypeAlias

import numpy as np
import qdrant_edge as qe

from footnote_bridge.body import (
    Json,
    Record,
    bad,
    flag,
    items,
    number,
    numbers,
    optional,
    record,
    required,
    text,
    texts,
    whole,
    whole_numbers,
)

PointId: TypeAlias = int | uuid.UUID | str
NamedVector: TypeAlias = list[float] | list[list[float]] | qe.SparseVector
Vector: TypeAlias = list[float] | list[list[float]] | dict[str, NamedVector]
Selector: TypeAlias = bool | list[str] | qe.PayloadSelector
Condition: TypeAlias = (
    qe.FieldCondition
    | qe.IsEmptyCondition
    | qe.IsNullCondition
    | qe.HasIdCondition
    | qe.HasVectorCondition
    | qe.NestedCondition
    | qe.Filter
)
MatchCondition: TypeAlias = (
    qe.MatchValue
    | qe.MatchText
    | qe.MatchTextAny
    | qe.MatchPhrase
    | qe.MatchPrefix
    | qe.MatchSubstring
    | qe.MatchAny
    | qe.MatchExcept
)

_CLAUSES = frozenset({"must", "should", "must_not", "min_should"})
_FIELD = frozenset(
    {
        "key",
        "match",
        "range",
        "geo_bounding_box",
        "geo_radius",
        "geo_polygon",
        "values_count",
        "is_empty",
        "is_null",
    }
)
_BOUNDS = frozenset({"gte", "gt", "lte", "lt"})


def to_id(value: Json, where: str = "id") -> PointId:
    if isinstance(value, str):
        try:
            return uuid.UUID(value)
        except ValueError:
            raise bad(
                f"{where}: value {value} is not a valid point ID, an unsigned integer or a UUID is"
            ) from None
    return whole(value, where)


def to_ids(value: Json, where: str = "points") -> list[PointId]:
    return [to_id(element, where) for element in items(value, where)]


def to_named_vector(value: Json, where: str) -> NamedVector:
    """Dense, sparse or multivector. The engine checks elements and dimensions."""
    if isinstance(value, dict):
        sparse = record(value, where, frozenset({"indices", "values"}))
        indices = whole_numbers(required(sparse, "indices", where), where)
        values = numbers(required(sparse, "values", where), where)
        if len(indices) != len(values) or len(set(indices)) != len(indices):
            raise bad(f"{where}: indices must be unique and as many as values")
        return qe.SparseVector(indices, values)
    elements = items(value, where)
    if elements and isinstance(elements[0], list):
        return [numbers(row, where) for row in elements]
    return numbers(value, where)


def to_vector(value: Json, where: str = "vector") -> Vector:
    if isinstance(value, dict):
        return {name: to_named_vector(named, f"{where}.{name}") for name, named in value.items()}
    vector = to_named_vector(value, where)
    if isinstance(vector, qe.SparseVector):
        raise bad(f"{where}: a sparse vector needs a name")
    return vector


def from_vector(value: object) -> object:
    """The engine's vector as JSON values."""
    if isinstance(value, dict):
        return {name: from_vector(named) for name, named in value.items()}
    if isinstance(value, qe.SparseVector):
        return {"indices": value.indices, "values": value.values}
    return value


def from_record(point: qe.Record) -> dict[str, object]:
    found: dict[str, object] = {"id": point.id, "payload": point.payload, "vector": from_vector(point.vector)}
    if point.order_value is not None:
        found["order_value"] = point.order_value
    return found


def to_payload_selector(value: Json, *, default: bool) -> Selector:
    """`with_payload`: all, none, the named keys, or all but the named keys."""
    if value is None:
        return default
    if isinstance(value, bool):
        return value
    if isinstance(value, list):
        return texts(value, "with_payload")
    found = record(value, "with_payload", frozenset({"include", "exclude"}))
    if "exclude" in found:
        return qe.PayloadSelector.Exclude(texts(found["exclude"], "with_payload.exclude"))
    return qe.PayloadSelector.Include(
        texts(required(found, "include", "with_payload"), "with_payload.include")
    )


def to_vector_selector(value: Json) -> bool | list[str]:
    """`with_vector`: all, none or the named vectors; none where it is not given."""
    if value is None or isinstance(value, bool):
        return bool(value)
    return texts(value, "with_vector")


def to_filter(value: Json, where: str = "filter") -> qe.Filter:
    """A filter. A single condition stands for a list of one, as in Qdrant."""
    found = record(value, where, _CLAUSES)
    return qe.Filter(
        must=_clause(found, "must", where),
        should=_clause(found, "should", where),
        must_not=_clause(found, "must_not", where),
        min_should=optional(_to_min_should, found, "min_should", where),
    )


def _clause(found: Record, name: str, where: str) -> list[Condition] | None:
    if name not in found:
        return None
    value = found[name]
    conditions = value if isinstance(value, list) else [value]
    return [_to_condition(condition, f"{where}.{name}") for condition in conditions]


def _to_min_should(value: Json, where: str) -> qe.MinShould:
    found = record(value, where, frozenset({"conditions", "min_count"}))
    conditions = _clause(found, "conditions", where)
    return qe.MinShould(conditions or [], whole(required(found, "min_count", where), where))


def _to_condition(value: Json, where: str) -> Condition:
    found = record(value, where)
    if "key" in found:
        return _to_field_condition(record(found, where, _FIELD), where)
    if found.keys() <= _CLAUSES:
        return to_filter(found, where)
    if len(found) != 1:
        raise bad(f"{where} is no condition: {', '.join(sorted(found))}")
    kind, content = next(iter(found.items()))
    at = f"{where}.{kind}"
    match kind:
        case "has_id":
            return qe.HasIdCondition(set(to_ids(content, at)))
        case "has_vector":
            return qe.HasVectorCondition(text(content, at))
        case "is_empty":
            return qe.IsEmptyCondition(_key(content, at))
        case "is_null":
            return qe.IsNullCondition(_key(content, at))
        case "nested":
            nested = record(content, at, frozenset({"key", "filter"}))
            return qe.NestedCondition(
                text(required(nested, "key", at), at),
                to_filter(required(nested, "filter", at), f"{at}.filter"),
            )
    raise bad(f"{where}: conditions of the kind `{kind}` are not served here")


def _key(value: Json, where: str) -> str:
    return text(required(record(value, where, frozenset({"key"})), "key", where), where)


def _to_field_condition(found: Record, where: str) -> qe.FieldCondition:
    if len(found) < 2:
        raise bad(f"{where} says nothing about `{found['key']}`")
    return qe.FieldCondition(
        text(found["key"], f"{where}.key"),
        match=optional(_to_match, found, "match", where),
        range=optional(_to_range, found, "range", where),
        geo_bounding_box=optional(_to_box, found, "geo_bounding_box", where),
        geo_radius=optional(_to_radius, found, "geo_radius", where),
        geo_polygon=optional(_to_polygon, found, "geo_polygon", where),
        values_count=optional(_to_values_count, found, "values_count", where),
        is_empty=optional(flag, found, "is_empty", where),
        is_null=optional(flag, found, "is_null", where),
    )


def _to_match(value: Json, where: str) -> MatchCondition:
    found = record(value, where)
    if len(found) != 1:
        raise bad(
            f"{where} needs exactly one of value, text, text_any, phrase, prefix, substring, any, except"
        )
    kind, content = next(iter(found.items()))
    match kind:
        case "value":
            if isinstance(content, bool):
                return qe.MatchValue(_truth(content))
            if isinstance(content, int | str):
                return qe.MatchValue(content)
            raise bad(f"{where}.value must be a text, a whole number or a truth value")
        case "text":
            return qe.MatchText(text(content, where))
        case "text_any":
            return qe.MatchTextAny(text(content, where))
        case "phrase":
            return qe.MatchPhrase(text(content, where))
        case "prefix":
            return qe.MatchPrefix(text(content, where))
        case "substring":
            return qe.MatchSubstring(text(content, where))
        case "any":
            return qe.MatchAny(_variants(content, f"{where}.any"))
        case "except":
            return qe.MatchExcept(_variants(content, f"{where}.except"))
    raise bad(f"{where}: matches of the kind `{kind}` are not served here")


def _truth(value: bool) -> bool:
    """The engine's binding takes Python's truth values for the numbers 0 and 1; numpy's it takes for what they are."""
    found: bool = np.asarray([value])[0]
    return found


def _variants(value: Json, where: str) -> list[str] | list[int]:
    elements = items(value, where)
    whole_numbers = [
        element for element in elements if isinstance(element, int) and not isinstance(element, bool)
    ]
    if elements and len(whole_numbers) == len(elements):
        return whole_numbers
    return texts(value, where)


def _to_range(value: Json, where: str) -> qe.RangeFloat | qe.RangeDateTime:
    found = record(value, where, _BOUNDS)
    if any(isinstance(bound, str) for bound in found.values()):
        moments = {key: text(bound, f"{where}.{key}") for key, bound in found.items()}
        return qe.RangeDateTime(**moments)
    return qe.RangeFloat(**{key: number(bound, f"{where}.{key}") for key, bound in found.items()})


def _to_values_count(value: Json, where: str) -> qe.ValuesCount:
    found = record(value, where, _BOUNDS)
    return qe.ValuesCount(**{key: whole(bound, f"{where}.{key}") for key, bound in found.items()})


def _to_place(value: Json, where: str) -> qe.GeoPoint:
    found = record(value, where, frozenset({"lon", "lat"}))
    return qe.GeoPoint(
        number(required(found, "lon", where), where), number(required(found, "lat", where), where)
    )


def _to_box(value: Json, where: str) -> qe.GeoBoundingBox:
    found = record(value, where, frozenset({"top_left", "bottom_right"}))
    return qe.GeoBoundingBox(
        _to_place(required(found, "top_left", where), where),
        _to_place(required(found, "bottom_right", where), where),
    )


def _to_radius(value: Json, where: str) -> qe.GeoRadius:
    found = record(value, where, frozenset({"center", "radius"}))
    return qe.GeoRadius(
        _to_place(required(found, "center", where), where), number(required(found, "radius", where), where)
    )


def _to_polygon(value: Json, where: str) -> qe.GeoPolygon:
    found = record(value, where, frozenset({"exterior", "interiors"}))
    interiors = items(found.get("interiors", []), where)
    return qe.GeoPolygon(
        _to_ring(required(found, "exterior", where), where), [_to_ring(ring, where) for ring in interiors]
    )


def _to_ring(value: Json, where: str) -> list[qe.GeoPoint]:
    points = required(record(value, where, frozenset({"points"})), "points", where)
    return [_to_place(point, where) for point in items(points, where)]
