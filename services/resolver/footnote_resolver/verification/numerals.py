"""Numbers of a text as values: in digits, English or continental, with scales, and in words. Pure."""

import re
from dataclasses import dataclass

from footnote_resolver.verification.languages import language_of
from footnote_resolver.verification.lexicon import CARDINALS, ORDINALS, POWERS, SCALES
from footnote_resolver.verification.words import folded

_GROUPED = re.compile(r"\d{1,3}(?:[,\u00a0\u202f'’ ]\d{3})+(?:\.\d+)?")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_GROUP_MARK = re.compile(r"[,\u00a0\u202f'’ ]")
_NUMBER_WORD = "|".join([*CARDINALS, *POWERS, "a", "and"])
_COUNTED = re.compile(rf"\b(?:(?:{_NUMBER_WORD})(?:[\s-]+|\b))+", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
_ANY_WORD = re.compile(r"[^\W\d_]+")
_MULTIPLIERS = (12, 100)
"""Powers that a number in words multiplies and goes on from; the others end a part of it."""

DIGITS = (
    r"\d{1,3}(?:[,\u00a0\u202f'’ ]\d{3})+(?:\.\d+)?(?!\d)"
    r"|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?(?!\d)"
    r"|\d+(?:[.,]\d+)?"
)
"""A number in digits, with or without marks between its thousands."""
SCALE = r"\s?(?:thousand|million|billion|trillion|lakh|crore|mio|mrd|bn|mn)\b|[kKMB]\b"


@dataclass(frozen=True, slots=True)
class Value:
    """What a number may stand for (`1.200` is two things), and half a unit of its last written place."""

    readings: tuple[float, ...]
    precision: float


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number in words and its place in the text."""

    value: float
    start: int
    end: int
    ordinal: bool = False


def value_of(digits: str, scale: str = "") -> Value:
    """The value of what `DIGITS` matched, with what `SCALE` matched behind it."""
    factor = SCALES.get(scale.strip().lower(), 1.0)
    if _GROUPED.fullmatch(digits):
        plain = _GROUP_MARK.sub("", digits)
        readings = [float(plain)]
    elif _POINTS.fullmatch(digits) and not digits.startswith("0"):
        plain = digits.replace(".", "").replace(",", ".")
        readings = [float(plain)]
        if digits.count(".") == 1 and "," not in digits:
            plain, readings = digits, [float(digits), *readings]
    else:
        plain = digits.replace(",", ".")
        readings = [float(plain)]
    places = len(plain.partition(".")[2])
    return Value(tuple(reading * factor for reading in readings), 0.5 * 10.0**-places * factor)


def spelled_numbers(text: str, *, ordinals: bool) -> list[Spelled]:
    """Numbers in words: `twenty-one` is one number, and so is `two hundred and five thousand`.

    A lone `one` is a pronoun more often than a number. With `ordinals` it counts, and `first` to `tenth`,
    `twice` and `half` do as well: that is for a text in which a number is looked for. Of other languages than
    English the numbers from two to twelve are read.
    """
    language = language_of(text)
    if language is not None:
        return [
            Spelled(float(language.cardinals[word]), match.start(), match.end())
            for match in _ANY_WORD.finditer(text)
            if (word := folded(match.group())) in language.cardinals
        ]
    found = []
    for match in _COUNTED.finditer(text):
        words = [
            (word.group(), match.start() + word.start(), match.start() + word.end())
            for word in _WORD.finditer(match.group().lower())
        ]
        found += _read(words, lone_one=ordinals)
    if ordinals:
        found += [
            Spelled(ORDINALS[word.group()], word.start(), word.end(), ordinal=True)
            for word in _WORD.finditer(text.lower())
            if word.group() in ORDINALS
        ]
    return found


class _Run:
    """The number that is being read from a run of number words."""

    def __init__(self, start: int) -> None:
        self.start = self.end = start
        self.words = 0
        self._total = 0.0
        self._current = 0.0

    @property
    def value(self) -> float:
        return self._total + self._current

    @property
    def takes_and(self) -> bool:
        """Whether `and` may stand next: behind a hundred or a thousand."""
        behind_hundred = self._current >= 100 and self._current % 100 == 0
        return behind_hundred or (self._total > 0 and not self._current)

    @property
    def is_round(self) -> bool:
        """Whether any number below a hundred may follow: behind `two hundred` or `three thousand`."""
        return self._current % 100 == 0 and self._current < 1000 and self.value > 0

    def takes(self, value: float) -> bool:
        """Whether the number goes on with this value: `two hundred` with 40, `twenty` with 1."""
        follows_tens = 1 <= value < 10 and self._current % 10 == 0 and self._current % 100 >= 20
        return self.is_round or follows_tens

    def add(self, value: float, end: int) -> None:
        self._current += value
        self.end = end
        self.words += 1

    def multiply(self, power: int, end: int) -> None:
        if power in _MULTIPLIERS:
            self._current = (self._current or 1) * power
        else:
            self._total, self._current = self._total + (self._current or 1) * power, 0.0
        self.end = end
        self.words += 2


def _read(words: list[tuple[str, int, int]], *, lone_one: bool) -> list[Spelled]:
    """Cut a run of number words into numbers: `two and three` are two, `two hundred and three` is one."""
    runs: list[_Run] = []
    run: _Run | None = None
    for position, (word, start, end) in enumerate(words):
        following = words[position + 1][0] if position + 1 < len(words) else ""
        if word == "and":
            run = run if run is not None and run.takes_and else None
        elif word in POWERS:
            if run is None:
                run = _Run(start)
                runs.append(run)
            run.multiply(POWERS[word], end)
        elif word == "a" and following not in POWERS:
            run = None
        else:
            value = 1.0 if word == "a" else float(CARDINALS.get(word, 0))
            if run is None or not (run.is_round if word == "a" else run.takes(value)):
                run = _Run(start)
                runs.append(run)
            run.add(value, end)
    return [
        Spelled(run.value, run.start, run.end) for run in runs if lone_one or run.words > 1 or run.value != 1
    ]
