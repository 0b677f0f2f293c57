"""The words of a sentence and their kinds, as far as closed classes and common verbs tell them. Pure.

This is no parser. It is right about plain sentences, and no rule judges what it cannot read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from footnote_resolver.verification import grammar
from footnote_resolver.verification.lexicon import CARDINALS, ORDINALS, POWERS, STOP_WORDS, unit
from footnote_resolver.verification.numerals import spelled_numbers
from footnote_resolver.verification.words import folded
from footnote_shared.kernel.stems import stem

_TOKEN = re.compile(
    r"[^\W\d_]+-?\d[\w-]*|\d+(?:[.,:'’\u202f\u00a0]\d+)*|[^\W\d_]+(?:['’.&][^\W_]+)*|[^\W_]+|[.;:,()!?—–|]"
)
_ASIDE = re.compile(r"\([^()]{1,80}\)|[\[⟦][^\]⟧]{1,40}[\]⟧]")
"""What stands in brackets interrupts a clause and is no part of it."""
HARD_MARKS = frozenset(".;:()!?—–|")
"""Punctuation over which no clause goes on."""
_POSSESSIVE = re.compile(r"(?:'s|’s|s['’])$")
_TITLES = frozenset(["dr", "mr", "mrs", "ms", "prof", "st", "no", "fig"])
_NUMBER_WORDS = frozenset([*CARDINALS, *ORDINALS, *POWERS])
_TIMES = frozenset(["once", "twice", "thrice", "half", "both"])
_PARTICIPLE = re.compile(r"[^\W\d_]{2,}ed$")


@dataclass(frozen=True, slots=True)
class TaggedWord:
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


def words_of(sentence: str) -> list[TaggedWord]:
    """The words of a sentence, each with its kind as far as that shows without its neighbours."""
    sentence = _ASIDE.sub(lambda aside: " " * len(aside.group()), sentence)
    spelled = [one for one in spelled_numbers(sentence, ordinals=False) if one.value > 1]
    found = [
        TaggedWord(sentence[one.start : one.end], f"{one.value:g}", "F", one.start, one.end)
        for one in spelled
    ]
    for match in _TOKEN.finditer(sentence):
        if any(one.start <= match.start() < one.end for one in spelled):
            continue
        written = match.group()
        text = folded(written)
        possessive = _POSSESSIVE.search(text) is not None and len(text) > 3
        text = _POSSESSIVE.sub("", text) if possessive and "'" in text[-2:] else text
        possessive = (possessive and written[-2:-1] in "'’") or written[-1:] in "'’"
        if written == "." and sentence[: match.start()].rpartition(" ")[2].lower() in _TITLES:
            continue
        kind = _kind_alone(text, written)
        root = _value(written) if kind == "F" else grammar.first_form(text)
        name = written[0].isupper() and kind == "O" and unit(written) is None
        found.append(TaggedWord(text, root, kind, match.start(), match.end(), name, possessive))
    return sorted(found, key=lambda one: one.start)


def _value(written: str) -> str:
    text = written.lower()
    if text in CARDINALS:
        return str(CARDINALS[text])
    if text in ORDINALS:
        # The second half is not two halves, but what happens twice happens two times.
        return f"{ORDINALS[text]:g}" if text in _TIMES else f"{ORDINALS[text]:g}."
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
    if text in (
        "may",
        "might",
        "can",
        "could",
        "shall",
        "should",
        "will",
        "would",
        "must",
        "ought",
        "cannot",
    ):
        # The month has its capital.
        return "O" if written == "May" else "A"
    if text.endswith("n't"):
        return "B" if text.removesuffix("n't") in grammar.BE else "A"
    return "E" if text.endswith("ly") and len(text) > 4 and written[0].islower() else "O"


def pieces_of(words: list[TaggedWord]) -> Iterator[list[TaggedWord]]:
    """The words between punctuation, conjunctions, connectives and relatives, with their verbs marked.

    A piece begins with the word that opens it.
    """
    piece: list[TaggedWord] = []
    for word in words:
        if word.kind == "P":
            yield _with_verbs(piece)
            piece = [word] if word.text in HARD_MARKS or word.text == "," else []
        elif word.kind in "CS" or (word.kind == "W" and piece):
            if all(w.kind in "PCSW" for w in piece):
                piece = [*piece, word]
            else:
                yield _with_verbs(piece)
                piece = [word]
        else:
            piece.append(word)
    yield _with_verbs(piece)


def _with_verbs(piece: list[TaggedWord]) -> list[TaggedWord]:
    """Mark the main verb: what follows an auxiliary, or else a past form, or else a common verb."""
    at = _after_auxiliary(piece)
    if at is None:
        at = next((i for i in range(len(piece)) if _is_past(piece, i)), None)
    if at is None:
        at = next((i for i in range(len(piece)) if _is_common(piece, i)), None)
    if at is None:
        at = next((i for i in range(len(piece)) if _is_likely(piece, i)), None)
    if at is not None:
        piece = [*piece[:at], _as_verb(piece[at]), *piece[at + 1 :]]
    return piece


def _as_verb(word: TaggedWord) -> TaggedWord:
    return TaggedWord(word.text, word.root, "V", word.start, word.end)


def _after_auxiliary(piece: list[TaggedWord]) -> int | None:
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


def _before(piece: list[TaggedWord], at: int) -> TaggedWord | None:
    return next((piece[k] for k in range(at - 1, -1, -1) if piece[k].kind != "E"), None)


def _is_past(piece: list[TaggedWord], at: int) -> bool:
    word = piece[at]
    if word.kind != "O" or word.name or any(one.kind == "B" for one in piece[:at]):
        return False
    if not (_PARTICIPLE.match(word.text) or word.text in grammar.IRREGULAR):
        return False
    before = _before(piece, at)
    return before is None or before.kind in "OTCWPFS"


def _is_common(piece: list[TaggedWord], at: int) -> bool:
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
    return before.kind in "OTW" or (before.text in grammar.QUANTITIES and not word.text.endswith("s"))


def _is_likely(piece: list[TaggedWord], at: int) -> bool:
    """Whether an unknown word stands like a verb in the present: `the signal travels from`."""
    word = piece[at]
    if word.kind != "O" or word.name or not word.text.endswith("s") or word.text.endswith(("ss", "us", "is")):
        return False
    if at + 1 >= len(piece) or any(one.kind in "AB" for one in piece):
        return False
    before = _before(piece, at)
    if before is None or before.kind != "O" or before.possessive or before.text.endswith("s"):
        return False
    return piece[at + 1].kind in "DRTF"
