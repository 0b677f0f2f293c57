"""The facts of a sentence: who does what to whom, and with which figures (spec 2.6). Pure.

This is no parser. It knows closed classes of words, common verbs and endings, and is right about plain
sentences. What it cannot read it leaves out, and no rule judges what is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from footnote_resolver.verification import grammar
from footnote_resolver.verification.lexicon import CARDINALS, ORDINALS, POWERS, STOP_WORDS, unit
from footnote_resolver.verification.numerals import spelled_numbers
from footnote_resolver.verification.words import folded
from footnote_shared.kernel.stems import stem

_LONGEST = 1000
"""Characters of a sentence that are read; a longer one is a table or an attack."""
_TOKEN = re.compile(
    r"\d+(?:[.,:'’\u202f\u00a0]\d+)*|[^\W\d_]+(?:['’.&][^\W_]+)*|[^\W_]+|[.;:,()!?—–|]"
)
_HARD = frozenset(".;:()!?—–|")
_POSSESSIVE = re.compile(r"(?:'s|’s|s['’])$")
_TITLES = frozenset("dr mr mrs ms prof st no fig".split())
_NUMBER_WORDS = frozenset([*CARDINALS, *ORDINALS, *POWERS])
_PARTICIPLE = re.compile(r"[^\W\d_]{2,}ed$")
_CONTENT = frozenset("OV")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, its root, the kind of word it is, and its range in the sentence.

    Kinds: O for nouns, adjectives and whatever is unknown, V verb, B a form of be, A another auxiliary or a
    modal, D determiner, R preposition, T pronoun, C conjunction, W relative, S subordinator, E adverb,
    F figure, P punctuation.
    """

    text: str
    root: str
    kind: str
    start: int
    end: int
    name: bool = False
    possessive: bool = False

    @property
    def counts(self) -> bool:
        return self.kind in ("O", "V", "F") and (self.kind == "F" or self.text not in STOP_WORDS)


@dataclass(slots=True)
class Fact:
    """A clause, or a part of one that has figures of its own."""

    words: list[Word]
    text: str
    subject: list[Word] = field(default_factory=list)
    verb: Word | None = None
    passive: bool = False
    object: list[Word] = field(default_factory=list)
    phrases: dict[str, list[Word]] = field(default_factory=dict)
    """By preposition, those behind the verb; those before the subject as well."""
    inherited: list[Word] = field(default_factory=list)
    """What the fact takes over from the one before it: `and 7 million in 2020`."""
    linked: frozenset[str] = frozenset()
    """Roots of the subject that a pronoun, or nothing, stands for."""
    anaphoric: bool = False
    refers: bool = False
    """Whether a pronoun stands behind the verb."""

    @property
    def roots(self) -> frozenset[str]:
        return frozenset(word.root for word in self.words if word.counts) | self.linked

    @property
    def topic(self) -> frozenset[str]:
        """Roots of what the fact is about."""
        return frozenset(word.root for word in self.subject) or self.linked

    @property
    def background(self) -> frozenset[str]:
        return frozenset(word.root for word in self.inherited if word.counts) - self.roots


@dataclass(frozen=True, slots=True)
class Reading:
    """The facts of one sentence, and the pieces between its commas and connectives, from which they come."""

    text: str
    words: tuple[Word, ...]
    facts: tuple[Fact, ...]
    pieces: tuple[tuple[Word, ...], ...]


@lru_cache(maxsize=4096)
def read(sentence: str) -> Reading:
    """The reading of one sentence."""
    sentence = sentence[:_LONGEST]
    words = _words(sentence)
    pieces = [piece for piece in _pieces(words) if piece]
    facts = [
        _analysed(sentence, clause) for clause in _joined(pieces) if any(one.counts for one in clause)
    ]
    for before, fact in zip(facts, facts[1:], strict=False):
        _inherit(before, fact)
    return Reading(sentence, tuple(words), tuple(facts), tuple(tuple(piece) for piece in pieces))


def _words(sentence: str) -> list[Word]:
    found: list[Word] = []
    spelled = [one for one in spelled_numbers(sentence, ordinals=False) if one.value > 1]
    for one in spelled:
        found.append(Word(sentence[one.start : one.end], f"{one.value:g}", "F", one.start, one.end))
    for match in _TOKEN.finditer(sentence):
        if any(one.start <= match.start() < one.end for one in spelled):
            continue
        written = match.group()
        text = folded(written)
        possessive = _POSSESSIVE.search(text) is not None and len(text) > 3
        text = _POSSESSIVE.sub("", text) if possessive and "'" in text[-2:] else text
        possessive = possessive and written[-2:-1] in "'’" or written[-1:] in "'’"
        if written == "." and sentence[: match.start()].rpartition(" ")[2].lower() in _TITLES:
            continue
        kind = _kind_alone(text, written)
        root = _value(written) if kind == "F" else grammar.first_form(text)
        name = written[0].isupper() and kind == "O" and unit(written) is None
        found.append(Word(text, root, kind, match.start(), match.end(), name, possessive))
    return sorted(found, key=lambda one: one.start)


def _value(written: str) -> str:
    text = written.lower()
    if text in CARDINALS:
        return str(CARDINALS[text])
    if text in ORDINALS:
        return f"{ORDINALS[text]:g}"
    return written.replace(",", "").rstrip("0").rstrip(".") if "." in written else written.replace(",", "")


def _kind_alone(text: str, written: str) -> str:
    """The kind of a word as far as it shows without its neighbours."""
    if not text[0].isalnum():
        return "P"
    if text[0].isdigit() or (text in _NUMBER_WORDS and text not in ("half", "both", "one", "once")):
        return "F"
    for kind, words in (
        ("B", grammar.BE),
        ("A", grammar.HAVE | grammar.DO),
        ("W", grammar.RELATIVES),
        ("T", grammar.PRONOUNS),
        ("S", grammar.SUBORDINATORS),
        ("C", grammar.CONJUNCTIONS),
        ("R", grammar.PREPOSITIONS),
        ("D", grammar.DETERMINERS),
        ("E", grammar.ADVERBS),
    ):
        if text in words:
            return kind
    if text in ("may", "might", "can", "could", "shall", "should", "will", "would", "must", "ought", "cannot"):
        # The month has its capital.
        return "O" if written == "May" else "A"
    if text.endswith("n't"):
        return "B" if text.removesuffix("n't") in grammar.BE else "A"
    return "E" if text.endswith("ly") and len(text) > 4 and written[0].islower() else "O"


def _pieces(words: list[Word]) -> Iterator[list[Word]]:
    """The words between punctuation, conjunctions, connectives and relatives, with their verbs marked.

    A piece begins with the word that opens it.
    """
    piece: list[Word] = []
    for word in words:
        if word.kind == "P":
            yield _with_verbs(piece)
            piece = [word] if word.text in _HARD or word.text == "," else []
        elif word.kind in "CS" or (word.kind == "W" and piece):
            if all(w.kind in "PCSW" for w in piece):
                piece = [*piece, word]
            else:
                yield _with_verbs(piece)
                piece = [word]
        else:
            piece.append(word)
    yield _with_verbs(piece)


def _with_verbs(piece: list[Word]) -> list[Word]:
    """Mark the main verb: what follows an auxiliary, or else a past form, or else a common verb."""
    at = _after_auxiliary(piece)
    if at is None:
        at = next((i for i in range(len(piece)) if _is_past(piece, i)), None)
    if at is None:
        at = next((i for i in range(len(piece)) if _is_common(piece, i)), None)
    if at is not None:
        piece = [*piece[:at], _as_verb(piece[at]), *piece[at + 1 :]]
    return piece


def _as_verb(word: Word) -> Word:
    return Word(word.text, word.root, "V", word.start, word.end)


def _after_auxiliary(piece: list[Word]) -> int | None:
    for i, word in enumerate(piece):
        if word.kind not in "AB":
            continue
        behind = next((k for k in range(i + 1, len(piece)) if piece[k].kind not in "ABE"), None)
        if behind is None or piece[behind].kind != "O":
            continue
        last = next(piece[k] for k in range(behind - 1, -1, -1) if piece[k].kind in "AB")
        text = piece[behind].text
        if last.kind == "A":
            perfect = last.text in grammar.HAVE
            if not perfect or _PARTICIPLE.match(text) or text in grammar.IRREGULAR:
                return behind
        elif _PARTICIPLE.match(text) or text in grammar.IRREGULAR or text.endswith("ing"):
            return behind
        if last.kind == "B":
            return None
    return None


def _before(piece: list[Word], at: int) -> Word | None:
    return next((piece[k] for k in range(at - 1, -1, -1) if piece[k].kind != "E"), None)


def _is_past(piece: list[Word], at: int) -> bool:
    word = piece[at]
    if word.kind != "O" or word.name or any(one.kind == "B" for one in piece[:at]):
        return False
    if not (_PARTICIPLE.match(word.text) or word.text in grammar.IRREGULAR):
        return False
    before = _before(piece, at)
    return before is None or before.kind in "OTCWPFS"


def _is_common(piece: list[Word], at: int) -> bool:
    word = piece[at]
    if word.kind != "O" or word.name or any(one.kind == "B" for one in piece):
        return False
    root = stem(word.text)
    if root not in grammar.VERBS or word.text.endswith(("ing", "ment", "tion", "er", "or", "ers", "ors")):
        return False
    before = _before(piece, at)
    if before is None or before.kind in "PS" or before.possessive:
        return False
    if before.kind == "C":
        return at + 1 < len(piece) and piece[at + 1].kind in "DTF"
    return before.kind in "OTW"


def _has_verb(piece: list[Word]) -> bool:
    return any(word.kind in "VBA" for word in piece)


def _joined(pieces: list[list[Word]]) -> list[list[Word]]:
    """The pieces put together to clauses: what has no verb belongs to a neighbour, or has its own figures."""
    found: list[list[Word]] = []
    waiting: list[Word] = []
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


def _opening(piece: list[Word]) -> str:
    return piece[0].text if piece else ""


def _hard(piece: list[Word]) -> bool:
    return bool(piece) and piece[0].kind == "P" and piece[0].text in _HARD


def _begins_clause(piece: list[Word], following: list[Word]) -> bool:
    """Whether the words are the beginning of the next clause: `, in Finland, it opened four`."""
    return len(piece) > 1 and piece[1].kind == "R" and following[0].text == "," and _has_verb(following)


def _stands_alone(piece: list[Word], before: list[Word]) -> bool:
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


def _numeric(piece: list[Word]) -> bool:
    return any(word.kind == "F" for word in piece)


def _analysed(sentence: str, words: list[Word]) -> Fact:
    fact = Fact(words, sentence[words[0].start : words[-1].end])
    at = next((i for i, word in enumerate(words) if word.kind == "V"), None)
    first = next((i for i, word in enumerate(words) if word.kind in "VBA"), len(words))
    be = [i for i in range(first, at if at is not None else len(words)) if words[i].kind == "B"]
    if at is None and be:
        at = be[0]
    if at is None and first < len(words):
        at = first
    if at is not None:
        fact.verb = words[at]
        fact.passive = bool(be) and words[at].kind == "V" and not words[at].text.endswith("ing")
    subject: list[Word] = []
    phrase: str | None = None
    for word in words[:first]:
        if word.kind == "P":
            # What stands before a comma is no subject.
            subject, phrase = [], None
        elif word.kind == "R" and not subject and word.text != "of":
            phrase = word.text
        elif word.counts:
            (subject if phrase is None else fact.phrases.setdefault(phrase, [])).append(word)
        elif word.kind in "T" and phrase is None:
            fact.anaphoric = fact.anaphoric or word.text in grammar.ANAPHORS
    if first == len(words) and at is None:
        fact.phrases.setdefault("", []).extend(subject)
        subject = []
    fact.subject = subject
    phrase = None
    for word in words[(at + 1 if at is not None else len(words)) :]:
        if word.kind == "R" and not (word.text == "of" and phrase is None):
            phrase = phrase if word.text == "of" else word.text
        elif word.kind == "W" and phrase is None and fact.object:
            phrase = word.text
        elif word.kind == "T" and word.text in grammar.ANAPHORS:
            fact.refers = True
        elif word.counts:
            (fact.object if phrase is None else fact.phrases.setdefault(phrase, [])).append(word)
    return fact


def _inherit(before: Fact, fact: Fact) -> None:
    """Give a fact what it leaves unsaid: its subject, its verb, or all of the one before it."""
    fact.inherited = list(before.words)
    if fact.verb is None:
        fact.inherited += before.inherited
        if not any(word.name for word in fact.phrases.get("", ())):
            fact.linked = before.topic
        return
    if not fact.subject:
        relative = any(word.kind == "W" for word in fact.words[:2])
        fact.linked = _roots(before.object) if relative and before.object else before.topic
    if fact.verb.kind in "AB" and not fact.object and not fact.phrases and before.verb is not None:
        # `but only some of the doctors were`
        fact.linked |= before.roots - before.topic


def _roots(words: list[Word]) -> frozenset[str]:
    return frozenset(word.root for word in words if word.counts)
