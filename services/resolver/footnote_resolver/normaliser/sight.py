"""How far ahead a decision may look: a few characters in a live stream, everything in a whole message."""

import re
import sys
from collections import deque
from copy import copy
from typing import Protocol

from footnote_resolver.normaliser.blocks import LONGEST_HEAD, Blocks, is_rule, read_head
from footnote_resolver.normaliser.markers import ELLIPSIS, OPAQUE, WIRE_HEAD
from footnote_resolver.normaliser.regions import CLOSED, DEAD, Code, Fence, Region, Until
from footnote_resolver.normaliser.tags import Tag
from footnote_resolver.normaliser.targets import Target

_bracket = re.compile(rf"\\.|{OPAQUE}|[\[\]\n{ELLIPSIS}]")
_dollar = re.compile(rf"\\.|{OPAQUE}|[$\n]")
_ticks = re.compile(r"`+")
_tick_or_end = re.compile(r"[`\n]")
_LONGEST_TAG = 4096
_rewritten = re.compile(rf"{ELLIPSIS}|{WIRE_HEAD}")
"""What may stand where a citation was: with that in it, a tag is none, lest it became one by what went."""


class Sight(Protocol):
    reach: int
    """How many characters a decision may see, its own included."""

    def closes(self, region: Region, text: str, i: int, blocks: Blocks) -> bool:
        """Whether a region that seems to begin at `i` is one: whether it ends within its paragraph."""

    def next_dollar(self, text: str, i: int, stop: int) -> int | None:
        """The next unescaped dollar sign on this line; -1 if the line has none, None if it is not seen to its end."""

    def end_of_link(self, text: str, i: int, end: int, stop: int, depth: int) -> int | None:
        """Where the link text ends that is around the bracket from `i` to `end`, with `depth` brackets open before it.

        -1 where none is, or where a token stands before its end; None if that is not seen.
        """


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

    def end_of_link(self, text: str, i: int, end: int, stop: int, depth: int) -> int | None:
        inner = 0
        for found in _bracket.finditer(text, end, stop):
            mark = found[0]
            if mark == "[":
                inner += 1
            elif mark == "]" and inner:
                inner -= 1
            elif mark == "]":
                depth -= 1
                if found.end() == stop:
                    return None
                if text[found.end()] == "(":
                    return found.start()
                if depth == 0:
                    return -1
            elif mark == "\n" or _is_token(mark):
                return -1
        return None


class FarSight:
    """Of one whole text, which it is asked about from left to right.

    What was found out is kept, so that all looking ahead together is linear.
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

    def next_dollar(self, text: str, i: int, stop: int) -> int | None:
        seen_from, at = self._dollar
        if not seen_from <= i <= at:
            at = next((found.start() for found in _dollar.finditer(text, i) if found[0] in "$\n"), len(text))
            self._dollar = (i, at)
        return at if text[at : at + 1] == "$" else -1

    def end_of_link(self, text: str, i: int, end: int, stop: int, depth: int) -> int | None:
        if i >= self._line_end:
            self._links, self._tokens, self._line_end = _link_texts(text, i, depth)
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
    """Where a region ends that begins at `i`; -1 if it does not before `stop`."""
    while i < stop:
        i, outcome = region.take(text, i, stop, True)
        if outcome is CLOSED or outcome is DEAD:
            return i if outcome is CLOSED else -1
        i += 1
    return -1


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


def _is_token(found: str) -> bool:
    """A token, or what stands where one was dropped."""
    return found == ELLIPSIS or (len(found) > 1 and found[0] == "[")


def depth_after(text: str, depth: int) -> int:
    """How many square brackets are open behind the text, with so many open before."""
    for found in _bracket.finditer(text):
        depth = depth + 1 if found[0] == "[" else max(0, depth - 1) if found[0] == "]" else depth
    return depth


def _link_texts(text: str, i: int, depth: int) -> tuple[deque[tuple[int, int]], deque[int], int]:
    """The link texts from `i` to the end of its line, by start, of which `depth` may have begun before; tokens; that end."""
    opened = [-1] * depth
    spans: list[tuple[int, int]] = []
    tokens: deque[int] = deque()
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
                spans.append((start, found.start()))
        elif _is_token(found[0]):
            tokens.append(found.start())
    return deque(sorted(spans, key=lambda span: (span[0], -span[1]))), tokens, end
