"""A whole search in one request: what each leg finds, and what each scores of the points of the other.

This is no route of Qdrant's. Our adapter asks for it in place of requests that say the same.
"""

import orjson
import qdrant_edge as qe
from pydantic import PositiveInt

from footnote_bridge.bodies import Body, SparseVectorBody
from footnote_bridge.collections import Collections
from footnote_bridge.found_points import FoundInEngine, FoundInMemory, FoundPoints, Key
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
        return _answer(_in_memory(shard.engine, held, visible, corpus, body), body)
    return _answer(_in_engine(shard.engine, visible, corpus, body), body)


def hybrid_in_engine(collections: Collections, name: str, body: HybridBody) -> object:
    """The same by the engine alone, also where points are in memory: what a measurement compares."""
    engine = collections.shard(name).engine
    corpus = None if body.corpus is None else filter_of(body.corpus)
    return _answer(_in_engine(engine, filter_of(body.filter), corpus, body), body)


def _in_memory(
    engine: qe.EdgeShard, held: HeldPoints, visible: Meaning, corpus: Meaning | None, body: HybridBody
) -> FoundInMemory:
    dense = None if body.dense is None else numbers_of(body.dense)
    if dense is not None and len(dense) != held.dimension:
        raise wrong_input(f"`dense` has {len(dense)} numbers, and the collection {held.dimension}")
    # What is changed from now on changes nothing in these.
    parts = held.parts
    counted = None if corpus is None else corpus.mask(held.names)
    legs = search(
        parts,
        visible.mask(held.names),
        counted,
        dense,
        None if body.sparse is None else (body.sparse.indices, body.sparse.values),
        body.limit,
        complete=body.complete,
    )
    return FoundInMemory(engine, parts, legs, counted)


def _in_engine(
    engine: qe.EdgeShard, visible: Meaning, corpus: Meaning | None, body: HybridBody
) -> FoundInEngine:
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
    return FoundInEngine(engine, Legs(cosines, weights), corpus)


def _answer(found: FoundPoints[Key], body: HybridBody) -> object:
    cosines, weights = found.legs.cosines, found.legs.weights
    keys = list({**cosines, **weights})
    payloads = found.payloads(keys, body.payload)
    return {
        "ids": [found.id_of(key) for key in keys],
        DENSE: [cosines.get(key) for key in keys],
        SPARSE: [weights.get(key) for key in keys],
        "payloads": [None if payload is None else orjson.Fragment(payload) for payload in payloads],
        "moved": _moved(found, dict(zip(keys, payloads, strict=True)), body),
    }


def _moved(found: FoundPoints[Key], payloads: dict[Key, bytes | None], body: HybridBody) -> object:
    feedback = body.feedback
    if feedback is None or not body.complete or body.dense is None or body.sparse is None:
        return None
    once = feedback.once

    def text_of(key: Key) -> object:
        return orjson.loads(payloads[key] or b"{}").get(once) or key

    moved = second_scores(found, (numbers_of(body.dense), body.sparse), feedback, text_of)
    if moved is None:
        return None
    pairs = [moved.scores.get(key, (None, None)) for key in payloads]
    return {
        "by": [found.id_of(key) for key in moved.by],
        DENSE: [cosine for cosine, _ in pairs],
        SPARSE: [weight for _, weight in pairs],
    }
