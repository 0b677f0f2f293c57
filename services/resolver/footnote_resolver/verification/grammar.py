"""The words of `grammar.toml`, by which the rules tell who does what to whom, how surely and how often."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from footnote_shared.kernel.stems import stem

_TABLES = tomllib.loads(Path(__file__).with_name("grammar.toml").read_text("utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_TABLES[name].split())


def _synonyms() -> Mapping[str, str]:
    """The root that stands for each word's root."""
    found: dict[str, str] = {}
    for line in _TABLES["synonyms"]:
        roots = [stem(word) for word in line.split()]
        leader = next((found[root] for root in roots if root in found), roots[0])
        found |= {root: found.get(root, leader) for root in roots}
    return found


def _irregular() -> Mapping[str, str]:
    """The first form of each irregular past form."""
    found: dict[str, str] = {}
    for entry in _TABLES["irregular"].split():
        first, forms = entry.split(":")
        found |= dict.fromkeys(forms.split(","), first)
    return found


def _ranks(table: Mapping[str, str], ranks: Mapping[str, int]) -> Mapping[str, int]:
    return {word: ranks[name] for name, words in table.items() for word in words.split()}


def _scale() -> Mapping[str, tuple[int, int]]:
    """For each adjective its pair of opposites, and on which side of the pair it stands."""
    found: dict[str, tuple[int, int]] = {}
    for number, line in enumerate(_TABLES["comparatives"]["pairs"]):
        for side, words in zip((1, -1), line.split("/"), strict=True):
            for word in words.split():
                found.setdefault(word, (number, side))
    return found


DETERMINERS = _words("determiners")
PREPOSITIONS = _words("prepositions")
BE = _words("be")
HAVE = _words("have")
DO = _words("do")
PRONOUNS = _words("pronouns")
ANAPHORS = _words("anaphors")
CONJUNCTIONS = _words("conjunctions")
RELATIVES = _words("relatives")
SUBORDINATORS = _words("subordinators")
ADVERBS = _words("adverbs")
IRREGULAR = _irregular()
VERBS = frozenset(map(stem, _words("verbs"))) | frozenset(map(stem, IRREGULAR.values()))
SYNONYMS = _synonyms()
CONNECTIVES: Mapping[str, str] = {
    word: name for name, words in _TABLES["connectives"].items() for word in words.split()
}
CIRCUMSTANCES = frozenset(
    ["when", "whenever", *(w for w, name in CONNECTIVES.items() if name in ("earlier", "later", "condition"))]
)
"""Subordinators of time and condition."""
POSSIBLE, ADVISED, PLAIN, REQUIRED, FORBIDDEN, FREE = 1, 2, 3, 4, 5, 6
"""How surely something is said to be so; `must not`, which `cannot` means as well; `need not`."""
MODALS = _ranks(
    _TABLES["modals"],
    {"possible": POSSIBLE, "advised": ADVISED, "required": REQUIRED, "forbidden": FORBIDDEN},
)
FEW, SOME, HALF, MANY, MOST, ALL = 1, 2, 3, 4, 5, 6
QUANTITIES = _ranks(
    _TABLES["quantities"],
    {"few": FEW, "some": SOME, "half": HALF, "many": MANY, "most": MOST, "all": ALL},
)
SCALE = _scale()
COMPARATIVE_FORMS: Mapping[str, str] = dict(
    pair.split(":") for pair in _TABLES["comparatives"]["irregular"].split()
)


def first_form(word: str) -> str:
    """The root of a word, the same for `won` and `win`, `beat` and `defeat`."""
    root = stem(IRREGULAR.get(word, word))
    return SYNONYMS.get(root, root)


def _roots(name: str) -> frozenset[str]:
    return frozenset(map(first_form, _TABLES[name].split()))


CHANGING = _roots("changing")
GIVING, GETTING = _roots("giving"), _roots("getting")
WINNING, LOSING = _roots("winning"), _roots("losing")
CAUSING = _roots("causing")
