"""No regular expression of the code can be made to take exponential time by the text that it meets."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.architecture.expressions import is_exponential

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path
    for folder in ("services/*/footnote_*", "shared/footnote_shared", "shell/footnote_*")
    for package in ROOT.glob(folder)
    for path in package.rglob("*.py")
    if "migrations" not in path.parts
)
_FUNCTIONS = frozenset(
    {"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}
)
NAME_OF_RE = re.compile(r"\bre\b")
"""Most files do not have it, and to parse a file costs more than to read it."""


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+b",
        r"(a*)*b",
        r"(?:a*b?)*c",
        r"(?:\w+\s*)*!",
        r"(?:\d{1,3},?)*x",
        r"(?s)\s*(?:<!--.*?-->\s*)*<html",
        r"(?i)(?:x+X*)*y",
        r"(?>(?:a+)+b)",
        r"(?=(?:a+)+b)",
        r"(?:[^,]+|\w)*;",
    ],
)
def test_what_can_explode_is_found(pattern: str) -> None:
    assert is_exponential(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"a+b+",
        r"(?:,\s*\w+)*",
        r"(?:a++)+b",
        r"(?:a|b)*c",
        r"(?:ab|ac)*d",
        r"(?:\w{1,10} ){0,5}",
        r"(?:\d{4}-)*",
        r"(?>a+)+b",
        r"(?:a(?: *- *b)?+ *,)*+ *c",
        r"(?:#[^\n]*(?:\n|\Z))+",
        r"\w+(?:[.-]\w+)*",
    ],
)
def test_what_cannot_is_not(pattern: str) -> None:
    assert not is_exponential(pattern)


def test_no_expression_can_explode() -> None:
    found: dict[str | bytes, tuple[str, int]] = {}
    for where, pattern, flags in expressions():
        # A pattern that is held after its import has its flags, and takes the place of the written one.
        if pattern not in found or flags:
            found[pattern] = where, flags
    assert len(found) > 100
    guilty = [
        f"{where}: {pattern!r}" for pattern, (where, flags) in found.items() if is_exponential(pattern, flags)
    ]
    assert guilty == []


def expressions() -> Iterator[tuple[str, str | bytes, int]]:
    """Every expression that a module holds when it is imported, and every one that is written in a call."""
    for path in SOURCES:
        where = str(path.relative_to(ROOT))
        text = path.read_text("utf-8")
        if not NAME_OF_RE.search(text):
            continue
        tree = ast.parse(text)
        for node in ast.walk(tree):
            pattern = _written(node)
            if pattern is not None:
                yield where, pattern, 0
        if path.stem != "__main__" and "re" in imported(tree):
            module = importlib.import_module(module_name(path))
            for held in held_in(module):
                yield where, held.pattern, held.flags & ~re.UNICODE


def _written(node: ast.AST) -> str | bytes | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return None
    of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
    first = node.args[0]
    if of_re and node.func.attr in _FUNCTIONS and isinstance(first, ast.Constant):
        return first.value if isinstance(first.value, str | bytes) else None
    return None


def imported(tree: ast.Module) -> set[str]:
    return {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}


def module_name(path: Path) -> str:
    start = next(at for at, part in enumerate(path.parts) if part.startswith("footnote_"))
    parts = path.with_suffix("").parts[start:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def held_in(module: ModuleType) -> Iterator[re.Pattern[Any]]:
    """The compiled expressions that a module holds."""
    return _held(vars(module), set())


def _held(value: Any, seen: set[int]) -> Iterator[re.Pattern[Any]]:
    """The compiled expressions in a module's values, however deep in tuples, mappings and classes."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for inner in list(value.values()):
            yield from _held(inner, seen)
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            yield from _held(inner, seen)
    elif isinstance(value, type) and value.__module__.startswith("footnote_"):
        yield from _held(dict(vars(value)), seen)
