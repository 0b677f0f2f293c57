"""Bold words that say what stands behind or below them: `**Timeout.** It ends ...`, `**Rejected**`. Pure.

Notes, decisions and tickets have them in place of headings. What they head says little without them.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

MOST_BOLD = 80
"""Characters of bold words that head something. A longer text is a sentence that somebody stresses."""

MOST_SENTENCE = 4
"""Words of a bold line with an end mark that is a head all the same. A longer one is a stressed sentence."""

_BOLD = ("**", "__")
_CLOSES = ".:："
_ENDS = (".", "!", "…", "。", "！")
_RUN_IN = re.compile(
    rf"[ \t]{{0,3}}(\*\*[^*\s][^*]{{0,{MOST_BOLD - 1}}}\*\*|__[^_\s][^_]{{0,{MOST_BOLD - 1}}}__)"
    r"([.:：]?)(?=[ \t]++(\S)(\s?))"
)
_ENDS_HEAD = (".", ":", "：", "?", "？", "!")
_DASHES = "-–—"


@dataclass(frozen=True, slots=True)
class BoldHead:
    """`words`: what it says. `shown`: how it is written, where text runs on behind it; else empty.

    `end` is where it ends.
    """

    words: str
    shown: str
    end: int


@dataclass(frozen=True, slots=True)
class BoldHeads:
    """The bold heads of a text: those of a paragraph, which end with it, and those that have a line alone."""

    starts: tuple[int, ...] = ()
    heads: tuple[BoldHead | None, ...] = ()
    """What holds from each start on: None where a head is over."""

    def over(self, place: int) -> BoldHead | None:
        """The head that holds at this place, if there is one."""
        at = bisect_right(self.starts, place) - 1
        return self.heads[at] if at >= 0 else None

    def without_lines(self, text: str) -> str:
        """The text with spaces in place of the heads that have a line alone. All places stay."""
        kept: list[str] = []
        done = 0
        for start, head in zip(self.starts, self.heads, strict=True):
            if head is not None and not head.shown and done <= start < head.end:
                kept += [text[done:start], " " * (head.end - start)]
                done = head.end
        return "".join([*kept, text[done:]])


def in_bold(line: str) -> str:
    """What a line says that is bold from end to end, such as `**Rejected.**`; empty for any other line."""
    said = line.strip().rstrip(_CLOSES)
    mark, inner = said[:2], said[2:-2]
    whole = mark in _BOLD and said.endswith(mark) and mark not in inner
    return inner.strip(" " + _CLOSES) if whole and len(inner) <= MOST_BOLD else ""


def is_bold_head(line: str) -> bool:
    """Whether a line in bold heads what stands below it, and is no sentence that somebody stresses."""
    words = in_bold(line)
    said = line.strip().rstrip(":：*_")
    return bool(words) and (not said.endswith(_ENDS) or len(words.split()) <= MOST_SENTENCE)


def bold_heads_in(text: str) -> BoldHeads:
    """The bold heads of a text. A paragraph's own one holds before that of a line alone above it."""
    starts: list[int] = []
    heads: list[BoldHead | None] = []
    below: BoldHead | None = None
    at, blank = 0, True
    for line in text.split("\n"):
        head = None
        if blank and is_bold_head(line):
            head = below = BoldHead(in_bold(line), "", at + len(line))
        elif found := _run_in(line, at):
            head = found
        elif not line.strip() and heads and heads[-1] is not below:
            starts.append(at)
            heads.append(below)
        if head is not None:
            starts.append(at)
            heads.append(head)
        blank = not line.strip()
        at += len(line) + 1
    return BoldHeads(tuple(starts), tuple(heads))


def _run_in(line: str, at: int) -> BoldHead | None:
    """The bold words with which a line begins, if they head the rest of it."""
    found = _RUN_IN.match(line)
    if found is None:
        return None
    bold, mark, first, gap = found.groups()
    inner = bold[2:-2].strip()
    if not (mark or inner.endswith(_ENDS_HEAD) or (first in _DASHES and gap)):
        return None
    shown = bold + (mark or ("" if inner.endswith(_ENDS_HEAD) else ":"))
    return BoldHead(inner.strip(" " + _CLOSES), shown, at + found.end())
