"""What a scripted model of a temper writes over a numbered prompt. Pure, and repeatable by seed."""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from footnote_cli.evaluation.judged_set import JudgedQuestion, JudgedSet
from footnote_cli.evaluation.statements import (
    Statement,
    holds,
    new_parts,
    supported_statements,
    unsupported_statements,
)
from footnote_cli.evaluation.tempers import MarkerChoice, Temper, WrittenMarker, marker_of
from footnote_shared.kernel.citation_tokens import NUMBER

_PASSAGE = re.compile(
    rf"^\[({NUMBER})\] (.*?)(?=^\[{NUMBER}\] |^</document|^<document|^§ |\Z)", re.MULTILINE | re.DOTALL
)
# A few letters at a time, as models stream.
_PIECE = re.compile(r"\s*\S{1,6}|\s+\Z")
_CUTS = (1, 1, 1, 2, 3, 7)
_STATEMENTS = 2
_TRIES = 50


@dataclass(frozen=True, slots=True)
class WrittenStatement:
    """A statement as the model wrote it, the marker behind it, and the numbers whose passages support it."""

    statement: Statement
    marker: WrittenMarker
    right: frozenset[int]


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """What one model wrote to one question, as the pieces of its stream."""

    pieces: tuple[str, ...]
    statements: tuple[WrittenStatement, ...]


@dataclass(frozen=True, slots=True)
class NumberedPassages:
    """What a prompt showed: passages by number, and the numbers of those with the answering sentence."""

    texts: Mapping[int, str]
    right: tuple[int, ...]


def passages_in(prompt: str, question: JudgedQuestion) -> NumberedPassages:
    """The numbered passages of a prompt of the engine."""
    texts = {int(n): text.strip() for n, text in _PASSAGE.findall(prompt)}
    return NumberedPassages(texts, tuple(n for n, text in texts.items() if holds(text, question.sentence)))


def write(
    temper: Temper, question: JudgedQuestion, shown: NumberedPassages, given: JudgedSet, seed: int
) -> WrittenAnswer | None:
    """What a model of this temper answers.

    None where no passage holds the answer: nothing could be said of its citations.
    """
    if not shown.right:
        return None
    chance = random.Random(f"{seed} {temper} {question.text}")  # noqa: S311
    written = tuple(
        _written(temper, statement, place, shown, chance)
        for place, statement in enumerate(_statements(temper, question, shown, given, chance))
    )
    return WrittenAnswer(tuple(_cut(_text(written), temper, chance)), written)


def _statements(
    temper: Temper,
    question: JudgedQuestion,
    shown: NumberedPassages,
    given: JudgedSet,
    chance: random.Random,
) -> list[Statement]:
    """The sentence as it stands and two forms of it, or two statements that nothing shown supports."""
    if temper not in (Temper.UNSUPPORTED, Temper.LYING):
        exact, *forms = supported_statements(question.sentence, question.answer)
        return [exact, *chance.sample(forms, min(_STATEMENTS, len(forms)))]
    foreign = _foreign(shown.texts.values(), given.foreign, chance)
    made = unsupported_statements(question.sentence, foreign, given.names, chance)
    everything = "\n".join(shown.texts.values())
    sure = [
        statement
        for statement in made
        if statement.form == "foreign"
        or not any(part in everything for part in new_parts(statement, question.sentence))
    ]
    if temper is Temper.LYING:
        sure = [statement for statement in sure if statement.form != "foreign"] or sure
    return chance.sample(sure, min(_STATEMENTS, len(sure)))


def _foreign(texts: Iterable[str], sentences: Sequence[str], chance: random.Random) -> str | None:
    """A sentence of another document that no passage holds, if there is one."""
    shown = list(texts)
    tried = (chance.choice(sentences) for _ in range(_TRIES))
    return next((sentence for sentence in tried if not any(holds(text, sentence) for text in shown)), None)


def _written(
    temper: Temper, statement: Statement, place: int, shown: NumberedPassages, chance: random.Random
) -> WrittenStatement:
    right = frozenset(shown.right) if statement.supported else frozenset[int]()
    choice = MarkerChoice(chance.choice(shown.right), list(shown.texts), shown.right, place, chance)
    return WrittenStatement(statement, marker_of(temper, choice), right)


def _text(written: Sequence[WrittenStatement]) -> str:
    """A paragraph of one statement and one of the others; every second marker stands before the full stop."""
    text = ""
    for place, one in enumerate(written):
        gap = "" if not place else "\n\n" if place == 1 else " "
        sentence, marker = one.statement.text, one.marker.text
        if marker and place % 2 == 0:
            text += f"{gap}{sentence[:-1]} {marker}{sentence[-1]}"
        else:
            text += f"{gap}{sentence} {marker}".rstrip()
    return text


def _cut(text: str, temper: Temper, chance: random.Random) -> list[str]:
    """The pieces of a stream; with `splitting` it is cut anywhere, to single characters."""
    if temper is not Temper.SPLITTING:
        return _PIECE.findall(text)
    pieces, start = [], 0
    while start < len(text):
        length = chance.choice(_CUTS)
        pieces.append(text[start : start + length])
        start += length
    return pieces
