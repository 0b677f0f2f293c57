"""How a line begins, after CommonMark's block structure: what ends a paragraph, and which lines are code."""

import re
from dataclasses import dataclass, replace
from enum import Enum

LONGEST_HEAD = 200
"""A line whose first so many characters do not say what it is, is text (or, indented, code)."""

_STARTS = frozenset(" \t\r\n>-+*0123456789#`~")
_TAB = 4
_INDENTED = 4
_DEEPEST = 100

_margin = re.compile(r"[ \t\r]*")
_item = re.compile(r"([-+*]|[0-9]{1,9}[.)])(?=[ \t\r\n]|\Z)")
_item_so_far = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)]?)\Z")
_heading = re.compile(r"#{1,6}(?:[ \t]+|(?=[\r\n]|\Z))")
_fence = re.compile(r"`{3}|~{3}")
_begun = re.compile(r"(?:`{1,2}|~{1,2}|#{1,6}[ \t]*)\Z")
_rule = re.compile(r"[-=*_][-=*_ \t\r]*")
_opener = re.compile(r"(?:(?:[-+*]|#{1,6}|[0-9]{1,9}[.)]?)[ \t]*|[-=*_ \t]*)")


class Kind(Enum):
    BLANK = "blank"
    TEXT = "text"
    CODE = "code"
    FENCE = "fence"


@dataclass(frozen=True, slots=True)
class Blocks:
    """What is open where a line begins: list items by the column of their content, and whether a paragraph is."""

    lists: tuple[int, ...] = ()
    paragraph: bool = False
    quotes: int = 0


@dataclass(frozen=True, slots=True)
class Head:
    """`length` characters of indentation and container marks, then a line of this kind."""

    length: int
    kind: Kind
    opens: bool
    """A block begins here: what was open within the paragraph before is not."""
    blocks: Blocks
    """What is open at the end of the line."""
    margin: int = 0
    """The column where a fence stands."""


def read_head(line: str, blocks: Blocks, *, complete: bool) -> Head | None:
    """Read the start of a line; None when it does not decide and more of it may come."""
    if line and line[0] not in _STARTS and not blocks.lists:
        return _text(0, blocks, _Margin(()), continues=blocks.paragraph)
    margin = _Margin(blocks.lists)
    while True:
        margin.indent(line)
        if margin.at == len(line) and not complete:
            return None
        if margin.at == len(line) or line[margin.at] == "\n":
            return _blank(line, margin, blocks)
        margin.enter()
        continues = blocks.paragraph and not margin.opens and margin.quotes <= blocks.quotes
        if margin.column - margin.base >= _INDENTED:
            return _text(margin.at, blocks, margin, continues=True) if continues else _code(margin)
        inward = margin.goes_in(line, continues=continues, complete=complete)
        if inward is None:
            return None
        if not inward:
            return _leaf(line, margin, blocks, continues=continues, complete=complete)


def is_rule(text: str) -> bool:
    """A thematic break or the line under a heading; either ends the paragraph."""
    return _rule.fullmatch(text) is not None


def could_open(text: str) -> bool:
    """Whether a line that begins with this could yet turn out to open a block, when what follows it changes."""
    return _opener.fullmatch(text) is not None


class _Margin:
    """The start of a line while it is read: how far, and which containers it is in."""

    __slots__ = ("at", "base", "column", "entered", "lists", "opens", "quotes")

    def __init__(self, lists: tuple[int, ...]) -> None:
        self.at = self.column = self.base = self.entered = self.quotes = 0
        self.lists = lists
        self.opens = False

    def indent(self, line: str) -> None:
        self.at, self.column = _indent(line, self.at, self.column)

    def enter(self) -> None:
        """Go into the list items that are open and reach this column."""
        while self.entered < len(self.lists) and self.column >= self.lists[self.entered]:
            self.base = max(self.base, self.lists[self.entered])
            self.entered += 1

    def goes_in(self, line: str, *, continues: bool, complete: bool) -> bool | None:
        """Take a quote's or list item's mark; None when what there is of the line does not say whether there is one."""
        if line[self.at] == ">":
            self.quotes += 1
            width = 2 if line[self.at + 1 : self.at + 2] == " " else 1
            self.at, self.column = self.at + width, self.column + width
            self.base = self.column
            return True
        item = _item.match(line, self.at)
        if item is None or self.entered == _DEEPEST:
            return None if not complete and _item_so_far.match(line, self.at) else False
        if item.end() == len(line) and not complete:
            return None
        if continues and self.entered == len(self.lists) and not _interrupts(item[0]):
            return False
        self.at, self.column = item.end(), self.column + len(item[0])
        self.base = _content(line, self.at, self.column)
        self.lists, self.opens = (*self.lists[: self.entered], self.base), True
        self.entered += 1
        return True

    def blocks(self, *, paragraph: bool) -> Blocks:
        return Blocks(self.lists[: self.entered], paragraph, self.quotes)


def _leaf(line: str, margin: _Margin, blocks: Blocks, *, continues: bool, complete: bool) -> Head | None:
    if not complete and _begun.match(line, margin.at):
        return None
    if _fence.match(line, margin.at):
        return Head(margin.at, Kind.FENCE, True, margin.blocks(paragraph=False), margin.column)
    heading = _heading.match(line, margin.at)
    if heading is not None:
        return Head(heading.end(), Kind.TEXT, True, margin.blocks(paragraph=False))
    return _text(margin.at, blocks, margin, continues=continues)


def _text(at: int, blocks: Blocks, margin: _Margin, *, continues: bool) -> Head:
    """Text that goes on with a paragraph leaves its containers open, however it is indented."""
    return Head(at, Kind.TEXT, not continues, blocks if continues else margin.blocks(paragraph=True))


def _code(margin: _Margin) -> Head:
    return Head(margin.at, Kind.CODE, True, margin.blocks(paragraph=False))


def _blank(line: str, margin: _Margin, blocks: Blocks) -> Head:
    """A blank line leaves lists open; one too long to be told is taken for what its indentation makes it."""
    after = Blocks(margin.lists, False, margin.quotes)
    if margin.at < LONGEST_HEAD or margin.at < len(line):
        return Head(margin.at, Kind.BLANK, True, after)
    if margin.column - margin.base >= _INDENTED and not (blocks.paragraph and not margin.opens):
        return Head(margin.at, Kind.CODE, True, after)
    return Head(margin.at, Kind.TEXT, margin.opens or not blocks.paragraph, replace(after, paragraph=True))


def _indent(line: str, at: int, column: int) -> tuple[int, int]:
    margin = _margin.match(line, at)
    for character in margin[0] if margin else "":
        column += _TAB - column % _TAB if character == "\t" else character == " "
        at += 1
    return at, column


def _interrupts(mark: str) -> bool:
    """An ordered list may break into a paragraph only with 1. Unlike in CommonMark an empty item may: it may have been emptied."""
    return mark[0] in "-+*1" and len(mark) <= len("1.")


def _content(line: str, at: int, column: int) -> int:
    """The column where an item's content begins; five spaces or more are one space and indented code."""
    end, content = _indent(line, at, column)
    empty = end == len(line) or line[end] == "\n"
    return column + 1 if empty or content - column > _INDENTED else content
