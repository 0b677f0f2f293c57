"""The title of a PDF whose largest words are none: words in capitals or in bold near the top of the page."""

import re
from collections.abc import Iterator, Sequence

from footnote_ingest.parsing.court_captions import is_caption
from footnote_ingest.parsing.elements import MAX_TITLE_CHARS
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.never_names import names_nothing
from footnote_ingest.parsing.table_text import is_rule

_TOP_LINES, _BOLD_TOP_LINES = 8, 24
"""A title in capitals is among this many lines at the top; in bold, below the head of a form, among these."""

_LEAST_LETTERS = 10

_MIDDLE = 2.0
"""A line stands in the middle of its page, to so many heights of its font, and is set in by as many."""

_NEXT_LINE, _FAR = 1.5, 3.0
"""Lines of such a title are no further apart than the first, those in capitals than the second.

Both are in heights of their font.
"""

_SIGN = re.compile(r"\b[^\W\d_]\b")
_LEAST_TEXT = 40
"""A line of the text has at least this many characters."""

_CELL = re.compile(r"\s\|\s|\n")
_ROWS_LOOKED_AT, _LEAST_WORDS = 3, 3
"""A title in a table has so many words at least, and stands in one of so many rows at its top."""

_MOST_ABOVE = 4
"""So many short lines may stand above the table: the number of the form, and until when it holds."""


def title_in_capitals(first_page: Sequence[PdfLine]) -> str | None:
    """A title in capitals, where nothing is larger than the text, as in articles of mathematicians.

    The name of a journal may stand in capitals above it, so lines in bold come first. None without a title.
    """
    lines = _from_top(first_page)
    names: list[str] = []
    # The address of a letterhead stands in the right half of the page.
    middle = (
        min((one.left for one in lines), default=0.0) + max((one.right for one in lines), default=0.0)
    ) / 2
    for many, only_bold in ((_TOP_LINES, True), (_BOLD_TOP_LINES, True), (_TOP_LINES, False)):
        names += [
            " ".join(line.text for line in group)
            for group in _groups(lines[:many])
            if (group[0].bold or not only_bold)
            and all(_in_capitals(line.text) for line in group)
            and any(line.left < middle for line in group)
        ]
    fit = list(filter(_is_name, names))
    return next((name for name in fit if not is_caption(name)), fit[0] if fit else None)


def title_in_the_middle(first_page: Sequence[PdfLine]) -> str | None:
    """The first bold lines in the middle above light text, as in a contract, below a letterhead at most."""
    lines = _from_top(first_page)
    left, right = (
        min((one.left for one in lines), default=0.0),
        max((one.right for one in lines), default=0.0),
    )
    stand = [_stands_in_the_middle(line, left, right) for line in lines]
    for at, line in enumerate(lines[:_BOLD_TOP_LINES]):
        if stand[at] and _is_name(line.text):
            end = at + 1
            while end < len(lines) and stand[end] and _goes_on(lines[end - 1], lines[end]):
                end += 1
            if end == len(lines) or (lines[end].bold and not stand[end]):
                return None
            return " ".join(one.text for one in lines[at:end])
        if len(line.text) >= _LEAST_TEXT and not line.bold:
            return None
    return None


def _stands_in_the_middle(line: PdfLine, left: float, right: float) -> bool:
    """Whether a bold line is set in on a page with these edges, by as much on both sides."""
    size = _MIDDLE * line.size
    is_set_in = line.left - left > size and abs(line.left + line.right - left - right) <= 2 * size
    return is_set_in and line.bold and not line.mono


def _goes_on(above: PdfLine, line: PdfLine) -> bool:
    return above.size == line.size and above.bottom - line.top <= _NEXT_LINE * line.size


def title_in_table(first_page: Sequence[PdfLine]) -> str | None:
    """The longest words in capitals in the first rows of a form that is a table nearly from its top.

    They may go on in the next row, if nothing stands beside them.
    """
    lines = sorted(first_page, key=lambda line: -line.highest)[: _MOST_ABOVE + 1]
    at = next((at for at, line in enumerate(lines) if line.is_table), None)
    if at is None or any(len(line.text) >= _LEAST_TEXT for line in lines[:at]):
        return None
    rows = [row for row in lines[at].text.split("\n") if not is_rule(row)]
    cells: list[str] = []
    alone = False
    for number, row in enumerate(rows[: _ROWS_LOOKED_AT + 1]):
        found = [cell for cell in (cell.strip(" |") for cell in _CELL.split(row)) if cell]
        goes_on = alone and len(found) == 1 and row[0] != "|" and _in_capitals(found[0])
        if goes_on:
            cells[-1] = f"{cells[-1]} {found[0]}"
        elif number < _ROWS_LOOKED_AT:
            cells += found
        alone = len(found) == 1 and row[0] != "|" and _in_capitals(found[0])
    names = (cell for cell in cells if _in_capitals(cell) and _is_name(cell))
    return max((name for name in names if len(name.split()) >= _LEAST_WORDS), key=len, default=None)


def _from_top(first_page: Sequence[PdfLine]) -> list[PdfLine]:
    upright = (line for line in first_page if not (line.turned or line.is_table))
    return sorted(upright, key=lambda line: -line.highest)


def _groups(lines: Sequence[PdfLine]) -> Iterator[list[PdfLine]]:
    """Lines below each other that look alike and are near."""
    group: list[PdfLine] = []
    for line in lines:
        if group and not (
            _look(group[-1]) == _look(line) and group[-1].lowest - line.highest <= _FAR * line.size
        ):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _look(line: PdfLine) -> tuple[bool, bool, bool, float]:
    return _in_capitals(line.text), is_caption(line.text), line.bold, line.size


def _in_capitals(text: str) -> bool:
    """Whether all words are in capitals but for single letters, which are signs: "MULTIVARIATE t TESTS"."""
    return text.isupper() or _SIGN.sub("", text).isupper()


def _is_name(text: str) -> bool:
    letters = sum(char.isalpha() for char in text)
    return (
        len(text.split()) > 1
        and letters >= _LEAST_LETTERS
        and len(text) <= MAX_TITLE_CHARS
        and not text.endswith(":")
        and not names_nothing(text)
    )
