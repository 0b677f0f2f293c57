"""The verdict of the rules on a claim: what passages say of it (spec 2.6). Pure, and always the same.

The terms are those of natural language inference: a claim is judged by one or more premises.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from footnote_resolver.verification.disputes import dispute, facts_of
from footnote_resolver.verification.figures import FigureSet, figures, merged
from footnote_resolver.verification.foreign import contradicted
from footnote_resolver.verification.languages import language_of
from footnote_resolver.verification.missing import missing
from footnote_resolver.verification.names import missing_names, names
from footnote_resolver.verification.quotes import Quotation, Wording, quotations
from footnote_resolver.verification.reading import Fact, Reading, read
from footnote_resolver.verification.substitution import substituted
from footnote_resolver.verification.table_values import Tabulated, misread, tabulated
from footnote_resolver.verification.words import stems, tokens
from footnote_shared.kernel.text import sentences

SupportLevel = Literal["supported", "weak", "unsupported"]
SUPPORTED = 0.60
"""From this score on, half cosine and half shared words, a passage supports a claim (docs/adr/0026)."""

_WEAK = 0.45
"""Below this score a passage says nothing of the claim."""
_WORD_FOR_WORD = 0.9
"""From this share of the claim's words on, the words alone make the score, whatever the cosine is."""
_TWIN = 0.85
"""From this share of the claim's words on, a sentence says the same but for its figures."""
_READ_WHOLE = 48
"""A passage of at most this many sentences is read as a whole; one from a search has about eight."""
_READ_NEAR = 16
"""Of a longer one, this many sentences are read."""
_FEWEST_TWIN_WORDS = 4
"""A claim of fewer words is too short to have a twin."""


class Claim:
    """A claim, analysed once for all the passages that it is compared with."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.stems = stems(tokens(text))
        self.figures = figures(text)
        self.names = names(text)

    @cached_property
    def readings(self) -> list[Reading]:
        return [read(sentence.text) for sentence in sentences(self.text)]


class Premise:
    """A passage, analysed once for all the claims that are judged by it."""

    def __init__(self, text: str, title: str = "") -> None:
        self.text = text
        self.title = title

    @cached_property
    def wording(self) -> Wording:
        return Wording(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words, those of the title included: a name may stand there alone."""
        return frozenset(self.wording.words).union(Wording(self.title).words if self.title else ())

    @cached_property
    def stems(self) -> frozenset[str]:
        return stems(self.wording.words)

    @cached_property
    def figures(self) -> FigureSet:
        found = figures(self.text, to_find=True)
        return merged([found, figures(self.title, to_find=True)]) if self.title else found

    @cached_property
    def sentences(self) -> list[tuple[str, frozenset[str]]]:
        """Each with its stems."""
        return [(sentence.text, stems(tokens(sentence.text))) for sentence in sentences(self.text)]

    @cached_property
    def tabulated(self) -> Tabulated:
        return tabulated(self.text)

    def near(self, claim: Claim) -> tuple[list[Reading], list[Fact]]:
        """The sentences that share most words with a claim, and their facts; of a short passage, all.

        The sentence before each is read as well, for the sake of pronouns.
        """
        if len(self.sentences) <= _READ_WHOLE:
            return self._whole
        shared = [len(claim.stems & held) for _, held in self.sentences]
        best = heapq.nlargest(_READ_NEAR, range(len(shared)), key=lambda place: (shared[place], -place))
        places = sorted({before for place in best for before in (max(place - 1, 0), place)})
        readings = [read(self.sentences[place][0]) for place in places]
        return readings, facts_of(readings)

    @cached_property
    def _whole(self) -> tuple[list[Reading], list[Fact]]:
        readings = [read(text) for text, _ in self.sentences]
        return readings, facts_of(readings)


@dataclass(frozen=True, slots=True)
class Holding:
    """How far one passage, or several read together, support a claim; `score` is between 0 and 1.

    `settled`: a quotation or a figure decided, and no later check may raise the verdict.
    """

    support: SupportLevel
    score: float
    quotes: tuple[Quotation, ...] = ()
    settled: bool = False


def hold(claim: Claim, premises: Sequence[Premise], similarity: float) -> Holding:
    """How far the passages, read together, support the claim.

    `similarity` is the best cosine between the claim and one of their sentences. A claim is unsupported where
    the passages have a different figure in place of one of its own, and where it fabricates a quotation. It
    is weak at most where no passage has one of its names or figures, where a quotation is stitched together,
    and where the passages say the contrary.
    """
    lacking = missing(claim.figures, merged(p.figures for p in premises)) if claim.figures else []
    words = shared_words(claim, premises, len(lacking))
    score = max((max(similarity, 0.0) + words) / 2, words if words >= _WORD_FOR_WORD else 0.0)
    quotes = tuple(_quotations(claim, premises))
    replaced = any(lack.replaced for lack in lacking) or _replaced_in_twins(claim, premises)
    if replaced or any(quote.verdict == "fabricated" for quote in quotes):
        return Holding("unsupported", score / 2, quotes, settled=True)
    doubtful = bool(lacking) or _unnamed(claim, premises)
    if score < (SUPPORTED if doubtful else _WEAK):
        return Holding("unsupported", score / 2, quotes, settled=bool(lacking))
    if doubtful or any(quote.verdict == "stitched" for quote in quotes) or _contrary(claim, premises):
        return Holding("weak", min(score, SUPPORTED), quotes, settled=bool(lacking))
    return Holding("supported" if score >= SUPPORTED else "weak", score, quotes)


def disputed(claim: Claim, premises: Sequence[Premise]) -> bool:
    """Whether a figure, a name, a quotation or a negation speaks against the claim."""
    if claim.figures and missing(claim.figures, merged(premise.figures for premise in premises)):
        return True
    if _replaced_in_twins(claim, premises) or _unnamed(claim, premises) or _contrary(claim, premises):
        return True
    return any(quote.verdict != "verbatim" for quote in _quotations(claim, premises))


def shared_words(claim: Claim, premises: Sequence[Premise], lacking: int) -> float:
    """The share of the claim's words and figures that the passages have; they lack this many of its figures.

    Words are compared by their stems, and function words do not count.
    """
    size = len(claim.stems) + len(claim.figures)
    held = frozenset[str]().union(*(premise.stems for premise in premises))
    return (len(claim.stems & held) + len(claim.figures) - lacking) / size if size else 0.0


def _replaced_in_twins(claim: Claim, premises: Sequence[Premise]) -> bool:
    """Whether every twin of the claim has a different figure, though the claim's own may stand elsewhere."""
    if not claim.figures or len(claim.stems) < _FEWEST_TWIN_WORDS:
        return False
    twins = [
        text
        for premise in premises
        for text, held in premise.sentences
        if len(claim.stems & held) >= _TWIN * len(claim.stems)
    ]
    return bool(twins) and all(
        any(lack.replaced for lack in missing(claim.figures, figures(text, to_find=True))) for text in twins
    )


def _quotations(claim: Claim, premises: Sequence[Premise]) -> list[Quotation]:
    titles = " ".join(premise.title for premise in premises)
    return quotations(claim.text, [premise.wording for premise in premises], titles)


def _unnamed(claim: Claim, premises: Sequence[Premise]) -> bool:
    """Whether a name of the claim stands in no passage and in no title."""
    if not claim.names:
        return False
    held = frozenset[str]().union(*(premise.words for premise in premises))
    text = "\n".join(f"{premise.title}\n{premise.text}" for premise in premises)
    return bool(missing_names(claim.names, text, held))


def _contrary(claim: Claim, premises: Sequence[Premise]) -> bool:
    near = [premise.near(claim) for premise in premises]
    readings = [reading for read_so, _ in near for reading in read_so]
    texts = [reading.text for reading in readings]
    language = language_of(claim.text, beside=" ".join(texts))
    if language is not None:
        if contradicted(language, claim.text, texts) is not None:
            return True
    elif dispute(claim.readings, readings, [fact for _, found in near for fact in found]) is not None:
        return True
    if misread(claim.text, [premise.tabulated for premise in premises]):
        return True
    return any(substituted(reading.text, texts) is not None for reading in claim.readings)
