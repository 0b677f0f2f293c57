"""Which sentences of some ranked passages answer a query best. Pure: no model, no I/O.

The choice goes by words. A sentence scores by BM25 (Robertson and Zaragoza 2009) over the sentences at hand,
by the word pairs of the query that stand together in it, by its neighbours and by the rank of its passage.
Neighbours count because the sentence behind the one that names the subject often holds the answer.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from footnote_agent.engines.prose import prose, unlinked
from footnote_shared.kernel.stems import stem
from footnote_shared.kernel.text import sentences

MIN_CHARS, MAX_CHARS, MIN_WORDS = 25, 700, 5
"""Size of a sentence that can stand in an answer. One without an end mark needs twice as many words."""

MIN_LETTERS = 0.6
"""Share of letters and spaces below which a sentence is a row of figures."""

SAME = 0.8
"""Share of the shorter sentence's terms above which two sentences say the same."""

_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = {
    path.stem: frozenset(path.read_text("utf-8").split())
    for path in Path(__file__).with_name("stop_words").glob("*.txt")
}
"""Words that say nothing about what a query is after, by language."""

_BOILERPLATE = re.compile(
    r"(?:doi\s*:|https?://|www\.|licen[cs]e\s*:|copyright\b|©|all rights reserved)", re.IGNORECASE
)
_END_MARKS = ".!?…\"'”’)]。！？"
_HEADING_LINE = re.compile(r"\A(?:\s*#{1,6} [^\n]*(?:\n|\Z))+")
_LIST_MARK = re.compile(r"\A\s*(?:[-*•+>|]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Weights:
    """What a sentence's score is made of. The defaults were measured (tests/benchmarks/extractive.py)."""

    k1: float = 0.5
    b: float = 0.2
    neighbours: float = 0.3
    """Share of the score of the sentence before, and half of it of the sentence behind."""
    pairs: float = 0.2
    """Weight of the query's word pairs that stand together."""
    rank: float = 0.5
    """Weight of the passage's rank, falling to a half at `rank_scale`."""
    rank_scale: float = 3.0
    cut: float = 0.4
    """Share of the best sentence's score below which a sentence only pads the answer."""


DEFAULT = Weights()


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage as it matters here.

    `start`: where it begins in its document, in characters. `headings`: those that it stands under.
    `language`: a code of ISO 639, if it is known.
    """

    document: str
    start: int
    text: str
    headings: tuple[str, ...] = ()
    language: str | None = None


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence of a passage, as it reads in an answer.

    `passage` is the rank of the passage and `index` the sentence's number within it, both from 0. `start` is
    where it begins in the document.
    """

    passage: int
    index: int
    document: str
    start: int
    text: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen sentences, best first. `coverage`: the highest share of the query's terms in one passage."""

    chosen: list[PassageSentence]
    coverage: float


Scores = Mapping[tuple[int, int], float]
"""Scores of sentences by the rank of the passage and the index within it."""


def terms(text: str, language: str | None = None) -> list[str]:
    """Stems of the words without stop words, in order. Without a known language, words count as English."""
    stop_words = _STOP_WORDS.get(language or "en", _STOP_WORDS["en"])
    return [stem(word, language) for word in _WORD.findall(text.lower()) if word not in stop_words]


def select(query: str, passages: Sequence[PassageText], count: int, by: Weights = DEFAULT) -> Selection:
    """The best `count` sentences at most, none that says what a better one says already.

    Words of the query and of all passages are compared as words of the language that most passages have.
    """
    language = _language_of(passages)
    wanted = list(dict.fromkeys(terms(query, language)))
    found = _sentences_of(passages, language)
    if not found or not wanted:
        return Selection([], 0.0)
    scores = _scores(found, _matches(wanted, found, by), by)
    quotable = [one for one in found if _is_quotable(one.text)]
    ranked = sorted(quotable, key=lambda one: (-scores[one.passage, one.index], one.passage, one.start))
    chosen: list[PassageSentence] = []
    for one in ranked:
        best = scores[ranked[0].passage, ranked[0].index]
        if len(chosen) == count or scores[one.passage, one.index] < by.cut * best:
            break
        if not any(_says_the_same(one, other) for other in chosen):
            chosen.append(one)
    return Selection(chosen, _coverage(wanted, passages, language))


def clean(text: str) -> str:
    """A sentence as it reads in an answer.

    It has no heading lines, no list mark, no images, targets of links or tags, and single spaces.
    """
    spaced = " ".join(_LIST_MARK.sub("", _HEADING_LINE.sub("", text)).split())
    return " ".join(unlinked(spaced).split())


def _language_of(passages: Sequence[PassageText]) -> str | None:
    """The language of most passages; of two that are as frequent, that of the better passage."""
    known = Counter(passage.language for passage in passages if passage.language is not None)
    return max(known, key=known.__getitem__, default=None)


def _coverage(wanted: Sequence[str], passages: Sequence[PassageText], language: str | None) -> float:
    held = (set(terms(passage.text, language)) for passage in passages)
    return max(sum(term in words for term in wanted) for words in held) / len(wanted)


def _sentences_of(passages: Sequence[PassageText], language: str | None) -> list[PassageSentence]:
    """All sentences. One that stands in several overlapping passages belongs to the best of them."""
    found: list[PassageSentence] = []
    seen: set[tuple[str, int]] = set()
    for rank, passage in enumerate(passages):
        split = sentences(prose(passage.text, passage.headings), passage.language)
        for index, sentence in enumerate(split):
            start = passage.start + sentence.start
            if (passage.document, start) not in seen:
                seen.add((passage.document, start))
                text = clean(sentence.text)
                found.append(
                    PassageSentence(rank, index, passage.document, start, text, tuple(terms(text, language)))
                )
    return found


def _matches(wanted: Sequence[str], found: Sequence[PassageSentence], by: Weights) -> Scores:
    """BM25 as a share of the query's whole weight, plus the weighted share of the query's word pairs."""
    weights = _term_weights(wanted, found)
    total = sum(weights.values())
    mean_length = sum(len(one.terms) for one in found) / len(found) or 1.0
    pairs = set(pairwise(wanted))
    matches = {}
    for one in found:
        counts = Counter(one.terms)
        norm = by.k1 * (1 - by.b + by.b * len(one.terms) / mean_length)
        bm25 = sum(weights[t] * counts[t] * (by.k1 + 1) / (counts[t] + norm) for t in wanted if counts[t])
        met = sum(1 for pair in pairwise(one.terms) if pair in pairs)
        matches[one.passage, one.index] = (
            bm25 / total + by.pairs * met / max(1, len(pairs)) if bm25 / total else 0.0
        )
    return matches


def _term_weights(wanted: Sequence[str], found: Sequence[PassageSentence]) -> dict[str, float]:
    """Inverse document frequency of the query's terms over the sentences at hand."""
    frequency = Counter(term for one in found for term in set(one.terms))
    n = len(found)
    return {term: math.log(1 + (n - frequency[term] + 0.5) / (frequency[term] + 0.5)) for term in wanted}


def _scores(found: Sequence[PassageSentence], matches: Scores, by: Weights) -> Scores:
    """Matches with the share of the neighbours and the rank of the passage.

    A sentence that neither matches nor stands beside one that does scores 0.
    """
    scores = {}
    for one in found:
        own = matches[one.passage, one.index]
        before = matches.get((one.passage, one.index - 1), 0.0)
        behind = matches.get((one.passage, one.index + 1), 0.0)
        near = before + 0.5 * behind
        rank = by.rank / (1 + one.passage / by.rank_scale)
        scores[one.passage, one.index] = own + by.neighbours * near + rank if own or near else 0.0
    return scores


def _is_quotable(text: str) -> bool:
    """Whether the text can stand in an answer: no heading, no fragment, no imprint, no row of figures."""
    words = _WORD.findall(text)
    if not MIN_CHARS <= len(text) <= MAX_CHARS or len(words) < MIN_WORDS:
        return False
    if text.endswith(":") or (text[-1] not in _END_MARKS and len(words) < 2 * MIN_WORDS):
        return False
    letters = sum(1 for char in text if char.isalpha() or char.isspace())
    return letters >= MIN_LETTERS * len(text) and not _BOILERPLATE.match(text)


def _says_the_same(one: PassageSentence, other: PassageSentence) -> bool:
    mine, theirs = set(one.terms), set(other.terms)
    if not mine or not theirs:
        return one.text == other.text
    return len(mine & theirs) > SAME * min(len(mine), len(theirs))
