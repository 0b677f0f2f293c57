"""The feet of forms: the number and the edition of the form, such as "SCA-M111-1 P 1/06", below all text.

A form of one page has no other page on which its foot returns.
"""

import re
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine

_CODE = re.compile(r"(?=[^\d]{0,20}\d)[A-Z]{1,8}[A-Z0-9]{0,8}(?:[-\u2013.][A-Z0-9]{1,8}){0,4}")
_FORM = frozenset({"form", "rev", "revised", "revision", "formular", "vordruck", "formulaire", "modulo"})
_DATE = re.compile(r"\(?\d{1,2}(?:[./-]\d{1,2})?[./-](?:\d{2}|\d{4})\)?")
_MOST_ROWS, _LONGEST = 3, 110
"""A foot has so many rows at most, and each so many characters."""

_FAR = 1.6
"""It lies further from the text above than this, in heights of its font."""

_SAME_ROW = 3.0
"""Lines whose base lines differ by less than this many points stand in one row."""


def form_foot(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """The lines of the foot of a page that tells the number and the date of a form; empty without one."""
    upright = sorted((line for line in lines if not line.turned), key=lambda line: line.lowest)
    foot: list[PdfLine] = []
    rows = 0
    for line in upright:
        above = line.lowest - foot[-1].lowest if foot else 0.0
        if foot and above > max(_FAR * foot[-1].size, _SAME_ROW):
            return foot if any(_tells_edition(one.text) for one in foot) else []
        rows += not foot or above >= _SAME_ROW
        if rows > _MOST_ROWS or line.is_table or len(line.text) > _LONGEST:
            return []
        foot.append(line)
    return []


def _tells_edition(text: str) -> bool:
    """Whether a line names a form, and ends with a date or has one in brackets; or begins with a revision."""
    words = [word.strip(":;,") for word in text.split()]
    dates = [_DATE.fullmatch(word) is not None for word in words]
    revised = words[0].lower().rstrip(".") in _FORM and any(dates)
    named = any(_CODE.fullmatch(word) or word.lower().rstrip(".") in _FORM for word in words)
    dated = dates[-1] or any(date and word[0] == "(" for date, word in zip(dates, words, strict=True))
    return revised or (named and dated)
