"""What a passage says against a claim whose words it has (spec 2.6). Pure."""

from collections.abc import Sequence
from dataclasses import replace

from footnote_resolver.verification.bindings import fit, misplaced
from footnote_resolver.verification.exchanges import (
    comparisons,
    compared,
    order_exchanged,
    orders,
    roles_exchanged,
)
from footnote_resolver.verification.polarity import contrary
from footnote_resolver.verification.reading import Fact, Reading, read
from footnote_resolver.verification.strength import counted_otherwise, surer

_FITTING = 1.5
"""A fact that fits a claim worse speaks of something else."""


def facts_of(readings: Sequence[Reading]) -> list[Fact]:
    """The facts of successive sentences; a pronoun stands for what the sentence before was about."""
    found: list[Fact] = []
    for reading in readings:
        for number, fact in enumerate(reading.facts):
            if number == 0 and found and not fact.subject and fact.verb is not None:
                first = next(one for one in reversed(found) if one.topic) if any(o.topic for o in found) else None
                fact = replace(fact, linked=first.topic if first else frozenset(), inherited=list(found[-1].words))
            if fact.refers and found:
                earlier = next((one for one in reversed(found) if one.object or one.topic), None)
                if earlier is not None:
                    things = frozenset(word.root for word in earlier.object if word.counts)
                    fact = replace(fact, linked=fact.linked | (things or earlier.topic))
            found.append(fact)
    return found


def dispute(claims: Sequence[Reading], passage: Sequence[Reading], facts: Sequence[Fact]) -> str | None:
    """What speaks against the claim, in a word; None if nothing does."""
    mine, theirs = [one for c in claims for one in orders(c)], [one for p in passage for one in orders(p)]
    if order_exchanged(mine, theirs):
        return "order"
    ordered = any(one.kind == "time" for one in mine) and any(one.kind == "time" for one in theirs)
    agreed = compared(
        [one for c in claims for one in comparisons(c)], [one for p in passage for one in comparisons(p)]
    )
    if agreed is False:
        return "comparison"
    for claim in facts_of(claims):
        reason = _of_fact(claim, facts, compared_alike=agreed is True, ordered=ordered)
        if reason is not None:
            return reason
    return None


def _of_fact(claim: Fact, facts: Sequence[Fact], *, compared_alike: bool, ordered: bool) -> str | None:
    if not compared_alike and roles_exchanged(claim, facts):
        return "roles"
    if not compared_alike and misplaced(claim, facts) is not None:
        return "facts"
    near = _nearest(claim, facts)
    if not near:
        return None
    if all(surer(claim, fact) for fact in near):
        return "modality"
    if all(counted_otherwise(claim, fact) for fact in near):
        return "quantity"
    if not compared_alike and contrary(claim.text, [fact.text for fact in near], ordered=ordered):
        return "contrary"
    return None


def _nearest(claim: Fact, facts: Sequence[Fact]) -> list[Fact]:
    """The facts that the claim fits best."""
    fits = [(fit(claim.roots, fact) + (0.5 if _same_verb(claim, fact) else 0.0), fact) for fact in facts]
    best = max((score for score, _ in fits), default=0.0)
    return [fact for score, fact in fits if score == best] if best >= _FITTING else []


def _same_verb(one: Fact, other: Fact) -> bool:
    return one.verb is not None and other.verb is not None and one.verb.root == other.verb.root
