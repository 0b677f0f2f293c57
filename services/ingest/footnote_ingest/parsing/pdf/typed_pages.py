"""Documents that are in one font of one width throughout, as typewriters and prints of text files have it.

There the font does not tell code. So sentences, names of sections and rows of tables are told by their words
and their room, and what is neither stays as it is laid out: drawings, columns, code.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median_low

from footnote_ingest.parsing.pdf.aligned_tables import with_aligned_tables
from footnote_ingest.parsing.pdf.code_lines import sure_code
from footnote_ingest.parsing.pdf.fixed_tables import PHRASE
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine

_LEAST_TYPED = 0.9
"""A typed document has at least this share of its letters in a font of one width."""

_BLOCK_GAP, _LEAST_GAP = 1.35, 0.8
"""Lines of one block are no further apart than this, in the smallest gaps of the page.

Those are so many heights of the font at least: a raised number stands in its line.
"""

_LEAST_WORDS = 4
"""A line of a sentence has at least this many words of letters, which are most of its words."""

_ITEM, _LEAST_ITEM_WORDS = re.compile(r"^(?:[*•o+-]|\(?(?:\d{1,2}|[a-z])[.)])\s(?=[^\W_])"), 2
"""An item of a list has at least this many words behind its mark."""

_MARK = re.compile(
    r"^(?:[*•o+-]|\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[A-Za-z](?:\.\d{1,3}){0,4})[.)]?)\s{1,4}(?=[^\W_])"
)
"""The number of a section, or the mark of an item, may stand further from its name than words do."""

_MOST_ROOM = 3
"""Two words of a line that is typed to the edge of the page have fewer blanks than this between them."""

_WORD = re.compile(r"[(\"'“‘\[]?[^\W\d_]+(?:[-'’/][^\W\d_]+)*[.,;:!?)\"'”’\]]{0,3}")
_SHOWN = re.compile(r"[$%#>|+/\\]|.{0,80}[|{}\\=]|-{1,2}\w|.{0,80}(?:_|--)\w")
"""How a single line begins, or what is in it, that is shown as it is: a command, a rule, an assignment."""

_PIECE = re.compile(r"\S+")
_TOLD, _LEAST_CELLS = re.compile(r"[^\W_]"), 3
"""A row has at least this many cells with letters or digits, with two blanks or more between them."""

_LEAST_PAIRS, _PAIRED = 4, 0.8
"""Two are enough in a block of so many rows, if the second cells of this share of them begin at one place."""

_LEAST_HANGING, _SET_IN = 0.6, 1.5
"""If this share of the lines is set in from the edge by so many characters, names of sections may not be."""

_UNDERLINE = re.compile(r"([=~^*-])\1{2,99}")
_MARKS_SHORT = 2
"""A line of marks below a name is as long, or shorter by so many of them at most."""

_TITLE_LINES, _OFF_MIDDLE, _LEAST_SET_IN = 3, 0.12, 0.1
"""A title has so many lines at most, in the middle of the text to these shares of its width, and set in."""

_LONGEST_NAME = 80
_NAME = re.compile(r"[^\W_].*[^\s.,;:]")


def with_typed_text(pages: Sequence[list[PdfLine] | None]) -> list[list[PdfLine] | None]:
    """The pages, in which the sentences, the names of sections and the tables of a typed document are told.

    The pages of any other document stay as they are.
    """
    lines = [line for page in pages for line in page or () if not (line.is_table or line.turned)]
    typed = sum(len(line.text) for line in lines if line.all_mono)
    if not typed or typed < _LEAST_TYPED * sum(len(line.text) for line in lines):
        return list(pages)
    edge = min(line.left for line in lines)
    width = median_low(_char_width(line) for line in lines if line.all_mono)
    set_in = sum(line.left - edge > _SET_IN * width for line in lines)
    hangs = set_in >= _LEAST_HANGING * len(lines)
    return [page and _read(page, edge + _SET_IN * width if hangs else None) for page in pages]


def typed_title(first_page: Sequence[PdfLine]) -> str | None:
    """The first lines in the middle of a page that is typed, as read; None without any above the text."""
    upright = [line for line in first_page if not (line.turned or line.is_table)]
    if not upright or not all(line.all_mono for line in upright):
        return None
    left, right = min(line.left for line in upright), max(line.right for line in upright)
    for block in _blocks(upright):
        if len(block) <= _TITLE_LINES and all(
            abs(line.left + line.right - left - right) <= _OFF_MIDDLE * (right - left)
            and line.left - left >= _LEAST_SET_IN * (right - left)
            and len(_cells(line)) == 1
            and _TOLD.search(line.text) is not None
            for line in block
        ):
            return " ".join(line.text for line in block)
        if _is_said(block) and len(block) > 1:
            return None
    return None


def _read(page: Sequence[PdfLine], text_edge: float | None) -> list[PdfLine]:
    """A page with its sentences and tables; what begins before `text_edge` names a section."""
    shown: dict[int, PdfLine] = {}
    read: list[PdfLine] = []
    for block in _blocks(page):
        if _is_underlined(block):
            read.append(replace(block[0], mono=False, all_mono=False, laid_out="", bold=True))
            block = block[2:]
        told, paired = bool(block) and _is_said(block), _are_pairs(block)
        for line in block:
            name = told and len(block) == 1 and text_edge is not None and _is_name(line, text_edge)
            plain = line
            if told:
                plain = replace(line, mono=False, all_mono=False, laid_out="", bold=line.bold or name)
            may_be_row = line.all_mono and not sure_code(line.text) and (paired or not told)
            cells = _cells(line) if may_be_row else ()
            if sum(_TOLD.search(cell.text) is not None for cell in cells) >= (2 if paired else _LEAST_CELLS):
                read.append(replace(line, mono=False, all_mono=False, cells=cells))
                shown[id(read[-1])] = plain
            else:
                read.append(plain)
    return [shown.get(id(line), line) for line in with_aligned_tables(read, _words)]


def _blocks(page: Sequence[PdfLine]) -> Iterator[Sequence[PdfLine]]:
    """Neighbouring lines without a blank line between them: what is typed stands on a grid."""
    gaps = [above.bottom - below.top for above, below in pairwise(page)]
    usual = min((gap for gap in gaps if gap > _LEAST_GAP * page[0].size), default=0.0)
    begin = 0
    for at, (above, below) in enumerate(pairwise(page), 1):
        if not 0 < above.bottom - below.top <= _BLOCK_GAP * usual or above.is_table or below.is_table:
            yield page[begin:at]
            begin = at
    yield page[begin:]


def _is_underlined(block: Sequence[PdfLine]) -> bool:
    """Whether a block begins with a name that has a line of marks below it."""
    if len(block) < 2 or not all(line.all_mono for line in block[:2]):
        return False
    name, marks = block[0].text, block[1].text
    return _UNDERLINE.fullmatch(marks) is not None and len(name) <= len(marks) + _MARKS_SHORT


def _is_said(block: Sequence[PdfLine]) -> bool:
    """Whether most lines of a block are of sentences; a single one may be a name."""
    if not all(line.all_mono for line in block) or any(sure_code(line.text) for line in block):
        return False
    if len(block) == 1:
        line = block[0]
        text = _ITEM.sub("", line.text)
        ends = text != line.text or text[-1] in ".:"
        shown = _SHOWN.match(text) is not None and not (ends and _is_sentence(line))
        name = _MARK.sub("", line.laid_out or line.text, count=1)
        return PHRASE.fullmatch(name) is not None and text[0].isalnum() and not shown
    # The last line of a block is as long as it happens to be.
    lines = block[:-1] if len(block) > 2 else block
    return 2 * sum(map(_is_sentence, lines)) >= len(lines)


def _are_pairs(block: Sequence[PdfLine]) -> bool:
    """Whether most lines of a block are a name and, behind blanks and all at one place, what it means."""
    if len(block) < _LEAST_PAIRS or not all(line.all_mono for line in block):
        return False
    cells = [_cells(line) for line in block]
    starts = [pair[1].left for pair in cells if len(pair) == 2]
    if len(starts) < _PAIRED * len(block):
        return False
    near = _char_width(block[0])
    place = median_low(starts)
    return sum(abs(start - place) < near for start in starts) >= _PAIRED * len(block)


def _is_sentence(line: PdfLine) -> bool:
    item = _ITEM.match(line.text)
    words = line.text[item.end() if item else 0 :].split()
    told = sum(_WORD.fullmatch(word) is not None for word in words)
    least = _LEAST_ITEM_WORDS if item else _LEAST_WORDS
    return told >= least and 2 * told > len(words) and " " * _MOST_ROOM not in line.laid_out.lstrip("*o-+ ")


def _is_name(line: PdfLine, text_edge: float) -> bool:
    return (
        line.left < text_edge and len(line.text) <= _LONGEST_NAME and _NAME.fullmatch(line.text) is not None
    )


def _cells(line: PdfLine) -> tuple[Cell, ...]:
    """What has two blanks or more on both sides in a line, with its place."""
    return tuple(_placed(line, PHRASE))


def _words(line: PdfLine) -> list[Cell]:
    return list(_placed(line, _PIECE))


def _placed(line: PdfLine, piece: re.Pattern[str]) -> Iterator[Cell]:
    width = _char_width(line)
    for found in piece.finditer(line.laid_out or line.text):
        yield Cell(found.group(), line.left + found.start() * width, line.left + found.end() * width)


def _char_width(line: PdfLine) -> float:
    return (line.right - line.left) / len(line.laid_out or line.text)
