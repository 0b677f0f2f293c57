"""Points that are given by their ids: their vectors, and what a query scores them.

These are no routes of Qdrant's. Our adapter asks for them in place of requests that say the same, whose
models take longer to write and read than the points take to be scored.
"""

from collections.abc import Sequence

import qdrant_edge as qe

from footnote_bridge.bodies import Body, PointId, SparseVectorBody
from footnote_bridge.collections import Collections
from footnote_bridge.held_block import Floats
from footnote_bridge.held_block import PointId as KnownId
from footnote_bridge.held_points import HeldPoints
from footnote_bridge.held_search import Given, Scores, Terms, scores_of
from footnote_bridge.query_parts import DENSE, SPARSE, Meaning, ask, filter_of, numbers_of, of_points
from footnote_bridge.refused import wrong_input
from footnote_bridge.stored_vectors import in_json, stored_vectors


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
    found = stored_vectors(collections.shard(name).engine, body.ids)
    return {str(point_id): in_json(stored) for point_id, stored in found.items()}


def scores(collections: Collections, name: str, body: ScoresBody) -> object:
    """In the order of the ids a pair of scores, or null for a point that is not there.

    A leg that is not asked has null. A point that shares no term with the query has 0.
    """
    shard = collections.shard(name)
    corpus = None if body.corpus is None else filter_of(body.corpus)
    dense = None if body.dense is None else numbers_of(body.dense)
    held = shard.held
    if dense is not None and held is not None and len(dense) != held.dimension:
        raise wrong_input(f"`dense` has {len(dense)} numbers, and the collection {held.dimension}")
    terms = None if body.sparse is None else (body.sparse.indices, body.sparse.values)
    found = score_points(shard.engine, held, body.ids, corpus, dense, terms)
    return [found.get(point_id) for point_id in body.ids]


def score_points(
    engine: qe.EdgeShard,
    held: HeldPoints | None,
    ids: Sequence[KnownId],
    corpus: Meaning | None,
    dense: Floats | None,
    terms: Terms | None,
) -> Given:
    """Both scores of those points that are there, from memory where all of them stand there."""
    if held is not None and (corpus is None or corpus.in_memory):
        counted = None if corpus is None else corpus.mask(held.names)
        found = scores_of(held, ids, counted, dense, terms)
        if found is not None:
            return found
    return _in_engine(engine, ids, None if corpus is None else corpus.engine, dense, terms)


def _in_engine(
    engine: qe.EdgeShard,
    ids: Sequence[KnownId],
    corpus: qe.Filter | None,
    dense: Floats | None,
    terms: Terms | None,
) -> Given:
    there = [record.id for record in engine.retrieve(list(ids), False, False)]
    if not there:
        return {}
    cosines: Scores = {}
    weights: Scores = {}
    if dense is not None:
        nearest = qe.Query.Nearest(dense.tolist(), using=DENSE)
        (cosines,) = ask(engine, [of_points(there, nearest, qe.SearchParams(exact=True))])
    if terms is not None:
        heaviest = qe.Query.Nearest(qe.SparseVector(list(terms[0]), list(terms[1])), using=SPARSE)
        statistics = None if corpus is None else qe.SearchParams(idf=qe.IdfParams(corpus))
        (weights,) = ask(engine, [of_points(there, heaviest, statistics)])
    return {
        point_id: (cosines.get(point_id), None if terms is None else weights.get(point_id, 0.0))
        for point_id in there
    }
