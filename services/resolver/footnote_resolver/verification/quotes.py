"""Quoted words of a sentence: verbatim in a passage, stitched together from places, or fabricated (spec 2.6). Pure."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from footnote_resolver.verification.words import tokens

QuoteVerdict = Literal["verbatim", "stitched", "fabricated"]
_QUOTED = re.compile(
    r"[\"“”„«»]([^\"“”„«»\n]{8,600})[\"”“»«]|(?<!\w)[‘‚]((?:[^‘’\n]|(?<=\w)’(?=\w)){8,600})[’‘](?!\w)|(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w)){8,600})'(?!\w)|[「『]([^」』\n]{8,600})[」』]"
)
# What was left out, or put in by the one who quotes.
_OMISSION = re.compile(r"\s*(?:\.\.\.|…|\[\s*[^\]\n]{2,60}\]|\[\s*…\s*\]|\(\s*(?:\.\.\.|…)\s*\))\s*")
_CHANGED_LETTER = re.compile(r"\[(\w)\](?=\w)")
_HYPHENATED = re.compile(r"(?<=\w)-\s*\n\s*(?=\w)")
_FEWEST_WORDS = 3
_SHORT_PART = 2
_STITCHED = 0.6


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted span and how it stands to the passages that it is said to come from."""

    text: str
    verdict: QuoteVerdict


class Wording:
    """The words of a passage, in order, for finding quotations in them."""

    def __init__(self, text: str) -> None:
        self.words = tokens(_HYPHENATED.sub("", text))
        self.line = f" {' '.join(self.words)} "

    @cached_property
    def runs(self) -> frozenset[tuple[str, ...]]:
        """All pairs and triples of words that follow one another."""
        words = self.words
        return frozenset([*itertools.pairwise(words), *zip(words, words[1:], words[2:], strict=False)])


def quotations(sentence: str, sources: Sequence[Wording], titles: str = "") -> list[Quotation]:
    """Every quotation of three words or more. Case, punctuation and white space do not count; the title of a source is none."""
    title = f" {' '.join(tokens(titles))} "
    found = []
    for match in _QUOTED.finditer(sentence):
        text = next(group for group in match.groups() if group).strip()
        words = tokens(text)
        if len(words) >= _FEWEST_WORDS and f" {' '.join(words)} " not in title:
            found.append(Quotation(text, _verdict(text, sources)))
    return found


def _verdict(text: str, sources: Sequence[Wording]) -> QuoteVerdict:
    text = _CHANGED_LETTER.sub(r"\1", text)
    parts = [words for part in _OMISSION.split(text) if (words := tokens(part))]
    if not parts or any(_in_order(parts, source.line) for source in sources):
        return "verbatim"
    runs = frozenset[tuple[str, ...]]().union(*(source.runs for source in sources))
    singles = frozenset(word for source in sources for word in source.words)
    return "stitched" if all(_covered(part, runs, singles) for part in parts) else "fabricated"


def _in_order(parts: Sequence[list[str]], line: str) -> bool:
    """Whether the parts stand in one source one after the other: an honest omission."""
    start = 0
    for part in parts:
        at = line.find(f" {' '.join(part)} ", start)
        if at < 0:
            return False
        start = at + sum(map(len, part)) + len(part)
    return True


def _covered(part: list[str], runs: frozenset[tuple[str, ...]], singles: frozenset[str]) -> bool:
    """Whether the part can be put together from runs of two words or more that stand in the sources, and mostly of longer ones.

    Any such run can be cut into pairs and triples, so that these are all that must be known.
    """
    size = len(part)
    if size <= _SHORT_PART:
        return tuple(part) in runs or (size == 1 and part[0] in singles)
    reached = [True] + [False] * size
    for end in range(2, size + 1):
        reached[end] = (reached[end - 2] and tuple(part[end - 2 : end]) in runs) or (
            end >= 3 and reached[end - 3] and tuple(part[end - 3 : end]) in runs
        )
    within = {i + k for i in range(size - 2) if tuple(part[i : i + 3]) in runs for k in range(3)}
    return reached[size] and len(within) >= _STITCHED * size
