"""What was found with another query, as near as it is to the one that was asked.

No passage may count as evidence because the query was turned towards it (docs/adr/0064).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from footnote_retriever.funnel.candidates import Live
from footnote_retriever.funnel.lane import SearchedLane
from footnote_shared.vectors.protocol import Dense


async def as_asked(
    query: Dense, found: Sequence[Live], known: Mapping[str, float | None], lane: SearchedLane
) -> list[Live]:
    """The same in the same order, with its cosines with `query`. Those of points in `known` are told already.

    None where the store has no such point any more. Raises FootnoteError where the store does not answer.
    """
    cosines = dict(known)
    missing = [one.candidate.id for one in found if one.candidate.id not in cosines]
    if missing:
        stored = await lane.index.vectors(lane.name, missing)
        cosines.update({point: cosine(query, vectors.dense) for point, vectors in stored.items()})
    return [
        replace(one, candidate=one.candidate._replace(dense=cosines.get(one.candidate.id))) for one in found
    ]


def cosine(query: Dense, passage: Dense) -> float:
    """The cosine of two vectors; 0 where one has no length."""
    lengths = float(np.linalg.norm(query)) * float(np.linalg.norm(passage))
    return float(query @ passage) / lengths if lengths else 0.0
