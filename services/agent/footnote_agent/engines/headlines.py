"""Lines that head what stands below them where nothing marks them as headings. Pure.

Changelogs, plain text and numbered FAQs have them: `openssh (1:9.2p1-1) unstable; urgency=medium`,
`* Changes in release 1.12`, `== 5.2: May 05, 2022`, `15. I have a question about it.`. They are no answers,
and they say what the sentences below are about.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from footnote_agent.engines.prose import is_page_edge, underlines

MOST_WORDS = 14
"""Words of a headline at most. A longer line is a sentence that lacks its end mark."""

_NUMBERED = re.compile(r" {0,3}\d{1,3}\. {1,3}(?=\S)")
_SECTION = re.compile(r" {0,6}(\d{1,3}(?:\.\d{1,3}){1,4})\.? {1,3}(?=[^\W\d_]|/)")
"""The number of a section within another one: `2.3. Who may boil water?`."""

_MOST_IN_QUESTION = 24
"""Words of such a headline that is a question, at most. It may go over two lines."""

_OPEN = frozenset(
    (
        *("to", "by", "with", "of", "in", "on", "at", "for", "from"),
        *("as", "and", "or", "the", "a", "an", "is", "are"),
    )
)
"""English words with which no headline ends: the line goes on in what stands below it."""

_OUTLINE = re.compile(r"(?:\*{1,4}|={1,6}) ")
_ITEM = re.compile(r"[ \t]*[-*•+o][ \t]+\S")
_DIGIT = re.compile(r"\d")
_ENDS = tuple(".!?…:;,。！？：")
_STOPS = tuple(".!?。！？")
_QUOTES = "\"'“‘"
LONGER = 1.5
"""How many times as long as such a line the one below it is at least. Lines of one paragraph are alike."""

_WORD = re.compile(r"[^\W_]+")
_INDENT = 2
"""What stands below a numbered headline is further in by this many blanks at least."""


@dataclass(frozen=True, slots=True)
class Headlines:
    """The headlines of a text, in order: where each begins and ends, and its words."""

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    terms: frozenset[int] = frozenset()
    """Where those begin that stand right above the text that they head, without an empty line between."""

    def without_terms(self, text: str) -> str:
        """The text with blanks in place of such lines, which begin no sentence. All places stay."""
        kept, done = list[str](), 0
        for start, end in zip(self.starts, self.ends, strict=True):
            if start in self.terms:
                kept += [text[done:start], " " * (end - start)]
                done = end
        return "".join([*kept, text[done:]])

    def above(self, place: int) -> str:
        """The headline under which this place stands; empty if it is one itself, or has none."""
        at = bisect_right(self.starts, place) - 1
        return self.texts[at] if at >= 0 and place >= self.ends[at] else ""

    def holds(self, place: int) -> bool:
        """Whether this place is in a headline."""
        at = bisect_right(self.starts, place) - 1
        return at >= 0 and place < self.ends[at]


def headlines_in(text: str) -> Headlines:
    """The paragraphs of a text that head the next one: short, and without an end mark or with a number.

    A line with a number that stands right above the items of a list heads them: `1.6.20 - 12 September 2021`.
    """
    paragraphs = _paragraphs(text)
    found = [
        (begin, begin + len(one))
        for (begin, one), (_, behind) in pairwise(paragraphs)
        if _is_headline(one, behind)
    ]
    found += [(begin, begin + one.index("\n")) for begin, one in paragraphs if _heads_items(one)]
    drawn = {begin: begin + end for begin, one in paragraphs if (end := _end_of_drawn(one))}
    terms = _terms_in(paragraphs, {begin for begin, _ in found} | set(drawn))
    found = sorted([*terms, *((begin, end) for begin, end in found if begin not in drawn), *drawn.items()])
    texts = [
        text[begin:end].partition("\n")[0] if begin in drawn else text[begin:end] for begin, end in found
    ]
    return Headlines(
        tuple(begin for begin, _ in found),
        tuple(end for _, end in found),
        tuple(" ".join(one.split()) for one in texts),
        frozenset(begin for begin, _ in terms),
    )


def _terms_in(paragraphs: Sequence[tuple[int, str]], known: Set[int]) -> list[tuple[int, int]]:
    """Where lines begin and end that are no sentence, and stand right above a far longer one of sentences.

    A list of terms of reStructuredText has them: "Tasks run twice". `known`: where other headlines begin.
    """
    found = []
    for begin, one in paragraphs:
        at, opens = begin, begin not in known
        for line, below in pairwise(one.split("\n")):
            if opens and _is_term(line, below):
                found.append((at, at + len(line)))
            at += len(line) + 1
            opens = line.rstrip().endswith(_STOPS)
    return found


def _is_term(line: str, below: str) -> bool:
    return (
        1 < len(_WORD.findall(line)) <= MOST_WORDS
        and (line[:1].isalnum() or line[:1] in _QUOTES)
        and not line.rstrip().endswith(_ENDS)
        and _NUMBERED.match(line) is None
        and below[:1].isupper()
        and below.rstrip().endswith(_STOPS)
        and len(below) >= LONGER * len(line)
    )


def _end_of_drawn(paragraph: str) -> int:
    """Where a headline ends that has a line drawn below it; 0 where the paragraph opens with none."""
    line, _, below = paragraph.partition("\n")
    drawn = below.partition("\n")[0]
    if not underlines(drawn, line) or len(_WORD.findall(line)) > MOST_WORDS:
        return 0
    return len(line) + 1 + len(drawn)


def _paragraphs(text: str) -> list[tuple[int, str]]:
    """Lines that follow each other without an empty one between, and where they begin."""
    found: list[tuple[int, str]] = []
    at, begin, lines = 0, 0, list[str]()
    for line in [*text.split("\n"), ""]:
        if line.strip():
            begin = begin if lines else at
            lines.append(line)
        elif lines:
            found.append((begin, "\n".join(lines)))
            lines = []
        at += len(line) + 1
    return found


def _heads_items(paragraph: str) -> bool:
    line, _, below = paragraph.partition("\n")
    return (
        bool(below)
        and _ITEM.match(below) is not None
        and _ITEM.match(line) is None
        and _DIGIT.search(line) is not None
        and _indent(line) == 0
        and 1 < len(_WORD.findall(line)) <= MOST_WORDS
        and not line.rstrip().endswith(_ENDS)
    )


def _is_headline(text: str, below: str) -> bool:
    words = _WORD.findall(text)
    if _SECTION.match(text) and _heads_section(text, len(words)):
        return True
    one = len(words) == 1 and _OUTLINE.match(text) is not None and _indent(below) >= _INDENT
    if not (one or 1 < len(words) <= MOST_WORDS) or is_page_edge(text):
        return False
    if _NUMBERED.match(text):
        return not _NUMBERED.match(below) and _indent(below) >= _indent(text) + _INDENT
    if "\n" in text or text.rstrip().endswith(_ENDS):
        return False
    if _ITEM.match(below) and not _ITEM.match(text) and _DIGIT.search(text) and _indent(text) == 0:
        return True
    if words[-1] in _OPEN:
        return False
    return bool(_OUTLINE.match(text)) or (_indent(text) == 0 and _indent(below) >= _INDENT)


def _heads_section(text: str, words: int) -> bool:
    asks = text.rstrip().endswith(("?", "？"))
    longest, lines = (_MOST_IN_QUESTION, 1) if asks else (MOST_WORDS, 0)
    return words <= longest and text.count("\n") <= lines and (asks or not text.rstrip().endswith(_ENDS))


def is_of_another_section(headline: str, heading: str) -> bool:
    """Whether a headline within the text below a heading begins another section than that, by its number."""
    own, other = _SECTION.match(heading), _SECTION.match(headline)
    return own is not None and other is not None and not f"{other[1]}.".startswith(f"{own[1]}.")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
