"""Which sentences of some ranked passages answer a question best. Pure: no model, no I/O.

Lexical: the score of a sentence is BM25 (Robertson and Zaragoza 2009) over the sentences at hand, plus a share of its
neighbours' scores (the sentence after the one that names the subject often holds the answer), plus the rank of its
passage.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from footnote_shared.kernel.stems import stem
from footnote_shared.kernel.text import sentences

MIN_CHARS, MAX_CHARS, MIN_WORDS = 25, 700, 5
SAME = 0.8
"""Share of the smaller sentence's terms above which two sentences say the same."""

_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(
    [
        "a",
        "about",
        "also",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "being",
        "between",
        "both",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "during",
        "each",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "made",
        "make",
        "many",
        "may",
        "me",
        "might",
        "more",
        "most",
        "much",
        "my",
        "no",
        "nor",
        "not",
        "of",
        "on",
        "only",
        "or",
        "other",
        "our",
        "over",
        "per",
        "s",
        "same",
        "shall",
        "she",
        "should",
        "so",
        "some",
        "such",
        "t",
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
        "upon",
        "us",
        "very",
        "via",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)
_BOILERPLATE = re.compile(
    r"(?:doi\s*:|https?://|www\.|licen[cs]e\s*:|copyright\b|©|all rights reserved)", re.IGNORECASE
)
_HEADING_LINE = re.compile(r"\A(?:\s*#{1,6} [^\n]*(?:\n|\Z))+")
_LIST_MARK = re.compile(r"\A\s*(?:[-*•+>|]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Weights:
    """What a sentence's score is made of. The defaults were measured (tests/benchmarks/extractive.py)."""

    k1: float = 0.5
    b: float = 0.2
    neighbours: float = 0.3
    """Share of the score of the sentence before, and half of it of the one behind."""
    pairs: float = 0.2
    """Weight of the question's word pairs that stand together."""
    rank: float = 0.5
    """Weight of the passage's rank, falling to a half at `rank_scale`."""
    rank_scale: float = 3.0
    cut: float = 0.4
    """Sentences that score under this share of the best one only pad the answer."""


DEFAULT = Weights()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a passage. `passage` is its rank from 0, `place` its number within it, `at` its start in the document."""

    passage: int
    place: int
    document: str
    at: int
    text: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A passage as it matters here: which document, where in it, and the text."""

    document: str
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen sentences, best first. `coverage`: the share of the question's terms that one passage holds at best, 0 to 1."""

    chosen: list[Candidate]
    coverage: float


def terms(text: str) -> list[str]:
    """Stems of the words without stop words, in order."""
    return [stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP]


def select(question: str, sources: Sequence[Source], count: int, by: Weights = DEFAULT) -> Selection:
    """The best `count` sentences at most, none that says what a better one says already."""
    wanted = list(dict.fromkeys(terms(question)))
    candidates = _candidates(sources)
    weights = _weights(wanted, candidates)
    if not candidates or not wanted:
        return Selection([], 0.0)
    matches = _matches(wanted, weights, candidates, by)
    scores = _scores(candidates, matches, by)
    ranked = sorted(
        (c for c in candidates if _is_sentence(c.text)),
        key=lambda c: (-scores[c.passage, c.place], c.passage, c.at),
    )
    chosen: list[Candidate] = []
    for candidate in ranked:
        score = scores[candidate.passage, candidate.place]
        if len(chosen) == count or score < by.cut * scores[ranked[0].passage, ranked[0].place]:
            break
        if not any(_says_the_same(candidate, other) for other in chosen):
            chosen.append(candidate)
    return Selection(chosen, _coverage(wanted, sources))


def clean(text: str) -> str:
    """A sentence as it reads in an answer: without heading lines and list marks, white space as single spaces."""
    return " ".join(_LIST_MARK.sub("", _HEADING_LINE.sub("", text)).split())


def _coverage(wanted: Sequence[str], sources: Sequence[Source]) -> float:
    held = (set(terms(source.text)) for source in sources)
    return max(sum(term in words for term in wanted) for words in held) / len(wanted)


def _candidates(sources: Sequence[Source]) -> list[Candidate]:
    """All sentences; one that stands in several overlapping passages belongs to the best of them."""
    found: list[Candidate] = []
    seen: set[tuple[str, int]] = set()
    for rank, source in enumerate(sources):
        for place, sentence in enumerate(sentences(source.text)):
            at = source.start + sentence.start
            if (source.document, at) not in seen:
                seen.add((source.document, at))
                text = clean(sentence.text)
                found.append(Candidate(rank, place, source.document, at, text, tuple(terms(text))))
    return found


def _weights(wanted: Sequence[str], candidates: Sequence[Candidate]) -> dict[str, float]:
    """Inverse document frequency of the question's terms over the sentences at hand."""
    frequency = Counter(term for candidate in candidates for term in set(candidate.terms))
    n = len(candidates)
    return {term: math.log(1 + (n - frequency[term] + 0.5) / (frequency[term] + 0.5)) for term in wanted}


def _matches(
    wanted: Sequence[str], weights: Mapping[str, float], candidates: Sequence[Candidate], by: Weights
) -> dict[tuple[int, int], float]:
    """BM25 of each sentence as a share of the question's whole weight, and its share of the question's word pairs."""
    mean = sum(len(c.terms) for c in candidates) / len(candidates) or 1.0
    total = sum(weights.values())
    pairs = set(pairwise(wanted))
    scores = {}
    for c in candidates:
        counts = Counter(c.terms)
        norm = by.k1 * (1 - by.b + by.b * len(c.terms) / mean)
        match = (
            sum(weights[t] * counts[t] * (by.k1 + 1) / (counts[t] + norm) for t in wanted if counts[t])
            / total
        )
        met = sum(1 for pair in pairwise(c.terms) if pair in pairs)
        scores[c.passage, c.place] = match + by.pairs * met / max(1, len(pairs)) if match else 0.0
    return scores


def _scores(
    candidates: Sequence[Candidate], matches: Mapping[tuple[int, int], float], by: Weights
) -> dict[tuple[int, int], float]:
    """With the neighbours' share and the passage's rank; a sentence that neither matches nor stands beside one scores 0."""
    scores = {}
    for c in candidates:
        near = matches.get((c.passage, c.place - 1), 0.0) + 0.5 * matches.get((c.passage, c.place + 1), 0.0)
        own = matches[c.passage, c.place]
        scores[c.passage, c.place] = (
            own + by.neighbours * near + by.rank / (1 + c.passage / by.rank_scale) if own or near else 0.0
        )
    return scores


def _is_sentence(text: str) -> bool:
    """Whether the text can stand in an answer: no heading, no fragment, no imprint, no row of figures."""
    words = _WORD.findall(text)
    if not MIN_CHARS <= len(text) <= MAX_CHARS or len(words) < MIN_WORDS:
        return False
    if text.endswith(":") or (text[-1] not in ".!?…\"'”’)]。！？" and len(words) < 2 * MIN_WORDS):
        return False
    letters = sum(1 for char in text if char.isalpha() or char.isspace())
    return letters >= 0.6 * len(text) and not _BOILERPLATE.match(text)


def _says_the_same(one: Candidate, other: Candidate) -> bool:
    mine, theirs = set(one.terms), set(other.terms)
    if not mine or not theirs:
        return one.text == other.text
    return len(mine & theirs) > SAME * min(len(mine), len(theirs))
