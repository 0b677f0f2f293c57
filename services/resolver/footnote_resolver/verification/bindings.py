"""Whether a claim joins what belongs to different facts of a passage (spec 2.6). Pure.

`Revenue was 5 million in 2019 and 7 million in 2020` does not support `Revenue was 7 million in 2019`,
although every word of it is there.
"""

from collections.abc import Sequence

from footnote_resolver.verification.reading import Fact
from footnote_resolver.verification.roles import slots
from footnote_resolver.verification.tagging import TaggedWord

_INHERITED = 0.5
"""What a fact takes over from the one before it counts for less than its own words."""
_VERB = 0.5
"""What the same verb adds."""
_AHEAD = 0.5
"""By so much another fact must fit the rest of the claim better."""


def fit(roots: frozenset[str], fact: Fact) -> float:
    """How many of the roots the fact has."""
    own = fact.roots
    return len(roots & own) + _share(fact) * len((roots - own) & fact.background)


def _share(fact: Fact) -> float:
    return _INHERITED if fact.verb is None else 0.0 if fact.subject else _INHERITED / 2


def misplaced(claim: Fact, facts: Sequence[Fact]) -> str | None:
    """The word of the claim that belongs to another fact than its other words do; None if there is none."""
    roots = claim.roots
    known = roots | claim.background
    held = [
        (fact, own, inherited)
        for fact in facts
        if (own := roots & fact.roots) or (roots - own) & fact.background
        for inherited in [(roots - own) & fact.background]
    ]
    for word in _elements(claim) if len(roots) > 1 else ():
        holding = [fact for fact, own, _ in held if word.root in own]
        if not holding or len(holding) == len(held):
            continue
        name = _same_name(word, claim)
        fits = [
            (_bonus(claim, fact) + len(own - name) + _share(fact) * len(inherited - name), fact)
            for fact, own, inherited in held
        ]
        most = max(score for score, _ in fits)
        if most < max(score for score, fact in fits if word.root in fact.roots) + _AHEAD:
            continue
        places = _places(word.root, [claim, *holding])
        if all(_rival(word, fact, places, known) for score, fact in fits if score == most):
            return word.text
    return None


def _bonus(claim: Fact, fact: Fact) -> float:
    """What the same verb adds to a fact's fit."""
    return _VERB if claim.verb is not None and claim.verb.root in fact.roots else 0.0


def _elements(claim: Fact) -> list[TaggedWord]:
    return [word for word in claim.words if word.counts and word.kind in "OF"]


def _same_name(word: TaggedWord, claim: Fact) -> frozenset[str]:
    """The word, or all words of the name that it is part of."""
    found: list[TaggedWord] = []
    for one in claim.words:
        if not (one.name and word.name) and one is not word:
            if word in found:
                break
            found = []
        else:
            found.append(one)
    return frozenset(one.root for one in found) if word in found else frozenset([word.root])


def _places(root: str, facts: Sequence[Fact]) -> set[str]:
    return {name for fact in facts for name, roots in _slots(fact).items() if root in roots}


def _slots(fact: Fact) -> dict[str, frozenset[str]]:
    found = slots(fact)
    bare = frozenset(word.root for word in fact.phrases.get("", ()) if word.counts)
    if bare:
        found[""] = bare
    return found


def _rival(word: TaggedWord, fact: Fact, places: set[str], ours: frozenset[str]) -> bool:
    """Whether the fact has something else of the same kind in the word's place."""
    if word.kind == "F":
        return any(one.kind == "F" and one.root not in ours for one in fact.words)
    if word.name and word.start:
        others = {one.root for one in fact.words if one.name and one.counts} | fact.linked
        return bool(others - ours)
    held = _slots(fact)
    if word.name and any(one.name and one.counts and one.root not in ours for one in fact.words):
        return True
    return any(held.get(place, frozenset()) - ours for place in places if place)
