"""Quotations of a sentence: verbatim in passages, stitched from them, or fabricated (spec 2.6). Pure."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from footnote_resolver.verification.words import tokens

QuoteVerdict = Literal["verbatim", "stitched", "fabricated"]
_LENGTH = "{8,600}"
"""Characters of a quotation."""
_QUOTED = re.compile(
    "|".join(
        (
            rf"[\"“”„«»]([^\"“”„«»\n]{_LENGTH}+)[\"”“»«]",
            rf"(?<!\w)[‘‚]((?:[^‘’‚\n]|(?<=\w)’(?=\w)){_LENGTH})[’‘](?!\w)",
            rf"(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w)){_LENGTH})'(?!\w)",
            rf"[「『]([^」』\n]{_LENGTH}+)[」』]",
        )
    )
)
# What the quoting author left out or put in.
_OMISSION = re.compile(
    r"(?:(?<!\s)\s+)?(?:\.\.\.|…|\[\s*[^\]\n]{2,60}\]|\[\s*…\s*\]|\(\s*(?:\.\.\.|…)\s*\))\s*"
)
_CHANGED_LETTER = re.compile(r"\[(\w)\](?=\w)")
_HYPHENATED = re.compile(r"(?<=\w)-\s*\n\s*(?=\w)")
_FEWEST_WORDS = 3
"""Fewer quoted words are a term or a title."""
_SHORT_PART = 2
"""A part of at most this many words must stand in a passage word for word."""
_STITCHED = 0.6
"""Of a longer part, at least this share of the words must stand in runs of three."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted span, and whether the passages have it."""

    text: str
    verdict: QuoteVerdict


class Wording:
    """The words of a passage in order, in which quotations are looked for."""

    def __init__(self, text: str) -> None:
        self.words = tokens(_HYPHENATED.sub("", text))
        self.line = f" {' '.join(self.words)} "

    @cached_property
    def runs(self) -> frozenset[tuple[str, ...]]:
        """All pairs and triples of words that follow one another."""
        words = self.words
        return frozenset([*itertools.pairwise(words), *zip(words, words[1:], words[2:], strict=False)])


def quotations(sentence: str, passages: Sequence[Wording], titles: str = "") -> list[Quotation]:
    """Every quotation of three words or more; case, punctuation and white space do not count.

    The title of a passage between quotation marks is no quotation.
    """
    title = f" {' '.join(tokens(titles))} "
    found = []
    for match in _QUOTED.finditer(sentence):
        text = next(group for group in match.groups() if group).strip()
        words = tokens(text)
        if len(words) >= _FEWEST_WORDS and f" {' '.join(words)} " not in title:
            found.append(Quotation(text, _verdict(text, passages)))
    return found


def _verdict(text: str, passages: Sequence[Wording]) -> QuoteVerdict:
    text = _CHANGED_LETTER.sub(r"\1", text)
    parts = [words for part in _OMISSION.split(text) if (words := tokens(part))]
    if not parts or any(_in_order(parts, passage.line) for passage in passages):
        return "verbatim"
    runs = frozenset[tuple[str, ...]]().union(*(passage.runs for passage in passages))
    singles = frozenset(word for passage in passages for word in passage.words)
    return "stitched" if all(_covered(part, runs, singles) for part in parts) else "fabricated"


def _in_order(parts: Sequence[list[str]], line: str) -> bool:
    """Whether the parts stand in one passage one after the other: the omission is honest."""
    start = 0
    for part in parts:
        at = line.find(f" {' '.join(part)} ", start)
        if at < 0:
            return False
        start = at + sum(map(len, part)) + len(part)
    return True


def _covered(part: list[str], runs: frozenset[tuple[str, ...]], singles: frozenset[str]) -> bool:
    """Whether the part can be put together from runs of words that stand in the passages, mostly long ones.

    A run has two words or more. Any of them can be cut into pairs and triples, so these are all that must be
    known.
    """
    size = len(part)
    if size <= _SHORT_PART:
        return tuple(part) in runs or (size == 1 and part[0] in singles)
    reached = [True] + [False] * size
    for end in range(2, size + 1):
        reached[end] = any(
            run <= end and reached[end - run] and tuple(part[end - run : end]) in runs for run in (2, 3)
        )
    within = {i + k for i in range(size - 2) if tuple(part[i : i + 3]) in runs for k in range(3)}
    return reached[size] and len(within) >= _STITCHED * size
