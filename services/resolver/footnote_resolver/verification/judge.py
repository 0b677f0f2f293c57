"""The deterministic verdict on a sentence, from what passages hold of it (spec 2.6). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from footnote_resolver.verification.figures import Figures, figures, merged, missing
from footnote_resolver.verification.names import missing_names, names
from footnote_resolver.verification.polarity import contrary
from footnote_resolver.verification.quotes import Quotation, Wording, quotations
from footnote_resolver.verification.words import stems, tokens
from footnote_shared.kernel.text import sentences

Support = Literal["supported", "weak", "unsupported"]
SUPPORTED = 0.60
"""Half cosine, half shared words: from here on a passage supports a sentence. Measured, docs/adr/0013."""

_WEAK = 0.45
_WORD_FOR_WORD = 0.9
_OF_THE_SAME = 0.5
_TWIN = 0.85
_FEWEST_WORDS = 4
_NEAREST = 2


class Claim:
    """A sentence, taken apart once for all passages that it is compared with."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.stems = stems(tokens(text))
        self.figures = figures(text)
        self.names = names(text)


class Source:
    """A passage, taken apart once for all sentences that are compared with it."""

    def __init__(self, text: str, title: str = "") -> None:
        self.text = text
        self.title = title

    @cached_property
    def wording(self) -> Wording:
        return Wording(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words, with those of the title: a name may stand there alone."""
        return frozenset(self.wording.words).union(Wording(self.title).words if self.title else ())

    @cached_property
    def stems(self) -> frozenset[str]:
        return stems(self.wording.words)

    @cached_property
    def figures(self) -> Figures:
        found = figures(self.text, to_find=True)
        return merged([found, figures(self.title, to_find=True)]) if self.title else found

    @cached_property
    def sentences(self) -> list[tuple[str, frozenset[str]]]:
        """Each with its stems."""
        return [(sentence.text, stems(tokens(sentence.text))) for sentence in sentences(self.text)]


@dataclass(frozen=True, slots=True)
class Holding:
    """What one passage, or several read together, hold of a sentence. `settled`: a quotation or a figure decided, and nothing may lift it."""

    support: Support
    score: float
    quotes: tuple[Quotation, ...] = ()
    settled: bool = False


def hold(claim: Claim, sources: Sequence[Source], similarity: float) -> Holding:
    """How far the passages, read together, hold the sentence. `similarity` is the best cosine of it and one of their sentences.

    Where the passages have another figure in the stead of one of the sentence's, and where a quotation is fabricated,
    support is none. A name or figure that no passage has, a stitched quotation, or the contrary, makes it weak at most.
    """
    lacking = missing(claim.figures, merged(s.figures for s in sources)) if claim.figures else []
    words = shared_words(claim, sources, len(lacking))
    score = max((max(similarity, 0.0) + words) / 2, words if words >= _WORD_FOR_WORD else 0.0)
    quotes = tuple(quotations(claim.text, [s.wording for s in sources], " ".join(s.title for s in sources)))
    replaced = any(lack.replaced for lack in lacking) or _replaced_where_it_stands(claim, sources)
    if replaced or any(quote.verdict == "fabricated" for quote in quotes):
        return Holding("unsupported", score / 2, quotes, settled=True)
    doubtful = bool(lacking) or _unnamed(claim, sources)
    if score < (SUPPORTED if doubtful else _WEAK):
        return Holding("unsupported", score / 2, quotes, settled=bool(lacking))
    if doubtful or any(quote.verdict == "stitched" for quote in quotes) or _contrary(claim, sources):
        return Holding("weak", min(score, SUPPORTED), quotes, settled=bool(lacking))
    return Holding("supported" if score >= SUPPORTED else "weak", score, quotes)


def shared_words(claim: Claim, sources: Sequence[Source], lacking: int) -> float:
    """The share of the sentence's words and figures that the passages have; of its figures they lack so many.

    Words count without endings, and function words not at all.
    """
    size = len(claim.stems) + len(claim.figures)
    held = frozenset[str]().union(*(source.stems for source in sources))
    return (len(claim.stems & held) + len(claim.figures) - lacking) / size if size else 0.0


def _replaced_where_it_stands(claim: Claim, sources: Sequence[Source]) -> bool:
    """Whether the sentence that is all but this one has another figure, though the one wanted stands somewhere else."""
    if not claim.figures or len(claim.stems) < _FEWEST_WORDS:
        return False
    twins = [
        text
        for source in sources
        for text, held in source.sentences
        if len(claim.stems & held) >= _TWIN * len(claim.stems)
    ]
    return bool(twins) and all(
        any(lack.replaced for lack in missing(claim.figures, figures(text, to_find=True))) for text in twins
    )


def _unnamed(claim: Claim, sources: Sequence[Source]) -> bool:
    if not claim.names:
        return False
    held = frozenset[str]().union(*(source.words for source in sources))
    return bool(missing_names(claim.names, "\n".join(f"{s.title}\n{s.text}" for s in sources), held))


def _contrary(claim: Claim, sources: Sequence[Source]) -> bool:
    """Whether the sentences that share most with this one say the contrary."""
    near = sorted(
        ((len(claim.stems & held), text) for source in sources for text, held in source.sentences),
        key=lambda pair: -pair[0],
    )
    if not near or near[0][0] < _OF_THE_SAME * len(claim.stems):
        return False
    return contrary(claim.text, [text for shared, text in near[:_NEAREST] if shared == near[0][0]])


def disputed(claim: Claim, sources: Sequence[Source]) -> bool:
    """Whether a figure, a name, a quotation or the contrary speaks against the sentence, however alike the texts are."""
    if claim.figures and missing(claim.figures, merged(source.figures for source in sources)):
        return True
    if _unnamed(claim, sources) or _contrary(claim, sources):
        return True
    quotes = quotations(claim.text, [s.wording for s in sources], " ".join(s.title for s in sources))
    return any(quote.verdict != "verbatim" for quote in quotes)
