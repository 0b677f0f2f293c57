"""What speaks against a claim in a language whose grammar the rules do not know (spec 2.6). Pure.

Negations, opposites and figures are compared clause by clause.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from footnote_resolver.verification.languages import Language, Words
from footnote_resolver.verification.words import folded

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+|[.;:,()!?—–]")
_MARK = re.compile(r"\W")
_SHORTEST = 3
"""Words with fewer letters are not compared."""
_ROOT, _ENDING = 5, 3
"""A word is compared by at least this many letters, and without this many at its end."""
_INHERITED = 0.5
"""What the words of the clause before count for: `and 7 million in 2020`."""
_SAME = 0.5
"""A clause with a smaller share of the claim's words than this cannot contradict it."""
_AHEAD = 0.5
"""A figure is misplaced if another clause fits the rest of the claim better by at least this much."""


@dataclass(frozen=True, slots=True)
class _Clause:
    words: frozenset[str]
    roots: frozenset[str]
    figures: frozenset[str]
    negated: bool
    inherited: frozenset[str]


def contradicted(language: Language, claim: str, sentences: Iterable[str]) -> str | None:
    """What speaks against the claim: `contrary` or `facts`; None if nothing does."""
    held = [clause for sentence in sentences for clause in _clauses(language, sentence)]
    for clause in _clauses(language, claim):
        near = _nearest(clause, held)
        if near and all(_against(language, clause, other) for other in near):
            return "contrary"
        if any(_misplaced(clause, figure, held) for figure in clause.figures):
            return "facts"
    return None


def _against(language: Language, ours: _Clause, theirs: _Clause) -> bool:
    if ours.negated != theirs.negated:
        return not any(_opposed(one, other, ours, theirs) for one, other in language.opposites)
    return any(_opposed(one, other, ours, theirs) for one, other in language.opposites)


def _opposed(one: Words, other: Words, ours: _Clause, theirs: _Clause) -> bool:
    """Whether we say the one alone and they the other alone, or the other way round."""
    mine = one.among(ours.words), other.among(ours.words)
    return mine[0] != mine[1] and (one.among(theirs.words), other.among(theirs.words)) == mine[::-1]


def _nearest(ours: _Clause, held: Sequence[_Clause]) -> list[_Clause]:
    """The clauses that share most words with ours; none where they hardly share any."""
    fits = [(_fit(ours.roots | ours.figures, other), other) for other in held]
    best = max((fit for fit, _ in fits), default=0.0)
    if not best or best < _SAME * len(ours.roots | ours.figures):
        return []
    return [other for fit, other in fits if fit == best]


def _fit(wanted: frozenset[str], other: _Clause) -> float:
    own = other.roots | other.figures
    return len(wanted & own) + _INHERITED * len((wanted - own) & other.inherited)


def _misplaced(ours: _Clause, figure: str, held: Sequence[_Clause]) -> bool:
    """Whether the rest of our clause fits another one, which has a different figure there."""
    holding = [_fit(ours.roots, other) for other in held if figure in other.figures]
    if not holding:
        return False
    best = max(_fit(ours.roots, other) for other in held)
    nearest = [other for other in held if _fit(ours.roots, other) == best]
    return best >= max(holding) + _AHEAD and all(other.figures - ours.figures for other in nearest)


@lru_cache(maxsize=1024)
def _clauses(language: Language, sentence: str) -> tuple[_Clause, ...]:
    pieces: list[list[str]] = [[]]
    for token in _TOKEN.findall(folded(sentence)):
        if _MARK.fullmatch(token) or token in language.joins:
            pieces.append([])
        else:
            pieces[-1].append(token)
    found: list[_Clause] = []
    for words in filter(None, pieces):
        before = found[-1] if found else None
        figures = frozenset(_figure(language, word) for word in words) - {""}
        roots = frozenset(_root(word) for word in words if _counts(language, word))
        inherited = before.roots | before.figures | before.inherited if before else frozenset[str]()
        found.append(
            _Clause(frozenset(words), roots, figures, not language.negations.isdisjoint(words), inherited)
        )
    return tuple(found)


def _figure(language: Language, word: str) -> str:
    return word if word[0].isdigit() else str(language.cardinals.get(word, ""))


def _counts(language: Language, word: str) -> bool:
    return (
        len(word) >= _SHORTEST
        and not word[0].isdigit()
        and word not in language.common
        and word not in language.negations
        and word not in language.cardinals
    )


def _root(word: str) -> str:
    return word[: max(_ROOT, len(word) - _ENDING)]
