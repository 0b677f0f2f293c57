"""No search in outside text takes time that grows with the square of it.

An expression that would is allowed where it is only matched at one place.
"""

import ast
import importlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.search_growth import grows
from tests.architecture.test_expressions import ROOT, SOURCES, held_in, imported, module_name

_AT_ONE_PLACE = frozenset({"match", "fullmatch"})
_SEARCHES = frozenset({"search", "split", "findall", "finditer", "sub", "subn"})
BOUNDED: Mapping[str, str] = {
    "_url_begins": "The normaliser searches the last characters of its output, of which it keeps 48.",
    "_QUOTED": "A quotation has 600 characters at most, so each start costs no more than that.",
}


@pytest.mark.parametrize(("expression", "how"), [(r"\s+x", "search"), (r"\d+(?:\.\d+)*x", "findall")])
def test_a_search_that_starts_again_at_each_place_is_found(expression: str, how: str) -> None:
    assert grows(re.compile(expression), how)


@pytest.mark.parametrize("expression", [r"(?<!\s)\s+x", r"\d{1,9}x", r"<[^<>]*>", r"\s++x?"])
def test_one_that_does_not_is_not(expression: str) -> None:
    assert not grows(re.compile(expression), "search")


def test_no_search_grows_with_the_square_of_the_text() -> None:
    searched = {where: pattern for where, pattern, is_searched in patterns() if is_searched}
    assert len(searched) > 50
    guilty = {where.rpartition(" ")[2] for where, pattern in searched.items() if grows(pattern, "search")}
    assert guilty == set(BOUNDED), "what is missing here goes from the exceptions as well"


def test_no_match_at_one_place_does() -> None:
    assert [where for where, pattern, _ in patterns() if grows(pattern, "match")] == []


@cache
def patterns() -> tuple[tuple[str, "re.Pattern[Any]", bool], ...]:
    """Each expression: its file and its name, the pattern, and whether anything but a match is made of it."""
    return tuple(pattern for path in SOURCES for pattern in _patterns(path))


def _patterns(path: Path) -> Iterator[tuple[str, "re.Pattern[Any]", bool]]:
    where = str(path.relative_to(ROOT))
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=how),
                args=[ast.Constant(value=str() | bytes() as written), *_],
            ) if how in _AT_ONE_PLACE | _SEARCHES:
                yield f"{where} {written!r}", re.compile(written), how in _SEARCHES
    if path.stem == "__main__" or "re" not in imported(tree):
        return
    module = importlib.import_module(module_name(path))
    names = {id(value): name for name, value in vars(module).items() if isinstance(value, re.Pattern)}
    for held in held_in(module):
        name = names.get(id(held))
        made = _AT_ONE_PLACE if name is None else _made_of(name, path)
        yield f"{where} {name or repr(held.pattern)}", held, name is None or not made <= _AT_ONE_PLACE


def _made_of(name: str, path: Path) -> set[str]:
    """The attributes of this name that are read: in its module, or anywhere if the name is public."""
    readers = [path] if name.startswith("_") else SOURCES
    return {how for reader in readers for how in re.findall(rf"\b{name}\.(\w+)", reader.read_text("utf-8"))}
