"""The passage of this turn that supports a sentence best, where one does well enough (spec 2.5)."""

import asyncio
from collections.abc import Sequence

import numpy as np

from footnote_resolver.similarity import SentenceVectors, comparable
from footnote_resolver.store.entries import ShownPassage
from footnote_resolver.verification.figures import missing_figures
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_TIMEOUT_S = 1.0
_log = logger(__name__)


class SentenceMatcher:
    """Compares a sentence with the sentences of passages. `least` is the cosine from which a passage counts as its source.

    The stream of the turn waits for the answer: one that takes longer than a second is none.
    """

    def __init__(self, vectors: SentenceVectors, least: float) -> None:
        self._vectors = vectors
        self._least = least

    async def best(self, sentence: str, passages: Sequence[ShownPassage]) -> int | None:
        """The number of the best passage, the lowest of equal ones. A passage that lacks a figure of the sentence is no source of it."""
        pieces = [(passage, piece) for passage in passages for piece in comparable(passage.text)]
        if not pieces or not sentence:
            return None
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                vectors = await self._vectors.of([sentence, *(piece for _, piece in pieces)])
        except (TimeoutError, FootnoteError) as error:
            metrics.DEGRADED.labels("injection").inc()
            _log.warning("injection.skipped", passages=len(passages), reason=type(error).__name__)
            return None
        scores = vectors[1:] @ vectors[0]
        for position in np.argsort(-scores, kind="stable").tolist():
            passage, score = pieces[int(position)][0], float(scores[int(position)])
            if score < self._least:
                return None
            if not missing_figures(sentence, passage.text):
                return passage.n
        return None
