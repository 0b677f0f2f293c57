"""What form an answer would have: a number, a date, a name, a reason, a definition, a way. Pure rules.

The first words of a question say what it asks for, and a sentence that holds something of that form is more
likely to answer it. A way is shown by code, which no word tells. The words are those of the languages that
`cues.toml` lists.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Literal

from footnote_agent.engines.asked_things import asks_which_things
from footnote_agent.engines.counted_things import counted_things, counts, lasts
from footnote_agent.engines.cue_words import OPENING_CHARS, WORD, phrases_of, spoken_words, word_tables
from footnote_shared.kernel.stems import stem

Asked = Literal["number", "date", "person", "reason", "definition", "way"]

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_GROUPED = re.compile(r"[.,](?=\d{3}(?!\d))")
"""What stands between the thousands of a number: 1,200 and 1200 are the same."""
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_NAME = re.compile(r"(?<=[^\s.!?:]\s)[A-ZÀ-Ý][^\W\d_]+\s+(?:[A-Z]\.\s*)?[A-ZÀ-Ý][^\W\d_]+")
_PERSON = re.compile(r"(?<![\w'’-])[A-ZÀ-Ý][\w'’-]++ (?:[A-Z]\. ?){0,2}[A-ZÀ-Ý][\w'’-]")
_AUTHORED_CHARS = 120
"""Who wrote it is said within this many characters from the beginning of a sentence."""

_ABBREVIATED = re.compile(r"\(([A-Z][A-Za-z0-9-]{1,15})\)")
_ASIDE = re.compile(r" \([^()]{1,60}\)")
"""What may stand between a subject and its verb: "kettle (short for kettledrum) is a"."""

_NO_ACT = frozenset({"is", "was", "has", "does", "passes", "uses", "needs", "requires", "comes", "supports"})
"""Words behind the subject of a sentence that say nothing of what it is for."""

_ASKS_ACT = (" do", " for")
"""How a question ends that asks what its subject does: "What does X do", "What is X for"."""

_ASKS_NAME = (" stand for", " mean", " short for")
"""How a question ends that asks for what a name is short."""

_DASH = re.compile(r"\s[-–—]+\s|:\s")
_WITHIN = re.compile(r"( (?:do|mean|stand for)) (?:in|for|with|on|to)(?: [^ ]+){1,6}\Z")
_CLAUSE = re.compile(r"[,.;:!?] +")
_LICENSED = "redistribute it"
"""What the notice of a licence says of its subject. It defines it as free software, and not as what it is."""

_DEFINED_CHARS = 80
"""The subject of a definition stands within this many characters from its beginning."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of one language: how questions begin, and what answers to them hold."""

    questions: tuple[tuple[Asked, tuple[str, ...]], ...]
    many: tuple[str, ...]
    listed: tuple[str, ...]
    comparing: tuple[str, ...]
    conditions: tuple[str, ...]
    verdicts: frozenset[str]
    numbers: frozenset[str]
    months: frozenset[str]
    reasons: tuple[str, ...]
    reasons_above: tuple[str, ...]
    ways_above: tuple[str, ...]
    definitions_above: tuple[str, ...]
    defining: tuple[str, ...]
    naming: tuple[str, ...]
    expanding: tuple[str, ...]
    asking_author: frozenset[str]
    authored: tuple[str, ...]
    authors_above: tuple[str, ...]
    articles: frozenset[str]
    within: frozenset[str]
    tails: tuple[str, ...]
    promising: tuple[str, ...]
    acting: bool


def _says_nothing(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Cue:
    """What a question asks for, and how to see it in a sentence. `subject`: what is to be defined.

    `leads`: how a heading begins below which it stands, such as `Cause`. `says`: whether a sentence says just
    that: "Written by Ada Byron" answers who wrote it. `frame`: the words that only ask what something is, of
    which an answer says nothing: "What is the purpose of". `act`: the first word of a way: "remove".
    """

    asked: Asked
    holds: Callable[[str], bool]
    subject: str = ""
    leads: tuple[str, ...] = ()
    says: Callable[[str], bool] = _says_nothing
    frame: str = ""
    act: str = ""

    def heads(self, heading: str) -> bool:
        """Whether what is asked for stands below this heading, whatever else it says."""
        if not self.leads or not heading:
            return False
        spoken = [word for word in spoken_words(heading[:OPENING_CHARS]) if not word.isdecimal()]
        return f"{' '.join(spoken)} ".startswith(self.leads)


def cue_of(question: str, language: str | None = None) -> Cue | None:
    """What the question asks for, if its first words say so."""
    words = _words_of(language or "en")
    # "I am no lawyer, how do I sign up?" asks in its last clause.
    for clause in (question, _CLAUSE.split(question.rstrip(" ?？"))[-1]):
        spoken = " ".join(spoken_words(clause))
        if any(spoken.startswith(f"{opening} ") for opening in words.conditions):
            return None
        for asked, openings in words.questions:
            for opening in openings:
                if spoken == opening or spoken.startswith(opening + " "):
                    return _cue(asked, opening, spoken[len(opening) :].strip(), words)
    return None


def asks_for_many(question: str, language: str | None = None) -> bool:
    """Whether the question is broad: it asks for a list, a description or a comparison."""
    spoken = " ".join(spoken_words(question)) + " "
    known = _words_of(language or "en")
    return (
        any(spoken.startswith(f"{opening} ") for opening in known.many)
        or any(f" {word} " in spoken for word in known.comparing)
        or ((language or "en") == "en" and asks_which_things(spoken.split()))
    )


def asks_for_list(question: str, language: str | None = None) -> bool:
    """Whether the question asks which things there are: "Which browsers", "What are the fees"."""
    spoken = spoken_words(question)
    known = _words_of(language or "en")
    line = " ".join(spoken) + " "
    return any(line.startswith(f"{opening} ") for opening in known.listed) or (
        (language or "en") == "en" and asks_which_things(spoken)
    )


def without_verbs_of_having(words: Collection[str], language: str | None = None) -> list[str]:
    """Words of a question without those that only say that there is something: "have", "offer", "exist".

    `words` are stems. No heading of a list has such a word.
    """
    return [word for word in words if word not in _having(language or "en")]


@cache
def _having(language: str) -> frozenset[str]:
    table = word_tables().get(language) or word_tables()["en"]
    return frozenset(stem(word, language) for word in table["having"].split())


def promises(text: str, language: str | None = None) -> bool:
    """Whether a sentence says that what it tells of stands behind it: "the following", "as follows"."""
    return _has_phrase(text, _words_of(language or "en").promising)


def opens_with_verdict(text: str, language: str | None = None) -> bool:
    """Whether a sentence opens with yes or no: it answers what was asked above it."""
    first = WORD.search(text)
    return first is not None and first.group().lower() in _words_of(language or "en").verdicts


def values_in(text: str, language: str | None = None) -> frozenset[str]:
    """What of a sentence tells how much or when: its numbers, in digits and in words, months and weekdays."""
    known = _words_of(language or "en")
    spoken = WORD.findall(text.lower())
    written = {_GROUPED.sub("", number) for number in _NUMBER.findall(text)}
    return frozenset(written | {word for word in spoken if word in known.numbers or word in known.months})


def _cue(asked: Asked, opening: str, rest: str, words: _Words) -> Cue | None:
    if asked == "number":
        counted = counted_things(rest) if words.acting and opening == "how many" else ()
        says = (lambda text: counts(text, counted, words.numbers)) if counted else _says_nothing
        if words.acting and opening == "how long":
            return Cue(asked, lambda text: lasts(text, words.numbers))
        return Cue(asked, lambda text: _has_number(text, words), says=says)
    if asked == "date":
        return Cue(asked, lambda text: _has_date(text, words))
    if asked == "person":
        named = not words.asking_author.isdisjoint(rest.split())
        says = (lambda text: _is_authored(text, words)) if named else _says_nothing
        leads = words.authors_above if named else ()
        return Cue(asked, lambda text: _NAME.search(text) is not None, leads=leads, says=says)
    if asked == "way":
        done = frozenset(stem(word) for word in rest.split()) if words.acting else frozenset[str]()
        act = rest.partition(" ")[0] if words.acting else ""
        return Cue(asked, lambda text: _tells_way(text, done), leads=words.ways_above, act=act)
    if asked == "reason":
        return Cue(asked, lambda text: _has_phrase(text, words.reasons), leads=words.reasons_above)
    whole = rest
    if words.acting:
        # What "--depth" does is asked, and "in git" only says where.
        rest = _WITHIN.sub(r"\1", rest)
    acts = words.acting and rest.endswith(_ASKS_ACT)
    names = rest.endswith(_ASKS_NAME)
    frame = [opening]
    for tail in words.tails:
        frame += [tail] if rest.endswith(f" {tail}") and rest == whole else []
        rest = rest.removesuffix(f" {tail}")
    subject = " ".join(word for word in rest.split() if word not in words.articles)
    if not subject:
        return None
    return Cue(
        asked,
        lambda text: (
            _defines(text, subject, words)
            or (acts and _acts(text, subject))
            or (names and _has_phrase(text, words.expanding))
        ),
        subject,
        leads=words.definitions_above,
        says=(lambda text: _has_phrase(text, words.expanding)) if names else _says_nothing,
        frame=" ".join(frame),
    )


def _tells_way(text: str, done: frozenset[str]) -> bool:
    """Whether an English sentence opens with what is to be done: "To boil water, press it". `done`: stems."""
    opening = WORD.findall(text[:_DEFINED_CHARS].lower())[:2]
    return len(opening) > 1 and opening[0] == "to" and stem(opening[1]) in done


def _has_number(text: str, words: _Words) -> bool:
    return _DIGIT.search(text) is not None or not words.numbers.isdisjoint(WORD.findall(text.lower()))


def _has_date(text: str, words: _Words) -> bool:
    return _YEAR.search(text) is not None or not words.months.isdisjoint(WORD.findall(text.lower()))


def _is_authored(text: str, words: _Words) -> bool:
    return _PERSON.search(text) is not None and _has_phrase(text[:_AUTHORED_CHARS], words.authored)


def _has_phrase(text: str, phrases: tuple[str, ...]) -> bool:
    spoken = f" {' '.join(spoken_words(text))} "
    return any(f" {phrase} " in spoken for phrase in phrases)


def _defines(text: str, subject: str, words: _Words) -> bool:
    """Whether the sentence says what the subject is: "X is a", "X - a", or it spells X out before "(X)"."""
    if _LICENSED in text:
        return False
    dash = _DASH.search(text[: _DEFINED_CHARS + len(subject)])
    if dash and " ".join(WORD.findall(text[: dash.start()].lower())) == subject:
        return True
    opened = f" {text[: _DEFINED_CHARS + len(subject)].lower()}"
    if any(f" {subject}, {article} " in opened for article in words.articles):
        return True
    for short in _ABBREVIATED.findall(text):
        if short.lower() == subject:
            return True
    text = _ASIDE.sub("", text, count=1)
    opening = [
        word
        for word in WORD.findall(text[: _DEFINED_CHARS + len(subject)].lower())
        if word not in words.articles
    ]
    spoken = " ".join(opening)
    goes_on = " " if len(text) > _DEFINED_CHARS + len(subject) else ""
    named = " ".join(word for word in spoken_words(text) if word not in words.articles) + " "
    longer = f"{subject}-" in text.lower()
    if not longer and any(f"{phrase} {subject} " in named for phrase in words.naming):
        return True
    if not (spoken.startswith((subject, f"{subject}s")) or f" {subject} " in f" {spoken} "):
        return False
    for ending, verb in product(("", "s"), words.defining):
        at = f" {spoken}{goes_on}".find(f"{subject}{ending} {verb} ")
        # "The use of X is free" says nothing of what X is.
        if at >= 0 and f" {spoken}"[:at].rpartition(" ")[0].rpartition(" ")[2] not in words.within:
            return True
    return False


def _acts(text: str, subject: str) -> bool:
    """Whether an English sentence opens with what the subject does: "The kettle boils water"."""
    spoken = WORD.findall(text[: _DEFINED_CHARS + len(subject)].lower())
    while spoken[:1] in (["the"], ["a"], ["an"]):
        spoken = spoken[1:]
    named = subject.split()
    verb = spoken[len(named)] if len(spoken) > len(named) else ""
    return spoken[: len(named)] == named and verb.endswith("s") and verb not in _NO_ACT


@cache
def _words_of(language: str) -> _Words:
    table = word_tables().get(language) or word_tables()["en"]
    openings: tuple[tuple[Asked, str], ...] = (
        ("number", "ask_number"),
        ("date", "ask_date"),
        ("person", "ask_person"),
        ("reason", "ask_reason"),
        ("way", "ask_way"),
        ("definition", "ask_definition"),
    )
    return _Words(
        questions=tuple((asked, phrases_of(table[key])) for asked, key in openings),
        many=phrases_of(table["ask_many"]),
        listed=phrases_of(table["ask_list"]),
        comparing=phrases_of(table["comparing"]),
        conditions=phrases_of(table["conditions"]),
        verdicts=frozenset(table["verdicts"].split()),
        numbers=frozenset(table["numbers"].split()),
        months=frozenset(table["months"].split()),
        reasons=phrases_of(table["reasons"]),
        reasons_above=tuple(f"{one} " for one in phrases_of(table["reasons_above"])),
        ways_above=tuple(f"{one} " for one in phrases_of(table["ways_above"])),
        definitions_above=tuple(f"{one} " for one in phrases_of(table.get("definitions_above", "")) if one),
        defining=phrases_of(table["defining"]),
        naming=phrases_of(table["naming"]),
        expanding=phrases_of(table["expanding"]) if "expanding" in table else (),
        asking_author=frozenset(table["asking_author"].split()),
        authored=phrases_of(table["authored"]),
        authors_above=tuple(f"{one} " for one in phrases_of(table["authors_above"])),
        articles=frozenset(table["articles"].split()),
        within=frozenset(table["within"].split()),
        tails=phrases_of(table["tails"]),
        promising=phrases_of(table["promising"]),
        acting=language == "en",
    )
