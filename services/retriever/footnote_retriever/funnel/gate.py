"""Thresholds on the dense cosine: which passages are too far off, and whether the rest is evidence enough."""

import math
from collections.abc import Sequence

from footnote_retriever.funnel.candidates import Live

BEST = 5
"""Passages whose mean cosine decides whether the evidence is enough."""


def near_enough(found: Sequence[Live], min_similarity: float) -> list[Live]:
    """Those whose cosine reaches the threshold. One whose cosine is not known cannot be judged, and stays."""
    if min_similarity <= 0:
        return list(found)
    return [live for live in found if live.candidate.dense is None or live.candidate.dense >= min_similarity]


def is_sufficient(found: Sequence[Live], min_avg_similarity: float) -> bool:
    """Whether there is anything, and the mean cosine of the best reaches the threshold (spec 4.2.8)."""
    if not found:
        return False
    known = [live.candidate.dense for live in found[:BEST] if live.candidate.dense is not None]
    return not known or min_avg_similarity <= 0 or math.fsum(known) / len(known) >= min_avg_similarity
