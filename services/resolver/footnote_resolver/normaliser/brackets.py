"""Square brackets of a line: how many are open, and which of them are the text of a link."""

import re
from collections import deque

from footnote_resolver.normaliser.markers import ELLIPSIS, OPAQUE, WIRE_HEAD
from footnote_resolver.normaliser.window import HOLD, Wait

_bracket = re.compile(rf"\\.|{OPAQUE}|[\[\]\n{ELLIPSIS}]")
_wire_head = re.compile(WIRE_HEAD)


def depth_after(text: str, depth: int) -> int:
    """How many square brackets are open behind the text, if this many were open before it."""
    for found in _bracket.finditer(text):
        depth = depth + 1 if found[0] == "[" else max(0, depth - 1) if found[0] == "]" else depth
    return depth


def end_of_link(text: str, end: int, stop: int, depth: int) -> int | Wait:
    """Where the link text ends that a bracket is in, which ends at `end` with `depth` others open before it.

    -1 if there is none, or if a token stands before its end. `HOLD` if that is not seen before `stop`.
    """
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
                return HOLD
            if text[found.end()] == "(":
                return found.start()
            if depth == 0:
                return -1
        elif mark == "\n" or _is_token(mark):
            return -1
    return HOLD


def link_texts(text: str, i: int, depth: int) -> tuple[deque[tuple[int, int]], deque[int], int]:
    """The link texts from `i` to the end of its line, the tokens there, and that end.

    The link texts are in the order of their starts. Of their brackets, `depth` may have opened before `i`;
    these start at -1.
    """
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


def _is_token(found: str) -> bool:
    """Whether it is a token, or what stands where one was dropped."""
    return found == ELLIPSIS or _wire_head.match(found) is not None
