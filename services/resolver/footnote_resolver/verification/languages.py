"""The language of a text, and the words by which the rules read one that is not English. Pure."""

import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from footnote_resolver.verification.words import folded

_TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8"))
_FEWEST = 2
"""A language is told by at least this many function words."""
_READ = 2000
"""The language of a text is told by this many characters at its beginning."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words, some of which are given by their beginnings."""

    whole: frozenset[str]
    beginnings: tuple[str, ...]

    def among(self, words: Collection[str]) -> bool:
        return not self.whole.isdisjoint(words) or (
            bool(self.beginnings) and any(word.startswith(self.beginnings) for word in words)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """The words of a language that change what a sentence says."""

    name: str
    common: frozenset[str]
    negations: frozenset[str]
    joins: frozenset[str]
    cardinals: dict[str, int]
    opposites: tuple[tuple[Words, Words], ...]


def _words(text: str) -> Words:
    every = text.split()
    return Words(
        frozenset(word for word in every if not word.endswith("-")),
        tuple(word.removesuffix("-") for word in every if word.endswith("-")),
    )


def _language(name: str, table: dict[str, Any]) -> Language:
    return Language(
        name,
        frozenset(table["common"].split()),
        frozenset(table["negations"].split()),
        frozenset(table["joins"].split()),
        {word: value for value, word in enumerate(table["cardinals"].split(), start=2)},
        tuple((_words(one), _words(other)) for one, other in table["opposites"]),
    )


MONTHS: dict[str, int] = {
    name: int(number) for number, names in _TABLES.pop("months").items() for name in names.split()
}
"""In lower case, with their accents."""
_ENGLISH = frozenset(_TABLES.pop("english").split())
LANGUAGES = tuple(_language(name, table) for name, table in _TABLES.items())


def language_of(text: str, *, beside: str = "") -> Language | None:
    """The language by its function words; None for English, and for what cannot be told.

    The text `beside` it decides where the text has too few of them, or is of one of several languages.
    """
    english, counts = _counts(text[:_READ])
    if max(counts) < max(_FEWEST, english + 1) and english >= _FEWEST:
        return None
    further, others = _counts(beside[:_READ])
    counts = [own + other for own, other in zip(counts, others, strict=True)]
    most = max(counts)
    return LANGUAGES[counts.index(most)] if most >= max(_FEWEST, english + further + 1) else None


@lru_cache(maxsize=1024)
def _counts(text: str) -> tuple[int, list[int]]:
    """The function words of English in a text, and those of each language."""
    words = re.findall(r"[^\W\d_]+", folded(text))
    return sum(word in _ENGLISH for word in words), [sum(w in one.common for w in words) for one in LANGUAGES]
