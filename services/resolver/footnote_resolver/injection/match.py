"""The passage of this turn that supports a sentence best, where one does well enough (spec 2.5)."""

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from footnote_resolver.sentences.vectors import SentenceVectors, comparable
from footnote_resolver.store.entries import ShownPassage
from footnote_resolver.verification.judge import Claim, Source, disputed
from footnote_resolver.verification.words import stems, tokens
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_TIMEOUT_S = 1.0
_MARGIN = 0.1
"""A passage so far behind the nearest one is not looked at: where that one objects, the sentence is not that other's."""
_WORD_FOR_WORD = 0.95
_FEWEST_WORDS = 4
"""A piece that has this share of the sentence's words, and of so many at least, needs no vectors to be called alike."""
_COMPARED = 12
"""So many pieces, the nearest by words, are compared by vectors: where none is made yet, that is what a sentence waits for."""
_DIGITS = 6
_log = logger(__name__)
Floats = npt.NDArray[np.float64]


class SentenceMatcher:
    """Compares a sentence with the sentences of passages. `least` is the similarity from which a passage counts as its source.

    The stream of the turn waits for the answer: one that takes longer than a second is none.
    """

    def __init__(self, vectors: SentenceVectors, least: float) -> None:
        self._vectors = vectors
        self._least = least

    def prepare(self, passages: Sequence[ShownPassage]) -> None:
        """Take the passages apart and begin to embed their sentences, so that later the answer's sentence alone is left to do."""
        if passages:
            self._vectors.prepare(lambda: evidence_of(tuple(passages)).pieces)

    async def best(self, sentence: str, passages: Sequence[ShownPassage]) -> int | None:
        """The number of the best passage that verification has nothing against, the lowest of equal ones."""
        if not passages or not sentence:
            return None
        with metrics.INJECTION_SECONDS.time():
            try:
                async with asyncio.timeout(_TIMEOUT_S):
                    return await self._vectors.work(partial(self._best, sentence, tuple(passages)))
            except (TimeoutError, FootnoteError) as error:
                metrics.DEGRADED.labels("injection").inc()
                _log.warning("injection.skipped", passages=len(passages), reason=type(error).__name__)
                return None

    def _best(
        self,
        sentence: str,
        passages: tuple[ShownPassage, ...],
        vectors_of: Callable[[Sequence[str]], Vectors],
    ) -> int | None:
        evidence = evidence_of(passages)
        return choose(sentence, evidence, self._least, vectors_of) if evidence.pieces else None


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The passages of a turn, taken apart once for all sentences of its answer. `numbers` and `sources` are of the passages.

    `owners[i]` is the place of the passage that piece `i` is of; `weights` are of stems, the rarer among the pieces the heavier.
    """

    numbers: tuple[int, ...]
    sources: tuple[Source, ...]
    pieces: tuple[str, ...]
    owners: npt.NDArray[np.int64]
    stems: tuple[frozenset[str], ...]
    weights: dict[str, float]
    unseen: float


@lru_cache(maxsize=256)
def evidence_of(passages: tuple[ShownPassage, ...]) -> Evidence:
    """The same passages are the same evidence: of each sentence of an answer, and of the turn when it is taken over."""
    pieces = [(place, piece) for place, passage in enumerate(passages) for piece in comparable(passage.text)]
    roots = tuple(stems(tokens(piece)) for _, piece in pieces)
    seen = Counter(root for found in roots for root in found)
    return Evidence(
        tuple(passage.n for passage in passages),
        tuple(Source(passage.text, passage.title) for passage in passages),
        tuple(piece for _, piece in pieces),
        np.array([place for place, _ in pieces], dtype=np.int64),
        roots,
        {root: math.log(1 + len(pieces) / (1 + count)) for root, count in seen.items()},
        math.log(1 + len(pieces)),
    )


def choose(
    sentence: str, evidence: Evidence, least: float, vectors_of: Callable[[Sequence[str]], Vectors]
) -> int | None:
    """The passage's number. `vectors_of` gives unit vectors; it is not asked where a passage has the sentence word for word.

    A piece is as similar as its cosine, or as the mean of that and the share of the sentence's words that it has, rare
    words weighing more (inverse document frequency; Spärck Jones 1972): a short sentence out of a long one has a low
    cosine and all the words. Only the nearest pieces by words are compared. Passages are tried from the top by that mean; one that lacks a figure or name of the
    sentence, or says the contrary, is not its source.
    """
    claim = Claim(sentence)
    shares = _shared(claim.stems, evidence)
    by_words = _best_of(shares, evidence)
    if len(claim.stems) >= _FEWEST_WORDS and by_words.max() >= max(_WORD_FOR_WORD, least):
        order = _from_top(by_words)
        near = [place for place in order if by_words[place] >= max(_WORD_FOR_WORD, least)]
    else:
        compared = np.sort(np.argsort(-shares, kind="stable")[:_COMPARED])
        vectors = vectors_of([sentence, *(evidence.pieces[place] for place in compared)])
        cosines: Floats = np.full(len(shares), -1.0)
        cosines[compared] = vectors[1:] @ vectors[0]
        blends = np.where(cosines > -1.0, (cosines + shares) / 2, -1.0)
        by_blend = _best_of(blends, evidence)
        similar = _best_of(np.maximum(cosines, blends), evidence)
        lowest = by_blend.max() - _MARGIN
        near = [p for p in _from_top(by_blend) if by_blend[p] >= lowest and similar[p] >= least]
    return next(
        (evidence.numbers[place] for place in near if not disputed(claim, [evidence.sources[place]])), None
    )


def _best_of(pieces: Floats, evidence: Evidence) -> Floats:
    """The best score of a piece of each passage."""
    best = np.full(len(evidence.numbers), -1.0)
    np.maximum.at(best, evidence.owners, pieces)
    return best


def _from_top(scores: Floats) -> list[int]:
    """Places by score, the first of equal ones before the others."""
    return [int(place) for place in np.lexsort((np.arange(len(scores)), -scores.round(_DIGITS)))]


def _shared(wanted: frozenset[str], evidence: Evidence) -> Floats:
    """The share of the stems, by weight, that each piece has."""
    weights = {root: evidence.weights.get(root, evidence.unseen) for root in wanted}
    whole = sum(weights.values())
    if not whole:
        return np.zeros(len(evidence.pieces))
    return np.array([sum(weights[root] for root in wanted & held) / whole for held in evidence.stems])
