"""The deterministic verdict on a cited sentence, from what its passages hold of it (spec 2.6). Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from footnote_resolver.verification.figures import figures, missing_figures, missing_names
from footnote_resolver.verification.quotes import Quotation, quotations

Support = Literal["supported", "weak", "unsupported"]
Verdict = Literal["supported", "weak", "unsupported", "misattributed"]
ALIKE = 0.60
_NEAR = 0.45
_MOST_WORDS = 0.75
_SOME_WORDS = 0.5
_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "his",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "may",
        "might",
        "more",
        "most",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "she",
        "should",
        "so",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "was",
        "we",
        "were",
        "what",
        "when",
        "which",
        "who",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


@dataclass(frozen=True, slots=True)
class Holding:
    """What one passage, or several read together, hold of a sentence."""

    support: Support
    score: float
    quotes: tuple[Quotation, ...] = ()


def hold(sentence: str, passages: Sequence[str], similarity: float) -> Holding:
    """How far the passages hold the sentence. `similarity` is the best cosine of it and one of their sentences.

    A name or a figure that no passage has makes support weak. Where the passages have another figure in its stead, and
    where a quotation is fabricated, there is none.
    """
    together = "\n".join(passages)
    words = shared_words(sentence, together)
    quotes = tuple(quotations(sentence, passages))
    score = max(similarity, words if words >= _MOST_WORDS else 0.0)
    other_figures = bool(missing_figures(sentence, together)) and bool(figures(together) - figures(sentence))
    lacking = bool(missing_figures(sentence, together)) or bool(missing_names(sentence, together))
    if any(quote.verdict == "fabricated" for quote in quotes) or other_figures or (lacking and score < ALIKE):
        return Holding("unsupported", score / 2, quotes)
    if lacking or any(quote.verdict == "stitched" for quote in quotes):
        return Holding("weak", min(score, ALIKE), quotes)
    if similarity >= ALIKE or words >= _MOST_WORDS:
        return Holding("supported", score, quotes)
    return Holding("weak" if similarity >= _NEAR or words >= _SOME_WORDS else "unsupported", score, quotes)


def shared_words(sentence: str, passage: str) -> float:
    """The share of the sentence's words, without function words and endings, that the passage has."""
    wanted = _stems(sentence)
    return len(wanted & _stems(passage)) / len(wanted) if wanted else 0.0


def _stems(text: str) -> set[str]:
    """Words without the commonest English endings: crude, the same on both sides."""
    return {
        re.sub(r"(?:ies|es|s|ed|ing|ly)$", "", word) if len(word) > 4 else word
        for word in _WORD.findall(text.lower())
        if word not in _STOP
    }
