"""Whether a sentence says of its words what a passage says of them, or the contrary (spec 2.6). Pure.

It looks at negations and at pairs of opposites. That is crude, and right often enough to lower a verdict to
`weak`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from footnote_resolver.verification.lexicon import NEGATIONS, OPPOSITES, STOP_WORDS
from footnote_resolver.verification.words import folded
from footnote_shared.kernel.stems import stem

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[.;:,()!?]")
_CLAUSE_ENDS = frozenset(
    [".", ";", ":", ",", "(", ")", "!", "?", "but", "although", "though", "whereas", "however", "while"]
)
_REACH = 3
"""A negation reaches this many words after it, within its clause."""
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis")
_FEWEST_LETTERS = 4
"""A prefix negates only words of at least this many letters: `imply` is no contrary of `ply`."""
_ORDERING = frozenset(map(stem, ("before", "buy", "win")))
"""Words of the opposites that say an order."""
_COMPARED_STOP_WORDS = frozenset(
    ["all", "more", "most", "before", "after", "above", "below", "over", "under"]
)
"""Function words that have an opposite."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """The words of a sentence by their stems, and the stems that a negation reaches."""

    words: Mapping[str, str]
    negated: frozenset[str]


def contrary(sentence: str, passage_sentences: Iterable[str], *, ordered: bool = False) -> bool:
    """Whether each of these sentences of a passage says the contrary. False if there are none.

    `ordered`: what is earlier and what is later has been compared already.
    """
    ours = _read(sentence)
    verdicts = [_against(ours, _read(other), ordered=ordered) for other in passage_sentences]
    return bool(verdicts) and all(verdicts)


def _against(ours: _Statement, theirs: _Statement, *, ordered: bool) -> bool:
    shared = ours.words.keys() & theirs.words.keys()
    if ours.negated and theirs.negated:
        apart = not ours.negated & theirs.negated
        return apart and bool(ours.negated & shared) and not theirs.negated & shared
    if ours.negated or theirs.negated:
        return bool(shared & (ours.negated | theirs.negated)) and not _denies_opposite(ours, theirs)
    only_ours = ours.words.keys() - theirs.words.keys()
    only_theirs = theirs.words.keys() - ours.words.keys()
    return (
        _has_prefix(only_ours, only_theirs, ours.words)
        or _has_prefix(only_theirs, only_ours, theirs.words)
        or any(
            _opposed(ours.words.keys(), theirs.words.keys(), one, other)
            or _opposed(ours.words.keys(), theirs.words.keys(), other, one)
            for one, other in OPPOSITES
            if not (ordered and one & _ORDERING)
        )
    )


def _denies_opposite(ours: _Statement, theirs: _Statement) -> bool:
    """Whether one denies a word and the other says its opposite: `not enabled` and `disabled`, `unpaid`."""
    denied, other = (ours, theirs) if ours.negated else (theirs, ours)
    fresh = other.words.keys() - denied.words.keys()
    return _has_prefix(fresh, denied.negated, other.words) or any(
        (one & denied.negated and opposite & fresh) or (opposite & denied.negated and one & fresh)
        for one, opposite in OPPOSITES
    )


def _has_prefix(stems: Iterable[str], others: Iterable[str], words: Mapping[str, str]) -> bool:
    """Whether a word is one of the others with a negating prefix."""
    plain = frozenset(others)
    return any(
        stem(words[root].removeprefix(prefix)) in plain
        for root in stems
        for prefix in _PREFIXES
        if words[root].startswith(prefix) and len(words[root]) >= len(prefix) + _FEWEST_LETTERS
    )


def _opposed(ours: Iterable[str], theirs: Iterable[str], one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether we say the one alone, and they the other alone."""
    return (
        not one.isdisjoint(ours)
        and one.isdisjoint(theirs)
        and other.isdisjoint(ours)
        and not other.isdisjoint(theirs)
    )


def _read(text: str) -> _Statement:
    words: dict[str, str] = {}
    negated: set[str] = set()
    left = 0
    for token in _TOKEN.findall(folded(text)):
        if token in _CLAUSE_ENDS:
            left = 0
        elif token in NEGATIONS or token.endswith("n't"):
            left = _REACH
        elif token not in STOP_WORDS or token in _COMPARED_STOP_WORDS:
            root = stem(token)
            words.setdefault(root, token)
            if left:
                negated.add(root)
                left -= 1
    return _Statement(words, frozenset(negated))
