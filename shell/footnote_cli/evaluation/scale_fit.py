"""A scale of the gate from questions with and without an answer: logistic regression, and a bound. Pure.

The regression finds how much a cosine and a share of words tell. The base is then set so that of the
questions with an answer no more than a given share are lost: an answer withheld is worse than a passage too
many.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.kernel.evidence_scale import BEST, ENOUGH, Scale, evidence

ANSWERABLE = "answerable"
LOST = 0.05
"""The share of the questions with an answer that a scale may call insufficient."""

_ROUNDS = 8
_STEPS = 50
_RIDGE = 1e-2
"""Keeps the weights finite where a line parts the questions without an error."""

_HALVINGS = 40
_WIDEST = 40.0

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GatedQuestion:
    """A question of a kind. Its best passages have each its cosine, its share of words, the mean cosine of
    the others and the score of a reranker, or 0."""

    kind: str
    text: str
    passages: tuple[tuple[float, float, float, float], ...]


def is_sufficient(question: GatedQuestion, scale: Scale) -> bool:
    """What the gate says by default."""
    return worth(question, scale) >= ENOUGH


def worth(question: GatedQuestion, scale: Scale) -> float:
    """What the passages of a question are worth together."""
    return evidence([scale.value(*passage) for passage in question.passages])


def insufficient_shares(questions: Sequence[GatedQuestion], scale: Scale) -> dict[str, float]:
    """The share of each kind that the scale calls insufficient."""
    kinds = dict.fromkeys(question.kind for question in questions)
    called = {kind: [not is_sufficient(q, scale) for q in questions if q.kind == kind] for kind in kinds}
    return {kind: sum(each) / len(each) for kind, each in called.items()}


def fit_scale(questions: Sequence[GatedQuestion], lost: float = LOST) -> Scale:
    """The scale for these questions. Raises InvalidRequest unless questions of both sorts found something."""
    found = [question for question in questions if question.passages]
    labels = np.array([float(question.kind == ANSWERABLE) for question in found])
    if not 0 < labels.sum() < len(found):
        raise InvalidRequest("A scale needs questions with an answer and questions without one, ten or more.")
    # Each sort counts alike, however many there are of it.
    shares = np.where(labels > 0, 0.5 / labels.sum(), 0.5 / (len(found) - labels.sum())) * len(found)
    reranked = any(rerank for question in found for *_, rerank in question.passages)
    used = [True, True, True, True, reranked]
    weights = _weights(found, labels, shares, used)
    while (worst := int(np.argmin(weights[1:])) + 1) and weights[worst] < 0:
        # More of a measure is never less: one that would count so has nothing to tell here.
        used[worst] = False
        weights = _weights(found, labels, shares, used)
    cosine, words, others, rerank = (float(weight) for weight in weights[1:])
    return _with_base(Scale(0.0, cosine, words, others, rerank), found, lost)


def _weights(
    questions: Sequence[GatedQuestion], labels: Floats, shares: Floats, used: Sequence[bool]
) -> Floats:
    """The weights of the regression; 0 for a measure that is not used."""
    weights = np.array([0.0, 1.0, 1.0, 0.0, 0.0])
    columns = np.flatnonzero(used)
    for _ in range(_ROUNDS):
        rows = np.array([_best_of(question, weights) for question in questions])
        weights = np.zeros(len(used))
        weights[columns] = _regress(rows[:, columns], labels, shares)
    return weights


def _best_of(question: GatedQuestion, weights: Floats) -> tuple[float, ...]:
    """The measures of the best passage, as the regression takes them: the others count against it."""
    rows = [
        (1.0, cosine, words, -others, rerank) for cosine, words, others, rerank in question.passages[:BEST]
    ]
    return max(rows, key=lambda row: float(np.dot(weights, row)))


def _regress(rows: Floats, labels: Floats, shares: Floats) -> Floats:
    """Weighted logistic regression by Newton's method."""
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        values = 1 / (1 + np.exp(-np.clip(rows @ weights, -_WIDEST, _WIDEST)))
        slope = rows.T @ (shares * (labels - values)) - _RIDGE * weights
        curve = (rows * (shares * values * (1 - values))[:, None]).T @ rows + _RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def _with_base(scale: Scale, questions: Sequence[GatedQuestion], lost: float) -> Scale:
    """The scale with the lowest base by which no more than `lost` of the answerable questions are lost."""
    answerable = [question for question in questions if question.kind == ANSWERABLE]
    low, high = -_WIDEST, _WIDEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        tried = scale._replace(base=middle)
        if sum(not is_sufficient(one, tried) for one in answerable) <= lost * len(answerable):
            high = middle
        else:
            low = middle
    return scale._replace(base=high)
