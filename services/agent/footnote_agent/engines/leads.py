"""The lines of a text, and the sentence or the words that lead in what begins at one of them. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footnote_agent.engines.bold_heads import in_bold
from footnote_agent.engines.prose import is_of_manual
from footnote_agent.engines.rejecting import rejects

_LEAD_LINES = 12
"""Lines above a block in which the sentence that introduces it begins, at most."""

_GAP_LINES = 3
"""Blank lines between such a sentence and what it introduces at most: tags taken out leave some."""

ITEM = re.compile(r"[ \t]*(?:[-*•‣◦+]|\d{1,3}[.)]|\(?(?:[a-z]|[ivx]{2,4})[.)])[ \t]+(?=\S)")
"""The beginning of an item of a list."""

SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)]*(?=\s)")


@dataclass(frozen=True, slots=True)
class PassageLine:
    """A line without its end, and where it begins in the text."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


def lines_of(text: str) -> Iterator[PassageLine]:
    """The lines of a text, in order."""
    start = 0
    for line in text.split("\n"):
        yield PassageLine(line.rstrip("\r"), start)
        start += len(line) + 1


def lead_of(text: str) -> str:
    """The last sentence of a text, if it introduces what comes: it ends with a colon."""
    lines = list(lines_of(text.rstrip()))
    return lead_above(lines, len(lines))


def lead_above(lines: Sequence[PassageLine], at: int) -> str:
    """The end of the paragraph above, if it ends with a colon: its last sentence, with the mark of its item.

    Or a line in bold alone, or one that rejects what stands below it: "Not supported".
    """
    above = at - 1
    while above >= max(0, at - _GAP_LINES) and lines[above].is_blank:
        above -= 1
    if above < 0 or lines[above].is_blank:
        return ""
    if bold := in_bold(lines[above].text):
        return bold
    if not lines[above].text.rstrip().endswith((":", "：")):
        alone = above == 0 or lines[above - 1].is_blank
        said = lines[above].text.strip()
        return said if alone and not said.startswith("#") and rejects(said) else ""
    first = above
    while first > max(0, above - _LEAD_LINES) and not lines[first - 1].is_blank:
        if ITEM.match(lines[first].text) or is_below_heading(lines, first):
            break
        first -= 1
    paragraph = " ".join(line.text.strip() for line in lines[first : above + 1])
    item = ITEM.match(paragraph)
    opens = item.end() if item else 0
    done = last = opens
    within = 0
    for mark in SENTENCE_END.finditer(paragraph, opens):
        within += paragraph.count("(", done, mark.end()) - paragraph.count(")", done, mark.end())
        done = mark.end()
        # A stop within brackets ends no sentence: "(e.g. this)".
        last = done if within <= 0 else last
    return (paragraph[:opens] + paragraph[last:]).strip()


def is_below_heading(lines: Sequence[PassageLine], at: int) -> bool:
    """Whether the line above this one is a heading of a manual page."""
    return 0 < at < len(lines) and is_of_manual(lines[at - 1].text, lines[at].text)
