"""A whole search in one request: what each leg finds, and what each scores of the points of the other.

This is no route of Qdrant's. Our adapter asks for it in place of two requests that say the same.
"""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
import orjson
import qdrant_edge as qe
from pydantic import NonNegativeInt, PositiveInt, ValidationError

from footnote_bridge.bodies import Body, FilterBody, SparseVectorBody
from footnote_bridge.collections import Collections
from footnote_bridge.convert import to_filter
from footnote_bridge.held_block import SHOWN, Bools, Floats, HeldBlock, Names, PointId
from footnote_bridge.held_filters import LONGEST_KEPT, Wanted, can_tell, mask_of
from footnote_bridge.held_points import HeldPoints
from footnote_bridge.held_search import Matches, Scores, search
from footnote_bridge.refused import wrong_input
from footnote_bridge.stored_vectors import stored_vectors

_DENSE, _SPARSE = "dense", "sparse"
_OVERSAMPLING = 2.0
_GRAPH_BREADTH = 2048
"""Both as our adapter asks a Qdrant server for: the bridge shares nothing with it (ADR 0015)."""

_LONG_ONES_KEPT = 4
"""Filters that list ids. Somebody who works within a scope of thousands of documents searches there again."""


class HybridBody(Body):
    """`POST .../points/hybrid`.

    `dense` holds floats of four bytes, the lowest first, in base64. Filters are texts, each a JSON object of
    Qdrant's, so that a text that came before need not be read again. `corpus` is the population over which
    the rarity of terms is measured. With `complete`, both legs score the points of both. `payload`: the
    members that are wanted, or all. `vectors`: of how many points of a complete search the stored vectors are
    wanted too, the best ones where both legs count alike.
    """

    dense: str | None
    sparse: SparseVectorBody | None
    limit: PositiveInt
    filter: str
    corpus: str | None
    complete: bool
    payload: list[str] | None
    vectors: NonNegativeInt = 0


@dataclass(frozen=True, slots=True)
class Meaning:
    """A filter as a text, as a body and as the engine's.

    `in_memory`: points in memory can be filtered by it. `masks` are those of a long one, for as long as it is
    kept.
    """

    text: str
    body: FilterBody
    engine: qe.Filter
    in_memory: bool

    masks: WeakKeyDictionary[HeldBlock, Bools] = field(default_factory=WeakKeyDictionary)

    def mask(self, names: Names) -> Matches:
        """What tells which points of a block match. A block never changes, and so neither does its mask."""
        wanted: Wanted = {}

        def of(block: HeldBlock) -> Bools:
            found = self.masks.get(block)
            if found is None:
                found = mask_of(block, self.text, self.body, names, wanted)
                if len(self.text) > LONGEST_KEPT:
                    self.masks[block] = found
            return found

        return of


def hybrid(collections: Collections, name: str, body: HybridBody) -> object:
    """Columns: the ids of what the legs have found, its scores by each leg, its payloads; and vectors by id.

    Null: a leg has no score for the point, or the point was removed before its payload was read.

    Points in memory answer where they can. The engine answers while they are not all there, where there are
    too many of them, and for filters that they know nothing of.
    """
    shard = collections.shard(name)
    visible = filter_of(body.filter)
    corpus = None if body.corpus is None else filter_of(body.corpus)
    held = shard.held
    if held is not None and visible.in_memory and (corpus is None or corpus.in_memory):
        return _in_memory(shard.engine, held, visible, corpus, body)
    return _in_engine(shard.engine, visible.engine, None if corpus is None else corpus.engine, body)


def hybrid_in_engine(collections: Collections, name: str, body: HybridBody) -> object:
    """The same by the engine alone, also where points are in memory: what a measurement compares."""
    corpus = None if body.corpus is None else filter_of(body.corpus).engine
    return _in_engine(collections.shard(name).engine, filter_of(body.filter).engine, corpus, body)


def _in_memory(
    engine: qe.EdgeShard, held: HeldPoints, visible: Meaning, corpus: Meaning | None, body: HybridBody
) -> object:
    dense = None if body.dense is None else numbers_of(body.dense)
    if dense is not None and len(dense) != held.dimension:
        raise wrong_input(f"`dense` has {len(dense)} numbers, and the collection {held.dimension}")
    legs = search(
        held.parts,
        visible.mask(held.names),
        None if corpus is None else corpus.mask(held.names),
        dense,
        None if body.sparse is None else (body.sparse.indices, body.sparse.values),
        body.limit,
        complete=body.complete,
    )
    found = list(legs.shown)
    payloads: list[object]
    if body.payload is not None and set(body.payload) == SHOWN:
        payloads = [orjson.Fragment(shown) for shown in legs.shown.values()]
    else:
        payloads = _payloads(engine, found, body)
    return _answer(engine, found, legs.cosines, legs.weights, payloads, body)


def _in_engine(
    engine: qe.EdgeShard, visible: qe.Filter, corpus: qe.Filter | None, body: HybridBody
) -> object:
    """The order is what costs least.

    Two searches for the same terms in one batch count the terms once. To read payloads by id takes a third of
    what it takes to have them with the hits.
    """
    statistics = None if corpus is None else qe.SearchParams(idf=qe.IdfParams(corpus))
    cosines: Scores = {}
    weights: Scores = {}
    dense = None if body.dense is None else qe.Query.Nearest(numbers_of(body.dense).tolist(), using=_DENSE)
    if dense is not None:
        nearest = qe.QueryRequest(limit=body.limit, query=dense, filter=visible, params=as_near_as_asked())
        (cosines,) = ask(engine, [nearest])
    if body.sparse is not None:
        terms = qe.SparseVector(body.sparse.indices, body.sparse.values)
        sparse = qe.Query.Nearest(terms, using=_SPARSE)
        complete = body.complete and dense is not None
        asked = [qe.QueryRequest(limit=body.limit, query=sparse, filter=visible, params=statistics)]
        if complete and cosines:
            asked.append(of_points(cosines, sparse, statistics))
        weights, *others = ask(engine, asked)
        if complete and dense is not None:
            weights = {**dict.fromkeys(cosines, 0.0), **(others[0] if others else {}), **weights}
            unscored = weights.keys() - cosines.keys()
            if unscored:
                cosines |= ask(engine, [of_points(unscored, dense, qe.SearchParams(exact=True))])[0]
    found = list({**cosines, **weights})
    return _answer(engine, found, cosines, weights, _payloads(engine, found, body), body)


def _answer(
    engine: qe.EdgeShard,
    found: list[PointId],
    cosines: Scores,
    weights: Scores,
    payloads: list[object],
    body: HybridBody,
) -> object:
    return {
        "ids": found,
        _DENSE: [cosines.get(point_id) for point_id in found],
        _SPARSE: [weights.get(point_id) for point_id in found],
        "payloads": payloads,
        "vectors": _vectors(engine, cosines, weights, body),
    }


def as_near_as_asked() -> qe.SearchParams:
    """What is found by quantised vectors is scored by whole ones, and a graph is looked through widely."""
    return qe.SearchParams(
        hnsw_ef=_GRAPH_BREADTH,
        acorn=qe.AcornSearchParams(enable=True, max_selectivity=1.0),
        quantization=qe.QuantizationSearchParams(rescore=True, oversampling=_OVERSAMPLING),
    )


def _payloads(engine: qe.EdgeShard, found: list[PointId], body: HybridBody) -> list[object]:
    records = engine.retrieve(found, True if body.payload is None else body.payload, False)
    there = {record.id: record.payload or {} for record in records}
    return [there.get(point_id) for point_id in found]


def _vectors(engine: qe.EdgeShard, cosines: Scores, weights: Scores, body: HybridBody) -> dict[str, object]:
    if not body.vectors or not body.complete or not cosines or not weights:
        return {}
    return stored_vectors(engine, best_of_both(cosines, weights, body.vectors))


def best_of_both(cosines: Scores, weights: Scores, count: int) -> list[PointId]:
    """The points whose standard scores in both legs are the highest together, of those that both have."""
    ids = [point_id for point_id in cosines if point_id in weights]
    together = np.zeros(len(ids))
    for leg in (cosines, weights):
        scores = np.asarray([leg[point_id] for point_id in ids])
        deviation = float(scores.std()) if len(ids) else 0.0
        together += scores / deviation if deviation > 0 else 0.0
    return [ids[at] for at in np.argsort(-together, kind="stable")[:count]]


def of_points(ids: Iterable[PointId], query: qe.Query, params: qe.SearchParams | None) -> qe.QueryRequest:
    """The scores of these points, which a search has shown to be visible."""
    wanted = set(ids)
    return qe.QueryRequest(
        limit=len(wanted), query=query, filter=qe.Filter(must=[qe.HasIdCondition(wanted)]), params=params
    )


def ask(engine: qe.EdgeShard, requests: list[qe.QueryRequest]) -> list[Scores]:
    """The scores of what each request finds."""
    answers = engine.query_batch(qe.QueryBatchRequest(requests))
    return [{point.id: point.score for point in answer} for answer in answers]


def numbers_of(text: str) -> Floats:
    """A vector in base64. Raises Refused for anything else."""
    try:
        found: Floats = np.frombuffer(base64.b64decode(text, validate=True), "<f4")
    except (binascii.Error, ValueError) as error:
        raise wrong_input("`dense` is not a vector in base64") from error
    return found


def filter_of(text: str) -> Meaning:
    """What a filter means; what came lately is kept. Raises Refused for one that is not served."""
    return (_kept if len(text) <= LONGEST_KEPT else _long_ones)(text)


def _read(text: str) -> Meaning:
    try:
        body = FilterBody.model_validate_json(text)
        return Meaning(text, body, to_filter(body), can_tell(body))
    except ValidationError as error:
        raise wrong_input("the filter is not one of Qdrant's, or has a part that is not served") from error


_kept = lru_cache(maxsize=256)(_read)
_long_ones = lru_cache(maxsize=_LONG_ONES_KEPT)(_read)
