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


def _units() -> Mapping[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = {}
    for dimension, sizes in _TABLES["units"].items():
        for size, names in sizes.items():
            for name in names.split():
                found.setdefault(name, (dimension, float(size)))
    return found


STOP_WORDS = _words(_TABLES["stop_words"])
NEGATIONS = _words(_TABLES["negations"])
OPPOSITES = tuple((_stems(one), _stems(other)) for one, other in _TABLES["opposites"])
"""Pairs of stems of words that say the contrary of each other."""
UNITS = _units()
"""The dimension of a unit, and its size in the dimension's base unit."""
LANDS: Mapping[str, str] = _TABLES["lands"] | {land: people for people, land in _TABLES["lands"].items()}
"""The land of a people, and the people of a land."""
CARDINALS: Mapping[str, int] = _TABLES["cardinals"]
ORDINALS: Mapping[str, float] = _TABLES["ordinals"]
POWERS: Mapping[str, int] = _TABLES["powers"]
SCALES: Mapping[str, float] = _TABLES["scales"]
