"""Reads the lines of a PDF page as PDFium finds them, with their fonts and cells."""

import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pypdfium2 as pdfium

from footnote_ingest.parsing.pdf.code_lines import with_code
from footnote_ingest.parsing.pdf.columns import by_columns, interleaved
from footnote_ingest.parsing.pdf.cork import with_ligatures
from footnote_ingest.parsing.pdf.fixed_tables import with_fixed_tables
from footnote_ingest.parsing.pdf.fixed_width import FixedWidth, char_width, laid_out
from footnote_ingest.parsing.pdf.fonts import Font
from footnote_ingest.parsing.pdf.found_line import FoundLine
from footnote_ingest.parsing.pdf.frames import frames
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine, joined
from footnote_ingest.parsing.pdf.numbered import SECTION_NUMBER
from footnote_ingest.parsing.pdf.page_chars import LEAST_SIZE, TALL_SHARE, PageChars
from footnote_ingest.parsing.pdf.page_tables import with_tables
from footnote_ingest.parsing.pdf.page_text import HYPHEN, PdfPageText
from footnote_ingest.parsing.pdf.rows_beside import row_with_code, rows_beside
from footnote_ingest.parsing.pdf.rules import read_rules, turned_rules
from footnote_ingest.parsing.pdf.side_bands import parted, side_bands
from footnote_ingest.parsing.pdf.top_down import from_top
from footnote_ingest.parsing.pdf.underscores import with_underscores

_CHARS_LOOKED_AT = 8
"""How many characters of a line tell its font."""

_CELL_GAP = 1.1
"""Cells of a line lie apart by more than this many heights of its font; words do not, even if justified."""

_WIDE_LINE, _WIDEST_TEXT = 1.1, 0.58
"""A line may have cells if its characters take more room than that of the page's lines, by this factor.

Or if they take more than this many heights of their font. To ask for the place of each word of each line
would take most of the time.
"""

_FONTS_LOOKED_AT = 3
"""How many characters of a line tell whether it is bold."""

_MOST_BOLD = 0.8
"""A line is bold in part only if its bold words are less of it than this share, and light ones follow."""

_LEAD_CHARS = 80
"""The words at the start of a line that stand out are a heading if they have this many characters at most."""

_NEXT_LINE, _SAME_SIZE = 2.6, 0.05
"""A hyphenated word goes on in the next line if that is at most this many heights of the font below.

Its font is then of the same size, to this share.
"""

_LINES_LOOKED_AT, _LEAST_PARTED = 6, 0.3
"""About this many lines of a page are looked at; if more than this share has a gap, it may have columns."""

_OTHER_LINE = 0.8
"""Words are in another line if they stand higher or lower by more than this many heights of the font."""

_LINE_ACROSS_COLUMNS = 44
"""A line across two columns of running text has at least this many characters."""

_TALL = frozenset("bdfhklBDEFHIKLMNPRTUVXZ")

MOST_CHARS = 250_000
"""A page with more characters is not read.

The smallest print that people can read puts a tenth of it on a page. A font may say of one letter that it
stands for several, and each of them costs as much as a letter of its own.
"""


class TooManyChars(Exception):
    """A page holds more characters than `MOST_CHARS`."""


def read_lines(document: pdfium.PdfDocument, number: int) -> list[PdfLine] | None:
    """The lines of a page in the order in which the page draws them; None if the page is damaged.

    Raises TooManyChars.
    """
    try:
        page = document[number]
        text_page = page.get_textpage()
        if text_page.count_chars() > MOST_CHARS:
            text_page.close()
            page.close()
            raise TooManyChars
        text = text_page.get_text_range()
        text = with_ligatures(text, PageChars(text_page, text).font_name)
    except pdfium.PdfiumError:
        return None
    rules = read_rules(page)
    text = with_underscores(text, rules, PageChars(text_page, text).letter_near)
    reader = _Reader(text_page, text)
    found: list[FoundLine] = []
    offset = 0
    for content in text.split("\r\n"):
        for part in reader.without_jumps(content, offset):
            shown = part.strip()
            if shown:
                first = offset + len(part) - len(part.lstrip())
                found.append(FoundLine(shown, first, *reader.matrix(first)))
            offset += len(part)
        offset += 2
    turns = Counter[int]()
    for one in found:
        turns[one.angle] += len(one.shown)
    reader.upright = turns.most_common(1)[0][0] if turns else 0
    reader.find_gaps()
    bands = [] if reader.upright else side_bands(rules, *page.get_size())
    found, in_bands = parted(found, bands, reader.pieces, reader.reach)
    lines = reader.lines(found)
    level = reader.level(found, lines)
    if len(level) > len(found):
        found, lines = level, reader.lines(level)
    several = interleaved(lines) or reader.may_have_columns(found)
    in_columns = by_columns(reader.lines(reader.pieces(found))) if several else None
    lines = joined(in_columns or from_top(joined(lines)))
    turned = turned_rules(rules, reader.upright)
    lines = with_tables(with_fixed_tables(with_code(lines)), frames(turned), reader.words, turned)
    lines = from_top(lines) if any(line.is_table for line in lines) else lines
    lines += [replace(line, in_band=True) for line in joined(reader.lines(in_bands))]
    text_page.close()
    page.close()
    return lines


class _Reader(PageChars):
    """Finds the lines of a page, their fonts and their words."""

    def __init__(self, text_page: pdfium.PdfTextPage, text: str) -> None:
        super().__init__(text_page, text)
        self._told = PdfPageText(text, lambda at: self._font_of(at).signs)
        self._sizes: dict[tuple[int, int], float] = {}
        self._widths: dict[float, float] = {}
        self._fixed = FixedWidth(self._font_of, self._advance)

    def find_gaps(self) -> None:
        """Find the spaces that PDFium has missed, and the raised and lowered numbers."""
        if not self.upright:
            self._told.find_gaps(self._place, draws_spaces=self.draws_spaces())
        self._told.find_raised(self._height, self._whole_place)

    def without_jumps(self, content: str, offset: int) -> Iterator[str]:
        """The parts of a line of the page's text.

        PDFium joins a hyphenated word with whatever is drawn next, such as a caption or another column. There
        the line is parted, and the word is joined when its sentence is.
        """
        begin = 0
        for mark in _HYPHENS.finditer(content):
            if self._jumps(offset + mark.start() - 1, offset + mark.end()):
                yield content[begin : mark.end()]
                begin = mark.end()
        yield content[begin:]

    def _jumps(self, before: int, after: int) -> bool:
        """Whether a character is not in the line below another one's, or is of another size."""
        sizes = [self._font_size(at) * self.matrix(at)[1] for at in (before, after)]
        turn = self.matrix(before)[0]
        places = [self._origin(at, turn)[1] for at in (before, after)]
        return (
            not 0 < places[0] - places[1] <= _NEXT_LINE * sizes[0]
            or abs(sizes[0] - sizes[1]) > _SAME_SIZE * sizes[0]
        )

    def lines(self, found: Sequence[FoundLine]) -> list[PdfLine]:
        """The lines with their fonts and cells."""
        sizes = [self._size(one) for one in found]
        ends = [self.reach(one) for one in found]
        room = [
            (right - left) / (len(one.shown) * size or 1.0)
            for one, (left, right), size in zip(found, ends, sizes, strict=True)
        ]
        widest = min(_WIDEST_TEXT, _WIDE_LINE * statistics.median_low(room)) if room else 0.0
        lines = [
            self._line(one, size, end, wide=wide > widest)
            for one, size, end, wide in zip(found, sizes, ends, room, strict=True)
        ]
        # On a card of reference most lines have cells, so no line is wide beside the others.
        for at, begins in rows_beside(lines):
            line = self._line(found[at], sizes[at], ends[at], wide=True, beside=True)
            lines[at] = line if len(line.cells) > 1 and begins(line.cells[1].left) else lines[at]
        return lines

    def _line(
        self, found: FoundLine, size: float, edges: tuple[float, float], *, wide: bool, beside: bool = False
    ) -> PdfLine:
        font = self._font(found)
        begins = font.mono and self._font_of(found.first).mono
        ends = font.mono and self._font_of(found.last).mono
        by_width = font.unnamed and not found.angle and self._fixed.holds(found.shown, found.first)
        # A sentence may name code in its middle, and a bold heading at its beginning.
        mono = by_width or ends or (begins and not font.bold)
        whole = by_width or (begins and ends)
        lead = self._lead(found)
        text = (self._told.plain if mono else self._told.shown)(found.shown, found.first)
        may_have_cells = wide and not whole and found.angle == self.upright
        cells = self._cells(found, size, edges) if may_have_cells else ()
        if not cells or (ends and not row_with_code(cells, beside=beside)):
            cells = (Cell(text, *edges),)
        return PdfLine(
            text,
            size,
            top=self._origin(found.first, self.upright)[1],
            bottom=self._origin(found.last, self.upright)[1],
            bold=font.bold,
            partly_bold=font.bold and self._is_light_in_part(found, lead),
            mono=mono,
            all_mono=whole,
            italic=font.italic,
            small_caps=font.small_caps,
            sans=font.sans,
            turned=found.angle != self.upright,
            cells=cells,
            chars=(found.chars,),
            lead=lead,
            laid_out=self._laid_out(text, found.first, size) if whole and text == found.shown else "",
            colours=self._colours(found),
        )

    def _colours(self, found: FoundLine) -> tuple[int, ...]:
        """The colours of the first letter of a line, of its last one and of one between; each once."""
        letters = [at for at in (0, len(found.shown) // 2, -1) if not found.shown[at].isspace()]
        places = {found.first + at % len(found.shown) for at in letters}
        return tuple(sorted({self._colour(at) for at in places}))

    def _laid_out(self, text: str, first: int, size: float) -> str:
        # A line such as "|  *  |" does not tell how wide its characters are, but those above it do.
        width = char_width(text, first, self._place_along) or self._widths.get(size, 0.0)
        self._widths[size] = width
        return laid_out(text, first, self._place_along, width)

    def _place_along(self, at: int) -> float:
        return self._origin(at, self.upright)[0]

    def _size(self, found: FoundLine) -> float:
        """The size that most of some characters have; of sizes that are as frequent, the first one."""
        key = found.first, found.last
        if key not in self._sizes:
            self._sizes[key] = self._size_of(found)
        return self._sizes[key]

    def _size_of(self, found: FoundLine) -> float:
        step = 1 + (len(found.shown) - 1) // _CHARS_LOOKED_AT
        looked_at = found.chars[::step]
        sizes: dict[float, int] = {}
        first = 0.0
        for at in looked_at:
            size = self._font_size(at)
            first = first or size
            sizes[size] = sizes.get(size, 0) + 1
            # The other characters can no longer change who wins.
            if 2 * sizes[first] >= len(looked_at):
                break
        size = round(max(sizes, key=sizes.__getitem__) * found.scale, 1)
        return size if size >= LEAST_SIZE else self._size_of_letters(found) or size

    def _size_of_letters(self, found: FoundLine) -> float:
        """The size of a line's font, to the next point, by how tall one of its letters is; 0 without one."""
        for at, char in zip(found.chars, found.shown, strict=True):
            if char in _TALL:
                self._extent(at)
                tall = (
                    self._right.value - self._left.value
                    if found.angle % 180
                    else self._top.value - self._bottom.value
                )
                return float(round(abs(tall) / TALL_SHARE))
        return 0.0

    def _font(self, found: FoundLine) -> Font:
        """The font of most of a line."""
        count = len(found.shown)
        fonts: list[Font] = []
        for part in range(_FONTS_LOOKED_AT):
            at = count * (2 * part + 1) // (2 * _FONTS_LOOKED_AT)
            # A space, and an underscore that is drawn, may be PDFium's own and then has no font.
            while at and (found.shown[at].isspace() or found.shown[at] == "_"):
                at -= 1
            fonts.append(self._font_of(found.first + at))
            if 2 * fonts.count(fonts[0]) > _FONTS_LOOKED_AT:
                return fonts[0]
        return Font(*(2 * sum(values) > _FONTS_LOOKED_AT for values in zip(*fonts, strict=True)))

    def _lead(self, found: FoundLine) -> str:
        """The words at the start of a line that stand out from its other words; empty if none do.

        The number of a section may stand before them.
        """
        number = SECTION_NUMBER.match(found.shown)
        begin = number.end() if number is not None else 0
        first = self._font_of(found.first + begin)
        if not first.stands_out:
            return ""
        for word in _WORD.finditer(found.shown, begin, _LEAD_CHARS):
            if self._font_of(found.first + word.start()) != first:
                return self._told.shown(found.shown[: word.start()], found.first)
        return ""

    def _is_light_in_part(self, found: FoundLine, lead: str) -> bool:
        """Whether a line that seems bold begins light, or goes on light with more than a word or a sign."""
        if not lead:
            first = next((at for at, char in enumerate(found.shown) if char.isalpha()), 0)
            return self._is_light(found.first + first)
        return len(lead) < _MOST_BOLD * len(found.shown) and self._is_light(found.last)

    def _is_light(self, at: int) -> bool:
        font = self._font_of(at)
        return not (font.bold or font.mono or font.italic)

    def words(self, line: PdfLine) -> list[Cell]:
        """Each word of a line with its place. A raised number belongs to the word that it stands behind."""
        words: list[Cell] = []
        for chars in line.chars:
            for word in _WORD.finditer(self._text, chars.start, chars.stop):
                text = self._told.shown(word.group(), word.start())
                # What stands behind a hyphen is in the next line.
                last = self._text.find(HYPHEN, word.start() + 1, word.end())
                left = self._extent(word.start())[0]
                right = self._extent(last if last > 0 else word.end() - 1)[1]
                base = self._origin(word.start(), self.upright)[1] if line.top != line.bottom else line.top
                run = self._told.raised_at(word.start())
                if run is not None and run.joins and words:
                    gap = " " if run.written[:1].isspace() else ""
                    words[-1] = replace(words[-1], text=f"{words[-1].text}{gap}{text}", right=right)
                else:
                    words.append(Cell(text, left, max(left, right), base))
        return words

    def may_have_columns(self, found: Sequence[FoundLine]) -> bool:
        """Whether many long lines of the page have a wide gap. A few of them are looked at."""
        lines = [one for one in found if len(one.shown) >= _LINE_ACROSS_COLUMNS and one.angle == self.upright]
        looked_at = lines[:: 1 + len(lines) // _LINES_LOOKED_AT]
        parted = sum(next(self._wide_gaps(one), None) is not None for one in looked_at)
        return parted > _LEAST_PARTED * len(looked_at)

    def level(self, found: Sequence[FoundLine], lines: Sequence[PdfLine]) -> list[FoundLine]:
        """The lines, parted where words stand higher or lower: PDFium joins some cells of a table."""
        parts: list[FoundLine] = []
        for one, line in zip(found, lines, strict=True):
            other = _OTHER_LINE * line.size
            begin, base = 0, line.top
            goes_over = abs(base - line.bottom) > other and not line.turned and HYPHEN not in one.shown
            for gap in _GAP.finditer(one.shown) if goes_over else ():
                following = self._origin(one.first + gap.end(), self.upright)[1]
                if abs(following - base) > other:
                    parts.append(replace(one, shown=one.shown[begin : gap.start()], first=one.first + begin))
                    begin, base = gap.end(), following
            parts.append(replace(one, shown=one.shown[begin:], first=one.first + begin))
        return parts

    def pieces(self, found: Sequence[FoundLine]) -> list[FoundLine]:
        """The lines, parted at their wide gaps."""
        parts: list[FoundLine] = []
        for one in found:
            begin = 0
            for gap in self._wide_gaps(one):
                parts.append(replace(one, shown=one.shown[begin : gap.start()], first=one.first + begin))
                begin = gap.end()
            parts.append(replace(one, shown=one.shown[begin:], first=one.first + begin))
        return parts

    def reach(self, found: FoundLine) -> tuple[float, float]:
        """From where to where a line reaches."""
        return self._extent(found.first)[0], self._extent(found.last)[1]

    def _wide_gaps(self, found: FoundLine) -> Iterator[re.Match[str]]:
        """The white space of a line that is wide, or that leads back: PDFium misses some ends of lines."""
        wide = _CELL_GAP * self._size(found)
        for gap in _GAP.finditer(found.shown):
            following = self._extent(found.first + gap.end())[0]
            step = following - self._extent(found.first + gap.start() - 1)[1]
            if step > wide or step < -wide:
                yield gap

    def _cells(self, found: FoundLine, size: float, ends: tuple[float, float]) -> tuple[Cell, ...]:
        cells: list[Cell] = []
        begin, left = 0, ends[0]
        for gap in _GAP.finditer(found.shown):
            right = self._extent(found.first + gap.start() - 1)[1]
            following = self._extent(found.first + gap.end())[0]
            if following - right > _CELL_GAP * size:
                cells.append(
                    Cell(self._told.shown(found.shown[begin : gap.start()], found.first + begin), left, right)
                )
                begin, left = gap.end(), following
        cells.append(Cell(self._told.shown(found.shown[begin:], found.first + begin), left, ends[1]))
        return tuple(cells)


_GAP = re.compile(r"\s+")
_WORD = re.compile(r"\S+")
_HYPHENS = re.compile(rf"(?<=[^\W\d_]){HYPHEN}(?=\w)")
