"""What scripted models of several tempers write over a numbered prompt. Pure, and repeatable by seed (spec 8.1)."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from footnote_cli.evaluation.claims import (
    Claim,
    holds,
    new_parts,
    supported_claims,
    unsupported_claims,
)
from footnote_cli.evaluation.question_set import Question, QuestionSet

_PASSAGE = re.compile(
    r"^\[(\d{1,4})\] (.*?)(?=^\[\d{1,4}\] |^</document|^<document|^§ |\Z)", re.MULTILINE | re.DOTALL
)
_PIECE = re.compile(r"\s*\S{1,6}|\s+\Z")
_FARTHEST_RANGE = 3
_TRIES = 50


class Temper(StrEnum):
    """How a model keeps to the contract of citing."""

    OBEDIENT = "obedient"
    LAZY = "lazy"
    INVENTING = "inventing"
    LINKING = "linking"
    RANGING = "ranging"
    SPLITTING = "splitting"
    WRONG = "wrong"
    UNSUPPORTED = "unsupported"
    LYING = "lying"


@dataclass(frozen=True, slots=True)
class Part:
    """A claim as the model wrote it. `marker` is what it put behind, `meant` the known numbers in that, in order.

    `right` are the numbers shown whose passages support the claim; `dropped` how many numbers of the marker were never shown.
    """

    claim: Claim
    marker: str
    meant: tuple[int, ...]
    right: frozenset[int]
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What one model wrote to one question, as the pieces of its stream."""

    pieces: tuple[str, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a prompt showed: the passages by number, and those that hold the sentence that answers."""

    passages: Mapping[int, str]
    right: tuple[int, ...]


def shown_in(prompt: str, question: Question) -> Shown:
    """The numbered passages of a prompt of the engine."""
    passages = {int(n): text.strip() for n, text in _PASSAGE.findall(prompt)}
    return Shown(passages, tuple(n for n, text in passages.items() if holds(text, question.sentence)))


def write(temper: Temper, question: Question, shown: Shown, given: QuestionSet, seed: int) -> Answer | None:
    """What a model of this temper answers; None where no passage holds the answer, and nothing can be said of its citations."""
    if not shown.right:
        return None
    chance = random.Random(f"{seed} {temper} {question.text}")  # noqa: S311
    parts = [
        _part(temper, claim, place, shown, chance)
        for place, claim in enumerate(_claims(temper, question, shown, given, chance))
    ]
    text = ""
    for place, part in enumerate(parts):
        gap = "" if not place else "\n\n" if place == 1 else " "
        before_end = bool(part.marker) and place % 2 == 0
        sentence = part.claim.text
        text += gap + (
            f"{sentence[:-1]} {part.marker}{sentence[-1]}"
            if before_end
            else f"{sentence} {part.marker}".rstrip()
        )
    return Answer(tuple(_cut(text, temper, chance)), tuple(parts))


def _claims(
    temper: Temper, question: Question, shown: Shown, given: QuestionSet, chance: random.Random
) -> list[Claim]:
    """The sentence as it stands and two forms of it, or two that nothing shown supports."""
    if temper not in (Temper.UNSUPPORTED, Temper.LYING):
        exact, *forms = supported_claims(question.sentence, question.answer)
        return [exact, *chance.sample(forms, min(2, len(forms)))]
    everything = "\n".join(shown.passages.values())
    foreign = next(
        (
            sentence
            for sentence in (chance.choice(given.foreign) for _ in range(_TRIES))
            if not any(holds(text, sentence) for text in shown.passages.values())
        ),
        None,
    )
    made = unsupported_claims(question.sentence, foreign, given.names, chance)
    sure = [
        claim
        for claim in made
        if claim.form == "foreign"
        or not any(part in everything for part in new_parts(claim, question.sentence))
    ]
    if temper is Temper.LYING:
        sure = [claim for claim in sure if claim.form != "foreign"] or sure
    return chance.sample(sure, min(2, len(sure)))


def _part(temper: Temper, claim: Claim, place: int, shown: Shown, chance: random.Random) -> Part:
    right = frozenset(shown.right) if claim.supported else frozenset[int]()
    own = chance.choice(shown.right)
    marker, meant, dropped = _MARKERS.get(temper, _nothing)(own, shown, place, chance)
    return Part(claim, marker, meant, right, dropped)


Marker = tuple[str, tuple[int, ...], int]


def _nothing(own: int, shown: Shown, place: int, chance: random.Random) -> Marker:
    return "", (), 0


def _plain(own: int, shown: Shown, place: int, chance: random.Random) -> Marker:
    return f"[{own}]", (own,), 0


def _invented(own: int, shown: Shown, place: int, chance: random.Random) -> Marker:
    above = max(shown.passages)
    numbers = chance.sample(range(above + 1, 999), 2)
    return (f"[{numbers[0]}]", (), 1) if place % 2 else (f"[{numbers[0]}, {numbers[1]}]", (), 2)


def _link(own: int, shown: Shown, place: int, chance: random.Random) -> Marker:
    url = f"https://example.org/{chance.randrange(1000)}"
    forms: Sequence[Marker] = (
        (f"[{own}]({url})", (own,), 0),
        (f"[[{own}]]({url})", (own,), 0),
        (f"[citation:{own}]", (own,), 0),
        (f"[citation:{url}]", (), 0),
    )
    return chance.choice(forms)


def _range(own: int, shown: Shown, place: int, chance: random.Random) -> Marker:
    """Several numbers in one bracket; all of them stand beside passages."""
    near = [n for n in shown.passages if n != own and abs(n - own) <= _FARTHEST_RANGE]
    if not near:
        return _plain(own, shown, place, chance)
    low, high = sorted((own, chance.choice(near)))
    whole = tuple(n for n in range(low, high + 1) if n in shown.passages)
    forms: Sequence[Marker] = (
        (f"[{low}-{high}]", whole, 0),
        (f"[{low}–{high}]", whole, 0),
        (f"[{low}, {high}]", (low, high), 0),
        (f"[{low}; {high}]", (low, high), 0),
        (f"[{low} and {high}]", (low, high), 0),
        (f"[{low}]–[{high}]", (low, high), 0),
        (f"【{low}】【{high}†source】", (low, high), 0),
    )
    return chance.choice(forms)


def _other(own: int, shown: Shown, place: int, chance: random.Random) -> Marker:
    others = [n for n in shown.passages if n not in shown.right]
    if not others:
        return "", (), 0
    other = chance.choice(others)
    return f"[{other}]", (other,), 0


_MARKERS: Mapping[Temper, Callable[[int, Shown, int, random.Random], Marker]] = {
    Temper.OBEDIENT: _plain,
    Temper.SPLITTING: _plain,
    Temper.LYING: _plain,
    Temper.INVENTING: _invented,
    Temper.LINKING: _link,
    Temper.RANGING: _range,
    Temper.WRONG: _other,
}


def _cut(text: str, temper: Temper, chance: random.Random) -> list[str]:
    """As a stream: a few letters at a time, or cut anywhere, to single characters."""
    if temper is not Temper.SPLITTING:
        return _PIECE.findall(text)
    pieces, start = [], 0
    while start < len(text):
        length = chance.choice((1, 1, 1, 2, 3, 7))
        pieces.append(text[start : start + length])
        start += length
    return pieces
