"""Cause and effect, earlier and later, who gives and who gets: the orders of a sentence (spec 2.6). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from footnote_resolver.verification import grammar
from footnote_resolver.verification.reading import Fact, Reading
from footnote_resolver.verification.roles import NOTHING, RESULTS, Roots, crossed, roots_of, slots, straight
from footnote_resolver.verification.tagging import TaggedWord

_TO = ("to", "against", "into")
_FROM = ("from", "of")


@dataclass(frozen=True, slots=True)
class Order:
    """Two parts of a sentence that a connective puts in order, and the parts' roots."""

    kind: str
    first: Roots
    second: Roots


def transfers(fact: Fact) -> list[Order]:
    """Who gives and who gets, who wins and who loses."""
    if fact.verb is None:
        return []
    parts, verb = slots(fact), fact.verb.root
    agent = parts.get("agent", NOTHING)
    patient = parts.get("patient", NOTHING)
    to = NOTHING.union(*(parts.get(name, NOTHING) for name in _TO))
    source = NOTHING.union(*(parts.get(name, NOTHING) for name in _FROM))
    if verb in grammar.GETTING and source:
        return [Order("transfer", source, agent)]
    if verb in grammar.GIVING:
        names = to or _first_of_two(fact)
        return [Order("transfer", agent, names)] if names and agent else []
    if verb in grammar.WINNING:
        return [Order("contest", agent, patient)]
    if verb in grammar.LOSING:
        return [Order("contest", to, agent)] if to else []
    return []


def _first_of_two(fact: Fact) -> Roots:
    """The one who gets something, named before it: `lent the bank 3 million`."""
    found: list[TaggedWord] = []
    behind = [word for word in fact.words if fact.verb is not None and word.start > fact.verb.start]
    for word in behind:
        if word.kind in "RPC":
            return NOTHING
        if found and word.kind in "DF":
            return roots_of(found)
        if word.counts:
            found.append(word)
    return NOTHING


@lru_cache(maxsize=1024)
def orders(reading: Reading) -> tuple[Order, ...]:
    """The causes and effects, the earlier and the later things of a sentence."""
    found: list[Order] = []
    for fact in reading.facts:
        found += transfers(fact)
        if fact.verb is not None:
            parts = slots(fact)
            agent, patient = parts.get("agent", NOTHING), parts.get("patient", NOTHING)
            origin = parts.get("from", NOTHING)
            if fact.verb.root in grammar.CAUSING:
                if origin and not fact.passive:
                    found.append(Order("cause", origin, agent))
                elif agent and patient:
                    found.append(Order("cause", agent, patient))
            if fact.verb.root == "follow" and agent and patient:
                found.append(Order("time", patient, agent))
            if fact.verb.root == "preced" and agent and patient:
                found.append(Order("time", agent, patient))
            if fact.verb.kind == "B" and fact.object and fact.object[0].text in RESULTS:
                found.append(Order("cause", agent, patient))
    return (*found, *_connected(reading))


def _connected(reading: Reading) -> list[Order]:
    found = []
    pieces = reading.pieces
    for at, piece in enumerate(pieces):
        opener = next((word for word in piece[:3] if word.kind not in "PCE"), None)
        inner = next((k for k, word in enumerate(piece) if word.text in grammar.CONNECTIVES), None)
        if inner is None or opener is None:
            continue
        word = piece[inner]
        if word.text in ("as", "since") and not _is_clause(piece, inner):
            continue
        if word.text == "as" and at > 0 and piece[0].kind != "P":
            # `faster as well`, `as a result`
            continue
        behind = roots_of(piece[inner + 1 :])
        before = roots_of(piece[:inner])
        if before or at:
            rest = before | NOTHING.union(*(roots_of(one) for one in _clause_before(pieces, at)))
        else:
            rest = NOTHING.union(*(roots_of(one) for one in _clause_behind(pieces, at)))
        if not behind or not rest:
            continue
        name = grammar.CONNECTIVES[word.text]
        if name == "cause":
            found.append(Order("cause", behind, rest))
        elif name == "effect":
            found.append(Order("cause", rest, behind))
        elif name == "earlier":
            found.append(Order("time", behind, rest))
        elif name == "later":
            found.append(Order("time", rest, behind))
        else:
            found.append(Order("condition", behind, rest))
    return found


def _is_clause(piece: Sequence[TaggedWord], inner: int) -> bool:
    return any(word.kind in "VBA" for word in piece[inner + 1 :])


def _ends(piece: Sequence[TaggedWord]) -> bool:
    return bool(piece) and piece[0].kind == "P" and piece[0].text in ".;"


def _clause_before(pieces: Sequence[Sequence[TaggedWord]], at: int) -> list[Sequence[TaggedWord]]:
    """The pieces before one, back to the nearest that has a verb, and what leads it in."""
    if _ends(pieces[at]):
        return []
    found: list[Sequence[TaggedWord]] = []
    for k in range(at - 1, -1, -1):
        found.append(pieces[k])
        if _ends(pieces[k]):
            break
        if any(word.kind in "VBA" for word in pieces[k]) and any(w.kind in "O" for w in pieces[k]):
            break
    return found


def _clause_behind(pieces: Sequence[Sequence[TaggedWord]], at: int) -> list[Sequence[TaggedWord]]:
    found: list[Sequence[TaggedWord]] = []
    for piece in pieces[at + 1 :]:
        if _ends(piece):
            break
        found.append(piece)
    return found


def order_exchanged(ours: Sequence[Order], theirs: Sequence[Order]) -> bool:
    """Whether the parts of one of our orders stand the other way round in theirs, and nowhere as in ours."""
    return any(
        any(crossed(one.first, one.second, other.first, other.second) for other in alike)
        and not any(straight(one.first, one.second, other.first, other.second) for other in alike)
        for one in ours
        if (alike := [other for other in theirs if other.kind == one.kind])
    )
