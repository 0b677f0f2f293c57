"""Headers, footers and page numbers of a PDF: lines that return on many pages."""

import re
from collections import Counter
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine

_NUMBER = re.compile(r"(?<![\d.,])\d{1,5}(?![\d.,]\d)")
_LEAST_RETURNS = 4
"""A header or footer is on at least so many pages, and on a third of them in a long document."""

_LONGEST_RUNNING_LINE = 100


class Running:
    """Which lines return. They are kept once and then left out.

    A line returns if it is the same on another page, or the same except for one number that counts with the
    pages. A line with any other number, such as a total, stays.
    """

    def __init__(self, pages: Sequence[list[PdfLine] | None]) -> None:
        self._kept: set[str] = set()
        self.shown: set[str] = set()
        seen: Counter[str] = Counter()
        for number, lines in enumerate(pages, 1):
            seen.update({key for line in _margins(lines or []) for key in _running_keys(line.text, number)})
        enough = max(_LEAST_RETURNS, sum(1 for lines in pages if lines) // 3)
        self._repeated = {key for key, count in seen.items() if count >= enough}

    def without(self, lines: Sequence[PdfLine], page: int) -> list[PdfLine]:
        """The lines of a page without those that were on an earlier page."""
        left_out = {id(line) for line in _margins(lines) if self._returns(line, page)}
        return [line for line in lines if id(line) not in left_out]

    def _returns(self, line: PdfLine, page: int) -> bool:
        key = next((key for key in _running_keys(line.text, page) if key in self._repeated), None)
        if key is None or len(line.text) > _LONGEST_RUNNING_LINE:
            return False
        bare = not any(char.isalpha() for char in line.text)
        if not bare and key not in self._kept:
            self._kept.add(key)
            return False
        self.shown.add("page numbers" if bare else line.text)
        return True


def _margins(lines: Sequence[PdfLine]) -> list[PdfLine]:
    return [line for line in [*lines[:2], *lines[2:][-2:]] if not line.is_table]


def _running_keys(text: str, page: int) -> list[str]:
    """The line itself, and for each number in it the line with that number relative to the page number."""
    return [text] + [
        f"{text[: found.start()]}\x00{int(found.group()) - page}{text[found.end() :]}"
        for found in _NUMBER.finditer(text)
    ]
