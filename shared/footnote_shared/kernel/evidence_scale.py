"""The scale on which the gate judges passages: from 0 to 1, the same for every lane that is calibrated. Pure.

A cosine says little by itself. Models differ in what is near, and so do corpora: 0.4 is far off where all
documents are about one subject, and near where none of them is like another. So a passage is judged by its
cosine, by the share of the query's words that it has, and by how near the other passages are that were found
with it. A scale makes one number of the three, by which 0.5 and 0.55 mean the same for each model (spec
4.2.8).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, Self

BEST = 5
"""Passages whose mean decides whether the evidence is enough."""

AMONG = 8
"""Passages, best first, that tell how near everything is that a query finds."""

NEAR = 0.5
"""A passage below it counts for nothing where a better one is. A single passage can be all that there is."""

ENOUGH = 0.55
"""Evidence below it is insufficient."""


class Scale(NamedTuple):
    """The logistic function of `base + cosine * c + words * w - others * o + rerank * r`.

    `c` is the cosine of a passage, `w` the share of the query's words that it has, `o` the mean cosine of the
    other passages among the first `AMONG`, `r` the score of the reranker that the scale was made for. A scale
    for no reranker has the weight 0 for it.
    """

    base: float
    cosine: float
    words: float
    others: float
    rerank: float = 0.0

    @classmethod
    def read(cls, text: str, *, reranked: bool = False) -> Self:
        """A scale from four numbers with commas between them, or from five for a reranker.

        Raises ValueError for any other text.
        """
        numbers = [float(part) for part in text.split(",")]
        if len(numbers) != (5 if reranked else 4) or not all(map(math.isfinite, numbers)):
            raise ValueError(f"{text} is no scale")
        return cls(*numbers)

    def __str__(self) -> str:
        return ",".join(f"{number:.4g}" for number in (self if self.rerank else self[:4]))

    def value(self, cosine: float, words: float, others: float, rerank: float = 0.0) -> float:
        """From 0 to 1."""
        sum_ = self.base + self.cosine * cosine + self.words * words - self.others * others
        sum_ += self.rerank * rerank
        # The form that cannot overflow.
        return 1 / (1 + math.exp(-sum_)) if sum_ > 0 else (grown := math.exp(sum_)) / (1 + grown)


def means_of_others(cosines: Sequence[float]) -> list[float]:
    """For each of the passages, best first, the mean of the others among the first `AMONG`; 0 if none is."""
    first = cosines[:AMONG]
    whole = math.fsum(first)
    found = []
    for place, cosine in enumerate(cosines):
        within = place < AMONG
        rest, count = (whole - cosine, len(first) - 1) if within else (whole, len(first))
        found.append(rest / count if count else 0.0)
    return found


def evidence(values: Sequence[float]) -> float:
    """What passages, best first, are worth together: the mean of those of the first five that are near.

    Where none is near it is the highest of them. No passages are worth 0.
    """
    best = values[:BEST]
    near = [value for value in best if value >= NEAR]
    return math.fsum(near) / len(near) if near else max(best, default=0.0)
