"""How far ahead the rewriter sees: a few characters in a live stream, everything in a whole message."""

import re
import sys
from collections import deque
from copy import copy
from typing import Protocol

from footnote_resolver.normaliser.blocks import LONGEST_HEAD, Blocks, is_rule, read_head
from footnote_resolver.normaliser.brackets import end_of_link, link_texts
from footnote_resolver.normaliser.markers import ELLIPSIS, OPAQUE, WIRE_HEAD
from footnote_resolver.normaliser.regions import CLOSED, DEAD, Code, Fence, Region, Until
from footnote_resolver.normaliser.tags import Tag
from footnote_resolver.normaliser.targets import Target
from footnote_resolver.normaliser.window import HOLD, Wait

_dollar = re.compile(rf"\\.|{OPAQUE}|[$\n]")
_ticks = re.compile(r"`+")
_tick_or_end = re.compile(r"[`\n]")
_definition = re.compile(
    r"^ {0,3}(?:(?:> ?)++ {0,3})?(?:[-*+] {1,3})?\[([1-9][0-9]{0,8})\]:[ \t]*+[\w<#/]", re.MULTILINE
)
_LONGEST_TAG = 4096
_rewritten = re.compile(rf"{ELLIPSIS}|{WIRE_HEAD}")
"""What may stand where a citation was. A tag with it is none: it may have become one when something went."""


class Sight(Protocol):
    """What the rewriter may ask about the text ahead."""

    reach: int
    """How many characters a decision may see, its own included."""

    def closes(self, region: Region, text: str, i: int, blocks: Blocks) -> bool:
        """Whether what seems to begin at `i` is a region: whether it ends within its paragraph."""

    def next_dollar(self, text: str, i: int, stop: int) -> int | Wait:
        """The next unescaped dollar sign on this line, -1 if it has none, `HOLD` if its end is not seen."""

    def defines(self, n: int) -> bool:
        """Whether a line `[n]: ...` says what a reference `[text][n]` links to."""

    def end_of_link(self, text: str, i: int, end: int, stop: int, depth: int) -> int | Wait:
        """As `brackets.end_of_link`, for the bracket from `i` to `end`."""


class NearSight:
    """The sight in a live stream, where little may be held: whatever begins is taken for what it seems."""

    def __init__(self, reach: int) -> None:
        self.reach = reach

    def closes(self, region: Region, text: str, i: int, blocks: Blocks) -> bool:
        return True

    def next_dollar(self, text: str, i: int, stop: int) -> int | Wait:
        for found in _dollar.finditer(text, i, stop):
            if found[0] == "$":
                return found.start()
            if found[0] == "\n":
                return -1
        return HOLD

    def defines(self, n: int) -> bool:
        return False

    def end_of_link(self, text: str, i: int, end: int, stop: int, depth: int) -> int | Wait:
        return end_of_link(text, end, stop, depth)


class FarSight:
    """The sight of one whole text, which is asked about it from left to right.

    It keeps what it has found out, so that all looking ahead together takes linear time.
    """

    reach = sys.maxsize

    def __init__(self, text: str) -> None:
        self._text = text
        self._block_end = 0
        self._runs: dict[int, int] = {}
        self._unclosed: dict[str, int] = {}
        self._dollar = (0, -1)
        self._line_end = 0
        self._links: deque[tuple[int, int]] = deque()
        self._around: list[int] = []
        self._tokens: deque[int] = deque()
        self._defined: set[int] | None = None

    def closes(self, region: Region, text: str, i: int, blocks: Blocks) -> bool:
        if isinstance(region, Fence):
            return region.character == "~" or _ends_line(text, i)
        end = self._end_of_block(i, blocks)
        if isinstance(region, Code):
            return self._runs.get(region.length, -1) >= i
        if isinstance(region, Tag | Target):
            shut = _shut(copy(region), text, i, min(end, i + _LONGEST_TAG))
            return shut >= 0 and (isinstance(region, Target) or _rewritten.search(text, i, shut) is None)
        if isinstance(region, Until) and not region.whole:
            mark = region.closing.mark
            if self._unclosed.get(mark, -1) >= end:
                return False
            if _shut(copy(region), text, i, end) < 0:
                self._unclosed[mark] = end
                return False
        return True

    def next_dollar(self, text: str, i: int, stop: int) -> int | Wait:
        seen_from, at = self._dollar
        if not seen_from <= i <= at:
            at = next((found.start() for found in _dollar.finditer(text, i) if found[0] in "$\n"), len(text))
            self._dollar = (i, at)
        return at if text[at : at + 1] == "$" else -1

    def defines(self, n: int) -> bool:
        if self._defined is None:
            self._defined = {int(found[1]) for found in _definition.finditer(self._text)}
        return n in self._defined

    def end_of_link(self, text: str, i: int, end: int, stop: int, depth: int) -> int | Wait:
        if i >= self._line_end:
            self._links, self._tokens, self._line_end = link_texts(text, i, depth)
            self._around.clear()
        while self._links and self._links[0][0] < i:
            self._around.append(self._links.popleft()[1])
        while self._around and self._around[-1] < i:
            self._around.pop()
        while self._tokens and self._tokens[0] < i:
            self._tokens.popleft()
        if not self._around or (self._tokens and self._tokens[0] < self._around[-1]):
            return -1
        return self._around[-1]

    def _end_of_block(self, i: int, blocks: Blocks) -> int:
        if i >= self._block_end:
            self._block_end = _end_of_block(self._text, i, blocks)
            self._runs = {len(run[0]): run.start() for run in _ticks.finditer(self._text, i, self._block_end)}
        return self._block_end


def _shut(region: Region, text: str, i: int, stop: int) -> int:
    """Where a region ends that begins at `i`; -1 if it does not end before `stop`."""
    while i < stop:
        i, state = region.take(text, i, stop, True)
        if state is CLOSED or state is DEAD:
            return i if state is CLOSED else -1
        i += 1
    return -1


def _ends_line(text: str, i: int) -> bool:
    """Whether no backtick follows the run at `i` on its line: else the run begins a code span, no fence."""
    run = _ticks.match(text, i)
    following = _tick_or_end.search(text, run.end() if run else i)
    return following is None or following[0] == "\n"


def _end_of_block(text: str, i: int, blocks: Blocks) -> int:
    """Where the paragraph ends that `i` is in; `blocks` is what is open at the end of its line."""
    while True:
        end = text.find("\n", i)
        if end < 0:
            return len(text)
        following = text.find("\n", end + 1, end + 1 + LONGEST_HEAD)
        line = text[end + 1 : following + 1 if following >= 0 else end + 1 + LONGEST_HEAD]
        head = read_head(line, blocks)
        if head.opens:
            return end
        if following >= 0 and is_rule(line[head.length : -1]):
            return following
        blocks, i = head.blocks, end + 1
