"""The words that the rules of verification know, from `lexicon.toml` beside this file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from footnote_shared.kernel.stems import stem

_TABLES = tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text("utf-8"))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


def units_of(
    table: Mapping[str, Mapping[str, str]],
) -> tuple[dict[str, tuple[str, float]], dict[str, tuple[str, float]]]:
    """The symbols and the words of units, each with its dimension and its size in the dimension's base unit.

    Raises ValueError for a spelling that stands twice: `nM` and `nm` are two units, `nm` in two places is a
    mistake.
    """
    symbols: dict[str, tuple[str, float]] = {}
    words: dict[str, tuple[str, float]] = {}
    for dimension, sizes in table.items():
        for size, spellings in sizes.items():
            first, _, second = spellings.partition("|")
            for names, found in ((first.split(), symbols), (second.lower().split(), words)):
                for name in names:
                    if name in symbols or name in words:
                        raise ValueError(f"the unit {name!r} stands twice in lexicon.toml")
                    found[name] = (dimension, float(size))
    return symbols, words


STOP_WORDS = _words(_TABLES["stop_words"])
NEGATIONS = _words(_TABLES["negations"])
OPPOSITES = tuple((_stems(one), _stems(other)) for one, other in _TABLES["opposites"])
"""Pairs of stems of words that say the contrary of each other."""
UNIT_SYMBOLS, UNIT_WORDS = units_of(_TABLES["units"])
"""By spelling. The case of a symbol counts, that of a word does not."""
LANDS: Mapping[str, str] = _TABLES["lands"] | {land: people for people, land in _TABLES["lands"].items()}
"""The land of a people, and the people of a land."""
CARDINALS: Mapping[str, int] = _TABLES["cardinals"]
ORDINALS: Mapping[str, float] = _TABLES["ordinals"]
POWERS: Mapping[str, int] = _TABLES["powers"]
SCALES: Mapping[str, float] = _TABLES["scales"]


def unit(spelling: str) -> tuple[str, float] | None:
    """The dimension of a unit and its size in the base unit; None for what is no unit."""
    return UNIT_SYMBOLS.get(spelling) or UNIT_WORDS.get(spelling.lower())
