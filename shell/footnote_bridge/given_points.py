"""Points that are given by their ids: their vectors, and what a query scores them.

These are no routes of Qdrant's. Our adapter asks for them in place of requests that say the same, whose
models take longer to write and read than the points take to be scored.
"""

import qdrant_edge as qe

from footnote_bridge.bodies import Body, PointId, SparseVectorBody
from footnote_bridge.collections import Collections
from footnote_bridge.held_search import Given, Scores, scores_of
from footnote_bridge.hybrid import ask, filter_of, numbers_of, of_points
from footnote_bridge.refused import wrong_input
from footnote_bridge.stored_vectors import stored_vectors

_DENSE, _SPARSE = "dense", "sparse"


class VectorsBody(Body):
    """`POST .../points/vectors`."""

    ids: list[PointId]


class ScoresBody(Body):
    """`POST .../points/scores`: scores of these points. For the other members see `HybridBody`."""

    ids: list[PointId]
    dense: str | None
    sparse: SparseVectorBody | None
    corpus: str | None


def vectors(collections: Collections, name: str, body: VectorsBody) -> object:
    """By id the dense vector in base64, and terms as numbers and weights, of the points that are there."""
    return stored_vectors(collections.shard(name).engine, body.ids)


def scores(collections: Collections, name: str, body: ScoresBody) -> object:
    """In the order of the ids a pair of scores, or null for a point that is not there.

    A leg that is not asked has null. A point that shares no term with the query has 0.
    """
    shard = collections.shard(name)
    corpus = None if body.corpus is None else filter_of(body.corpus)
    dense = None if body.dense is None else numbers_of(body.dense)
    if dense is not None and shard.held is not None and len(dense) != shard.held.dimension:
        raise wrong_input(f"`dense` has {len(dense)} numbers, and the collection {shard.held.dimension}")
    held = shard.held
    found: Given | None = None
    if held is not None and (corpus is None or corpus.in_memory):
        counted = None if corpus is None else corpus.mask(held.names)
        terms = None if body.sparse is None else (body.sparse.indices, body.sparse.values)
        found = scores_of(held, body.ids, counted, dense, terms)
    if found is None:
        found = _in_engine(shard.engine, body, None if corpus is None else corpus.engine)
    return [found.get(point_id) for point_id in body.ids]


def _in_engine(engine: qe.EdgeShard, body: ScoresBody, corpus: qe.Filter | None) -> Given:
    there = [record.id for record in engine.retrieve(list(body.ids), False, False)]
    if not there:
        return {}
    cosines: Scores = {}
    weights: Scores = {}
    if body.dense is not None:
        nearest = qe.Query.Nearest(numbers_of(body.dense).tolist(), using=_DENSE)
        (cosines,) = ask(engine, [of_points(there, nearest, qe.SearchParams(exact=True))])
    if body.sparse is not None:
        heaviest = qe.Query.Nearest(qe.SparseVector(body.sparse.indices, body.sparse.values), using=_SPARSE)
        statistics = None if corpus is None else qe.SearchParams(idf=qe.IdfParams(corpus))
        (weights,) = ask(engine, [of_points(there, heaviest, statistics)])
    return {
        point_id: (cosines.get(point_id), None if body.sparse is None else weights.get(point_id, 0.0))
        for point_id in there
    }
