"""The facts of a sentence: who does what to whom, and with which figures (spec 2.6). Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

from footnote_resolver.verification import grammar
from footnote_resolver.verification.tagging import HARD_MARKS, TaggedWord, pieces_of, words_of

_AT_MOST = re.compile(
    r"\b(?:no|not) (?:more|later|longer|higher|greater) than\b|\bat the latest\b|\bup to(?= [\d$€£])",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"\b(?:no|not) (?:less|fewer|earlier|sooner|lower) than\b|\bat the earliest\b", re.IGNORECASE
)
"""Negated comparisons that set a bound, and deny nothing."""
_LONGEST = 1000
"""Characters of a sentence that are read; a longer one is a table or an attack."""


@dataclass(eq=False)
class Fact:
    """A clause, or a part of one that has figures of its own."""

    words: list[TaggedWord]
    text: str
    subject: list[TaggedWord] = field(default_factory=list)
    verb: TaggedWord | None = None
    passive: bool = False
    object: list[TaggedWord] = field(default_factory=list)
    phrases: dict[str, list[TaggedWord]] = field(default_factory=dict)
    """By preposition, those behind the verb; those before the subject as well."""
    inherited: list[TaggedWord] = field(default_factory=list)
    """What the fact takes over from the one before it: `and 7 million in 2020`."""
    linked: frozenset[str] = frozenset()
    """Roots of the subject that a pronoun, or nothing, stands for."""
    lead: list[TaggedWord] = field(default_factory=list)
    """What stands before the clause and its comma, and holds for the clauses that `and` adds as well."""
    refers: bool = False
    """Whether a pronoun stands behind the verb."""
    meant: frozenset[str] = frozenset()
    """Roots of what that pronoun stands for."""
    frame: str = ""
    """The clause that the fact is said in: `No evidence was found` that it is so."""

    @cached_property
    def roots(self) -> frozenset[str]:
        return frozenset(word.root for word in self.words if word.counts) | self.linked | self.meant

    @property
    def framed(self) -> str:
        """The text with that of its frame."""
        return f"{self.frame} {self.text}" if self.frame else self.text

    @cached_property
    def line(self) -> str:
        """Its words, each between two spaces, to look for one text in another."""
        return line_of(self.words)

    @property
    def topic(self) -> frozenset[str]:
        """Roots of what the fact is about."""
        return frozenset(word.root for word in self.subject) or self.linked - _roots(self.lead)

    @cached_property
    def background(self) -> frozenset[str]:
        return frozenset(word.root for word in self.inherited if word.counts) - self.roots


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The facts of one sentence, and the pieces between its commas and connectives, from which they come."""

    text: str
    words: tuple[TaggedWord, ...]
    facts: tuple[Fact, ...]
    pieces: tuple[tuple[TaggedWord, ...], ...]
    line: str
    """Its words, each between two spaces, to look for one text in another."""


def line_of(words: Sequence[TaggedWord]) -> str:
    return f" {' '.join(word.text for word in words if word.kind not in 'PC')} "


@lru_cache(maxsize=1024)
def read(sentence: str) -> Reading:
    """The reading of one sentence."""
    sentence = _AT_LEAST.sub("at least", _AT_MOST.sub("at most", sentence[:_LONGEST]))
    words = words_of(sentence)
    pieces = [piece for piece in pieces_of(words) if piece]
    facts = [_analysed(sentence, clause) for clause in _joined(pieces) if any(one.counts for one in clause)]
    for before, fact in pairwise(facts):
        _inherit(before, fact)
    return Reading(
        sentence, tuple(words), tuple(facts), tuple(tuple(piece) for piece in pieces), line_of(words)
    )


def _has_verb(piece: list[TaggedWord]) -> bool:
    return any(word.kind in "VBA" for word in piece)


def _joined(pieces: list[list[TaggedWord]]) -> list[list[TaggedWord]]:
    """The pieces put together to clauses: what has no verb belongs to a neighbour, or has its own figures."""
    found: list[list[TaggedWord]] = []
    waiting: list[TaggedWord] = []
    for position, piece in enumerate(pieces):
        opens = _opening(piece)
        if _has_verb(piece):
            found.append([*waiting, *piece])
            waiting = []
        elif found and not waiting and not _hard(piece):
            following = pieces[position + 1] if position + 1 < len(pieces) else None
            if _stands_alone(piece, found[-1]):
                found.append(list(piece))
            elif opens == "," and following is not None and _begins_clause(piece, following):
                waiting = list(piece)
            else:
                found[-1] = [*found[-1], *piece]
        else:
            waiting = [*waiting, *piece]
    if waiting:
        found.append(waiting)
    return found


def _opening(piece: list[TaggedWord]) -> str:
    return piece[0].text if piece else ""


def _hard(piece: list[TaggedWord]) -> bool:
    return bool(piece) and piece[0].kind == "P" and piece[0].text in HARD_MARKS


def _begins_clause(piece: list[TaggedWord], following: list[TaggedWord]) -> bool:
    """Whether the words are the beginning of the next clause: `, in Finland, it opened four`."""
    return len(piece) > 1 and piece[1].kind == "R" and following[0].text == "," and _has_verb(following)


def _stands_alone(piece: list[TaggedWord], before: list[TaggedWord]) -> bool:
    """Whether a piece without a verb is a fact: it has figures or names in the place of those before it."""
    if not any(word.kind == "C" or word.text in (",", "while", "whereas") for word in piece[:2]):
        return False
    if _numeric(piece) and _numeric(before):
        return True
    content = [word for word in piece if word.kind not in "PCS"]
    return (
        len(content) >= 3
        and content[0].kind == "O"
        and any(word.kind == "R" for word in content)
        and any(word.kind == "R" for word in before)
        and content[0].name
    )


def _numeric(piece: list[TaggedWord]) -> bool:
    return any(word.kind == "F" for word in piece)


def _analysed(sentence: str, words: list[TaggedWord]) -> Fact:
    fact = Fact(words, sentence[words[0].start : words[-1].end])
    main = next((i for i, word in enumerate(words) if word.kind == "V"), None)
    first = next((i for i, word in enumerate(words) if word.kind in "VBA"), len(words))
    at = first if main is None else main
    if at < len(words):
        fact.verb = words[at]
        passive = any(word.kind == "B" for word in words[first:at])
        fact.passive = passive and not words[at].text.endswith("ing")
    _before_verb(fact, words[:first])
    _behind_verb(fact, words[at + 1 :])
    return fact


def _before_verb(fact: Fact, words: list[TaggedWord]) -> None:
    subject: list[TaggedWord] = []
    preposition: str | None = None
    for word in words:
        if word.kind == "P":
            # What stands before a comma is no subject.
            fact.lead = [*fact.lead, *(one for words in fact.phrases.values() for one in words)]
            subject, preposition = [], None
        elif word.kind == "R" and word.text != "of":
            preposition = word.text
        elif word.counts:
            if preposition is not None:
                fact.phrases.setdefault(preposition, []).append(word)
            if preposition is None or subject:
                subject.append(word)
    if fact.verb is None:
        fact.phrases.setdefault("", []).extend(subject)
    else:
        fact.subject = subject


def _behind_verb(fact: Fact, words: list[TaggedWord]) -> None:
    preposition: str | None = None
    for word in words:
        if word.kind == "R" and not (word.text == "of" and preposition is None):
            preposition = preposition if word.text == "of" else word.text
        elif word.kind == "W" and preposition is None and fact.object:
            preposition = word.text
        elif word.kind == "T" and word.text in grammar.ANAPHORS:
            fact.refers = True
        elif word.counts:
            part = fact.object if preposition is None else fact.phrases.setdefault(preposition, [])
            part.append(word)


def _inherit(before: Fact, fact: Fact) -> None:
    """Give a fact what it leaves unsaid: its subject, its verb, or all of the one before it."""
    fact.inherited = list(before.words)
    if fact.verb is None:
        fact.inherited += before.inherited
        opener = next((word for word in fact.words if word.counts or word.kind == "R"), None)
        if opener is None or opener.kind in "FR":
            fact.linked = before.topic
        return
    if fact.words[0].text == "that" and before.verb is not None:
        fact.frame = before.framed
    if not fact.subject:
        # `which opened it`, and not `where he was beaten`
        relative = any(word.kind == "W" for word in fact.words[:2]) and not any(
            word.kind == "T" for word in fact.words[:3]
        )
        fact.linked = _last_noun(before) if relative else before.topic
    if before.lead and not fact.lead and fact.words[0].kind == "C":
        fact.lead = before.lead
        fact.linked |= _roots(before.lead)
    if fact.verb.kind in "AB" and not fact.object and not fact.phrases and before.verb is not None:
        # `but only some of the doctors were`
        fact.linked |= before.roots - before.topic


def _roots(words: list[TaggedWord]) -> frozenset[str]:
    return frozenset(word.root for word in words if word.counts)


def _last_noun(fact: Fact) -> frozenset[str]:
    """The roots of what stands at a fact's end, to which a relative pronoun refers."""
    found: list[TaggedWord] = []
    for word in reversed(fact.words):
        if word.counts and word.kind == "O":
            found.append(word)
        elif found:
            break
    return _roots(found)
