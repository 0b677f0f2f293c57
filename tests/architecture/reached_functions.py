"""Which functions of ours a function leads to, told from its source and from the types that it names.

A name is looked up where the function stands, and a method in the class of which a parameter, a field or an
answer is said to be. What is chosen only while it runs, as from a table, is not found.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import FunctionType, ModuleType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

_OURS = "footnote_"


@dataclass(frozen=True, slots=True)
class _OneOf:
    """Stands for any object of a class."""

    kind: type


@dataclass(frozen=True, slots=True)
class _Named:
    """A function, and the class whose method it is, if it is one."""

    function: FunctionType
    kind: type | None = None


def functions_reached(start: Callable[..., Any]) -> set[FunctionType]:
    """The function itself, and each of ours that it or one of these calls or hands on."""
    reached: set[FunctionType] = set()
    left = [_Named(_written(start))]
    while left:
        one = left.pop()
        if one.function not in reached:
            reached.add(one.function)
            left += _named_by(one)
    return reached


def calls_in(function: FunctionType) -> Iterator[ast.Call]:
    """The calls in a function, by their syntax."""
    return (node for node in ast.walk(_tree(function)) if isinstance(node, ast.Call))


@cache
def _tree(function: FunctionType) -> ast.FunctionDef | ast.AsyncFunctionDef:
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef)
    return tree


@cache
def _named_by(one: _Named) -> tuple[_Named, ...]:
    """The functions of ours that the body of a function names."""
    tree = _tree(one.function)
    names = _Names.of(one, tree)
    read = (node for part in tree.body for node in ast.walk(part) if _is_read(node))
    found = (names.at(node) for node in read)
    return tuple(named for named in found if isinstance(named, _Named) and _is_ours(named.function))


def _is_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)


def _is_ours(function: FunctionType) -> bool:
    return function.__module__.startswith(_OURS) and function.__name__ != "<lambda>"


@dataclass(frozen=True, slots=True)
class _Names:
    """What names mean in a function. Its own name of which nothing is known hides one of the module."""

    of_module: Mapping[str, Any]
    own: dict[str, Any]

    @classmethod
    def of(cls, one: _Named, tree: ast.AST) -> "_Names":
        hints = _hints(one.function)
        names = cls(one.function.__globals__, {name: _one_of(hint) for name, hint in hints.items()})
        if one.kind is not None:
            names.own["self"] = _OneOf(one.kind)
        for node in ast.walk(tree):
            match node:
                case ast.arg(arg=name, annotation=said) if name not in names.own:
                    kind = None if said is None else names.at(said)
                    names.own[name] = _OneOf(kind) if isinstance(kind, type) else None
                case ast.Name(id=name, ctx=ast.Store()) if name not in names.own:
                    names.own[name] = None
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if names.own[name] is None:
                    names.own[name] = names.at(value)
        return names

    def at(self, node: ast.AST) -> Any:
        """What an expression stands for: a module, a class, one of a class, a function; None: not known."""
        match node:
            case ast.Name(id=name):
                return self.own[name] if name in self.own else _known(self.of_module.get(name))
            case ast.Attribute(value=inner, attr=name):
                return _member(self.at(inner), name)
            case ast.Call(func=called):
                return _answer_of(self.at(called))
            case ast.Await(value=inner):
                return self.at(inner)
        return None


def _known(value: Any) -> Any:
    if isinstance(value, type | ModuleType):
        return value
    function = inspect.unwrap(value) if callable(value) else None
    return _Named(function) if isinstance(function, FunctionType) else None


def _member(value: Any, name: str) -> Any:
    if isinstance(value, ModuleType):
        return _known(getattr(value, name, None))
    kind = value.kind if isinstance(value, _OneOf) else value
    if not isinstance(kind, type):
        return None
    member = inspect.getattr_static(kind, name, None)
    if isinstance(member, property) and member.fget is not None:
        return _one_of(_hints(_written(member.fget)).get("return"))
    member = getattr(member, "__func__", member)
    if isinstance(member, FunctionType):
        return _Named(_written(member), kind)
    return _one_of(_hints(kind).get(name))


def _answer_of(value: Any) -> Any:
    if isinstance(value, type):
        return _OneOf(value)
    return _one_of(_hints(value.function).get("return")) if isinstance(value, _Named) else None


def _one_of(hint: Any) -> _OneOf | None:
    """One of the class that an annotation names; of several, of the first."""
    if get_origin(hint) in (Union, UnionType):
        hint = get_args(hint)[0]
    return _OneOf(hint) if isinstance(hint, type) else None


@cache
def _hints(value: Any) -> Mapping[str, Any]:
    try:
        return get_type_hints(value)
    except NameError:
        # Some names are imported for type checkers alone.
        return {}


def _written(value: Callable[..., Any]) -> FunctionType:
    """The function as it stands in its source, below what decorators have made of it."""
    function = inspect.unwrap(value)
    assert isinstance(function, FunctionType), f"{value} stands in no source of Python"
    return function
