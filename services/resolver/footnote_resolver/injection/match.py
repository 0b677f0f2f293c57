"""Finds the passage of a turn that supports a sentence best, where one does well enough (spec 2.5)."""

import asyncio
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from footnote_resolver.sentences.vectors import SentenceVectors, comparable
from footnote_resolver.store.entries import ShownPassage
from footnote_resolver.verification.judge import Claim, Premise, disputed
from footnote_resolver.verification.words import stems, tokens
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_MARGIN = 0.1
"""A passage further behind the best one is not tried: it is hardly the source of what that one disputes."""
_WORD_FOR_WORD = 0.95
"""A piece with this share of the sentence's words needs no vectors to count as alike."""
_FEWEST_WORDS = 4
"""That holds for sentences of at least this many words."""
_COMPARED = 12
"""At most this many pieces, the nearest by words, are compared by vectors: the sentence waits for them."""
_DIGITS = 6
"""Scores are compared to this many decimals, so that rounding does not decide between equal passages."""
_KEPT_MIB = 32.0
_CHARACTERS_PER_MIB = 2**20 // 20
"""An index takes about twenty bytes for each character of its passages."""
_log = logger(__name__)
Floats = npt.NDArray[np.float64]


class SentenceMatcher:
    """Compares a sentence with the sentences of passages.

    `least` is the similarity from which on a passage counts as the sentence's source. The turn's stream waits
    for the answer, so one that takes longer than `limit_s` seconds is none. Indexes are kept up to about
    `kept_mib` MiB.
    """

    def __init__(
        self, vectors: SentenceVectors, least: float, limit_s: float, kept_mib: float = _KEPT_MIB
    ) -> None:
        self._vectors = vectors
        self._least = least
        self._limit_s = limit_s
        self._kept = KeptIndexes(int(kept_mib * _CHARACTERS_PER_MIB))

    def prepare(self, passages: Sequence[ShownPassage]) -> None:
        """Index the passages and begin to embed their pieces, so that later only the answer is left."""
        if passages:
            self._vectors.prepare(lambda: self._kept.of(tuple(passages)).pieces)

    async def best(self, sentence: str, passages: Sequence[ShownPassage]) -> int | None:
        """The number of the best passage that does not dispute the sentence; the lowest one of a tie."""
        if not passages or not sentence:
            return None
        with metrics.INJECTION_SECONDS.time():
            try:
                async with asyncio.timeout(self._limit_s):
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
        index = self._kept.of(passages)
        return choose(sentence, index, self._least, vectors_of) if index.pieces else None


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceIndex:
    """The evidence of a turn, analysed once for all sentences of its answer."""

    numbers: tuple[int, ...]
    """By passage."""
    premises: tuple[Premise, ...]
    """By passage."""
    pieces: tuple[str, ...]
    """Sentences, or parts of long ones, of all passages in a row."""
    owners: npt.NDArray[np.int64]
    """The place of each piece's passage."""
    stems: tuple[frozenset[str], ...]
    """By piece."""
    weights: dict[str, float]
    """By stem: the fewer pieces have it, the heavier it is."""
    unseen: float
    """The weight of a stem that no piece has."""


class KeptIndexes:
    """The indexes that were used last: of passages of `characters` together, and the last one in any case.

    Kept for the answer's next sentence and for a takeover of the turn. One per process, for the one thread in
    which sentences are compared.
    """

    def __init__(self, characters: int) -> None:
        self._most = characters
        self._kept: OrderedDict[tuple[ShownPassage, ...], EvidenceIndex] = OrderedDict()
        self._characters = 0

    def of(self, passages: tuple[ShownPassage, ...]) -> EvidenceIndex:
        if (known := self._kept.get(passages)) is not None:
            self._kept.move_to_end(passages)
            return known
        made = self._kept[passages] = index_of(passages)
        self._characters += _characters(passages)
        while self._characters > self._most and len(self._kept) > 1:
            oldest, _ = self._kept.popitem(last=False)
            self._characters -= _characters(oldest)
        return made


def _characters(passages: tuple[ShownPassage, ...]) -> int:
    return sum(len(passage.text) for passage in passages)


def index_of(passages: tuple[ShownPassage, ...]) -> EvidenceIndex:
    """The index of these passages."""
    pieces = [(place, piece) for place, passage in enumerate(passages) for piece in comparable(passage.text)]
    roots = tuple(stems(tokens(piece)) for _, piece in pieces)
    seen = Counter(root for found in roots for root in found)
    return EvidenceIndex(
        numbers=tuple(passage.n for passage in passages),
        premises=tuple(Premise(passage.text, passage.title) for passage in passages),
        pieces=tuple(piece for _, piece in pieces),
        owners=np.array([place for place, _ in pieces], dtype=np.int64),
        stems=roots,
        weights={root: math.log(1 + len(pieces) / (1 + count)) for root, count in seen.items()},
        unseen=math.log(1 + len(pieces)),
    )


def choose(
    sentence: str, index: EvidenceIndex, least: float, vectors_of: Callable[[Sequence[str]], Vectors]
) -> int | None:
    """The number of the passage that supports the sentence best, or None.

    A piece is as similar as its cosine or, if that is more, as the mean of its cosine and the share of the
    sentence's words that it has; rare words weigh more (inverse document frequency; Spärck Jones 1972). The
    mean is needed because a short sentence taken from a long one has a low cosine and all the words. Only the
    pieces nearest by words are compared by cosine. The passages are tried in the order of the mean, and one
    that disputes the sentence is passed over. `vectors_of` gives unit vectors; it is not called where a
    passage has the sentence word for word.
    """
    claim = Claim(sentence)
    shares = _shared(claim.stems, index)
    by_words = _best_of(shares, index)
    alike = max(_WORD_FOR_WORD, least)
    if len(claim.stems) >= _FEWEST_WORDS and by_words.max() >= alike:
        near = [place for place in _from_top(by_words) if by_words[place] >= alike]
    else:
        compared = np.sort(np.argsort(-shares, kind="stable")[:_COMPARED])
        vectors = vectors_of([sentence, *(index.pieces[place] for place in compared)])
        cosines: Floats = np.full(len(shares), -1.0)
        cosines[compared] = vectors[1:] @ vectors[0]
        blends = np.where(cosines > -1.0, (cosines + shares) / 2, -1.0)
        by_blend = _best_of(blends, index)
        similar = _best_of(np.maximum(cosines, blends), index)
        lowest = by_blend.max() - _MARGIN
        near = [p for p in _from_top(by_blend) if by_blend[p] >= lowest and similar[p] >= least]
    return next(
        (index.numbers[place] for place in near if not disputed(claim, [index.premises[place]])), None
    )


def _best_of(pieces: Floats, index: EvidenceIndex) -> Floats:
    """For each passage the best score of its pieces."""
    best = np.full(len(index.numbers), -1.0)
    np.maximum.at(best, index.owners, pieces)
    return best


def _from_top(scores: Floats) -> list[int]:
    """Places by score, the first of equal ones before the others."""
    return [int(place) for place in np.lexsort((np.arange(len(scores)), -scores.round(_DIGITS)))]


def _shared(wanted: frozenset[str], index: EvidenceIndex) -> Floats:
    """For each piece the share, by weight, of these stems that it has."""
    weights = {root: index.weights.get(root, index.unseen) for root in wanted}
    whole = sum(weights.values())
    if not whole:
        return np.zeros(len(index.pieces))
    return np.array([sum(weights[root] for root in wanted & held) / whole for held in index.stems])
