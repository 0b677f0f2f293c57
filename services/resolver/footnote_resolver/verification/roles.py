"""Who does what to whom: whether a claim exchanges the parts of a fact (spec 2.6). Pure."""

import itertools
from collections.abc import Iterable, Sequence
from functools import lru_cache

from footnote_resolver.verification import grammar
from footnote_resolver.verification.lexicon import ORDINALS, unit
from footnote_resolver.verification.reading import Fact
from footnote_resolver.verification.tagging import TaggedWord

Roots = frozenset[str]
NOTHING: Roots = frozenset()
RESULTS = frozenset(["result", "consequence", "effect", "outcome", "product"])


def roots_of(words: Iterable[TaggedWord]) -> Roots:
    """The roots of words, without figures and what these measure: those have no role."""
    found: list[str] = []
    measure = False
    for word in words:
        if word.counts and word.kind != "F" and not (measure and unit(word.text) is not None):
            found.append(word.root)
        measure = word.kind == "F" and word.text not in ORDINALS
    return frozenset(found)


@lru_cache(maxsize=1024)
def slots(fact: Fact) -> dict[str, Roots]:
    """The roots of a fact by what they are in it: `agent`, `patient`, or the preposition before them."""
    topic = roots_of(fact.subject) or fact.topic
    found = {preposition: roots_of(words) for preposition, words in fact.phrases.items() if preposition}
    if fact.passive:
        found["patient"] = topic
        found["agent"] = found.pop("by", NOTHING)
        if fact.object:
            found["object"] = roots_of(fact.object)
    else:
        found["agent"], found["patient"] = topic, roots_of(fact.object) | fact.meant
        noun = fact.object[0].text if fact.object else ""
        if fact.verb is not None and fact.verb.kind == "B" and noun in RESULTS:
            found["agent"], found["patient"] = roots_of(fact.object[1:]), topic
        if fact.verb is not None and fact.verb.root in grammar.CAUSING:
            # `led to`, `resulted in`
            for preposition in ("to", "in"):
                found["patient"] |= found.get(preposition, NOTHING)
    return {name: roots for name, roots in found.items() if roots}


def crossed(one: Roots, other: Roots, theirs: Roots, others: Roots) -> bool:
    """Whether `one` is among `others` and `other` among `theirs`, and not the other way round."""
    common = (one & other) | (theirs & others)
    across = len((one & others) - common), len((other & theirs) - common)
    straight = len((one & theirs) - common) + len((other & others) - common)
    return min(across) > 0 and sum(across) > straight


def straight(one: Roots, other: Roots, theirs: Roots, others: Roots) -> bool:
    common = (one & other) | (theirs & others)
    return bool((one & theirs) - common) and bool((other & others) - common)


_SIDES = (("agent", "patient"), ("against", "agent"), ("against", "patient"))
"""Where the two of a contest stand."""


def roles_exchanged(claim: Fact, facts: Sequence[Fact]) -> bool:
    """Whether two parts of the claim have each other's place in a fact, and in no fact their own."""
    if claim.verb is None:
        return False
    ours = slots(claim)
    exchanged: set[tuple[str, str, bool]] = set()
    kept: set[tuple[str, str, bool]] = set()
    for fact in facts:
        if fact.verb is None:
            continue
        theirs = slots(fact)
        same = fact.verb.root == claim.verb.root
        if same and _turned(claim, ours, theirs):
            exchanged.add(("", "", True))
        converse = _converse(claim.verb.root, fact.verb.root)
        for pair in itertools.combinations(sorted(ours.keys() & theirs.keys()), 2):
            one, other = pair
            kept_here = straight(ours[one], ours[other], theirs[one], theirs[other])
            across = crossed(ours[one], ours[other], theirs[one], theirs[other])
            if converse and pair in _SIDES:
                kept_here, across = across, kept_here
            if kept_here:
                kept |= {(*pair, same), (*pair, False)}
            if across:
                exchanged.add((*pair, same))
    return bool(exchanged - kept)


def _turned(claim: Fact, ours: dict[str, Roots], theirs: dict[str, Roots]) -> bool:
    """Whether the claim tells only one of the two, and in the other one's place: `B was bought`."""
    agent, patient = theirs.get("agent", NOTHING), theirs.get("patient", NOTHING)
    if not (agent and patient) or agent & patient:
        return False
    if claim.passive and "agent" not in ours:
        mine = ours.get("patient", NOTHING)
        return bool(mine & agent) and not mine & patient
    if not claim.passive and "patient" not in ours:
        if claim.verb is not None and claim.verb.root in grammar.CHANGING:
            # `Warfarin increases the risk`: the risk increases.
            return False
        mine = ours.get("agent", NOTHING)
        return bool(mine & patient) and not mine & agent
    return False


def _converse(ours: str, theirs: str) -> bool:
    return any(
        (ours in one and theirs in other) or (ours in other and theirs in one)
        for one, other in ((grammar.WINNING, grammar.LOSING),)
    )
