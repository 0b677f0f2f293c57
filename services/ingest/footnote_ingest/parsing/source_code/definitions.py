"""Where classes and functions begin in a piece of code, and what their names are."""

import time
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tree_sitter import Language, Node, Parser

from footnote_ingest.parsing.parse_limits import MIB
from footnote_ingest.parsing.source_code.grammars import GRAMMARS, Grammar

_DEEPEST = 40
"""Definitions that are nested deeper have the names of those around them."""

_MOST_S, _MOST_READ, _PIECE = 5.0, 64 * MIB, 65_536
"""Seconds of a processor for the syntax of a file, and bytes of it that are handed out, in pieces.

The longest files take half a second. What a grammar makes no sense of costs the square of its length, and a
comment that nobody closes is read anew from each of its places: the library keeps all that it was given.
"""

_NAME_BYTES = 200
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "class", "function"})
_LEADS = frozenset({"attribute_item", "inner_attribute_item", "decorator"})


class Begin(NamedTuple):
    """A position in the code, in bytes, from which these names are the ones around it.

    `opens` is true where something begins that can hold definitions, such as a class.
    """

    at: int
    path: tuple[str, ...]
    opens: bool = False


class TakesTooLong(Exception):
    """The syntax of a file cannot be told in a reasonable time."""


@cache
def _parser(language: str) -> Parser:
    return Parser(Language(GRAMMARS[language].language()))


def definitions(code: bytes, language: str) -> list[Begin]:
    """The places in order. Code with errors is read as far as its definitions can be made out.

    C that is not understood is tried as C++, because their headers have the same endings. Raises
    TakesTooLong.
    """
    root = _root(code, language)
    if language == "c" and root.has_error:
        other = _root(code, "cpp")
        if not other.has_error or b"\nclass " in code or b"\nnamespace " in code:
            root, language = other, "cpp"
    return list(_begins(root, GRAMMARS[language], (), 0))


def _root(code: bytes, language: str) -> Node:
    end = time.process_time() + _MOST_S
    parser = _parser(language)
    handed_out = 0

    def read(at: int, _: object) -> bytes:
        nonlocal handed_out
        piece = code[at : at + _PIECE]
        handed_out += len(piece)
        return piece

    def is_late(*_: object) -> bool:
        return handed_out > _MOST_READ or time.process_time() > end

    try:
        return parser.parse(read, progress_callback=is_late).root_node
    except ValueError as error:
        # Another file would else be read from where this one was left.
        parser.reset()
        raise TakesTooLong from error


def _begins(
    node: Node, grammar: Grammar, path: tuple[str, ...], depth: int, outer: int | None = None
) -> Iterator[Begin]:
    """The places inside a node. `outer` is where a wrapper of its first definition begins.

    Comments and attributes right above a definition belong to it.
    """
    lead: int | None = None
    before: Node | None = None
    heads = [node.child_by_field_name(name) for name in ("name", "condition")]
    for child in node.children:
        if not child.is_named or child.type == "access_specifier" or child in heads:
            continue
        near = before is not None and child.start_point.row - before.end_point.row <= 1
        if not near:
            lead = None
        if "comment" in child.type or child.type in _LEADS:
            if lead is None and _stands_alone(child, before):
                lead = child.start_byte
            before = child
            if node.type in grammar.wrappers:
                lead = None
            continue
        start = outer if outer is not None else lead if lead is not None else child.start_byte
        names = _names(child, grammar)
        if names:
            opens = child.type in grammar.scopes and depth < _DEEPEST
            yield Begin(start, (*path, *names), opens)
            outer = None
            if opens:
                yield from _inside(child, grammar, (*path, *names), depth + 1)
        elif child.type in grammar.wrappers and depth < _DEEPEST:
            yield from _begins(child, grammar, path, depth + 1, start)
        elif (child.type in grammar.inner or child.type == "ERROR") and depth < _DEEPEST:
            yield Begin(start, path, opens=True)
            yield from _begins(child, grammar, path, depth + 1)
        elif node.type not in grammar.wrappers:
            yield Begin(start, path)
        lead, before = None, child


def _inside(scope: Node, grammar: Grammar, path: tuple[str, ...], depth: int) -> Iterator[Begin]:
    """The places in the body of a class or the like. A comment may stand before the body begins."""
    before: Node | None = None
    for child in scope.children:
        if child.type in grammar.inner:
            above = before if before is not None and "comment" in before.type else None
            near = above is not None and child.start_point.row - above.end_point.row <= 1
            outer = above.start_byte if above is not None and near else None
            yield from _begins(child, grammar, path, depth, outer)
        before = child


def _stands_alone(comment: Node, before: Node | None) -> bool:
    """Whether a comment begins its line. Directives of C end at the beginning of the next line."""
    return before is None or comment.start_point.row > before.end_point.row or before.end_point.column == 0


def _names(node: Node, grammar: Grammar) -> tuple[str, ...]:
    """What a definition is called, with the class that it names itself; nothing if it is no definition."""
    if node.type not in grammar.scopes and node.type not in grammar.units:
        return ()
    match node.type:
        case "lexical_declaration" | "variable_declaration":
            return _assigned(node, "variable_declarator", "name", "value")
        case "expression_statement":
            return _assigned(node, "assignment_expression", "left", "right")
        case "field_definition" | "public_field_definition":
            value = node.child_by_field_name("value")
            if value is None or value.type not in _FUNCTIONS:
                return ()
            return _text(node.child_by_field_name("name") or node.child_by_field_name("property"))
        case "impl_item":
            trait, kind = (node.child_by_field_name(name) for name in ("trait", "type"))
            own = _text(kind)
            return (f"{_text(trait)[0]} for {own[0]}",) if trait is not None and own else own
        case "method_declaration" if (receiver := node.child_by_field_name("receiver")) is not None:
            return (*_receiver(receiver), *_text(node.child_by_field_name("name")))
        case "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier":
            return _text(node.child_by_field_name("name")) if node.child_by_field_name("body") else ()
        case "function_definition" | "type_definition" if node.child_by_field_name("declarator") is not None:
            return _declared(node)
        case _:
            return _text(node.child_by_field_name("name"))


def _assigned(node: Node, kind: str, name: str, value: str) -> tuple[str, ...]:
    """The name that a function or class is assigned to."""
    for child in node.named_children:
        right = child.child_by_field_name(value) if child.type == kind else None
        if right is not None and right.type in _FUNCTIONS:
            return _text(child.child_by_field_name(name))
    return ()


def _receiver(receiver: Node) -> tuple[str, ...]:
    """The type of a method of Go, without its pointer and its parameters."""
    declared = _text(receiver)
    words = declared[0].strip("()").split() if declared else []
    return (words[-1].lstrip("*").partition("[")[0],) if words else ()


def _declared(node: Node) -> tuple[str, ...]:
    """The name inside the declarator of C and C++, such as that in `int *ns::Tide::height(void)`."""
    inner = node.child_by_field_name("declarator")
    for _ in range(_DEEPEST):
        deeper = inner.child_by_field_name("declarator") if inner is not None else None
        if deeper is None:
            if (
                inner is not None
                and inner.type.endswith(("_declarator", "pointer_type"))
                and inner.named_children
            ):
                deeper = inner.named_children[-1]
            else:
                break
        inner = deeper
    return tuple(name for said in _text(inner) for name in said.split("::") if name)


def _text(node: Node | None) -> tuple[str, ...]:
    said = node.text if node is not None else None
    if not said or len(said) > _NAME_BYTES:
        return ()
    return (" ".join(said.decode("utf-8", "replace").split()),)
