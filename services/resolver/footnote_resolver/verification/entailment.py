"""The optional second stage: whether a passage entails or contradicts a sentence, by an NLI cross-encoder (spec 2.6)."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anyio import CapacityLimiter, to_thread

from footnote_resolver.verification.judge import SUPPORTED, Claim, Holding, Source
from footnote_shared.kernel.loading import Loading
from footnote_shared.models.cross_encoder import Entailment, PairClassifier
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_RETRY_S = 60.0
_DECIDED = 0.7
_PREMISE_CHARS = 1200
_AT_ONCE = 32
_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """Does the source entail the claim?"""

    claim: Claim
    source: Source


class EntailmentStage:
    """Asks the model, one batch at a time in a thread. What takes longer than `timeout_s` in all is not waited for."""

    def __init__(self, load: Callable[[], PairClassifier], timeout_s: float) -> None:
        self._model = Loading(load, retry_s=_RETRY_S)
        self._one_at_a_time = CapacityLimiter(1)
        self._timeout_s = timeout_s

    def begin_loading(self) -> None:
        """Load the model without waiting for it."""
        self._model.begin()

    async def ask(
        self, questions: Sequence[Question], timeout_s: float | None = None
    ) -> list[Entailment] | None:
        """One answer per question; None when the model failed or was too slow, which is counted: the first stage stands.

        `timeout_s`: for a caller that can wait longer than an answer may.
        """
        if not questions:
            return []
        # A task of its own: whatever it raises, foreseen or not, is looked at and goes no further.
        asking = asyncio.create_task(self._ask(questions))
        try:
            done, _ = await asyncio.wait({asking}, timeout=timeout_s or self._timeout_s)
        finally:
            asking.cancel()
        error = asking.exception() if done and not asking.cancelled() else TimeoutError()
        if error is None:
            return asking.result()
        metrics.DEGRADED.labels("verification_nli").inc()
        _log.warning("verification.nli_skipped", pairs=len(questions), reason=type(error).__name__)
        return None

    async def close(self) -> None:
        await self._model.close()

    async def _ask(self, questions: Sequence[Question]) -> list[Entailment]:
        model = await self._model.get()
        pairs = [(premise(question.claim, question.source), question.claim.text) for question in questions]
        answers: list[Entailment] = []
        # In slices, so that a live answer need not wait for a long list.
        for at in range(0, len(pairs), _AT_ONCE):
            answers += await to_thread.run_sync(
                model.classify, pairs[at : at + _AT_ONCE], limiter=self._one_at_a_time, abandon_on_cancel=True
            )
        return answers


def premise(claim: Claim, source: Source) -> str:
    """The part of a passage that a model of 512 tokens can read: all of it, or the sentences around the nearest one."""
    if len(source.text) <= _PREMISE_CHARS:
        return source.text
    parts = source.sentences
    best = max(range(len(parts)), key=lambda i: (len(claim.stems & parts[i][1]), -i), default=0)
    first = last = best
    size = len(parts[best][0])
    while True:
        grown = [
            i
            for i in (first - 1, last + 1)
            if 0 <= i < len(parts) and size + len(parts[i][0]) < _PREMISE_CHARS
        ]
        if not grown:
            break
        size += len(parts[grown[0]][0]) + 1
        first, last = min(first, grown[0]), max(last, grown[0])
    return " ".join(text for text, _ in parts[first : last + 1])[: 2 * _PREMISE_CHARS]


def combined(holding: Holding, answers: Sequence[Entailment]) -> Holding:
    """The first stage's verdict with what the model says of the same passages.

    A passage that entails lifts `weak` to `supported`; where none does, one that contradicts lowers to `unsupported`.
    What a quotation or a figure decided stays: a model overlooks these.
    """
    entailed = max((answer.entailed for answer in answers), default=0.0)
    contradicted = max((answer.contradicted for answer in answers), default=0.0)
    if entailed >= _DECIDED:
        if holding.support == "weak" and not holding.settled:
            return replace(holding, support="supported", score=max(holding.score, SUPPORTED, entailed))
        return holding
    if contradicted >= _DECIDED and holding.support != "unsupported":
        return replace(holding, support="unsupported", score=min(holding.score, 1.0 - contradicted))
    return holding
