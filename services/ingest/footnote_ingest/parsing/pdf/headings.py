"""Which lines of a PDF are headings, by its outline, or by size, weight, capitals and numbers."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from footnote_ingest.parsing.pdf.asides import names_figure
from footnote_ingest.parsing.pdf.bold_headings import (
    BESIDE_OUTLINE,
    DEPTH,
    HEADING_RATIO,
    INDENT,
    LEAST_TEXT_BELOW,
    LONGEST_BOLD,
    NO_HEADING_END,
    REMARKS,
    SMALL_BOLD,
    WIDEST_PITCH,
    WORD,
    BoldHeadings,
)
from footnote_ingest.parsing.pdf.bold_labels import bold_labels
from footnote_ingest.parsing.pdf.chapter_labels import with_chapter_labels
from footnote_ingest.parsing.pdf.coloured_headings import ColouredHeadings
from footnote_ingest.parsing.pdf.drawing_labels import drawing_labels
from footnote_ingest.parsing.pdf.front_page import without_names
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.mastheads import masthead
from footnote_ingest.parsing.pdf.near_sizes import NearSizes
from footnote_ingest.parsing.pdf.never_names import names_nothing
from footnote_ingest.parsing.pdf.numbered import SECTION_NUMBER, begins_name, numbered_lines, numbers_tell
from footnote_ingest.parsing.pdf.numbers_in_order import numbers_in_order
from footnote_ingest.parsing.pdf.outline import LONGEST_HEADING, NUMBERING, Outline, named
from footnote_ingest.parsing.pdf.outline_levels import OutlineLevels
from footnote_ingest.parsing.pdf.remarks import Remarks
from footnote_ingest.parsing.pdf.slide_titles import SlideTitles, below_title

_CAPITALS_APART = 1.2
"""A heading in capitals lies apart from the text above by more than this, in usual gaps."""

_LEAST_CAPITALS = 5
"""A heading in capitals has at least this many letters; a shorter one may be a name."""

_MOST_LARGE_TEXT = 0.25
"""If this share of the text is large, its size does not tell a heading; so for bold text and capitals."""

_COMMON = 0.08
"""A size of this share of the text is none of headings."""

_MOSTLY_TABLES = 3
"""With so many times more text in tables than outside of them, that is the body, as on a card of commands."""

_MOST_LARGE_SIZES = 8
_COLOURED, _ITALICS, _RUN_IN = 3, 4, 8
"""So far below other headings are those in italics, and those that begin a paragraph.

Those in a colour of their own are so where an outline leaves them out.
"""

_LEAST_ITALIC, _ITALIC_WIDTH = 0.95, 0.8
"""A heading in italics has this size at least, in sizes of the body, and less than this share of a line."""

_LARGER_ITALIC = 1.05
"""One that is larger than the body by this factor may also take a whole line, and may begin a page."""

_SHORT = 6
"""A document of so many pages may be a form, much of which is bold."""

_NEXT_LINE = 1.5
"""Lines of one heading are no further apart than this, in heights of their font."""

_ROW_CELLS = 3
"""A line of the text's size with so many cells is a row of names, such as those of fields."""

_MUCH_LARGER = 1.5
"""The name of a file is a heading at the top of a page if it is larger than the text below by this factor."""

_CENTRED_APART, _CENTRE = 1.6, 0.8
"""A heading in the middle has more room than this above and below, in heights of its font.

Its middle and that of the text below are so near.
"""

_ITALIC_NUMBER = re.compile(r"(?:[A-Z]|\d{1,2}(?:\.\d{1,2}){0,3})[.)]?\s+(?=[^\W\d_])")


class Headings:
    """Which lines are headings, and of which level.

    The outline tells it, and bold lines that it leaves out are headings below its own. Without an outline the
    size, the weight, the capitals and the numbers of lines tell it.
    """

    def __init__(
        self, outline: Outline, pages: Sequence[list[PdfLine] | None], *, wide: bool = False
    ) -> None:
        self._outline = outline
        self._slides = SlideTitles(pages, wide=wide)
        sizes: Counter[float] = Counter()
        in_tables: Counter[float] = Counter()
        bold = italic = capitals = 0
        seen_on: dict[float, set[int]] = {}
        self._no_names = (drawn := drawing_labels(pages)) | masthead(pages)
        for number, lines in enumerate(pages):
            for line in lines or ():
                if line.is_table:
                    in_tables[line.size] += len(line.text)
                if line.is_table or id(line) in drawn:
                    continue
                sizes[line.size] += len(line.text)
                seen_on.setdefault(line.size, set()).add(number)
                bold += len(line.text) if line.bold else 0
                italic += len(line.text) if line.italic else 0
                capitals += len(line.text) if _in_capitals(line) else 0
        if in_tables.total() > _MOSTLY_TABLES * sizes.total():
            sizes += in_tables
        self.body = sizes.most_common(1)[0][0] if sizes else 0.0
        total = sum(sizes.values())
        larger = _larger(sizes, self.body)
        if larger and sum(sizes[size] for size in larger) >= _MOST_LARGE_TEXT * total:
            # Samples of a font, for example, are larger than the text, and headings are larger still.
            larger = _larger(
                sizes, max((size for size in sizes if sizes[size] >= _COMMON * total), default=self.body)
            )
        # In a document with many large sizes, such as a poster, the size does not tell a heading. Those of a
        # cover do not count.
        several = [size for size in larger if len(seen_on.get(size, ())) > 1 or len(pages) == 1]
        plain = len(several) <= _MOST_LARGE_SIZES
        self._levels = {size: level for level, size in enumerate(larger, 1)} if plain else {}
        self._nearly = NearSizes(pages if plain and not outline else (), self.body)
        self._bold = BoldHeadings(pages, self.body, outline)
        self._coloured = ColouredHeadings(pages)
        self._is_short = len(pages) <= _SHORT
        self._bold_tells = bold < _MOST_LARGE_TEXT * total
        self._italics_tell = italic < _MOST_LARGE_TEXT * total
        self._capitals_tell = capitals < _MOST_LARGE_TEXT * total
        self._numbered_from = 0 if outline else numbers_tell(pages)
        self._in_order = {} if outline else numbers_in_order(pages)
        told = [level for names in self._outline.values() for level in names.values()]
        self._below = 1 + (max(told) if told else len(self._levels))
        self._like = OutlineLevels(outline, pages, self.body)
        self._remarks = Remarks(pages)

    def levels(self, lines: Sequence[PdfLine], page: int) -> list[int | None]:
        """The level of each line of a page; None for a line that is no heading."""
        by_outline = self._by_outline(lines, self._outline.get(page, {}))
        found = list(by_outline)
        if self._outline:
            self._add_larger(found, lines)
        else:
            found = [None if line.turned or line.is_table else self._by_size(line) for line in lines]
            for at in self._nearly.among(lines):
                found[at] = self._below if found[at] is None else found[at]
        if self._bold_tells:
            for group, below in self._bold.among(lines, found):
                found[group.start : group.stop] = [self._below + below] * len(group)
        for at in bold_labels(lines, self.body) if self._is_short and not self._bold_tells else ():
            found[at] = found[at] or self._below
        for group in self._coloured.among(lines):
            if not any(found[group.start : group.stop]):
                found[group.start : group.stop] = [self._below + _COLOURED * bool(self._outline)] * len(group)
        if self._capitals_tell and not self._outline:
            self._add_capitals(found, lines)
        if self._italics_tell:
            self._add_italics(found, lines)
        self._add_numbered(found, lines)
        title = self._slides.title(lines)
        for at in title or ():
            by_size = None if self._outline else self._levels.get(lines[at].size)
            found[at] = found[at] or by_size or self._below
        levels = with_chapter_labels(self._settled(found, by_outline, lines, page), lines)
        return below_title(levels, title) if title and not self._outline else levels

    def _settled(
        self,
        found: list[int | None],
        by_outline: Sequence[int | None],
        lines: Sequence[PdfLine],
        page: int,
    ) -> list[int | None]:
        """The levels without those of lines that name nothing, in step with those of the outline."""
        given = list(found)
        # What stands above all on the first page is not like the headings of the text.
        begin = next((at for at, level in enumerate(by_outline) if level), len(lines)) if page == 1 else -1
        is_aside = False
        for at, line in enumerate(lines):
            is_row = len(line.cells) >= _ROW_CELLS and line.size <= HEADING_RATIO * self.body
            if given[at] is not None and by_outline[at] is None:
                goes_on = at > 0 and given[at - 1] == given[at] and _goes_on(lines[at - 1], line)
                is_aside = self._remarks.has(line) or (is_aside and goes_on)
                no_name = is_row or is_aside or id(line) in self._no_names or names_nothing(line.text)
                like = found[at - 1] if goes_on else at > begin and self._like.of(line)
                found[at] = None if no_name else like or given[at]
        if page == 1:
            names = zip(by_outline, without_names(found, lines, self.body), strict=True)
            found = [level or other for level, other in names]
        return found

    def run_in_level(self, line: PdfLine, page: int) -> int:
        """The level of a heading that begins a paragraph: below others, unless outline or number tells."""
        told = named([line], 0, self._outline.get(page, {}))[1]
        number = SECTION_NUMBER.match(f"{line.text} ")
        depth = _RUN_IN if number is None else number[0].rstrip(". ").count(".")
        return told or self._below + depth

    def _by_outline(self, lines: Sequence[PdfLine], names: Mapping[str, int]) -> list[int | None]:
        """The levels of the lines that the outline names. A long heading takes several lines."""
        found: list[int | None] = [None] * len(lines)
        at = 0
        while names and at < len(lines):
            count, level = named(lines, at, names)
            found[at : at + count] = [level] * count
            at += max(1, count)
        return found

    def _by_size(self, line: PdfLine) -> int | None:
        level = self._levels.get(line.size)
        if level is None or len(line.text) > LONGEST_HEADING or names_figure(line):
            return None
        # The labels of a drawing are often single letters.
        return level if WORD.search(line.text) else None

    def _add_larger(self, found: list[int | None], lines: Sequence[PdfLine]) -> None:
        """Find larger lines that begin where the text right below begins, which an outline leaves out."""
        for at in range(len(lines) - 2, -1, -1):
            line, below = lines[at], lines[at + 1]
            if (
                found[at] is None
                and self._by_size(line) is not None
                and not (line.turned or line.is_table or line.mono or line.bold)
                and len(line.text) <= LONGEST_BOLD
                and (begins_name(line.text) or line.text[0].isdigit() or _heads_page(lines, at))
                and NO_HEADING_END.search(line.text) is None
                and len(line.cells) <= 1 + (NUMBERING.match(line.text) is not None)
                and not (below.turned or below.is_table)
                and (
                    below.size <= BESIDE_OUTLINE * self.body
                    or found[at + 1] is not None
                    or _heads_page(lines, at)
                )
                and (
                    abs(line.left - below.left) <= INDENT * line.size
                    # The name of a slide stands to the left of its text.
                    or (at == 0 and line.left < below.left)
                    or _is_centred(lines, at)
                )
                and line.bottom > below.top
                and (at == 0 or lines[at - 1].bottom - line.top > line.size)
            ):
                depth = DEPTH.match(line.text)
                found[at] = self._below + (depth.group(1).count(".") if depth else 0)

    def _add_numbered(self, found: list[int | None], lines: Sequence[PdfLine]) -> None:
        """Find lines that only their numbers tell."""
        for at, number in numbered_lines(lines) if self._numbered_from else ():
            if found[at] is None and len(number) >= self._numbered_from:
                found[at] = self._below + len(number) - 1
        for at, line in enumerate(lines):
            if found[at] is None and id(line) in self._in_order:
                found[at] = self._below + self._in_order[id(line)] - 1

    def _add_capitals(self, found: list[int | None], lines: Sequence[PdfLine]) -> None:
        """Find lines in capitals that stand apart from the text above and right above text."""
        for at, line in enumerate(lines[:-1]):
            below = lines[at + 1]
            letters = sum(char.isalpha() for char in line.text)
            if (
                found[at] is None
                and _in_capitals(line)
                and letters >= _LEAST_CAPITALS
                and 2 * letters > len(line.text)
                and len(line.text) <= LONGEST_BOLD
                and not (line.mono or line.turned or line.is_table)
                and NO_HEADING_END.search(line.text) is None
                and len(line.cells) == 1
                and line.size >= SMALL_BOLD * self.body
                and REMARKS.fullmatch(line.text.lower()) is None
                and not _in_capitals(below)
                and len(below.text) >= LEAST_TEXT_BELOW
                and not (below.mono or below.turned or below.is_table)
                and line.bottom > below.top
                and (at == 0 or lines[at - 1].bottom - line.top > _CAPITALS_APART * _pitch(lines, at + 1))
            ):
                found[at] = self._below

    def _add_italics(self, found: list[int | None], lines: Sequence[PdfLine]) -> None:
        """Find lines in italics that stand apart from the text above and right above upright text."""
        for at, line in enumerate(lines[:-1]):
            below = lines[at + 1]
            number = _ITALIC_NUMBER.match(line.text)
            larger = line.size >= _LARGER_ITALIC * self.body
            if (
                found[at] is None
                and line.italic
                and not (line.bold or line.mono or line.turned or line.is_table)
                and len(line.cells) == 1
                and len(line.text) <= LONGEST_BOLD
                and (line.text[0].isupper() or number is not None)
                and WORD.search(line.text) is not None
                and NO_HEADING_END.search(line.text) is None
                and line.size >= _LEAST_ITALIC * self.body
                and REMARKS.fullmatch(line.text.lower()) is None
                and not (below.italic or below.mono or below.turned or below.is_table)
                and len(below.text) >= LEAST_TEXT_BELOW
                and not below.text[0].islower()
                and (larger or line.right - line.left < _ITALIC_WIDTH * (below.right - below.left))
                and (
                    number is not None
                    or (larger and line.left < below.left)
                    or abs(line.left - below.left) <= INDENT * line.size
                )
                and line.bottom > below.top
                and (
                    lines[at - 1].bottom - line.top > _CAPITALS_APART * _pitch(lines, at + 1)
                    if at
                    else number or larger
                )
            ):
                depth = number[0].count(".") if number is not None else 0
                found[at] = self._below + _ITALICS + min(depth, 2)


def _goes_on(above: PdfLine, line: PdfLine) -> bool:
    """Whether a line is the next one of a heading: in its font, near, and without a number of its own."""
    near = 0 < above.bottom - line.top <= _NEXT_LINE * line.size
    same = above.size == line.size and above.bold == line.bold
    return near and same and DEPTH.match(line.text) is None


def _heads_page(lines: Sequence[PdfLine], at: int) -> bool:
    """Whether a name of one word, such as that of a file, stands in much larger letters above all else."""
    return at == 0 and " " not in lines[0].text and lines[0].size >= _MUCH_LARGER * lines[1].size


def _is_centred(lines: Sequence[PdfLine], at: int) -> bool:
    """Whether a line stands in the middle above a full line of text, with much room above and below it."""
    line, below = lines[at], lines[at + 1]
    apart = _CENTRED_APART * line.size
    return (
        line.left > below.left
        and abs(line.left + line.right - below.left - below.right) <= _CENTRE * line.size
        and len(below.text) >= LEAST_TEXT_BELOW
        and line.bottom - below.top > apart
        and (at == 0 or lines[at - 1].bottom - line.top > apart)
    )


def _larger(sizes: Counter[float], body: float) -> list[float]:
    return sorted((size for size in sizes if size > HEADING_RATIO * body), reverse=True)


def _in_capitals(line: PdfLine) -> bool:
    return line.small_caps or line.text.isupper()


def _pitch(lines: Sequence[PdfLine], at: int) -> float:
    """How far a line lies from the next one, or its size where none is below it."""
    gap = lines[at].bottom - lines[at + 1].top if at + 1 < len(lines) else 0.0
    # Text below a wider gap is another paragraph.
    return gap if 0 < gap <= WIDEST_PITCH * lines[at].size else lines[at].size
