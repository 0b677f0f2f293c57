"""Which part of a passage a claim rests on, by its words. Pure.

Pills show it in place of the passage's beginning, which often says something else.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence

from footnote_shared.kernel.stems import stem
from footnote_shared.kernel.text import sentences

Span = tuple[int, int]
"""A half-open range of characters."""

LONGEST = 300
"""Characters of a part at most. A longer sentence, such as a table without end marks, is cut at lines and
words.
"""
MOST = 3
"""Parts that are told of one passage at most."""
_SHORT, _SHORT_WEIGHT = 4, 0.25
_DIGITS = 6
"""Scores are compared to this many decimals: a set has its words in no order, and the last digits of a sum
with it.
"""
_WORD = re.compile(r"[^\W_]+")


def nearest_parts(passage: str, claims: Sequence[str]) -> list[Span]:
    """For each claim the part of the passage that shares most with it, in the order of the passage.

    A word counts the more, the fewer parts hold it, and a short one little. Of parts that share as much it is
    the one with the fewest other words: a sentence that is quoted stands before a longer one that has its
    words. A claim that shares no word with the passage has no part.
    """
    parts = _parts(passage)
    words = [_stems(passage[start:end]) for start, end in parts]
    frequency = Counter(word for held in words for word in held)
    found: dict[Span, None] = {}
    for claim in claims:
        if len(found) == MOST:
            break
        wanted = _stems(claim)
        scores = [
            sum(_weight(word) * math.log(1 + len(parts) / frequency[word]) for word in held & wanted)
            for held in words
        ]
        fits = [
            (round(score, _DIGITS), -len(held - wanted)) for score, held in zip(scores, words, strict=True)
        ]
        best = max(fits, default=(0.0, 0))
        if best[0]:
            found[parts[fits.index(best)]] = None
    return sorted(found)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.lower()))


def _weight(word: str) -> float:
    """Words such as `is` and `of` say little. Figures say much, however short they are."""
    return _SHORT_WEIGHT if len(word) < _SHORT and word.isalpha() else 1.0


def _parts(passage: str) -> list[Span]:
    parts: list[Span] = []
    for sentence in sentences(passage):
        if sentence.end - sentence.start <= LONGEST:
            parts.append((sentence.start, sentence.end))
            continue
        at = sentence.start
        for line in sentence.text.split("\n"):
            parts += _cut(line, at)
            at += len(line) + 1
    return parts


def _cut(line: str, at: int) -> list[Span]:
    """The line in pieces of at most LONGEST characters, each of whole words where words are that short."""
    pieces: list[Span] = []
    start = 0
    while start < len(line):
        end = len(line)
        if end - start > LONGEST:
            end = line.rfind(" ", start + 1, start + LONGEST) + 1 or start + LONGEST
        if line[start:end].strip():
            pieces.append((at + start, at + end))
        start = end
    return pieces
