"""How far ahead a decision may look: a few characters in a live stream, everything in a whole message."""

import re
import sys
from collections import deque
from copy import copy
from typing import Protocol

from footnote_resolver.normaliser.blocks import LONGEST_HEAD, Blocks, is_rule, read_head
from footnote_resolver.normaliser.markers import OPAQUE
from footnote_resolver.normaliser.regions import CLOSED, DEAD, Code, Fence, Region, Until
from footnote_resolver.normaliser.tags import Tag
from footnote_resolver.normaliser.targets import Target

_bracket = re.compile(rf"\\.|{OPAQUE}|[\[\]\n]")
_dollar = re.compile(rf"\\.|{OPAQUE}|[$\n]")
_ticks = re.compile(r"`+")
_tick_or_end = re.compile(r"[`\n]")
_LONGEST_TAG = 4096


class Sight(Protocol):
    reach: int
    """How many characters a decision may see, its own included."""

    def closes(self, region: Region, text: str, i: int, blocks: Blocks) -> bool:
        """Whether a region that seems to begin at `i` is one: whether it ends within its paragraph."""

    def next_dollar(self, text: str, i: int, stop: int) -> int | None:
        """The next unescaped dollar sign on this line; -1 if the line has none, None if it is not seen to its end."""

    def in_link(self, text: str, i: int, end: int, stop: int, depth: int) -> bool | None:
        """Whether the bracket from `i` to `end`, `depth` open ones around it, is in a link's text; None: not seen."""


class NearSight:
    """Of a live stream. What begins is taken for what it seems; what may be held back is small."""

    def __init__(self, reach: int) -> None:
        self.reach = reach

    def closes(self, region: Region, text: str, i: int, blocks: Blocks) -> bool:
        return True

    def next_dollar(self, text: str, i: int, stop: int) -> int | None:
        for found in _dollar.finditer(text, i, stop):
            if found[0] == "$":
                return found.start()
            if found[0] == "\n":
                return -1
        return None

    def in_link(self, text: str, i: int, end: int, stop: int, depth: int) -> bool | None:
        inner = 0
        for found in _bracket.finditer(text, end, stop):
            mark = found[0]
            if mark == "\n":
                return False
            if mark == "[":
                inner += 1
            elif mark == "]" and inner:
                inner -= 1
            elif mark == "]":
                depth -= 1
                if found.end() == stop:
                    return None
                if text[found.end()] == "(":
                    return True
                if depth == 0:
                    return False
        return None


class FarSight:
    """Of one whole text, which it is asked about from left to right. What was found out is kept, so that the sum of all looking ahead is linear."""

    reach = sys.maxsize

    def __init__(self, text: str) -> None:
        self._text = text
        self._block_end = 0
        self._runs: dict[int, int] = {}
        self._unclosed: dict[str, int] = {}
        self._dollar = (0, -1)
        self._line_end = 0
        self._links: deque[tuple[int, int]] = deque()

    def closes(self, region: Region, text: str, i: int, blocks: Blocks) -> bool:
        if isinstance(region, Fence):
            return region.character == "~" or _ends_line(text, i)
        end = self._end_of_block(i, blocks)
        if isinstance(region, Code):
            return self._runs.get(region.length, -1) >= i
        if isinstance(region, Tag | Target):
            return _ends(copy(region), text, i, min(end, i + _LONGEST_TAG))
        if isinstance(region, Until) and not region.whole:
            mark = region.closing.mark
            if self._unclosed.get(mark, -1) >= end:
                return False
            if not _ends(copy(region), text, i, end):
                self._unclosed[mark] = end
                return False
        return True

    def next_dollar(self, text: str, i: int, stop: int) -> int | None:
        seen_from, at = self._dollar
        if not seen_from <= i <= at:
            at = next((found.start() for found in _dollar.finditer(text, i) if found[0] in "$\n"), len(text))
            self._dollar = (i, at)
        return at if text[at : at + 1] == "$" else -1

    def in_link(self, text: str, i: int, end: int, stop: int, depth: int) -> bool | None:
        if i >= self._line_end:
            self._links, self._line_end = _link_texts(text, i, depth)
        while self._links and self._links[0][1] <= i:
            self._links.popleft()
        return bool(self._links) and self._links[0][0] < i

    def _end_of_block(self, i: int, blocks: Blocks) -> int:
        if i >= self._block_end:
            self._block_end = _end_of_block(self._text, i, blocks)
            self._runs = {len(run[0]): run.start() for run in _ticks.finditer(self._text, i, self._block_end)}
        return self._block_end


def _ends(region: Region, text: str, i: int, stop: int) -> bool:
    while i < stop:
        i, outcome = region.take(text, i, stop, True)
        if outcome is CLOSED or outcome is DEAD:
            return outcome is CLOSED
        i += 1
    return False


def _ends_line(text: str, i: int) -> bool:
    """Whether no backtick follows the run at `i` on its line: with one, it begins a code span and not a fence."""
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
        head = read_head(line, blocks, complete=True)
        if head is None or head.opens:
            return end
        if following >= 0 and is_rule(line[head.length : -1]):
            return following
        blocks, i = head.blocks, end + 1


def _link_texts(text: str, i: int, depth: int) -> tuple[deque[tuple[int, int]], int]:
    """The outermost link texts from `i` to the end of its line, of which `depth` may have begun before; and that end."""
    opened = [-1] * depth
    spans: deque[tuple[int, int]] = deque()
    end = len(text)
    for found in _bracket.finditer(text, i):
        if found[0] == "\n":
            end = found.start()
            break
        if found[0] == "[":
            opened.append(found.start())
        elif found[0] == "]" and opened:
            start = opened.pop()
            if text[found.end() : found.end() + 1] == "(":
                while spans and spans[-1][0] > start:
                    spans.pop()
                spans.append((start, found.start()))
    return spans, end
