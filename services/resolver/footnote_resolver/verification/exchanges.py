"""Whether a claim exchanges what a passage puts in order: who and whom, cause and effect, earlier and later,
the more and the less (spec 2.6). Pure."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from footnote_resolver.verification import grammar
from footnote_resolver.verification.lexicon import unit
from footnote_resolver.verification.reading import Fact, Reading, Word

Roots = frozenset[str]
_NOTHING: Roots = frozenset()
_RESULTS = frozenset(["result", "consequence", "effect", "outcome", "product"])
_TO = ("to", "against", "into")
_FROM = ("from", "of")


def _roots(words: Iterable[Word]) -> Roots:
    """The roots of words, without figures and what these measure: those have no role."""
    found: list[str] = []
    measure = False
    for word in words:
        if word.counts and word.kind != "F" and not (measure and unit(word.text) is not None):
            found.append(word.root)
        measure = word.kind == "F"
    return frozenset(found)


def slots(fact: Fact) -> dict[str, Roots]:
    """The roots of a fact by what they are in it: `agent`, `patient`, or the preposition before them."""
    topic = _roots(fact.subject) or fact.linked
    found = {preposition: _roots(words) for preposition, words in fact.phrases.items() if preposition}
    if fact.passive:
        found["patient"] = topic
        found["agent"] = found.pop("by", _NOTHING)
        if fact.object:
            found["object"] = _roots(fact.object)
    else:
        found["agent"], found["patient"] = topic, _roots(fact.object)
        noun = fact.object[0].text if fact.object else ""
        if fact.verb is not None and fact.verb.kind == "B" and noun in _RESULTS:
            found["agent"], found["patient"] = _roots(fact.object[1:]), topic
        if fact.verb is not None and fact.verb.root in grammar.CAUSING:
            # `led to`, `resulted in`
            for preposition in ("to", "in"):
                found["patient"] |= found.get(preposition, _NOTHING)
    return {name: roots for name, roots in found.items() if roots}


def crossed(one: Roots, other: Roots, theirs: Roots, others: Roots) -> bool:
    """Whether `one` is among `others` and `other` among `theirs`, and not the other way round."""
    common = (one & other) | (theirs & others)
    across = len((one & others) - common), len((other & theirs) - common)
    straight = len((one & theirs) - common) + len((other & others) - common)
    return min(across) > 0 and sum(across) > straight


def _straight(one: Roots, other: Roots, theirs: Roots, others: Roots) -> bool:
    common = (one & other) | (theirs & others)
    return bool((one & theirs) - common) and bool((other & others) - common)


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
            straight = _straight(ours[one], ours[other], theirs[one], theirs[other])
            across = crossed(ours[one], ours[other], theirs[one], theirs[other])
            if converse and pair == ("agent", "patient"):
                straight, across = across, straight
            if straight:
                kept |= {(*pair, same), (*pair, False)}
            if across:
                exchanged.add((*pair, same))
    return bool(exchanged - kept)


def _turned(claim: Fact, ours: dict[str, Roots], theirs: dict[str, Roots]) -> bool:
    """Whether the claim tells only one of the two, and in the other one's place: `B was bought`."""
    agent, patient = theirs.get("agent", _NOTHING), theirs.get("patient", _NOTHING)
    if not (agent and patient) or agent & patient:
        return False
    if claim.passive and "agent" not in ours:
        mine = ours.get("patient", _NOTHING)
        return bool(mine & agent) and not mine & patient
    if not claim.passive and "patient" not in ours:
        mine = ours.get("agent", _NOTHING)
        return bool(mine & patient) and not mine & agent
    return False


def _converse(ours: str, theirs: str) -> bool:
    return any(
        (ours in one and theirs in other) or (ours in other and theirs in one)
        for one, other in ((grammar.WINNING, grammar.LOSING),)
    )


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
    agent = parts.get("agent", _NOTHING)
    patient = parts.get("patient", _NOTHING)
    to = _NOTHING.union(*(parts.get(name, _NOTHING) for name in _TO))
    source = _NOTHING.union(*(parts.get(name, _NOTHING) for name in _FROM))
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
    found: list[Word] = []
    behind = [word for word in fact.words if fact.verb is not None and word.start > fact.verb.start]
    for word in behind:
        if word.kind in "RPC":
            return _NOTHING
        if found and word.kind in "DF":
            return _roots(found)
        if word.counts:
            found.append(word)
    return _NOTHING


def orders(reading: Reading) -> list[Order]:
    """The causes and effects, the earlier and the later things of a sentence."""
    found: list[Order] = []
    for fact in reading.facts:
        found += transfers(fact)
        if fact.verb is not None:
            parts = slots(fact)
            agent, patient = parts.get("agent", _NOTHING), parts.get("patient", _NOTHING)
            origin = parts.get("from", _NOTHING)
            if fact.verb.root in grammar.CAUSING:
                if origin and not fact.passive:
                    found.append(Order("cause", origin, agent))
                elif agent and patient:
                    found.append(Order("cause", agent, patient))
            if fact.verb.root == "follow" and agent and patient:
                found.append(Order("time", patient, agent))
            if fact.verb.root == "preced" and agent and patient:
                found.append(Order("time", agent, patient))
            if fact.verb.kind == "B" and fact.object and fact.object[0].text in _RESULTS:
                found.append(Order("cause", agent, patient))
    found += _connected(reading)
    return found


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
        if word.text == "as" and inner != next(k for k, w in enumerate(piece) if w is opener):
            continue
        behind = _roots(piece[inner + 1 :])
        before = _roots(piece[:inner])
        if before or at:
            rest = before | _NOTHING.union(*(_roots(one) for one in _clause_before(pieces, at)))
        else:
            rest = _NOTHING.union(*(_roots(one) for one in _clause_behind(pieces, at)))
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


def _is_clause(piece: Sequence[Word], inner: int) -> bool:
    return any(word.kind in "VBA" for word in piece[inner + 1 :])


def _ends(piece: Sequence[Word]) -> bool:
    return bool(piece) and piece[0].kind == "P" and piece[0].text in ".;"


def _clause_before(pieces: Sequence[Sequence[Word]], at: int) -> list[Sequence[Word]]:
    """The pieces before one, back to the nearest that has a verb, and what leads it in."""
    if _ends(pieces[at]):
        return []
    found: list[Sequence[Word]] = []
    for k in range(at - 1, -1, -1):
        found.append(pieces[k])
        if _ends(pieces[k]):
            break
        if any(word.kind in "VBA" for word in pieces[k]) and any(w.kind in "O" for w in pieces[k]):
            break
    return found


def _clause_behind(pieces: Sequence[Sequence[Word]], at: int) -> list[Sequence[Word]]:
    found: list[Sequence[Word]] = []
    for piece in pieces[at + 1 :]:
        if _ends(piece):
            break
        found.append(piece)
    return found


def order_exchanged(ours: Sequence[Order], theirs: Sequence[Order]) -> bool:
    """Whether the parts of one of our orders stand the other way round in theirs, and nowhere as in ours."""
    return any(
        any(crossed(one.first, one.second, other.first, other.second) for other in alike)
        and not any(_straight(one.first, one.second, other.first, other.second) for other in alike)
        for one in ours
        if (alike := [other for other in theirs if other.kind == one.kind])
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """`Zinc is less dense than lead`: the quality, its direction, and the two sides; none behind no `than`."""

    quality: str
    direction: int
    left: Roots
    right: Roots
    at: int


def comparisons(reading: Reading) -> list[Comparison]:
    found = []
    words = reading.words
    for fact in reading.facts:
        inside = [word for word in fact.words]
        for k, word in enumerate(inside):
            read = _comparative(inside, k)
            if read is None:
                continue
            quality, direction, used = read
            than = next(
                (i for i in range(k + 1, min(len(inside), k + 10)) if inside[i].text == "than"), None
            )
            rest = [w for i, w in enumerate(inside) if i not in used]
            if than is None:
                found.append(Comparison(quality, direction, _roots(rest) | fact.topic, _NOTHING, word.start))
            else:
                left = _roots(w for i, w in enumerate(inside[:than]) if i not in used) | fact.topic
                found.append(
                    Comparison(quality, direction, left, _roots(inside[than + 1 :]), word.start)
                )
            break
    del words
    return found


def _comparative(words: Sequence[Word], at: int) -> tuple[str, int, set[int]] | None:
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
    if words[at].kind not in "OES":
        return None
    form = _positive(text)
    if form is None:
        return None
    pair, side = grammar.SCALE[form]
    return f"{pair}", side, {at}


def _positive(text: str) -> str | None:
    """The adjective of a comparative: `denser`, `bigger`, `noisier`, `better`."""
    if text in grammar.COMPARATIVE_FORMS:
        form = grammar.COMPARATIVE_FORMS[text]
        return form if form in grammar.SCALE else None
    if not text.endswith("er") or len(text) < 5:
        return None
    root = text[:-2]
    for form in (root, root + "e", root[:-1] if root[-1:] == root[-2:-1] else "", root[:-1] + "y"):
        if form in grammar.SCALE:
            return form
    return None


def compared(ours: Sequence[Comparison], theirs: Sequence[Comparison]) -> bool | None:
    """Whether the comparisons agree; None where none of theirs is of the same quality and things."""
    verdict: bool | None = None
    for one in ours:
        for other in theirs:
            if one.quality != other.quality or not (one.right or other.right):
                continue
            turned = _sides_turned(one, other)
            if turned is None:
                continue
            agrees = turned == (one.direction != other.direction)
            if agrees:
                return True
            verdict = False
    return verdict


def _sides_turned(one: Comparison, other: Comparison) -> bool | None:
    if not one.right:
        if other.right & one.left:
            return not (other.left - other.right) & one.left or bool(other.right & one.left)
        return False if one.left & other.left else None
    if not other.right:
        return True if one.right & other.left and not (one.left - one.right) & other.left else None
    common = (one.left & one.right) | (other.left & other.right)
    straight = len((one.right & other.right) - common)
    across = len((one.right & other.left) - common) + len((other.right & one.left) - common)
    if across > straight:
        return True
    return False if straight or (one.left & other.left) else None
