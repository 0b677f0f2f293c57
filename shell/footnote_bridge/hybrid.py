"""A whole search in one request: what each leg finds, and what each scores of the points of the other.

This is no route of Qdrant's. Our adapter asks for it in place of requests that say the same.
"""

import orjson
import qdrant_edge as qe
from pydantic import PositiveInt

from footnote_bridge.bodies import Body, SparseVectorBody
from footnote_bridge.collections import Collections
from footnote_bridge.held_block import SHOWN, PointId
from footnote_bridge.held_points import HeldPoints
from footnote_bridge.held_search import Legs, Scores, search
from footnote_bridge.moved_query import FeedbackBody
from footnote_bridge.query_parts import (
    DENSE,
    SPARSE,
    Meaning,
    as_near_as_asked,
    ask,
    filter_of,
    numbers_of,
    of_points,
)
from footnote_bridge.refused import wrong_input
from footnote_bridge.second_scores import second_scores


class HybridBody(Body):
    """`POST .../points/hybrid`.

    `dense` holds floats of four bytes, the lowest first, in base64. Filters are texts, each a JSON object of
    Qdrant's, so that a text that came before need not be read again. `corpus` is the population over which
    the rarity of terms is measured. With `complete`, both legs score the points of both. `payload`: the
    members that are wanted, or all. `feedback`: after a complete search of both legs, the best points move
    the query, and all are scored once more.
    """

    dense: str | None
    sparse: SparseVectorBody | None
    limit: PositiveInt
    filter: str
    corpus: str | None
    complete: bool
    payload: list[str] | None
    feedback: FeedbackBody | None = None


def hybrid(collections: Collections, name: str, body: HybridBody) -> object:
    """Columns: the ids of what the legs have found, its scores by each leg, and its payloads.

    Null: a leg has no score for the point, or the point was removed before its payload was read. `moved` has
    the points that have moved the query, and columns of scores by the moved one; null where nothing has.

    Points in memory answer where they can. The engine answers while they are not all there, where there are
    too many of them, and for filters that they know nothing of.
    """
    shard = collections.shard(name)
    visible = filter_of(body.filter)
    corpus = None if body.corpus is None else filter_of(body.corpus)
    held = shard.held
    if held is not None and visible.in_memory and (corpus is None or corpus.in_memory):
        return _answer(shard.engine, held, _in_memory(held, visible, corpus, body), corpus, body)
    return _answer(shard.engine, None, _in_engine(shard.engine, visible, corpus, body), corpus, body)


def hybrid_in_engine(collections: Collections, name: str, body: HybridBody) -> object:
    """The same by the engine alone, also where points are in memory: what a measurement compares."""
    engine = collections.shard(name).engine
    corpus = None if body.corpus is None else filter_of(body.corpus)
    return _answer(engine, None, _in_engine(engine, filter_of(body.filter), corpus, body), corpus, body)


def _in_memory(held: HeldPoints, visible: Meaning, corpus: Meaning | None, body: HybridBody) -> Legs:
    dense = None if body.dense is None else numbers_of(body.dense)
    if dense is not None and len(dense) != held.dimension:
        raise wrong_input(f"`dense` has {len(dense)} numbers, and the collection {held.dimension}")
    return search(
        held.parts,
        visible.mask(held.names),
        None if corpus is None else corpus.mask(held.names),
        dense,
        None if body.sparse is None else (body.sparse.indices, body.sparse.values),
        body.limit,
        complete=body.complete,
    )


def _in_engine(engine: qe.EdgeShard, visible: Meaning, corpus: Meaning | None, body: HybridBody) -> Legs:
    """The order is what costs least.

    Two searches for the same terms in one batch count the terms once. To read payloads by id takes a third of
    what it takes to have them with the hits.
    """
    within = visible.engine
    statistics = None if corpus is None else qe.SearchParams(idf=qe.IdfParams(corpus.engine))
    cosines: Scores = {}
    weights: Scores = {}
    dense = None if body.dense is None else qe.Query.Nearest(numbers_of(body.dense).tolist(), using=DENSE)
    if dense is not None:
        nearest = qe.QueryRequest(limit=body.limit, query=dense, filter=within, params=as_near_as_asked())
        (cosines,) = ask(engine, [nearest])
    if body.sparse is not None:
        terms = qe.SparseVector(body.sparse.indices, body.sparse.values)
        sparse = qe.Query.Nearest(terms, using=SPARSE)
        complete = body.complete and dense is not None
        asked = [qe.QueryRequest(limit=body.limit, query=sparse, filter=within, params=statistics)]
        if complete and cosines:
            asked.append(of_points(cosines, sparse, statistics))
        weights, *others = ask(engine, asked)
        if complete and dense is not None:
            weights = {**dict.fromkeys(cosines, 0.0), **(others[0] if others else {}), **weights}
            unscored = weights.keys() - cosines.keys()
            if unscored:
                cosines |= ask(engine, [of_points(unscored, dense, qe.SearchParams(exact=True))])[0]
    return Legs(cosines, weights, {})


def _answer(
    engine: qe.EdgeShard, held: HeldPoints | None, legs: Legs, corpus: Meaning | None, body: HybridBody
) -> object:
    found = list({**legs.cosines, **legs.weights})
    payloads = _payloads(engine, legs, found, body)
    return {
        "ids": found,
        DENSE: [legs.cosines.get(point_id) for point_id in found],
        SPARSE: [legs.weights.get(point_id) for point_id in found],
        "payloads": [
            orjson.Fragment(payloads[point_id]) if point_id in payloads else None for point_id in found
        ],
        "moved": _moved(engine, held, legs, payloads, corpus, body),
    }


def _payloads(
    engine: qe.EdgeShard, legs: Legs, found: list[PointId], body: HybridBody
) -> dict[PointId, bytes]:
    """What is wanted of the payload of each point that is there, as JSON."""
    if len(legs.shown) == len(found) and body.payload is not None and set(body.payload) == SHOWN:
        return legs.shown
    records = engine.retrieve(found, True if body.payload is None else body.payload, False)
    return {record.id: orjson.dumps(record.payload or {}) for record in records}


def _moved(
    engine: qe.EdgeShard,
    held: HeldPoints | None,
    legs: Legs,
    payloads: dict[PointId, bytes],
    corpus: Meaning | None,
    body: HybridBody,
) -> object:
    feedback = body.feedback
    if feedback is None or not body.complete or body.dense is None or body.sparse is None:
        return None
    once = feedback.once

    def text_of(point_id: PointId) -> object:
        return orjson.loads(payloads.get(point_id, b"{}")).get(once) or point_id

    query = (numbers_of(body.dense), body.sparse)
    moved = second_scores(engine, held, query, legs, corpus, feedback, text_of)
    if moved is None:
        return None
    pairs = [moved.scores.get(point_id, (None, None)) for point_id in {**legs.cosines, **legs.weights}]
    return {"by": moved.by, DENSE: [cosine for cosine, _ in pairs], SPARSE: [weight for _, weight in pairs]}
