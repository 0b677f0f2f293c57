"""The words of a text, its numbers, and the terms by which texts are compared. Pure."""

import re
from pathlib import Path

from footnote_agent.engines.months_in_figures import months_in
from footnote_shared.kernel.stems import stem

_WORD = re.compile(r"\d+(?:[.,]\d+|:\d\d(?![.\d]))+|v(?=\d+\.\d)|[^\W_]+")
"""A number with its points is one word: 18.04 is neither 18 nor 04, and 10:36 is one time of the day.

In v2.6.0 it stands behind a v, and in 1:9.2 behind the epoch of a package.
"""
_NUMBER = re.compile(r"(?<![\w.-])v?(\d+(?:[.,:]\d+)*)(?![\w-])")
_STOP_WORDS = {
    path.stem: frozenset(path.read_text("utf-8").split())
    for path in Path(__file__).with_name("stop_words").glob("*.txt")
}
"""Words that say nothing about what a query is after, by language."""


_FIGURES = {
    word: str(number)
    for number, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 2
    )
}
"""Numbers in English words as they stand in tables: who asks for three flats finds `3 flats`."""


def terms(text: str, language: str | None = None) -> list[str]:
    """Stems of the words without stop words, in order. Without a known language, words count as English.

    Behind them stand those of the months that an English text tells in figures.
    """
    stop_words = _STOP_WORDS.get(language or "en", _STOP_WORDS["en"])
    english = (language or "en") == "en"
    figures = _FIGURES if english else {}
    words = words_of(text.lower())
    if english:
        words += [month for month, _ in months_in(text)]
    return [figures.get(word) or stem(word, language) for word in words if word not in stop_words]


def words_of(text: str) -> list[str]:
    """The words of a text, in order."""
    return _WORD.findall(text)


def numbers_of(text: str) -> frozenset[str]:
    """The numbers that stand by themselves: of COVID-19 and H5N1 there are none."""
    return frozenset(_NUMBER.findall(text))
