"""The normaliser is a pure package (spec 2.4): it could be taken out of Footnote as it is."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import footnote_resolver.normaliser

PACKAGE = footnote_resolver.normaliser.__name__
MODULES = sorted(Path(footnote_resolver.normaliser.__path__[0]).rglob("*.py"))
IMPURE = frozenset(
    [
        "asyncio",
        "concurrent",
        "datetime",
        "io",
        "logging",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "socket",
        "subprocess",
        "tempfile",
        "threading",
        "time",
    ]
)
"""Parts of the standard library that see the world outside the text."""


def imported(source: str) -> Iterator[str]:
    """Every module that is imported anywhere in the source, also inside a function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_it_imports_itself_and_the_pure_standard_library_alone(path: Path) -> None:
    for module in imported(path.read_text("utf-8")):
        if module == PACKAGE or module.startswith(f"{PACKAGE}."):
            continue
        root = module.partition(".")[0]
        assert root in sys.stdlib_module_names, f"{path.name} imports {module}"
        assert root not in IMPURE, f"{path.name} imports {module}"


def test_imports_are_seen_wherever_they_stand() -> None:
    source = (
        "import os.path\ndef f():\n    from footnote_shared.kernel import text\n    from . import blocks\n"
    )
    assert list(imported(source)) == ["os.path", "footnote_shared.kernel", "."]
    assert len(MODULES) >= 10
