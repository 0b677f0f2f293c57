"""What a passage says against a claim whose words it has (spec 2.6). Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from footnote_resolver.verification import grammar
from footnote_resolver.verification.bindings import fit, misplaced
from footnote_resolver.verification.comparisons import compared, comparisons
from footnote_resolver.verification.orders import order_exchanged, orders
from footnote_resolver.verification.polarity import contrary
from footnote_resolver.verification.reading import Fact, Reading
from footnote_resolver.verification.roles import roles_exchanged
from footnote_resolver.verification.strength import (
    counted_otherwise,
    forbidden_unless_required,
    modality,
    surer,
)

_SPACES = re.compile(" +")
_SAME_SUBJECT = 0.5
"""A fact with a smaller share of the claim's words than this cannot contradict it."""
_FITTING = 1.5
"""A fact must share at least this many words with a claim for its modal verb or quantifier to count."""
_VERB = 0.5
"""What the same verb adds to the fit."""


def facts_of(readings: Sequence[Reading]) -> list[Fact]:
    """The facts of successive sentences; a pronoun stands for what the sentence before was about."""
    found: list[Fact] = []
    before: Sequence[Fact] = ()
    for reading in readings:
        facts: list[Fact] = []
        for number, fact in enumerate(reading.facts):
            if number == 0 and before and not fact.subject and fact.verb is not None:
                topics = frozenset[str]().union(*(one.topic for one in before))
                fact = replace(fact, linked=topics, inherited=list(before[-1].words))
            facts.append(_with_object(fact, facts or found, across=not facts) if fact.refers else fact)
        before = facts
        found += facts
    return found


def _with_object(fact: Fact, earlier: Sequence[Fact], *, across: bool) -> Fact:
    """The fact with what the pronoun behind its verb stands for: the last object before it.

    `across` a full stop it may be the thing that the sentence was about as well.
    """
    last = next((one for one in reversed(earlier) if one.object or one.topic), None)
    if last is None:
        return fact
    behind = [word for words in last.phrases.values() for word in words if word.name]
    about = [word for word in last.subject if across and not word.name]
    things = frozenset(word.root for word in [*(last.object or behind), *about] if word.counts)
    return replace(fact, meant=things or last.topic)


def dispute(claims: Sequence[Reading], passage: Sequence[Reading], facts: Sequence[Fact]) -> str | None:
    """What speaks against the claim, in a word; None if nothing does."""
    whole = _SPACES.sub(" ", "".join(other.line for other in passage))
    said = [reading for reading in claims if reading.line not in whole]
    mine, theirs = [one for c in said for one in orders(c)], [one for p in passage for one in orders(p)]
    if order_exchanged(mine, theirs):
        return "order"
    ordered = any(one.kind == other.kind for one in mine for other in theirs)
    agreed = compared(
        [one for c in said for one in comparisons(c)], [one for p in passage for one in comparisons(p)]
    )
    if agreed == "against":
        return "comparison"
    turned = agreed == "turned"
    for claim in facts_of(claims):
        holding = [fact for fact in facts if claim.line in fact.line]
        reason = None if holding or turned or not said else _exchange(claim, facts)
        near = [(_FITTING, fact) for fact in holding] or _nearest(claim, facts)
        if not said and not holding:
            # The sentence is there word for word, over more than one fact.
            near = [(0.0, fact) for _, fact in near]
        reason = reason or _difference(claim, near, turned=turned, ordered=ordered)
        if reason is not None:
            return reason
    return None


def _exchange(claim: Fact, facts: Sequence[Fact]) -> str | None:
    if roles_exchanged(claim, facts):
        return "roles"
    return "facts" if misplaced(claim, facts) is not None else None


def _difference(
    claim: Fact, near: Sequence[tuple[float, Fact]], *, turned: bool, ordered: bool
) -> str | None:
    """Where the claim goes further than the facts nearest to it, or says the contrary of them."""
    alike = [fact for score, fact in near if score >= _FITTING]
    if alike and all(surer(claim, fact) for fact in alike):
        return "modality"
    if alike and all(counted_otherwise(claim, fact) for fact in alike):
        return "quantity"
    forbidden = any(modality(fact) == grammar.FORBIDDEN for _, fact in near)
    if (
        not turned
        and not (forbidden and modality(claim) == grammar.FORBIDDEN)
        and not any(forbidden_unless_required(claim, fact) for _, fact in near)
        and _denied(claim, [fact for _, fact in near], ordered=ordered)
    ):
        return "contrary"
    return None


def _denied(claim: Fact, near: Sequence[Fact], *, ordered: bool) -> bool:
    """Whether a fact says the contrary; of facts that tie, one that says all of the claim prevails."""
    agreeing = [fact for fact in near if not contrary(claim.framed, [fact.framed], ordered=ordered)]
    if len(agreeing) == len(near):
        return False
    return not any(claim.roots <= fact.roots for fact in agreeing)


def _nearest(claim: Fact, facts: Sequence[Fact]) -> list[tuple[float, Fact]]:
    """The facts that the claim fits best, and how well; none where it hardly fits any."""
    fits = [(fit(claim.roots, fact) + (_VERB if _same_verb(claim, fact) else 0.0), fact) for fact in facts]
    best = max((score for score, _ in fits), default=0.0)
    if best < _SAME_SUBJECT * len(claim.roots):
        return []
    return [(score, fact) for score, fact in fits if score == best]


def _same_verb(one: Fact, other: Fact) -> bool:
    return one.verb is not None and other.verb is not None and one.verb.root == other.verb.root
