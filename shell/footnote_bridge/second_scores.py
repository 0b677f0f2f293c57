"""What the points of a search score once the best of them have moved the query (docs/adr/0102)."""

from collections.abc import Callable
from dataclasses import dataclass

import qdrant_edge as qe

from footnote_bridge.bodies import SparseVectorBody
from footnote_bridge.given_points import score_points
from footnote_bridge.held_block import Floats, PointId
from footnote_bridge.held_points import HeldPoints
from footnote_bridge.held_search import Given, Legs
from footnote_bridge.moved_query import (
    FeedbackBody,
    added_terms,
    blended,
    first_of,
    moved_vector,
    trust_in,
)
from footnote_bridge.query_parts import Meaning
from footnote_bridge.stored_vectors import stored_vectors


@dataclass(frozen=True, slots=True)
class SecondScores:
    """The points that have moved a query, and by the moved one both scores of the points that are there."""

    by: list[PointId]
    scores: Given


def second_scores(
    engine: qe.EdgeShard,
    held: HeldPoints | None,
    query: tuple[Floats, SparseVectorBody],
    legs: Legs,
    corpus: Meaning | None,
    body: FeedbackBody,
    text_of: Callable[[PointId], object],
) -> SecondScores | None:
    """None: there is nothing to move the query by, or one of the best was removed meanwhile."""
    blend = blended(legs.cosines, legs.weights, body.alpha)
    best = first_of(blend, body, text_of)
    if not best:
        return None
    stored = stored_vectors(engine, best, held, terms=body.added > 0)
    if len(stored) < len(best):
        return None
    passages = [stored[point_id] for point_id in best]
    trust = trust_in([blend[point_id] for point_id in best], body.likeness)
    dense = moved_vector(query[0], passages, trust, body.towards)
    terms, added = added_terms(query[1], passages, trust, body)
    # A sparse score is a sum over terms, so what the added ones are worth comes on top of what was found.
    found = score_points(engine, held, list(blend), corpus, dense, (terms, added) if terms else None)
    return SecondScores(
        best,
        {
            point_id: (cosine, legs.weights[point_id] + (more or 0.0))
            for point_id, (cosine, more) in found.items()
        },
    )
