"""Metadata as a weight on relevance (spec 4.2.5): source types, folders, and how old a document is. Pure.

Scores of different methods lie on different scales, and some are negative. So a score counts by where it lies
between the lowest and the highest of the list, from 0 to 1, and that share is multiplied by the weight.
"""

import math
from collections.abc import Sequence
from datetime import UTC, date

from footnote_shared.contracts.search import MetadataWeight, SearchSettings
from footnote_shared.kernel.clock import now
from footnote_shared.vectors.protocol import PointPayload


def is_weighed(settings: SearchSettings) -> bool:
    """Whether the settings give any weight to metadata."""
    return bool(settings.weights) or settings.half_life_days is not None


def today() -> date:
    """The day by which documents are old, in UTC. Within it, equal searches have equal weights."""
    return now().astimezone(UTC).date()


def weight_of(payload: PointPayload, settings: SearchSettings, day: date) -> float:
    """The product of all weights that hold for the point, and of a half for each half-life of its age.

    Age counts whole days until `day`; what is from later is new.
    """
    weights = [one.weight for one in settings.weights if _holds(one, payload)]
    if settings.half_life_days is not None:
        age = max(0, (day - payload.created_at.astimezone(UTC).date()).days)
        weights.append(0.5 ** (age / settings.half_life_days))
    return math.prod(weights)


def weighed(scores: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The share of each score times its weight. Equal scores all have the share 1."""
    if not scores:
        return []
    low, high = min(scores), max(scores)
    # Halves keep the difference of two large scores finite.
    span = high / 2 - low / 2
    if span <= 0:
        return list(weights)
    return [(score / 2 - low / 2) / span * weight for score, weight in zip(scores, weights, strict=True)]


def order_of(values: Sequence[float]) -> list[int]:
    """Positions by falling value. Equal ones keep their order."""
    return sorted(range(len(values)), key=lambda position: (-values[position], position))


def _holds(weight: MetadataWeight, payload: PointPayload) -> bool:
    return weight.source_type in (None, payload.source_type) and (
        weight.folder_id is None or weight.folder_id in payload.folder_ids
    )
