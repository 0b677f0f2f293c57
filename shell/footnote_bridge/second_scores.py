"""What the points of a search score once the best of them have moved the query (docs/adr/0102)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from footnote_bridge.bodies import SparseVectorBody
from footnote_bridge.found_points import FoundPoints, Key
from footnote_bridge.held_block import Floats
from footnote_bridge.held_search import Pair
from footnote_bridge.moved_query import (
    FeedbackBody,
    added_terms,
    blended,
    first_of,
    moved_vector,
    trust_in,
)


@dataclass(frozen=True, slots=True)
class SecondScores(Generic[Key]):
    """The points that have moved a query, and by the moved one both scores of the points that are there."""

    by: list[Key]
    scores: dict[Key, Pair]


def second_scores(
    found: FoundPoints[Key],
    query: tuple[Floats, SparseVectorBody],
    body: FeedbackBody,
    text_of: Callable[[Key], object],
) -> SecondScores[Key] | None:
    """None: there is nothing to move the query by, or one of the best was removed meanwhile."""
    legs = found.legs
    blend = blended(legs.cosines, legs.weights, body.alpha, found.id_of)
    best = first_of(blend, body, text_of)
    passages = found.vectors(best, terms=body.added > 0) if best else None
    if passages is None:
        return None
    trust = trust_in([blend[key] for key in best], body.likeness)
    dense = moved_vector(query[0], passages, trust, body.towards)
    terms, added = added_terms(query[1], passages, trust, body)
    # A sparse score is a sum over terms, so what the added ones are worth comes on top of what was found.
    keys = list(blend)
    pairs = found.scores(keys, dense, (terms, added) if terms else None)
    return SecondScores(
        best,
        {
            key: (pair[0], legs.weights[key] + (pair[1] or 0.0))
            for key, pair in zip(keys, pairs, strict=True)
            if pair is not None
        },
    )
