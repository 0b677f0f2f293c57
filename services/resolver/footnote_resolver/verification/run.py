"""Verifies the cited sentences of an answer, and any text against any passages (`POST /v1/ground`)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from anyio import to_thread

from footnote_resolver.claims import AnswerSentence, answer_sentences, plain
from footnote_resolver.similarity import SentenceVectors, comparable
from footnote_resolver.verification.judge import Holding, Verdict, hold
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_LOOKED_AT = 8
SCORES = {"supported": 1.0, "weak": 0.5, "unsupported": 0.0}
"""What a claim of each kind adds to the score of a text."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage by the name that its caller gave it."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A cited sentence with its verdict; `better` is the passage that supports it where the cited ones do not."""

    sentence: AnswerSentence
    verdict: Verdict
    holding: Holding
    better: int | None = None


@dataclass(frozen=True, slots=True)
class Grounded:
    """A claim and how each passage holds it, best first."""

    text: str
    span: tuple[int, int]
    holdings: list[tuple[str, Holding]]

    @property
    def best(self) -> Holding:
        return self.holdings[0][1] if self.holdings else Holding("unsupported", 0.0)


class Verifier:
    """Compares by figures, names, quotations, words and sentence vectors; calls no model that writes."""

    def __init__(self, vectors: SentenceVectors, timeout_s: float) -> None:
        self._vectors = vectors
        self._timeout_s = timeout_s

    async def check(self, text: str, evidence: dict[int, str]) -> list[Checked] | None:
        """A verdict for each cited sentence of an answer; None when it took too long or failed: no answer is held up for it."""
        cited = [s for s in answer_sentences(text) if s.citations]
        if not cited:
            return []
        try:
            async with asyncio.timeout(self._timeout_s):
                scores = await self._similarities([plain(s.text) for s in cited], evidence)
                return await to_thread.run_sync(
                    lambda: [_checked(s, evidence, scores[i]) for i, s in enumerate(cited)],
                    abandon_on_cancel=True,
                )
        except (TimeoutError, FootnoteError) as error:
            metrics.DEGRADED.labels("verification").inc()
            _log.warning("verification.skipped", sentences=len(cited), reason=type(error).__name__)
            return None

    async def ground(
        self, claims: Sequence[tuple[str, tuple[int, int]]], passages: Sequence[Passage]
    ) -> list[Grounded]:
        """Each claim against the passages nearest to it."""
        texts = dict(enumerate(passage.text for passage in passages))
        scores = await self._similarities([text for text, _ in claims], texts)
        return await to_thread.run_sync(
            lambda: [_grounded(c, passages, scores[i]) for i, c in enumerate(claims)]
        )

    async def _similarities(
        self, sentences: Sequence[str], passages: dict[int, str]
    ) -> list[dict[int, float]]:
        """For each sentence, the best cosine with a sentence of each passage."""
        pieces = [(n, piece) for n, text in passages.items() for piece in comparable(text)]
        if not pieces or not sentences:
            return [{} for _ in sentences]
        vectors = await self._vectors.of([*sentences, *(piece for _, piece in pieces)])
        table = vectors[: len(sentences)] @ vectors[len(sentences) :].T
        owners = np.array([n for n, _ in pieces])
        return [
            {int(n): float(row[owners == n].max()) for n in passages if (owners == n).any()} for row in table
        ]


def _checked(sentence: AnswerSentence, evidence: dict[int, str], similarity: dict[int, float]) -> Checked:
    words = plain(sentence.text)
    cited = [n for n in sentence.citations if n in evidence]
    holding = hold(
        words, [evidence[n] for n in cited], max((similarity.get(n, 0.0) for n in cited), default=0.0)
    )
    if holding.support == "supported":
        return Checked(sentence, "supported", holding)
    others = [n for n in sorted(evidence, key=lambda n: (-similarity.get(n, 0.0), n)) if n not in cited]
    for n in others[:_LOOKED_AT]:
        if hold(words, [evidence[n]], similarity.get(n, 0.0)).support == "supported":
            return Checked(sentence, "misattributed", holding, n)
    return Checked(sentence, holding.support, holding)


def _grounded(
    claim: tuple[str, tuple[int, int]], passages: Sequence[Passage], similarity: dict[int, float]
) -> Grounded:
    text, span = claim
    nearest = sorted(similarity, key=lambda k: (-similarity[k], k))[:_LOOKED_AT]
    holdings = [(passages[k].id, hold(text, [passages[k].text], similarity[k])) for k in nearest]
    holdings.sort(key=lambda pair: (-SCORES[pair[1].support], -pair[1].score))
    return Grounded(text, span, holdings)
