"""Numbers of a text as values: digits in English and continental spelling, scales, and numbers written as words. Pure."""

import re
from dataclasses import dataclass

from footnote_resolver.verification.words import word_list

_UNITS = {
    word: number
    for number, word in enumerate(
        word_list(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
        )
    )
}
_TENS = {
    word: 10 * tens
    for tens, word in enumerate(
        word_list("twenty thirty forty fifty sixty seventy eighty ninety"),
        start=2,
    )
}
_ORDINALS = {
    word: number
    for number, word in enumerate(
        word_list("first second third fourth fifth sixth seventh eighth ninth tenth"), start=1
    )
} | {"once": 1, "twice": 2, "thrice": 3, "half": 0.5, "both": 2}
_POWERS = {
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}
_SCALES = {
    "thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "mio": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9, "mrd": 1e9, "b": 1e9,
    "trillion": 1e12, "lakh": 1e5, "crore": 1e7,
}  # fmt: skip
_GROUPED = re.compile(r"\d{1,3}(?:[,\u00a0\u202f'’ ]\d{3})+(?:\.\d+)?")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_GROUP_MARK = re.compile(r"[,\u00a0\u202f'’ ]")
_NUMBER_WORD = "|".join([*_UNITS, *_TENS, *_POWERS, "a", "and"])
_COUNTED = re.compile(rf"\b(?:(?:{_NUMBER_WORD})(?:[\s-]+|\b))+", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")

DIGITS = r"\d{1,3}(?:[,\u00a0\u202f'’ ]\d{3})+(?:\.\d+)?(?!\d)|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?(?!\d)|\d+(?:[.,]\d+)?"
"""A number in digits, thousands separated or not."""
SCALE = r"\s?(?:thousand|million|billion|trillion|lakh|crore|mio|mrd|bn|mn)\b|[kKMB]\b"


@dataclass(frozen=True, slots=True)
class Value:
    """What a number may stand for (`1.200` is two things), and half a unit of its last written place."""

    readings: tuple[float, ...]
    precision: float


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number written as words and its place in the text."""

    value: float
    start: int
    end: int
    ordinal: bool = False


def value_of(digits: str, scale: str = "") -> Value:
    """The value of `DIGITS` with what follows it of `SCALE`."""
    factor = _SCALES.get(scale.strip().lower(), 1.0)
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
    """Numbers in words, `twenty-one` and `two hundred and five thousand` as one. A lone `one` is a pronoun more often than not.

    `ordinals`: with `first` to `tenth`, `twice`, `half` and a lone `one`, for a text in which a number may be found.
    """
    found = []
    for match in _COUNTED.finditer(text):
        words = [
            (word.group(), match.start() + word.start(), match.start() + word.end())
            for word in _WORD.finditer(match.group().lower())
        ]
        found += _read(words, lone_one=ordinals)
    if ordinals:
        found += [
            Spelled(_ORDINALS[word.group()], word.start(), word.end(), ordinal=True)
            for word in _WORD.finditer(text.lower())
            if word.group() in _ORDINALS
        ]
    return found


def _read(words: list[tuple[str, int, int]], *, lone_one: bool) -> list[Spelled]:
    """Cut a run of number words into numbers: `two and three` are two of them, `two hundred and three` is one."""
    found: list[Spelled] = []
    total, current = 0.0, 0.0
    start = end = -1
    count = 0

    def finish() -> None:
        nonlocal total, current, start, count
        if start >= 0 and (lone_one or count > 1 or total + current != 1):
            found.append(Spelled(total + current, start, end))
        total = current = 0.0
        start, count = -1, 0

    for position, (word, first, last) in enumerate(words):
        following = words[position + 1][0] if position + 1 < len(words) else ""
        if word == "and":
            if not (current >= 100 and current % 100 == 0) and not (total and not current):
                finish()
            continue
        if word == "a":
            if following not in _POWERS:
                finish()
                continue
            value = 1.0
        elif word in _POWERS:
            power = _POWERS[word]
            if start < 0:
                start = first
            if power in (100, 12):
                current = (current or 1) * power
            else:
                total, current = total + (current or 1) * power, 0.0
            end, count = last, count + 2
            continue
        else:
            value = float(_TENS.get(word, _UNITS.get(word, 0)))
        joins = start >= 0 and (
            (current % 100 == 0 and current < 1000)
            or (word in _UNITS and 1 <= value < 10 and current % 10 == 0 and current % 100 >= 20)
        )
        if not joins or (current == 0 and not total and start >= 0):
            finish()
        if start < 0:
            start = first
        current += value
        end, count = last, count + 1
    finish()
    return found
