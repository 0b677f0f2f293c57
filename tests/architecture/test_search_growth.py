"""No expression that outside text meets takes time that grows with the square of it.

An expression that would is allowed where it is used in another way alone.
"""

import ast
import importlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.search_growth import grows, grows_now, least_of
from tests.architecture.test_expressions import (
    NAME_OF_RE,
    ROOT,
    SOURCES,
    held_in,
    imported,
    module_name,
)

_SEARCHES = frozenset({"search", "split", "findall", "finditer", "sub", "subn"})
_HOW = _SEARCHES | {"match", "fullmatch"}
_ANY_WAY = frozenset({"search", "match", "fullmatch"})
_JUDGES = 5
_FACTS = frozenset({"pattern", "flags", "groups", "groupindex"})
BOUNDED: Mapping[str, str] = {
    "_url_begins": "The normaliser searches the last characters of its output, of which it keeps 48.",
    "_HELD": "The end of a text is searched, of which 64 characters are held back at most.",
}


@pytest.mark.parametrize(
    ("expression", "how"),
    [
        (r"\s+x", "search"),
        (r"\d+(?:\.\d+)*x", "findall"),
        (r"/\*.*?\*/", "sub"),
        (r"//(?!\S*\.\S).*", "search"),
        (r"B\s+\w*\s*", "fullmatch"),
        (r"key:[ ]*(\S| )*;", "match"),
    ],
)
def test_what_costs_the_square_of_its_text_is_found(expression: str, how: str) -> None:
    assert grows(re.compile(expression), how)


@pytest.mark.parametrize("expression", [r"(?<!\s)\s+x", r"\d{1,9}x", r"<[^<>]*>", r"\s++x?", r"B\s++(\S*+)"])
def test_what_does_not_is_not(expression: str) -> None:
    assert not any(grows(re.compile(expression), how) for how in ("search", "match", "fullmatch"))


@pytest.mark.parametrize("tries", [[0.9, 0.02, 0.03, 0.04, 0.05], [0.03, 0.9, 0.9, 0.9, 0.02]])
def test_a_machine_that_stands_still_for_a_while_is_not_measured(tries: list[float]) -> None:
    assert least_of(iter(tries).__next__, 0) == 0.02


def test_a_time_that_is_far_too_long_twice_is_not_waited_for_again() -> None:
    assert least_of(iter([2.0, 3.0]).__next__, 0.1) == 2.0


def test_no_use_of_an_expression_costs_the_square_of_the_text() -> None:
    used = {(where, how): pattern for where, pattern, hows in patterns() for how in hows}
    assert len(used) > 300
    verdicts = {(where, how): grows(pattern, how) for (where, how), pattern in used.items()}
    for (where, how), pattern in used.items():
        # A machine that gets slower or faster between two measures tells a growth that is none, or hides one.
        if verdicts[where, how] != (_name(where) in BOUNDED):
            verdicts[where, how] = Counter(grows_now(pattern, how) for _ in range(_JUDGES)).most_common(1)[0][
                0
            ]
    guilty = {_name(where) for (where, how), is_guilty in verdicts.items() if is_guilty}
    assert guilty == set(BOUNDED), "what is missing here goes from the exceptions as well"


def _name(where: str) -> str:
    return where.rpartition(" ")[2]


@cache
def patterns() -> tuple[tuple[str, "re.Pattern[Any]", frozenset[str]], ...]:
    """Each expression: its file and its name, the pattern, and the methods by which it meets a text.

    One that is handed on is taken to meet it in any way.
    """
    return tuple(pattern for path in SOURCES for pattern in _patterns(path))


def _patterns(path: Path) -> Iterator[tuple[str, "re.Pattern[Any]", frozenset[str]]]:
    if not NAME_OF_RE.search(_text(path)):
        return
    where = str(path.relative_to(ROOT))
    tree = _tree(path)
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=how),
                args=[ast.Constant(value=str() | bytes() as written), *_],
            ) if how in _HOW:
                yield f"{where} {written!r}", re.compile(written), _alike({how})
    if path.stem == "__main__" or "re" not in imported(tree):
        return
    module = importlib.import_module(module_name(path))
    names = {id(value): name for name, value in vars(module).items() if isinstance(value, re.Pattern)}
    for held in held_in(module):
        name = names.get(id(held))
        hows = _ANY_WAY if name is None else _alike(_uses(name, path))
        yield f"{where} {name or repr(held.pattern)}", held, hows


def _alike(hows: set[str]) -> frozenset[str]:
    """One method for those that begin anew at each place."""
    return frozenset("search" if how in _SEARCHES else how for how in hows)


def _uses(name: str, path: Path) -> set[str]:
    """The methods of this name that are called: in its module, or anywhere if the name is public."""
    readers = [path] if name.startswith("_") else [other for other in SOURCES if name in _text(other)]
    called = {how for reader in readers for how in _reads(reader)[name]}
    return called & _HOW if called <= _HOW | _FACTS else set(_ANY_WAY)


@cache
def _reads(path: Path) -> defaultdict[str, set[str]]:
    """What is read of each name of a file: its attributes, and `the name itself` where it is handed on."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    loaded, of_attribute = [], set()
    for node in ast.walk(_tree(path)):
        match node:
            case ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name) as value, attr=how):
                found[name].add(how)
                of_attribute.add(value)
            case ast.Name(ctx=ast.Load()):
                loaded.append(node)
    for node in loaded:
        if node not in of_attribute:
            found[node.id].add("the name itself")
    return found


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(_text(path))


@cache
def _text(path: Path) -> str:
    return path.read_text("utf-8")
