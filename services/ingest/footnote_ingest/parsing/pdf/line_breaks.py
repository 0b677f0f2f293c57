"""Breaks of lines in scripts that part words by no blank: there a line may end within a word."""

import re

from footnote_ingest.parsing.pdf.lines import PdfLine

_NO_BLANKS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
"""Thai, Lao, Burmese, Khmer, kana, Han, and their signs. Korean parts its words by blanks."""

_END, _BEGIN = re.compile(rf"[{_NO_BLANKS}]$"), re.compile(rf"[{_NO_BLANKS}]")
_FULL = 2.2
"""A line is full if it ends before the longest of its paragraph by at most this many heights of its font.

A sign that may not begin a line takes the letter before it along, which leaves a gap of one or two.
"""


def is_full(line: PdfLine, right: float) -> bool:
    """Whether a line reaches the edge of its paragraph, which is at `right`."""
    return line.right >= right - _FULL * line.size


def parts_no_words(before: str, after: str) -> bool:
    """Whether nothing stands between the end of one full line and the beginning of the next."""
    return _END.search(before) is not None and _BEGIN.match(after) is not None
