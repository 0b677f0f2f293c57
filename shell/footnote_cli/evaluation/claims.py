"""Sentences to test citing with: from one sentence of a document, forms that it supports and forms that it does not. Pure.

All are made by rule and seed, none by a model, so that a figure means the same today and in a year. A supported form says
less than its source, or the same in other words; an unsupported one differs from it in one figure, one name or one
negation, or comes from another document.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from footnote_shared.kernel.text import sentences

Form = Literal[
    "exact", "lead", "short", "resolved", "reworded", "answer", "figure", "name", "negated", "foreign"
]
SUPPORTED: tuple[Form, ...] = ("exact", "lead", "short", "resolved", "reworded", "answer")
UNSUPPORTED: tuple[Form, ...] = ("figure", "name", "negated", "foreign")
_MIN_WORDS = 5
_WORD = re.compile(r"[^\W_]+")
_REFERENCE = re.compile(r"\s?[\[⟦]\s*\d{1,4}(?:\s*[-–,;]\s*\d{1,4})*\s*[\]⟧]")
_PARENTHESES = re.compile(r"\s?\([^()]*\)")
_TAIL = re.compile(
    r"(?:, (?:which|whereas|while|although|where|with|including|such as|but|and)|;| because| since) .*$"
)
_OPENING = re.compile(
    r"^(?:However|Moreover|Furthermore|In addition|Additionally|Therefore|Thus|Hence|Finally|Interestingly|Importantly|Also|Indeed|In contrast|For example|For instance|As a result|Consequently|Similarly), "
)
_SUBJECT = {
    "We": "The authors",
    "Our": "The authors'",
    "It": "This subject",
    "They": "These groups",
    "This": "The said",
    "These": "The said",
    "Here": "In this work",
}
_OTHER_WORDS = {
    "shows": "demonstrates",
    "showed": "demonstrated",
    "shown": "demonstrated",
    "show": "demonstrate",
    "uses": "employs",
    "used": "employed",
    "use": "employ",
    "using": "employing",
    "increase": "rise",
    "increased": "raised",
    "increases": "raises",
    "decrease": "drop",
    "decreased": "reduced",
    "large": "big",
    "important": "significant",
    "many": "numerous",
    "several": "a number of",
    "help": "aid",
    "cause": "reason",
    "caused": "brought about",
    "causes": "brings about",
    "begin": "start",
    "began": "started",
    "found": "observed",
    "suggest": "indicate",
    "suggests": "indicates",
    "suggested": "indicated",
    "also": "as well",
    "main": "chief",
    "major": "chief",
    "however": "yet",
    "because": "as",
    "about": "around",
    "approximately": "about",
    "associated": "linked",
    "related": "linked",
    "children": "kids",
    "disease": "illness",
    "patients": "sick people",
    "study": "investigation",
    "studies": "investigations",
    "result": "outcome",
    "results": "outcomes",
    "reported": "described",
    "detected": "identified",
    "high": "elevated",
    "higher": "greater",
    "lower": "smaller",
    "rapid": "fast",
    "rapidly": "quickly",
    "people": "persons",
    "including": "among them",
    "different": "various",
    "possible": "conceivable",
    "common": "frequent",
    "required": "needed",
    "requires": "needs",
    "obtained": "gained",
    "performed": "carried out",
    "provide": "give",
    "provides": "gives",
    "evidence": "proof",
    "method": "procedure",
    "methods": "procedures",
    "first": "initial",
    "role": "part",
    "risk": "danger",
    "death": "fatality",
    "deaths": "fatalities",
}
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:\.\d+)?(?![\w-]|[.,]\d)")
_NAME = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][A-Za-z0-9]{2,}(?:-[A-Za-z0-9]+)*")
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|can|could|will|would|should|has|have|had|may|might|must|does|do|did)\b(?! not\b)"
)
_DENIAL = re.compile(r"\b(is|are|was|were|can|could|will|would|should|has|have|had|may|might|must) not\b")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence for a model to write. `supported`: the passage of its source supports it."""

    text: str
    form: Form

    @property
    def supported(self) -> bool:
        return self.form in SUPPORTED


def gold_sentence(text: str, span: tuple[int, int]) -> str:
    """The sentence of the text that holds most of the span, on one line."""
    start, end = span
    found = max(sentences(text), key=lambda s: min(s.end, end) - max(s.start, start))
    return " ".join(found.text.split())


def usable(sentence: str) -> bool:
    """Whether it reads as a statement: neither a scrap of a table nor a paragraph."""
    words = _WORD.findall(sentence)
    return 2 * _MIN_WORDS <= len(words) <= 80 and sentence.rstrip(")\"'”’").endswith(".")


def supported_claims(sentence: str, answer: str) -> list[Claim]:
    """The sentence as it stands, and what can be made of it by rule; `answer` is the part that answers the question."""
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
    if len(_WORD.findall(said)) >= _MIN_WORDS and said.lower() in exact.lower():
        made.append(("answer", f"{said[0].upper()}{said[1:]}."))
    seen: dict[str, Form] = {}
    for form, text in made:
        if len(_WORD.findall(text)) >= _MIN_WORDS:
            seen.setdefault(text, form)
    return [Claim(text, form) for text, form in seen.items()]


def unsupported_claims(
    sentence: str, foreign: str | None, other_names: Sequence[str], chance: random.Random
) -> list[Claim]:
    """What the sentence does not support, one for each way that applies to it. `foreign` is a sentence of another document, if there is one."""
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
    return [Claim(text, form) for form, text in made]


def names_in(text: str) -> list[str]:
    """Words in it that are written as names, each once, in order."""
    return list(dict.fromkeys(_NAME.findall(" ".join(text.split()))))


def new_parts(claim: Claim, source: str) -> set[str]:
    """Figures and names that the claim has and its source has not: where a passage holds one, the claim may be true by accident."""
    own = {*_NUMBER.findall(claim.text), *_NAME.findall(claim.text)}
    return {part for part in own if part not in source}


def holds(passage: str, sentence: str) -> bool:
    """Whether the passage holds the sentence, whatever the white space, punctuation and markers in both."""
    return letters(sentence) in letters(passage)


def letters(text: str) -> str:
    """Letters and digits alone, without the marks of references: what two layouts of one text have in common."""
    return "".join(_WORD.findall(_REFERENCE.sub("", text))).lower()


def _tidy(text: str) -> str:
    return re.sub(r"\s+([.,;:])", r"\1", " ".join(text.split()))


def _lowered(sentence: str) -> str:
    """Ready to stand behind a lead-in: a first word that is a name or an abbreviation keeps its letters."""
    first = sentence.split(" ", 1)[0]
    return sentence[0].lower() + sentence[1:] if first[1:].islower() or len(first) == 1 else sentence


def _shortened(sentence: str) -> str:
    short = _PARENTHESES.sub("", sentence)
    cut = _TAIL.sub("", short)
    short = cut if len(_WORD.findall(cut)) >= 2 * _MIN_WORDS else short
    return _tidy(short.rstrip(" .,;") + ".")


def _resolved(sentence: str) -> str:
    first, _, rest = sentence.partition(" ")
    return f"{_SUBJECT[first]} {rest}" if first in _SUBJECT else sentence


def _reworded(sentence: str) -> str:
    words = re.sub(r"(\d)\s?%", r"\1 percent", sentence)
    return re.sub(r"\b[a-z]+\b", lambda match: _OTHER_WORDS.get(match[0], match[0]), words)


def _replaced(text: str, match: re.Match[str], other: Callable[[str], str]) -> str:
    return text[: match.start()] + other(match[0]) + text[match.end() :]


def _other_number(number: str) -> str:
    """Another one of the same kind: a year stays a year, decimals stay."""
    if "." in number:
        return f"{float(number) * 2 + 1.3:.{len(number.split('.')[1])}f}"
    value = int(number)
    return str(value + 3 if 1000 <= value <= 2100 else 2 * value + 7)


def _negated(sentence: str) -> str:
    if _DENIAL.search(sentence):
        return _DENIAL.sub(r"\1", sentence, count=1)
    return _AUXILIARY.sub(r"\g<0> not", sentence, count=1)
