"""Where a text is code to every client, however each of them reads what stands before. Pure.

Clients differ: one draws HTML and one does not, one knows tables and formulas and one does not. What is a
fence to one of them is a line of HTML to another, and the fence that closes it opens one there. So all
readings are followed, and a place counts as code where all of them say so. The rules are those of CommonMark
4.5 (fences), 4.6 (HTML) and 6.1 (code spans).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_MOST_READINGS = 32
"""Readings of a text that are followed. With more of them nothing counts as code any more."""
_TAB = 4
_LEAST_ITEM = 2
"""Columns that the content of a list item is indented by, at least."""
_CODE_INDENT = 4
_FENCE = re.compile(r"(`{3,}+|~{3,}+)([^\n]*)")
_ITEM_FENCE = re.compile(r"([-+*]|[0-9]{1,9}[.)])([ \t]+)(?=```|~~~)")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)[ \t]*/?>")
_BLOCK_TAGS = frozenset(
    {"dd", "details", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "summary"}
    | {"table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"}
)
_SPAN_MARK = re.compile(r"`++|[|\r\n]")
_FORMULAS = {"$$": "$$", "\\[": "\\]"}


@dataclass(frozen=True, slots=True)
class _Open:
    """What is open where a line begins. `mark` ends it; `indent` is where the fence of an item stood."""

    kind: Literal["fence", "indented", "item", "html", "pre", "formula"]
    mark: str = ""
    indent: int = 0


class _Line:
    """A line without its end, as all readings see it."""

    def __init__(self, text: str) -> None:
        self.rest = text.lstrip(" \t")
        self.indent = len(text[: len(text) - len(self.rest)].expandtabs(_TAB))
        self.blank = not self.rest
        fence = _FENCE.fullmatch(self.rest)
        self._fence = fence[1] if fence else ""
        self._info = fence[2] if fence else ""

    @property
    def fence(self) -> str:
        """The marks that open a fence, or nothing."""
        return self._fence if self._fence[:1] == "~" or "`" not in self._info else ""

    def closes(self, mark: str) -> bool:
        """Whether it closes a fence that these marks have opened, as far as it may be indented."""
        return self._fence.startswith(mark) and not self._info.strip(" \t")


class FenceReadings:
    """Follows the lines of a text. `certain`: where the next line begins, all readings are within a fence."""

    def __init__(self) -> None:
        self._readings: frozenset[tuple[bool, _Open | None]] = frozenset({(True, None), (False, None)})
        """Each says whether its client knows formulas: where it does, a line that ends one opens none."""
        self.certain = False

    def end_line(self, text: str) -> None:
        """Take in the next line, without its end."""
        line = _Line(text)
        after = frozenset(
            (formulas, then)
            for formulas, one in self._readings
            for then in _after(one, line, formulas=formulas)
        )
        self._readings = after if len(after) <= _MOST_READINGS else frozenset()
        self.certain = bool(self._readings) and all(
            one is not None and one.kind == "fence" for _, one in self._readings
        )


def _after(one: _Open | None, line: _Line, *, formulas: bool) -> Iterator[_Open | None]:
    """What may be open behind the line, where this was open before it."""
    if one is None:
        yield from _opened(line, formulas=formulas)
    elif one.kind in ("fence", "indented"):
        yield None if line.indent < _CODE_INDENT and line.closes(one.mark) else one
    elif one.kind == "item":
        if not line.blank and line.indent < _LEAST_ITEM:
            yield from _opened(line, formulas=formulas)
            return
        yield None if line.closes(one.mark) else one
        if not line.blank and line.indent < one.indent:
            yield from _opened(line, formulas=formulas)
    elif one.kind == "html":
        yield None if line.blank else one
    elif one.kind == "pre":
        yield None if "</pre>" in line.rest.lower() else one
    else:
        ends = one.mark in line.rest
        yield None if ends else one
        if ends and line.rest.strip() != one.mark:
            # To some clients only a line of its own ends a formula.
            yield one


def _opened(line: _Line, *, formulas: bool) -> Iterator[_Open | None]:
    """What a line may open that stands in no block of these kinds."""
    if line.fence:
        yield from _fences(line)
        return
    item = _ITEM_FENCE.match(line.rest)
    if item is not None:
        fence = _Line(line.rest[item.end() :]).fence
        if fence:
            yield _Open("item", fence, line.indent + len(item[0].expandtabs(_TAB)))
        if not fence or line.indent >= _CODE_INDENT or item[1] not in ("-", "+", "*", "1.", "1)"):
            yield None
        return
    if formulas and line.indent < _CODE_INDENT:
        for begin, end in _FORMULAS.items():
            if line.rest.startswith(begin) and end not in line.rest[len(begin) :]:
                yield _Open("formula", end)
                return
    yield None
    if line.indent >= _CODE_INDENT:
        return
    tag = _TAG.match(line.rest)
    if tag is not None:
        name = tag[2].lower()
        if name == "pre" and not tag[1]:
            if "</pre>" not in line.rest.lower():
                yield _Open("pre")
        elif name in _BLOCK_TAGS or not line.rest[tag.end() :].strip():
            yield _Open("html")


def _fences(line: _Line) -> Iterator[_Open | None]:
    if not line.indent:
        yield _Open("fence", line.fence)
        return
    # Whether it stands in a list item, the lines before decide, of which nothing is kept.
    yield _Open("indented", line.fence) if line.indent < _CODE_INDENT else None
    if line.indent >= _LEAST_ITEM:
        yield _Open("item", line.fence, line.indent)


class SpanReadings:
    """Follows the runs of backticks of a paragraph, of which two of one length make a code span.

    Whatever readings differ in puts the rest of the paragraph in doubt: a run that is open at the end of a
    line or at a bar, which may end a cell, and an address in pointed brackets, which may hold a run.
    """

    def __init__(self) -> None:
        self._open = 0
        self._run = 0
        self._doubt = False

    def backtick(self, before: str) -> None:
        """A backtick comes behind this text, which is the end of what stands before it."""
        slashes = len(before) - len(before.rstrip("\\"))
        if before and slashes == len(before):
            # More may stand before them.
            self.doubt()
        escaped = slashes % 2 == 1
        if self._run or self._open or not escaped:
            self._run += 1

    def other(self, text: str) -> None:
        """Other characters of the line come."""
        if not text:
            return
        self._end_run()
        if self._open and "|" in text:
            self._doubt = True

    def doubt(self) -> None:
        """Here is what readings differ in."""
        self._doubt = True

    def end_line(self, *, blank: bool) -> None:
        """The line ends. Behind one without text a paragraph begins."""
        self._end_run()
        self._doubt = not blank and (self._doubt or bool(self._open))
        self._open = 0

    def holds(self, rest: str, *, more: bool) -> bool | None:
        """Whether what follows is within a code span, by the rest of the text. None while that is not known.

        `more`: the text may go on.
        """
        self._end_run()
        if self._doubt or not self._open:
            return False
        for mark in _SPAN_MARK.finditer(rest):
            if mark[0][0] != "`":
                return False
            if more and mark.end() == len(rest):
                return None
            if len(mark[0]) == self._open:
                return True
        return None if more else False

    def _end_run(self) -> None:
        if self._run and not self._open:
            self._open = self._run
        elif self._run == self._open:
            self._open = 0
        self._run = 0
