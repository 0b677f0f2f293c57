"""The optional second check (spec 2.6): an NLI cross-encoder says whether a passage entails a claim."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anyio import CapacityLimiter, to_thread

from footnote_resolver.verification.judge import SUPPORTED, Claim, Holding, Premise
from footnote_shared.kernel.background_load import BackgroundLoad
from footnote_shared.models.cross_encoder import Entailment, PairClassifier
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_RETRY_S = 60.0
_DECIDED = 0.7
"""From this probability on the model's answer counts."""
_EXCERPT_CHARS = 1200
"""About the most English text that fits into the 512 tokens of such a model, beside a claim."""
_AT_ONCE = 32
"""Pairs per call of the model: a live answer waits for no more than these of a long list."""
_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class EntailmentPair:
    """A claim and the passage that may entail it."""

    claim: Claim
    premise: Premise


class EntailmentCheck:
    """Asks the model, one batch at a time in a thread, and gives up after `timeout_s` in all."""

    def __init__(self, load: Callable[[], PairClassifier], timeout_s: float) -> None:
        self._model = BackgroundLoad(load, retry_s=_RETRY_S)
        self._one_at_a_time = CapacityLimiter(1)
        self._timeout_s = timeout_s

    def begin_loading(self) -> None:
        """Load the model without waiting for it."""
        self._model.begin()

    async def ask(
        self, pairs: Sequence[EntailmentPair], timeout_s: float | None = None
    ) -> list[Entailment] | None:
        """One answer per pair; None when the model failed or was too slow, and the first check stands.

        Failures are counted. `timeout_s` is for a caller that can wait longer than an answer may.
        """
        if not pairs:
            return []
        # A task of its own, so that no error of the model, foreseen or not, reaches the answer.
        asking = asyncio.create_task(self._ask(pairs))
        try:
            done, _ = await asyncio.wait({asking}, timeout=timeout_s or self._timeout_s)
        finally:
            asking.cancel()
        error = asking.exception() if done and not asking.cancelled() else TimeoutError()
        if error is None:
            return asking.result()
        metrics.DEGRADED.labels("verification_nli").inc()
        _log.warning("verification.nli_skipped", pairs=len(pairs), reason=type(error).__name__)
        return None

    async def close(self) -> None:
        await self._model.close()

    async def _ask(self, pairs: Sequence[EntailmentPair]) -> list[Entailment]:
        model = await self._model.get()
        texts = [(excerpt(pair.premise, pair.claim), pair.claim.text) for pair in pairs]
        answers: list[Entailment] = []
        for at in range(0, len(texts), _AT_ONCE):
            answers += await to_thread.run_sync(
                model.classify, texts[at : at + _AT_ONCE], limiter=self._one_at_a_time, abandon_on_cancel=True
            )
        return answers


def excerpt(premise: Premise, claim: Claim) -> str:
    """What the model can read of a passage: all of it, or the sentences around the claim's nearest one."""
    if len(premise.text) <= _EXCERPT_CHARS:
        return premise.text
    parts = premise.sentences
    best = max(range(len(parts)), key=lambda i: (len(claim.stems & parts[i][1]), -i), default=0)
    first = last = best
    size = len(parts[best][0])
    while True:
        grown = [
            i
            for i in (first - 1, last + 1)
            if 0 <= i < len(parts) and size + len(parts[i][0]) < _EXCERPT_CHARS
        ]
        if not grown:
            break
        size += len(parts[grown[0]][0]) + 1
        first, last = min(first, grown[0]), max(last, grown[0])
    return " ".join(text for text, _ in parts[first : last + 1])[: 2 * _EXCERPT_CHARS]


def combined(holding: Holding, answers: Sequence[Entailment]) -> Holding:
    """The first check's verdict, revised by what the model says of the same passages.

    A passage that entails the claim raises `weak` to `supported`. Where none entails it, one that contradicts
    it lowers the verdict to `unsupported`. A verdict that a quotation or a figure settled is not raised:
    models overlook these.
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
