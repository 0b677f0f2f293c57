"""Quoted words of a sentence: verbatim in a passage, stitched together from places, or fabricated (spec 2.6). Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

QuoteVerdict = Literal["verbatim", "stitched", "fabricated"]
_QUOTED = re.compile(r"[\"“”„«]([^\"“”„«»\n]{8,600})[\"”“»]|(?<!\w)‘([^‘’\n]{8,600})’(?!\w)")
_WORD = re.compile(r"[^\W_]+")
_OMISSION = re.compile(r"\s*(?:\.\.\.|…|\[\s*(?:\.\.\.|…)\s*\]|\(\s*(?:\.\.\.|…)\s*\))\s*")
_FEWEST_WORDS = 3
_RUN = 2


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted span and how it stands to the passages that it is said to come from."""

    text: str
    verdict: QuoteVerdict


def quotations(sentence: str, passages: Sequence[str]) -> list[Quotation]:
    """Every quotation of three words or more. Case, punctuation and white space do not count."""
    sources = [_words(passage) for passage in passages]
    found = []
    for match in _QUOTED.finditer(sentence):
        text = (match.group(1) or match.group(2)).strip()
        if len(_words(text)) >= _FEWEST_WORDS:
            found.append(Quotation(text, _verdict(text, sources)))
    return found


def _verdict(text: str, sources: Sequence[list[str]]) -> QuoteVerdict:
    parts = [words for part in _OMISSION.split(text) if (words := _words(part))]
    if any(_in_order(parts, source) for source in sources):
        return "verbatim"
    return "stitched" if all(_covered(part, sources) for part in parts) else "fabricated"


def _in_order(parts: Sequence[list[str]], source: list[str]) -> bool:
    """Whether the parts stand in one source one after the other: an honest omission."""
    start = 0
    for part in parts:
        at = _find(part, source, start)
        if at < 0:
            return False
        start = at + len(part)
    return True


def _covered(part: list[str], sources: Sequence[list[str]]) -> bool:
    """Whether the part can be put together from runs of two words or more that stand in the sources."""
    position = 0
    while position < len(part):
        run = max((_longest(part, position, source) for source in sources), default=0)
        if run < min(_RUN, len(part) - position):
            return False
        position += run
    return True


def _longest(part: list[str], position: int, source: list[str]) -> int:
    best = 0
    for at in range(len(source)):
        length = 0
        while (
            position + length < len(part)
            and at + length < len(source)
            and part[position + length] == source[at + length]
        ):
            length += 1
        best = max(best, length)
    return best


def _find(part: list[str], source: list[str], start: int) -> int:
    return next(
        (at for at in range(start, len(source) - len(part) + 1) if source[at : at + len(part)] == part), -1
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("’", "'"))
