"""Texts that are hard for one regular expression, made from its syntax tree.

A repeat is slow where much of the text can be its own or its neighbour's, and what comes after does not fit.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.architecture.expressions import in_item, parser

_SAMPLES = "a1A .-\t\n*'\"_"
_OTHER = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}
_MANY = 20
"""A repeat that ends after so many rounds costs a constant factor."""
_MOST_ROUNDS = 50
_MISFITS = ("\x00", "\n\x00")
"""No expression expects these at the end: of them the first on the same line."""


class WorstText(NamedTuple):
    """What comes before a repeat, what it repeats, and what it does not expect behind it."""

    before: str
    once: str
    misfit: str = ""

    def of(self, length: int) -> str:
        """A text of about so many characters."""
        return self.before + self.once * (length // len(self.once)) + self.misfit


def worst_texts(pattern: "re.Pattern[Any]") -> set[WorstText]:
    """Much of what a repeat takes, and then a misfit. Also what begins it again and again, without an end."""
    texts = set()
    for before, repeated in _repeats(list(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)), ""):
        for once in repeated:
            texts |= {WorstText(before, once, misfit) for misfit in _MISFITS}
            texts.add(WorstText("", before + once))
        if before:
            texts.add(WorstText("", before))
    return texts


def _repeats(nodes: Any, before: str) -> Iterator[tuple[str, set[str]]]:
    """Each repeat without a near end: a text that leads to it, and texts that are one round of it."""
    for node in nodes:
        kind, value = str(node[0]), node[1]
        if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, inner = value
            if most > _MANY:
                yield before, _rounds(inner)
            yield from _repeats(inner, before)
        elif kind in ("SUBPATTERN", "ASSERT", "ATOMIC_GROUP"):
            yield from _repeats(_inside(kind, value), before)
        elif kind == "BRANCH":
            for branch in value[1]:
                yield from _repeats(branch, before)
        before += _shortest(node)


def _inside(kind: str, value: Any) -> Any:
    return value[{"SUBPATTERN": 3, "ASSERT": 1}[kind]] if kind != "ATOMIC_GROUP" else value


def _rounds(nodes: Any) -> set[str]:
    """Texts that one round of a repeat can be: the shortest one, and characters that its parts take."""
    rounds = {"".join(map(_shortest, nodes))}
    for node in nodes:
        kind, value = str(node[0]), node[1]
        if kind in ("ANY", "NOT_LITERAL", "IN"):
            rounds |= {char for char in _SAMPLES if _takes(node, char)}
        elif kind == "BRANCH":
            rounds |= {"".join(map(_shortest, branch)) for branch in value[1]}
        rounds.add(_shortest(node))
    return rounds - {""}


def _shortest(node: Any) -> str:
    """A short text that a node matches."""
    kind, value = str(node[0]), node[1]
    if kind == "LITERAL":
        return chr(value)
    if kind in ("ANY", "NOT_LITERAL", "IN"):
        return next((char for char in _SAMPLES if _takes(node, char)), None) or _named(value)
    if kind in ("SUBPATTERN", "ATOMIC_GROUP"):
        return "".join(map(_shortest, _inside(kind, value)))
    if kind == "BRANCH":
        return min(("".join(map(_shortest, branch)) for branch in value[1]), key=len)
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return "".join(map(_shortest, value[2])) * min(int(value[0]), _MOST_ROUNDS)
    return ""


def _takes(node: Any, char: str) -> bool:
    kind, value = str(node[0]), node[1]
    if kind == "IN":
        negated = str(value[0][0]) == "NEGATE"
        return any(in_item(item, ord(char)) for item in value[negated:]) != negated
    return char != "\n" if kind == "ANY" else char != chr(value)


def _named(value: Any) -> str:
    """A character that a set names, where it takes none of the samples."""
    for kind, item in value:
        if str(kind) == "LITERAL":
            return chr(item)
        if str(kind) == "RANGE":
            return chr(item[0])
        if str(kind) == "CATEGORY":
            return _OTHER.get(str(item), "-")
    return "\x01"
