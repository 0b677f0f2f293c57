"""Headers, footers and page numbers of a PDF: lines at the edges of pages that return."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Sequence

from footnote_ingest.parsing.pdf.contents import heading_names, name_key
from footnote_ingest.parsing.pdf.form_feet import form_foot
from footnote_ingest.parsing.pdf.goes_over import tells_to_go_on
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.page_edges import PAGE_OF, EdgeRow, edges_of
from footnote_ingest.parsing.pdf.page_ranges import page_ranges

_NUMBER = re.compile(r"(?<![\d.,])\d{1,5}(?![\d.,]\d)")
_EDGE_NUMBER = re.compile(r"(?:page\s+|p\.\s*|-\s*)?(\d{1,5})(?:\s*-)?", re.I)
_OFFSET = re.compile(r"-?\d+")
_WORD = re.compile(r"[^\W\d_]+")
_RANGES_NAMED = 20
"""This many ranges of pages are named of a line that counts them."""

_COUNTS = "\x00"
"""What stands for the page's number in a line that counts the pages."""

_LEAST_RETURNS = 4
"""A header or footer is on at least this many pages, and on a third of them in a long document."""

_LEAST_PAGES = 2
"""In a shorter document what stands apart at one place on all pages returns, if it has this many pages."""

_FOOT_ROWS = 3
_SMALL = 0.8
"""In small letters, below this share of the text's, a row far from it returns if one of its cells does."""

_LEAST_NUMBERED = 3
"""A row of page numbers is at its place on at least this many pages, and on a third of them."""

_MOST_NAMES = 0.75
"""Beside page numbers there are this many different words at most, in rows.

Where each row has words of its own, it is the title of a chapter that begins on its page.
"""

_LEAST_SECTIONS = 0.8
"""Unless this share of the rows names sections whose names stand in the text, too."""

_LEAST_NAME = 4
"""A name that counts the pages of a short document has so many words; "Part 1" and "Part 2" are headings."""

_MOST_PARTS = 200
"""So many words of returning lines are looked for within longer words. The others count as their own."""

_LONGEST_RUNNING_LINE = 100
"""A longer line runs only if it returns as it is, on half of the pages, as a notice of rights does."""

_LEAST_LONG_RETURNS = 0.5

_LEAST_APART = 0.5
"""The names of chapters stand above the text on at least this share of the pages."""

_LARGE = 1.12
"""A line that is larger than the text by this factor is a heading, also if it returns."""


class Running:
    """Which lines return.

    These are lines that are the same on other pages, or the same except for one number that counts with the
    pages; rows with a page number; and names of chapters above the text. A line with any other number, such
    as a total, stays. A line without a page number is kept once if it has words of its own.
    """

    def __init__(self, pages: Sequence[list[PdfLine] | None]) -> None:
        self._kept: set[str] = set()
        self._left_out: dict[str, int] = {}
        self._edges = edges_of(pages)
        self._body = _body_size(pages)
        self._count = len(pages)
        filled = sum(1 for lines in pages if lines)
        is_short = _LEAST_PAGES <= filled < _LEAST_RETURNS
        self._on_each = self._on_each_page(filled) if is_short else frozenset()
        self._small = self._small_cells(filled) if is_short else frozenset()
        seen: Counter[str] = Counter()
        for number, rows in enumerate(self._edges, 1):
            seen.update({key for row in rows for line in row.lines for key in _keys(line.text, number)})
        enough = max(_LEAST_RETURNS, filled // 3)
        self._repeated = {key for key, count in seen.items() if count >= enough}
        often = max(_LEAST_RETURNS, _LEAST_LONG_RETURNS * filled)
        self._notices = {key for key, count in seen.items() if count >= often}
        self._headings = self._heading_names(pages)
        self._numbered = self._number_rows(max(_LEAST_NUMBERED, filled // 3))
        self._names = self._chapter_names(max(_LEAST_RETURNS, _LEAST_APART * filled))
        self._cells: frozenset[tuple[float, str]] = frozenset()
        self._cells = self._returning_cells()
        self._elsewhere = self._words_elsewhere(pages)

    def without(self, lines: Sequence[PdfLine], page: int) -> list[PdfLine]:
        """The lines of a page without those that return."""
        left_out = {
            id(line) for row in self._edges[page - 1] for line in row.lines if self._returns(line, row, page)
        }
        told = [line for line in lines if tells_to_go_on(line.text)]
        for line in (*told, *form_foot(lines)):
            left_out.add(id(line))
            self._left_out.setdefault(line.text, page)
        return [line for line in lines if id(line) not in left_out]

    def _returns(self, line: PdfLine, row: EdgeRow, page: int) -> bool:
        told = self._told(line, row, page)
        if told is None:
            return False
        bare = not any(char.isalpha() for char in line.text)
        if told and not bare and _COUNTS not in told and told not in self._kept:
            self._kept.add(told)
            if not self._elsewhere.issuperset(_words(line.text)):
                return False
        self._left_out.setdefault("page numbers" if bare else line.text, page)
        return True

    def left_out(self) -> set[str]:
        """What was left out, each line once. Those that differ in their page's number alone are one line."""
        keys = {text: _keys(text, page)[1:] for text, page in self._left_out.items()}
        seen = Counter(key for told in keys.values() for key in told)
        said: set[str] = set()
        numbers: dict[tuple[str, str], list[int]] = {}
        for text, page in self._left_out.items():
            key = max(keys[text], key=seen.__getitem__, default="")
            if seen[key] < _LEAST_PAGES:
                said.add(text)
                continue
            before, _, behind = key.partition(_COUNTS)
            offset = _OFFSET.match(behind)
            assert offset is not None
            numbers.setdefault((before, behind[offset.end() :]), []).append(page + int(offset.group()))
        for (before, behind), pages in numbers.items():
            said.add(f"{before}{page_ranges(pages, _RANGES_NAMED)}{behind}")
        return said

    def _told(self, line: PdfLine, row: EdgeRow, page: int) -> str | None:
        """What tells that a line returns, which is empty for a row with a page number; None if it stays."""
        if len(line.text) > _LONGEST_RUNNING_LINE:
            return line.text if line.text in self._notices else None
        if any((row.place, offset) in self._numbered for offset in _offsets(row, page)):
            return ""
        if self._has_page_of(row, page) or any(
            self._has_page_of(above, page) for above in self._lowest(page) if above.place > row.place
        ):
            return ""
        named = row.text if row.apart and (row.place, row.text) in self._names else None
        if row.apart and all((row.place, cell) in self._cells for cell in row.cells if _words(cell)):
            return ""
        if self._is_small(row) and not self._small.isdisjoint((row.place, cell) for cell in row.cells):
            return ""
        keys = _keys(line.text, page)
        if named is None:
            named = next((key for key in keys if row.apart and (row.place, key) in self._on_each), None)
        return next((key for key in keys if key in self._repeated), named)

    def _has_page_of(self, row: EdgeRow, page: int) -> bool:
        return any(_is_page_of(cell, page, self._count) for cell in row.cells)

    def _lowest(self, page: int) -> list[EdgeRow]:
        """The rows of a foot: what stands below the page's number is a part of it."""
        return self._edges[page - 1][-_FOOT_ROWS:]

    def _returning_cells(self) -> frozenset[tuple[float, str]]:
        """What stands beside page numbers: the foot of the first page may be put together from it."""
        seen = Counter(
            (row.place, cell)
            for page, rows in enumerate(self._edges, 1)
            for row in rows
            if any((row.place, offset) in self._numbered for offset in _offsets(row, page))
            for cell in set(row.cells)
            if _words(cell)
        )
        return frozenset(cell for cell, count in seen.items() if count > 1)

    def _small_cells(self, filled: int) -> frozenset[tuple[float, str]]:
        """What stands at one place on all pages in small letters far from the text, beside other words."""
        seen = Counter(
            cell
            for rows in self._edges
            for cell in {
                (row.place, text) for row in rows if self._is_small(row) for text in row.cells if _words(text)
            }
        )
        return frozenset(cell for cell, count in seen.items() if count == filled)

    def _is_small(self, row: EdgeRow) -> bool:
        return row.apart and all(line.size < _SMALL * self._body for line in row.lines)

    def _on_each_page(self, filled: int) -> frozenset[tuple[float, str]]:
        """The lines far from the text that are the same at one place on all pages, and page numbers."""
        seen: Counter[tuple[float, str]] = Counter()
        for number, rows in enumerate(self._edges, 1):
            apart = [(row.place, line.text) for row in rows if self._may_name(row) for line in row.lines]
            seen.update(
                {
                    (place, key)
                    for place, text in apart
                    for key in _keys(text, number)
                    if key == text or _is_number(text) or len(_words(text)) >= _LEAST_NAME
                }
            )
        return frozenset(where for where, count in seen.items() if count == filled)

    def _number_rows(self, enough: int) -> set[tuple[float, int]]:
        """Where rows with a page number stand, and what it is more than the number of the page."""
        seen: dict[tuple[float, int], list[EdgeRow]] = {}
        for number, rows in enumerate(self._edges, 1):
            found = {(row.place, offset): row for row in rows for offset in _offsets(row, number)}
            for where, row in found.items():
                seen.setdefault(where, []).append(row)
        return {
            where
            for where, rows in seen.items()
            if len(rows) >= enough
            and (
                len({_NUMBER.sub("", row.text) for row in rows}) <= max(1.0, _MOST_NAMES * len(rows))
                or self._name_sections(rows)
            )
        }

    def _name_sections(self, rows: Sequence[EdgeRow]) -> bool:
        """Whether the names beside page numbers are those of sections, which stand in the text, too."""
        names = [_NUMBER.sub("", row.text) for row in rows if self._is_no_heading(row)]
        named = sum(name_key(name) in self._headings for name in names if _words(name))
        return named >= _LEAST_SECTIONS * len(rows)

    def _chapter_names(self, enough: float) -> set[tuple[float, str]]:
        """The rows above or below the text that return, or that name a heading of the document."""
        apart = [{(row.place, row.text): row for row in rows if self._may_name(row)} for rows in self._edges]
        places = Counter(place for rows in apart for place in {place for place, _ in rows})
        known = Counter(name for rows in apart for name in rows)
        beginnings = sorted(self._headings)
        return {
            name
            for rows in apart
            for name, row in rows.items()
            if places[row.place] >= enough
            and (known[name] > 1 or all(_is_named(text, self._headings, beginnings) for text in row.cells))
        }

    def _heading_names(self, pages: Sequence[list[PdfLine] | None]) -> frozenset[str]:
        """What may name a section: the lines of the text, and large ones at the edges of pages."""
        at_edge = {id(line) for rows in self._edges for row in rows for line in row.lines}
        return heading_names(
            line
            for lines in pages
            for line in lines or ()
            if id(line) not in at_edge or line.size > _LARGE * self._body
        )

    def _may_name(self, row: EdgeRow) -> bool:
        return row.apart and self._is_no_heading(row)

    def _is_no_heading(self, row: EdgeRow) -> bool:
        return all(line.size <= _LARGE * self._body for line in row.lines)

    def _words_elsewhere(self, pages: Sequence[list[PdfLine] | None]) -> frozenset[str]:
        """The words of returning lines that stand in other lines, too, as words or as parts of one."""
        returning: dict[int, str] = {}
        for page, rows in enumerate(self._edges, 1):
            for row in rows:
                returning |= {id(line): line.text for line in row.lines if self._told(line, row, page)}
        others = [
            "\n".join(line.text for line in lines or () if id(line) not in returning).lower()
            for lines in pages
        ]
        sought = {word for text in returning.values() for word in _words(text)}
        found = sought.intersection(word for text in others for word in _WORD.findall(text))
        missing = set(sorted(sought - found)[:_MOST_PARTS])
        for text in others:
            parts = {word for word in missing if word in text}
            found |= parts
            missing -= parts
        return frozenset(found)


def _is_named(text: str, headings: Container[str], beginnings: Sequence[str]) -> bool:
    """Whether a text is one of the headings, or the beginning of one, cut with an ellipsis."""
    if not text.endswith(("\u2026", "...")):
        return name_key(text) in headings
    key = name_key(text.rstrip(".\u2026 "))
    at = bisect_left(beginnings, key)
    return bool(key) and at < len(beginnings) and beginnings[at].startswith(key)


def _body_size(pages: Iterable[list[PdfLine] | None]) -> float:
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines or ():
            if not line.is_table:
                sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _is_number(text: str) -> bool:
    return _EDGE_NUMBER.fullmatch(text) is not None


def _is_page_of(text: str, page: int, count: int) -> bool:
    """Whether a line is "Page 3 of 4" on the third of four pages."""
    found = PAGE_OF.fullmatch(text)
    return found is not None and int(found[1]) == page and int(found[2]) == count


def _offsets(row: EdgeRow, page: int) -> set[int]:
    """What the numbers at the ends of a row are more than the number of its page."""
    texts = row.cells
    found: set[int] = set()
    for text in {texts[0], texts[-1]} if texts else ():
        first, last = text.split(" ", 1)[0], text.rsplit(" ", 1)[-1]
        for word in {first, last}:
            number = _EDGE_NUMBER.fullmatch(word)
            if number:
                found.add(int(number.group(1)) - page)
    return found


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _keys(text: str, page: int) -> list[str]:
    """The line itself, and for each number in it the line with that number relative to the page number.

    A line that is too long to run has no such keys: they would cost the square of its length.
    """
    if len(text) > _LONGEST_RUNNING_LINE:
        return [text]
    return [text] + [
        f"{text[: found.start()]}{_COUNTS}{int(found.group()) - page}{text[found.end() :]}"
        for found in _NUMBER.finditer(text)
    ]
