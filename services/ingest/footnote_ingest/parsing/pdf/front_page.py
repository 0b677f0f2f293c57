"""What stands between the title of a document and its text: names and dates, which are no headings."""

import re
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.never_names import names_nothing

_NUMBERED = re.compile(r"(?:(?:chapter|section|part|appendix)\s|\d{1,3}(?:\.\d{1,3}){0,4}[.)]?\s)", re.I)
_DATE = re.compile(
    r"(?:\w{1,10},? )?(?:\d{1,2}(?:st|nd|rd|th)?\.? )?(?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december)[\w, ]{0,12}\d{4}|version \d.{0,40}",
    re.I,
)
_LARGE = 1.12
"""A title is larger than the text by this factor."""

_LARGEST_SECTION = 1.5
"""The name of a section on the first page is larger than the text by this factor at most."""

_LEAST_TEXT = 40
"""A line of the text has at least this many characters."""

_SMALL = 0.75
"""What is smaller than this, in sizes of the text, is the address of an author."""

_HEAD_LINES = 3
"""The title of an article is at most so many lines below the name of its journal, whose volume is between."""

BULLETS = "•◦▪‣·∙●○■□"
_NEAR = 1.8
"""Lines of one heading are no further apart than this, in heights of its font."""


def without_names(levels: Sequence[int | None], lines: Sequence[PdfLine], body: float) -> list[int | None]:
    """The levels of the lines of a first page, without those of names that stand below the title.

    Only what stands right above the text is a heading there, and what has a number. `body` is the size of the
    text. A page on which nothing larger begins has no title.
    """
    kept = list(levels)
    title = _title(levels, lines, body)
    if title is None or lines[title].size <= _LARGE * body or _NUMBERED.match(lines[title].text):
        return kept
    below = [line for line in lines if not line.turned and line.highest < lines[title].lowest]
    if any(line.size > lines[title].size for line in below):
        return kept
    # What stands above the title of an article is the name of its journal.
    kept[:title] = [None] * title
    end = title + 1
    while end < len(lines) and levels[end] is not None and lines[end].size == lines[title].size:
        end += 1
    text = next((at for at in range(end, len(lines)) if _is_text(lines[at], levels[at], body)), len(lines))
    last = text
    while end < last and levels[last - 1] is not None and (last == text or _is_same(lines, last)):
        last -= 1
    for at in range(end, text):
        name = lines[at].text
        if (at < last and _NUMBERED.match(name) is None) or _DATE.fullmatch(name) is not None:
            kept[at] = None
    return kept


def _title(levels: Sequence[int | None], lines: Sequence[PdfLine], body: float) -> int | None:
    """Where the title begins: the first heading, or the next one where only a line or two stand between.

    A journal has its name above its volume there, and above the title of the article.
    """
    first = next((at for at, level in enumerate(levels) if level is not None), None)
    if first is None or first + 1 >= len(lines) or levels[first + 1] is not None:
        return first
    for at in range(first + 2, min(first + 1 + _HEAD_LINES, len(lines))):
        size = lines[at].size
        if levels[at] is not None and size > _LARGE * body:
            # Names and a date may stand between a title and the first section, too.
            is_section = size < lines[first].size and size <= _LARGEST_SECTION * body
            return first if is_section or _NUMBERED.match(lines[first].text) else at
    return first


def _is_text(line: PdfLine, level: int | None, body: float) -> bool:
    """Whether a line is one of the text, a table, code or an item of a list."""
    if level is not None or line.turned or names_nothing(line.text):
        return False
    other = line.is_table or line.mono or line.text[0] in BULLETS
    return other or (len(line.text) >= _LEAST_TEXT and _SMALL * body <= line.size <= _LARGE * body)


def _is_same(lines: Sequence[PdfLine], at: int) -> bool:
    """Whether the line above one belongs to the same heading."""
    above, line = lines[at - 1], lines[at]
    return (above.size, above.bold) == (
        line.size,
        line.bold,
    ) and 0 < above.bottom - line.top <= _NEAR * line.size
