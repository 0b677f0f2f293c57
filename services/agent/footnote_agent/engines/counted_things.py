"""What a question wants counted, and whether a sentence counts it: "35 files". Pure, for English."""

import re
from collections.abc import Collection, Sequence

from footnote_agent.engines.cue_words import WORD
from footnote_shared.kernel.stems import stem

_BEHIND = frozenset(
    {"is", "are", "was", "were", "be", "can", "could", "do", "does", "did", "has", "have", "had", "should"}
    | {"will", "would", "may", "must", "might", "need", "needs", "there"}
    | {"in", "of", "on", "at", "for", "to", "with", "by", "per", "before", "after"}
)
"""Words that stand behind what is counted: "How many files can"."""

_MOST_THINGS, _BETWEEN = 3, 2
"""Words that name what is counted, and words between the number and the last of them, at most."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_YEAR = re.compile(r"(?:19|20)\d\d")


_UNITS = frozenset(
    {
        "ms",
        "millisecond",
        "s",
        "sec",
        "second",
        "min",
        "minute",
        "h",
        "hour",
        "day",
        "night",
        "week",
        "weekend",
    }
    | {"fortnight", "month", "quarter", "year", "decade", "century", "generation", "semester", "season"}
    | {
        "mm",
        "cm",
        "m",
        "km",
        "inch",
        "foot",
        "feet",
        "yard",
        "mile",
        "meter",
        "metre",
        "kilometer",
        "kilometre",
    }
    | {"byte", "character", "char", "word", "page", "letter", "bit", "digit", "line"}
)
_ALWAYS = frozenset({"forever", "indefinitely", "permanently", "lifelong", "overnight"})


def counted_things(rest: str) -> tuple[str, ...]:
    """The stems of what is counted, by the words behind "how many"; none where it is not clear."""
    named: list[str] = []
    for word in rest.split():
        if word in _BEHIND:
            break
        named.append(stem(word))
    return tuple(named) if len(named) <= _MOST_THINGS else ()


def counts(text: str, things: Sequence[str], number_words: Collection[str]) -> bool:
    """Whether a number stands before all that names the things, with few words between."""
    spoken = WORD.findall(text.lower())
    stems = [stem(word) for word in spoken]
    for at, word in enumerate(spoken):
        if not (_NUMBER.fullmatch(word) or word in number_words) or _YEAR.fullmatch(word):
            continue
        near = stems[at + 1 : at + 1 + len(things) + _BETWEEN]
        if set(things) <= set(near):
            return True
    return False


def lasts(text: str, number_words: Collection[str]) -> bool:
    """Whether a text says how long something takes or is: a number with its unit, or that it has no end."""
    spoken = WORD.findall(text.lower())
    if not _ALWAYS.isdisjoint(spoken):
        return True
    for at, word in enumerate(spoken):
        if word[:1].isdigit() or word in number_words:
            near = (word.lstrip("0123456789"), *spoken[at + 1 : at + 2 + _BETWEEN])
            if any(one in _UNITS or one.removesuffix("s") in _UNITS for one in near):
                return True
    return False
