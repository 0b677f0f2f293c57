"""The texts in the code of the server, each with `{}` for what is put into it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_NAMED = re.compile(r"\{\w*\}")
_NO_SENTENCE = {"Field", "Query", "Header", "Path", "Form", "Body"}
"""Calls whose texts are for the reference."""


def texts_of(folder: Path) -> set[str]:
    """Every text of the code in a file or folder, but for its docstrings and the reference."""
    files = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]
    return {text for path in files for text in _texts(ast.parse(path.read_text("utf-8")))}


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Call) and _name_of(node.func) in _NO_SENTENCE:
        return
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield _NAMED.sub("{}", node.value)
        return
    if isinstance(node, ast.JoinedStr):
        yield "".join(_part(one) for one in node.values)
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


def _part(one: ast.expr) -> str:
    return str(one.value) if isinstance(one, ast.Constant) else "{}"


def _name_of(called: ast.expr) -> str:
    return (
        called.attr
        if isinstance(called, ast.Attribute)
        else called.id
        if isinstance(called, ast.Name)
        else ""
    )
