"""Comparisons: which of two things is the more and which the less (spec 2.6). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from footnote_resolver.verification import grammar
from footnote_resolver.verification.reading import Fact, Reading
from footnote_resolver.verification.roles import Roots, roots_of
from footnote_resolver.verification.tagging import TaggedWord

Compared = Literal["same", "turned", "against"]
_REACH = 10
"""The `than` of a comparative stands at most this many words after it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """`Zinc is less dense than lead`: the quality, its direction and two sides; one without `than`."""

    quality: str
    direction: int
    left: Roots
    right: Roots


@lru_cache(maxsize=1024)
def comparisons(reading: Reading) -> tuple[Comparison, ...]:
    """The first comparison of each fact."""
    return tuple(found for fact in reading.facts if (found := _of_fact(fact)) is not None)


def _of_fact(fact: Fact) -> Comparison | None:
    words = fact.words
    at, said = next(((k, s) for k in range(len(words)) if (s := _comparative(words, k))), (0, None))
    if said is None:
        return None
    quality, direction, used = said
    behind = range(at + 1, min(len(words), at + _REACH))
    than = next((k for k in behind if words[k].text == "than"), len(words))
    left = roots_of(word for k, word in enumerate(words[:than]) if k not in used)
    return Comparison(quality, direction, left | fact.topic, roots_of(words[than + 1 :]))


def _comparative(words: Sequence[TaggedWord], at: int) -> tuple[str, int, set[int]] | None:
    """The quality and its direction, and the places of the words that say it."""
    text = words[at].text
    if text in ("more", "less", "fewer"):
        sign = 1 if text == "more" else -1
        behind = words[at + 1] if at + 1 < len(words) else None
        if behind is not None and behind.kind in "OE":
            adjective = behind.text
            for form in (adjective, adjective.removesuffix("ly"), adjective.removesuffix("ily") + "y"):
                if form in grammar.SCALE:
                    pair, side = grammar.SCALE[form]
                    return f"{pair}", sign * side, {at, at + 1}
            return behind.root, sign, {at, at + 1} if behind.kind == "E" else {at}
        return "more", sign, {at}
    positive = _positive(text) if words[at].kind in "OES" else None
    if positive is None:
        return None
    pair, side = grammar.SCALE[positive]
    return f"{pair}", side, {at}


def _positive(text: str) -> str | None:
    """The adjective of a comparative: `denser`, `bigger`, `noisier`, `better`."""
    root = text.removesuffix("er")
    forms = [grammar.COMPARATIVE_FORMS.get(text, "")]
    if root != text:
        forms += [root, f"{root}e", f"{root[:-1]}y", root[:-1] if root[-1:] == root[-2:-1] else ""]
    return next((form for form in forms if form in grammar.SCALE), None)


def compared(ours: Sequence[Comparison], theirs: Sequence[Comparison]) -> Compared | None:
    """How our comparisons stand to theirs; None where none of theirs is of the same quality and things.

    `turned`: they say the same from the other side, as `A is larger than B` and `B is smaller than A` do.
    """
    verdict: Compared | None = None
    for one in ours:
        for other in theirs:
            if one.quality != other.quality or not (one.right or other.right):
                continue
            turned = _sides_turned(one, other)
            if turned is None:
                continue
            if turned == (one.direction != other.direction):
                return "turned" if turned else "same"
            verdict = "against"
    return verdict


def _sides_turned(one: Comparison, other: Comparison) -> bool | None:
    if not one.right:
        if other.right & one.left:
            return True
        return False if one.left & other.left else None
    if not other.right:
        return True if one.right & other.left and not (one.left - one.right) & other.left else None
    common = (one.left & one.right) | (other.left & other.right)
    straight = len((one.right & other.right) - common)
    across = len((one.right & other.left) - common) + len((other.right & one.left) - common)
    if across > straight:
        return True
    return False if straight or (one.left & other.left) else None
