"""How a line begins, by CommonMark's block structure: what ends a paragraph, and which lines are code."""

import re
from dataclasses import dataclass, replace
from enum import Enum

from footnote_resolver.normaliser.window import SEND, Wait

LONGEST_HEAD = 200
"""If this many characters do not say what a line is, it is text or, indented, code."""

_STARTS = frozenset(" \t\r\n>-+*0123456789#`~")
_TAB = 4
_INDENTED = 4
"""Columns of indentation that make code."""
_DEEPEST = 100
"""Containers within each other; the marks of further ones are text."""
_QUOTE = -1

_margin = re.compile(r"[ \t\r]*")
_item = re.compile(r"([-+*]|[0-9]{1,9}[.)])(?=[ \t\r\n]|\Z)")
_item_so_far = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)]?)\Z")
_heading = re.compile(r"#{1,6}(?:[ \t]+|(?=[\r\n]|\Z))")
_fence = re.compile(r"`{3}|~{3}")
_begun = re.compile(r"(?:`{1,2}|~{1,2}|#{1,6}[ \t]*)\Z")
_rule = re.compile(r"[-=*_][-=*_ \t\r]*")
_opener = re.compile(r"(?:(?:[-+*]|#{1,6}|[0-9]{1,9}[.)]?)[ \t]*|[-=*_ \t]*)")


class LineKind(Enum):
    BLANK = "blank"
    TEXT = "text"
    CODE = "code"
    FENCE = "fence"


@dataclass(frozen=True, slots=True)
class Blocks:
    """What is open where a line begins: containers, the outermost first, and maybe a paragraph."""

    containers: tuple[int, ...] = ()
    """The column of its content for a list item, `_QUOTE` for a quotation."""
    paragraph: bool = False

    @property
    def quoted(self) -> bool:
        return _QUOTE in self.containers


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a line: `length` characters of indentation and container marks, and what follows."""

    length: int
    kind: LineKind
    opens: bool
    """A block begins here: what was open in the paragraph before is over."""
    blocks: Blocks
    """What is open at the end of the line."""
    margin: int = 0
    """The column where the content of a fence's container begins."""


_EMPTY = Head(0, LineKind.BLANK, True, Blocks())
_BEGINS = Head(0, LineKind.TEXT, True, Blocks(paragraph=True))
_GOES_ON = Head(0, LineKind.TEXT, False, Blocks(paragraph=True))


def read_head(line: str, blocks: Blocks) -> Head:
    """Read the beginning of a line of which no more counts."""
    head = HeadReader(blocks).read(line, complete=True)
    return _GOES_ON if isinstance(head, Wait) else head


class HeadReader:
    """Reads the beginning of one line, which may come in pieces: what has been read is not read again."""

    __slots__ = ("_blocks", "_margin")

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._margin = _Margin(blocks.containers)

    def read(self, line: str, *, complete: bool) -> Head | Wait:
        """Read the line so far; `complete`: there is no more of it, or no more of it counts."""
        blocks, margin = self._blocks, self._margin
        if line and not blocks.containers and not margin.at:
            if line[0] == "\n":
                return _EMPTY
            if line[0] not in _STARTS:
                return _GOES_ON if blocks.paragraph else _BEGINS
        while True:
            margin.indent(line)
            if margin.at == len(line) and not complete:
                return SEND
            if margin.at == len(line) or line[margin.at] == "\n":
                return _blank(line, margin, blocks)
            margin.enter()
            continues = blocks.paragraph and not margin.opens
            if margin.column - margin.base >= _INDENTED:
                return _text(margin.at, blocks, margin, continues=True) if continues else _code(margin)
            inward = margin.goes_in(line, continues=continues, complete=complete)
            if isinstance(inward, Wait):
                return inward
            if not inward:
                return _leaf(line, margin, blocks, continues=continues, complete=complete)


def is_rule(text: str) -> bool:
    """Whether it is a thematic break or the line under a heading, which end the paragraph."""
    return _rule.fullmatch(text) is not None


def could_open(text: str) -> bool:
    """Whether a line that begins so could yet open a block, if what follows changes."""
    return _opener.fullmatch(text) is not None


class _Margin:
    """The beginning of a line while it is read: how far, and how many of the open containers it is in."""

    __slots__ = ("at", "base", "column", "containers", "entered", "opens")

    def __init__(self, containers: tuple[int, ...]) -> None:
        self.at = self.column = self.base = self.entered = 0
        self.containers = containers
        self.opens = False

    def indent(self, line: str) -> None:
        self.at, self.column = _indent(line, self.at, self.column)

    def enter(self) -> None:
        """Enter the open list items whose content begins at this column or before it."""
        while (next_item := self._next()) is not None and _QUOTE < next_item <= self.column:
            self.base = max(self.base, next_item)
            self.entered += 1

    def goes_in(self, line: str, *, continues: bool, complete: bool) -> bool | Wait:
        """Read the mark of a quotation or a list item, if there is one."""
        if line[self.at] == ">" and self.entered < _DEEPEST:
            if self.at + 1 == len(line) and not complete:
                return SEND
            width = 2 if line[self.at + 1 : self.at + 2] == " " else 1
            self.at, self.column = self.at + width, self.column + width
            self.base = self.column
            if self._next() == _QUOTE:
                self.entered += 1
            else:
                self._open(_QUOTE)
            return True
        item = _item.match(line, self.at)
        if item is None or self.entered == _DEEPEST:
            return SEND if not complete and _item_so_far.match(line, self.at) else False
        if item.end() == len(line) and not complete:
            return SEND
        if continues and self.entered == len(self.containers) and not _interrupts(item[0]):
            return False
        column = self.column + len(item[0])
        if not complete and _indent(line, item.end(), column)[0] == len(line):
            return SEND
        self.at, self.column = item.end(), column
        self.base = _content(line, self.at, self.column)
        self._open(self.base)
        return True

    def blocks(self, *, paragraph: bool) -> Blocks:
        return Blocks(self.containers[: self.entered], paragraph)

    def after_blank(self) -> Blocks:
        """What is open behind a blank line, which ends the quotations that it is not in, but no list item."""
        open_to = self.entered
        while open_to < len(self.containers) and self.containers[open_to] != _QUOTE:
            open_to += 1
        return Blocks(self.containers[:open_to])

    def _next(self) -> int | None:
        return self.containers[self.entered] if self.entered < len(self.containers) else None

    def _open(self, container: int) -> None:
        self.containers, self.opens = (*self.containers[: self.entered], container), True
        self.entered += 1


def _leaf(line: str, margin: _Margin, blocks: Blocks, *, continues: bool, complete: bool) -> Head | Wait:
    if not complete and _begun.match(line, margin.at):
        return SEND
    if _fence.match(line, margin.at):
        return Head(margin.at, LineKind.FENCE, True, margin.blocks(paragraph=False), margin.base)
    heading = _heading.match(line, margin.at)
    if heading is not None:
        return Head(heading.end(), LineKind.TEXT, True, margin.blocks(paragraph=False))
    return _text(margin.at, blocks, margin, continues=continues)


def _text(at: int, blocks: Blocks, margin: _Margin, *, continues: bool) -> Head:
    """Text. If it continues a paragraph, the containers stay open, however it is indented."""
    return Head(at, LineKind.TEXT, not continues, blocks if continues else margin.blocks(paragraph=True))


def _code(margin: _Margin) -> Head:
    return Head(margin.at, LineKind.CODE, True, margin.blocks(paragraph=False))


def _blank(line: str, margin: _Margin, blocks: Blocks) -> Head:
    """A blank line, or one that is too long to tell: that is what its indentation makes of it."""
    after = margin.after_blank()
    if margin.at < LONGEST_HEAD or margin.at < len(line):
        return Head(margin.at, LineKind.BLANK, True, after)
    if margin.column - margin.base >= _INDENTED and not (blocks.paragraph and not margin.opens):
        return Head(margin.at, LineKind.CODE, True, after)
    return Head(
        margin.at, LineKind.TEXT, margin.opens or not blocks.paragraph, replace(after, paragraph=True)
    )


def _indent(line: str, at: int, column: int) -> tuple[int, int]:
    margin = _margin.match(line, at)
    for character in margin[0] if margin else "":
        column += _TAB - column % _TAB if character == "\t" else character == " "
        at += 1
    return at, column


def _interrupts(mark: str) -> bool:
    """Whether the item may interrupt a paragraph: an ordered list only with 1.

    Unlike in CommonMark an empty item may, for it may have lost a citation.
    """
    return mark[0] in "-+*1" and len(mark) <= len("1.")


def _content(line: str, at: int, column: int) -> int:
    """The column where an item's content begins; five spaces or more are one space before indented code."""
    end, content = _indent(line, at, column)
    empty = end == len(line) or line[end] == "\n"
    return column + 1 if empty or content - column > _INDENTED else content
