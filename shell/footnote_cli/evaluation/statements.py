"""Statements: sentences made from one sentence of a document, which supports some and not others. Pure.

All are made by rule and seed, none by a model, so that a figure means the same today and in a year. A
supported statement says less than its sentence, or the same in other words. An unsupported one differs
from it in one figure, one name or one negation, or comes from another document.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from footnote_cli.evaluation.other_words import OTHER_WORDS
from footnote_shared.kernel.citation_tokens import REFERENCE
from footnote_shared.kernel.text import sentences

Form = Literal[
    "exact", "lead", "short", "resolved", "reworded", "answer", "figure", "name", "negated", "foreign"
]
SUPPORTED: tuple[Form, ...] = ("exact", "lead", "short", "resolved", "reworded", "answer")
UNSUPPORTED: tuple[Form, ...] = ("figure", "name", "negated", "foreign")

# A sentence of fewer words says too little to be found again; a shortened one keeps as many.
_MIN_WORDS = 10
_MAX_WORDS = 80
_MIN_WORDS_OF_FORM = 5
_OPENINGS = (
    "Additionally",
    "Also",
    "As a result",
    "Consequently",
    "Finally",
    "For example",
    "For instance",
    "Furthermore",
    "Hence",
    "However",
    "Importantly",
    "In addition",
    "In contrast",
    "Indeed",
    "Interestingly",
    "Moreover",
    "Similarly",
    "Therefore",
    "Thus",
)
_TAILS = (
    "and",
    "but",
    "including",
    "such as",
    "where",
    "whereas",
    "which",
    "while",
    "although",
    "with",
)
_SUBJECTS = {
    "We": "The authors",
    "Our": "The authors'",
    "It": "This subject",
    "They": "These groups",
    "This": "The said",
    "These": "The said",
    "Here": "In this work",
}
_AUXILIARIES = (
    "is",
    "are",
    "was",
    "were",
    "can",
    "could",
    "will",
    "would",
    "should",
    "has",
    "have",
    "had",
    "may",
    "might",
    "must",
    "does",
    "do",
    "did",
)
_NEVER_DENIED = frozenset({"does", "do", "did"})

_WORD = re.compile(r"[^\W_]+")
_REFERENCE = re.compile(rf"\s?[\[⟦]\s*{REFERENCE}(?:\s*[-–,;]\s*{REFERENCE})*\s*[\]⟧]")
_PARENTHESES = re.compile(r"\s?\([^()]*\)")
_TAIL = re.compile(rf"(?:, (?:{'|'.join(_TAILS)})|;| because| since) .*$")
_OPENING = re.compile(rf"^(?:{'|'.join(_OPENINGS)}), ")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:\.\d+)?(?![\w-]|[.,]\d)")
_NAME = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][A-Za-z0-9]{2,}(?:-[A-Za-z0-9]+)*")
_AUXILIARY = re.compile(rf"\b(?:{'|'.join(_AUXILIARIES)})\b(?! not\b)")
_DENIAL = re.compile(rf"\b({'|'.join(word for word in _AUXILIARIES if word not in _NEVER_DENIED)}) not\b")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence for a scripted model to write, and how it was made from its source."""

    text: str
    form: Form

    @property
    def supported(self) -> bool:
        """Whether the sentence that it was made from supports it."""
        return self.form in SUPPORTED


def sentence_at(text: str, span: tuple[int, int]) -> str:
    """The sentence of the text that holds most of the span, on one line."""
    start, end = span
    found = max(sentences(text), key=lambda s: min(s.end, end) - max(s.start, start))
    return " ".join(found.text.split())


def usable(sentence: str) -> bool:
    """Whether it can be stated: neither a scrap of a table nor a paragraph."""
    words = _WORD.findall(sentence)
    return _MIN_WORDS <= len(words) <= _MAX_WORDS and sentence.rstrip(")\"'”’").endswith(".")


def supported_statements(sentence: str, answer: str) -> list[Statement]:
    """The sentence as it stands, and what can be made of it by rule; `answer` is the part that answers."""
    exact = _tidy(_REFERENCE.sub("", sentence))
    plain = _OPENING.sub("", exact)
    made: list[tuple[Form, str]] = [
        ("exact", exact),
        ("lead", f"According to the source, {_lowered(plain)}"),
        ("short", _shortened(plain)),
        ("resolved", _resolved(plain)),
        ("reworded", _reworded(plain)),
    ]
    said = _tidy(_REFERENCE.sub("", " ".join(answer.split())).strip(" ,;:."))
    if len(_WORD.findall(said)) >= _MIN_WORDS_OF_FORM and said.lower() in exact.lower():
        made.append(("answer", f"{said[0].upper()}{said[1:]}."))
    seen: dict[str, Form] = {}
    for form, text in made:
        if len(_WORD.findall(text)) >= _MIN_WORDS_OF_FORM:
            seen.setdefault(text, form)
    return [Statement(text, form) for text, form in seen.items()]


def unsupported_statements(
    sentence: str, foreign: str | None, other_names: Sequence[str], chance: random.Random
) -> list[Statement]:
    """What the sentence does not support, one statement for each way that applies to it.

    `foreign` is a sentence of another document, if there is one; `other_names` are names that may stand
    instead.
    """
    exact = _tidy(_REFERENCE.sub("", sentence))
    made: list[tuple[Form, str]] = []
    numbers = list(_NUMBER.finditer(exact))
    if numbers:
        made.append(("figure", _replaced(exact, chance.choice(numbers), _other_number)))
    own = list(_NAME.finditer(exact))
    strange = [name for name in other_names if name.lower() not in exact.lower()]
    if own and strange:
        name = chance.choice(strange)
        made.append(("name", _replaced(exact, chance.choice(own), lambda _: name)))
    negated = _negated(exact)
    if negated != exact:
        made.append(("negated", negated))
    if foreign is not None:
        made.append(("foreign", _tidy(_REFERENCE.sub("", foreign))))
    return [Statement(text, form) for form, text in made]


def names_in(text: str) -> list[str]:
    """Words of the text that are written as names, each once, in order."""
    return list(dict.fromkeys(_NAME.findall(" ".join(text.split()))))


def new_parts(statement: Statement, source: str) -> set[str]:
    """Figures and names that the source lacks; a passage that holds one may support the statement anyway."""
    own = {*_NUMBER.findall(statement.text), *_NAME.findall(statement.text)}
    return {part for part in own if part not in source}


def holds(passage: str, sentence: str) -> bool:
    """Whether the passage holds the sentence, whatever white space, punctuation and markers stand in both."""
    return letters(sentence) in letters(passage)


def letters(text: str) -> str:
    """Letters and digits alone, without marks of references: what two layouts of a text have in common."""
    return "".join(_WORD.findall(_REFERENCE.sub("", text))).lower()


def _tidy(text: str) -> str:
    return re.sub(r" ([.,;:])", r"\1", " ".join(text.split()))


def _lowered(sentence: str) -> str:
    """Ready to stand behind a lead-in: a first word that is a name or an abbreviation keeps its letters."""
    first = sentence.split(" ", 1)[0]
    return sentence[0].lower() + sentence[1:] if first[1:].islower() or len(first) == 1 else sentence


def _shortened(sentence: str) -> str:
    short = _PARENTHESES.sub("", sentence)
    cut = _TAIL.sub("", short)
    short = cut if len(_WORD.findall(cut)) >= _MIN_WORDS else short
    return _tidy(short.rstrip(" .,;") + ".")


def _resolved(sentence: str) -> str:
    first, _, rest = sentence.partition(" ")
    return f"{_SUBJECTS[first]} {rest}" if first in _SUBJECTS else sentence


def _reworded(sentence: str) -> str:
    words = re.sub(r"(\d)\s?%", r"\1 percent", sentence)
    return re.sub(r"\b[a-z]+\b", lambda match: OTHER_WORDS.get(match[0], match[0]), words)


def _replaced(text: str, match: re.Match[str], other: Callable[[str], str]) -> str:
    return text[: match.start()] + other(match[0]) + text[match.end() :]


def _other_number(number: str) -> str:
    """Another number of the same kind: a year stays a year, decimals stay."""
    if "." in number:
        return f"{float(number) * 2 + 1.3:.{len(number.split('.')[1])}f}"
    value = int(number)
    return str(value + 3 if 1000 <= value <= 2100 else 2 * value + 7)


def _negated(sentence: str) -> str:
    """Denied, or without its denial where it has one."""
    if _DENIAL.search(sentence):
        return _DENIAL.sub(r"\1", sentence, count=1)
    return _AUXILIARY.sub(r"\g<0> not", sentence, count=1)
