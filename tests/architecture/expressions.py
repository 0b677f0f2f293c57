"""Whether a regular expression can take exponential time, told from its syntax tree.

A backtracking matcher takes exponential time where a state of the expression's automaton can be left and
reached again in two ways by the same text (Weber and Seidl 1991, "On the degree of ambiguity of finite
automata"). The automaton here is that of positions (Glushkov 1961).
"""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

op = import_module("re._constants")
parser = import_module("re._parser")
"""The syntax trees of `re`; typeshed does not describe these modules."""

Node = tuple[Any, Any]

_FEW = 10
"""A repeat outside of all others that ends after so many rounds costs a constant factor."""

_REPEATS = frozenset("*+{")
"""An expression without any of these has no state that is reached again."""

_PROBES = frozenset(
    [*range(0x250), 0x3A9, 0x416, 0x660, 0x2009, 0x2013, 0x2019, 0x201C, 0x3010, 0x4E2D, 0x1F600]
)


@dataclass
class _Part:
    """A part of an expression: where it can begin and end, and whether it can match nothing."""

    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    empty: bool = True


class _Alphabet:
    """The characters by which the positions of one expression are told apart."""

    def __init__(self, characters: Set[int], flags: int) -> None:
        self.characters = characters
        self._any = frozenset(characters) if flags & re.DOTALL else frozenset(characters - {10})
        ignores_case = bool(flags & re.IGNORECASE)
        self._cases = {char: _cases(char) if ignores_case else {char} for char in characters}
        self._known: dict[str, Set[int]] = {}

    def matched_by(self, node: Node) -> Set[int]:
        """Those that a node for one character matches. An expression repeats few such nodes often."""
        key = repr(node)
        if key not in self._known:
            self._known[key] = self._matched_by(*node)
        return self._known[key]

    def _matched_by(self, kind: Any, value: Any) -> Set[int]:
        if kind is op.ANY:
            return self._any
        if kind is op.IN:
            return frozenset(char for char, cases in self._cases.items() if _in_set(value, cases))
        named = frozenset(char for char, cases in self._cases.items() if value in cases)
        return named if kind is op.LITERAL else self.characters - named


class _Positions:
    """The automaton: what each position matches, and in how many ways each pair of positions can follow."""

    def __init__(self, alphabet: _Alphabet, *, open_atoms: bool) -> None:
        self.alphabet = alphabet
        self.open_atoms = open_atoms
        self.matches: list[Set[int]] = []
        self.follows: Counter[tuple[int, int]] = Counter()
        self.apart: list[Any] = []

    def sequence(self, nodes: Iterable[Node], looped: bool) -> _Part:
        whole = _Part()
        for node in nodes:
            whole = self._joined(whole, self._part(node, looped))
        return whole

    def _joined(self, left: _Part, right: _Part) -> _Part:
        self._connect(left.last, right.first)
        return _Part(
            left.first + (right.first if left.empty else []),
            right.last + (left.last if right.empty else []),
            left.empty and right.empty,
        )

    def _connect(self, ends: list[int], starts: list[int]) -> None:
        self.follows.update((a, b) for a in ends for b in starts)

    def _position(self, matched: Set[int]) -> _Part:
        self.matches.append(matched)
        at = len(self.matches) - 1
        return _Part([at], [at], False)

    def _part(self, node: Node, looped: bool) -> _Part:
        kind, value = node
        if kind in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
            return self._position(self.alphabet.matched_by(node))
        if kind is op.SUBPATTERN:
            return self.sequence(value[3], looped)
        if kind is op.BRANCH:
            return self._choice([self.sequence(branch, looped) for branch in value[1]])
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            return self._repeat(*value, looped=looped)
        if kind is op.ATOMIC_GROUP:
            return self._atomic(value)
        if kind is op.POSSESSIVE_REPEAT:
            low, high, inner = value
            return self._atomic([(op.MAX_REPEAT, (low, high, inner))])
        if kind in (op.ASSERT, op.ASSERT_NOT):
            self.apart.append(value[1])
            return _Part()
        if kind is op.GROUPREF:
            part = self._position(self.alphabet.characters)
            return _Part(part.first, part.last, True)
        if kind is op.AT:
            # Nothing comes after the end of the text.
            return _Part(empty=value is not op.AT_END_STRING)
        raise AssertionError(f"an expression holds {kind}, which this check does not know")

    def _choice(self, branches: list[_Part]) -> _Part:
        return _Part(
            [at for branch in branches for at in branch.first],
            [at for branch in branches for at in branch.last],
            any(branch.empty for branch in branches),
        )

    def _repeat(self, low: int, high: int, inner: Any, *, looped: bool) -> _Part:
        varies = low != high and high > 1
        loops = varies and (looped or high > _FEW)
        part = self.sequence(inner, looped or loops)
        if loops:
            self._connect(part.last, part.first)
        return _Part(part.first, part.last, part.empty or low == 0)

    def _atomic(self, nodes: Any) -> _Part:
        """What is never tried again: as if it were, or as one position with its inside apart."""
        if self.open_atoms:
            return self.sequence(nodes, True)
        self.apart.append(nodes)
        inside = _Positions(self.alphabet, open_atoms=False)
        part = inside.sequence(nodes, False)
        whole = self._position(frozenset().union(*(inside.matches[at] for at in part.first)))
        return _Part(whole.first, whole.last, part.empty)


def is_exponential(pattern: str | bytes, flags: int = 0) -> bool:
    """Whether some text makes the search for the pattern take time that doubles with each few characters."""
    if not _REPEATS & set(str(pattern)):
        return False
    tree = parser.parse(pattern, flags)
    alphabet = _Alphabet(_PROBES | frozenset(_neighbours(tree)), tree.state.flags)
    # An atomic group only leaves ways out. One reading of it that is not ambiguous is enough.
    return all(
        any(_is_ambiguous(automaton) for automaton in _automata(tree, alphabet, open_atoms))
        for open_atoms in (False, True)
    )


def _automata(tree: Any, alphabet: _Alphabet, open_atoms: bool) -> Iterator[_Positions]:
    waiting = [tree]
    while waiting:
        automaton = _Positions(alphabet, open_atoms=open_atoms)
        automaton.sequence(waiting.pop(), False)
        waiting += automaton.apart
        yield automaton


def _is_ambiguous(automaton: _Positions) -> bool:
    onward: dict[int, list[int]] = {}
    back: dict[int, list[int]] = {}
    for a, b in automaton.follows:
        onward.setdefault(a, []).append(b)
        back.setdefault(b, []).append(a)
    twice = [pair for pair, ways in automaton.follows.items() if ways > 1]
    matches = _masks(automaton)
    loops: dict[int, dict[int, list[int]]] = {}
    for at in range(len(automaton.matches)):
        if at not in loops:
            # The positions that are reached from this one and lead back to it, the same for each of them.
            members = _reached(at, onward) & _reached(at, back)
            if any(a in members and b in members for a, b in twice):
                return True
            loop = {a: [b for b in onward[a] if b in members] for a in members}
            loops.update(dict.fromkeys(members, loop))
        if at in loops and _two_ways_back(at, loops[at], matches):
            return True
    return False


def _masks(automaton: _Positions) -> list[int]:
    """What each position matches, a bit for each set of characters that no position tells apart."""
    # Few of the positions of a long expression match anything new.
    sets = list(dict.fromkeys(automaton.matches))
    kinds = {tuple(char in matched for matched in sets) for char in automaton.alphabet.characters}
    masks = {
        matched: sum(1 << bit for bit, kind in enumerate(kinds) if kind[at])
        for at, matched in enumerate(sets)
    }
    return [masks[matched] for matched in automaton.matches]


def _reached(at: int, onward: dict[int, list[int]]) -> set[int]:
    seen: set[int] = set()
    waiting = [at]
    while waiting:
        for b in onward.get(waiting.pop(), ()):
            if b not in seen:
                seen.add(b)
                waiting.append(b)
    return seen


def _two_ways_back(at: int, loop: dict[int, list[int]], matches: list[int]) -> bool:
    """Whether one text leads from the position to itself on two paths."""
    start = (at, at, False)
    seen = {start}
    waiting = deque([start])
    while waiting:
        one, other, forked = waiting.popleft()
        for a in loop[one]:
            for b in loop[other]:
                if not matches[a] & matches[b]:
                    continue
                # Which of the two paths is where makes no difference.
                pair = (a, b, forked or a != b) if a <= b else (b, a, True)
                if pair == (at, at, True):
                    return True
                if pair not in seen:
                    seen.add(pair)
                    waiting.append(pair)
    return False


def _in_set(items: list[Node], cases: Set[int]) -> bool:
    negated = items[0][0] is op.NEGATE
    held = any(in_item(item, case) for item in items[negated:] for case in cases)
    return held != negated


def in_item(item: Node, char: int) -> bool:
    """Whether a part of a set of characters holds this one."""
    kind, value = item
    if kind is op.LITERAL:
        return bool(char == value)
    if kind is op.RANGE:
        return bool(value[0] <= char <= value[1])
    text = chr(char)
    is_word = text.isalnum() or text == "_"
    return {
        op.CATEGORY_DIGIT: text.isdecimal(),
        op.CATEGORY_NOT_DIGIT: not text.isdecimal(),
        op.CATEGORY_SPACE: text.isspace(),
        op.CATEGORY_NOT_SPACE: not text.isspace(),
        op.CATEGORY_WORD: is_word,
        op.CATEGORY_NOT_WORD: not is_word,
    }[value]


def _cases(char: int) -> set[int]:
    return {char, *(ord(c) for c in (chr(char).lower(), chr(char).upper()) if len(c) == 1)}


def _neighbours(tree: Any) -> Iterator[int]:
    """The characters that the expression names, and those beside them."""
    for node in tree:
        kind, value = node if isinstance(node, tuple) and len(node) == 2 else (None, node)
        if kind in (op.LITERAL, op.NOT_LITERAL):
            yield from (value, value + 1)
        elif kind is op.RANGE:
            yield from (value[0], value[1], value[1] + 1)
        elif isinstance(value, list | tuple) or hasattr(value, "data"):
            yield from _neighbours(value)
