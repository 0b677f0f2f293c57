"""Regions: text left to the letter, such as code, which is read to its end in as many pieces as come."""

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol


class RegionState(Enum):
    """What a region is when a piece of it has been read."""

    OPEN = "open"
    """More belongs to it; it was read to the end of a line, or as far as the text decides."""
    CLOSED = "closed"
    DEAD = "dead"
    """What comes next cannot be a part of it: it is not what it seemed to be."""


OPEN, CLOSED, DEAD = RegionState.OPEN, RegionState.CLOSED, RegionState.DEAD


class Region(Protocol):
    """A `whole` region reads line ends itself; the others stop before each, and end with their paragraph."""

    whole: bool

    def take(self, text: str, i: int, stop: int, ended: bool) -> tuple[int, RegionState]:
        """Read on from `i` to `stop` at most, where the text ends if `ended`. Returns how far it read."""


_ticks = re.compile(r"`*+")
_runs = {"`": _ticks, "~": re.compile(r"~*+")}
_tick_or_end = re.compile(r"[`\n]")
_line = re.compile(r"[^\n]*+")
_info = re.compile(r"[^`\n]*+")
_margin = re.compile(r"[ \t]*+")
_quoted_margin = re.compile(r"[ \t>]*+")
_tail = re.compile(r"[ \t\r]*+")


def past(pattern: re.Pattern[str], text: str, i: int, stop: int) -> int:
    """Where a match of the pattern at `i` ends; `i` if there is none."""
    found = pattern.match(text, i, stop)
    return found.end() if found else i


@dataclass(slots=True)
class Ticks:
    """A run of backticks, counted."""

    whole: bool = True
    length: int = 0

    def take(self, text: str, i: int, stop: int, ended: bool) -> tuple[int, RegionState]:
        end = past(_ticks, text, i, stop)
        self.length += end - i
        return end, CLOSED if end < stop or ended else OPEN


@dataclass(slots=True)
class Code:
    """A code span: to the next run of just as many backticks."""

    length: int
    whole: bool = False
    _run: int = 0

    def take(self, text: str, i: int, stop: int, ended: bool) -> tuple[int, RegionState]:
        while True:
            end = past(_ticks, text, i, stop)
            self._run += end - i
            if end == stop and not ended:
                return end, OPEN
            run, self._run = self._run, 0
            if run == self.length:
                return end, CLOSED
            if end == stop or text[end] == "\n":
                return end, OPEN
            found = _tick_or_end.search(text, end, stop)
            i = found.start() if found else stop
            if i == stop or text[i] == "\n":
                return i, OPEN


class _Part(Enum):
    RUN = 0
    INFO = 1
    MARGIN = 2
    CLOSING = 3
    TAIL = 4
    BODY = 5


@dataclass(slots=True)
class Fence:
    """A fenced block: to a line of at least as many of its character, or to the end of the text."""

    character: str
    margin: int
    quoted: bool = False
    """It stands in a quotation, whose marks may precede the closing run."""
    whole: bool = True
    length: int = 0
    _part: _Part = _Part.RUN
    _count: int = 0
    _indent: int = 0

    def take(self, text: str, i: int, stop: int, ended: bool) -> tuple[int, RegionState]:
        while i < stop:
            i, outcome = self._advance(text, i, stop)
            if outcome is not OPEN:
                return i, outcome
        return i, OPEN

    def _advance(self, text: str, i: int, stop: int) -> tuple[int, RegionState]:
        match self._part:
            case _Part.BODY:
                return self._line_end(past(_line, text, i, stop), stop), OPEN
            case _Part.RUN:
                end = past(_runs[self.character], text, i, stop)
                self.length += end - i
                self._part = _Part.INFO if end < stop else _Part.RUN
                return end, OPEN
            case _Part.INFO:
                end = past(_info if self.character == "`" else _line, text, i, stop)
                if end < stop and text[end] == "`":
                    return end, DEAD
                return self._line_end(end, stop), OPEN
            case _Part.MARGIN:
                end = past(_quoted_margin if self.quoted else _margin, text, i, stop)
                self._indent += end - i + 3 * text.count("\t", i, end)
                if end < stop:
                    fits = text[end] == self.character and self._indent <= self.margin + 3
                    self._part = _Part.CLOSING if fits else _Part.BODY
                return end, OPEN
            case _Part.CLOSING:
                end = past(_runs[self.character], text, i, stop)
                self._count += end - i
                self._part = _Part.TAIL if end < stop else _Part.CLOSING
                return end, OPEN
            case _Part.TAIL:
                end = past(_tail, text, i, stop)
                if end < stop and text[end] == "\n" and self._count >= self.length:
                    return end, CLOSED
                self._part = _Part.BODY if end < stop else _Part.TAIL
                return end, OPEN

    def _line_end(self, end: int, stop: int) -> int:
        if end == stop:
            return end
        self._part, self._count, self._indent = _Part.MARGIN, 0, 0
        return end + 1


@dataclass(slots=True)
class Line:
    """The rest of a line: indented code."""

    whole: bool = False

    def take(self, text: str, i: int, stop: int, ended: bool) -> tuple[int, RegionState]:
        end = past(_line, text, i, stop)
        return end, CLOSED if end < stop else OPEN


@dataclass(frozen=True, slots=True)
class Closing:
    """What ends a region. An event is the closing mark, an escaped pair, or the end of a line."""

    event: re.Pattern[str]
    mark: str
    lag: int
    """This many characters at the end of the text so far may begin an event."""


DISPLAY = Closing(re.compile(r"\\[^\n]|\$\$|\n"), "$$", 1)
PARENTHESISED = Closing(re.compile(r"\\[^\n]|\n"), "\\)", 1)
BRACKETED = Closing(re.compile(r"\\[^\n]|\n"), "\\]", 1)


@dataclass(slots=True)
class Until:
    """To a closing mark: displayed math, a comment, an element whose content is code."""

    closing: Closing
    whole: bool = False

    def take(self, text: str, i: int, stop: int, ended: bool) -> tuple[int, RegionState]:
        while True:
            event = self.closing.event.search(text, i, stop)
            if event is None:
                return (stop if ended else max(i, stop - self.closing.lag)), OPEN
            if event[0] == "\n" and not self.whole:
                return event.start(), OPEN
            i = event.end()
            if event[0].lower() == self.closing.mark:
                return i, CLOSED


_address = re.compile(r"[^\s<>\"`*|()\[\]【】［］\u3000-\u303f\uff00-\uffef]*+")
_PAIRS = {")": "(", "]": "["}


@dataclass(slots=True)
class Url:
    """A bare url: to white space, a quote, or a bracket that was not opened in it."""

    whole: bool = False
    _open: dict[str, int] = field(default_factory=lambda: {"(": 0, "[": 0})

    def take(self, text: str, i: int, stop: int, ended: bool) -> tuple[int, RegionState]:
        while True:
            i = past(_address, text, i, stop)
            if i == stop:
                return i, OPEN
            mark = text[i]
            if mark in self._open:
                self._open[mark] += 1
            elif mark in _PAIRS and self._open[_PAIRS[mark]]:
                self._open[_PAIRS[mark]] -= 1
            else:
                return i, CLOSED
            i += 1


@dataclass(slots=True)
class Rest:
    """The rest, on its line, of a marker that was too long to hold."""

    mark: str
    whole: bool = True

    def take(self, text: str, i: int, stop: int, ended: bool) -> tuple[int, RegionState]:
        shut = text.find(self.mark, i, stop)
        broken = text.find("\n", i, stop if shut < 0 else shut)
        if broken >= 0:
            return broken, DEAD
        return (stop, OPEN) if shut < 0 else (shut + 1, CLOSED)
