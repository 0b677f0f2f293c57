"""The lines of a PDF page, each with its place, its font and its cells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from footnote_ingest.parsing.raised_text import mark_gap

_SHIFT = 0.5
"""Exponents and indices are above or below the base line by at most this many heights of its font."""

_ADJACENT, _OVERLAP = 0.5, 0.2
"""They stand at most this many heights of the font beside the text, or above its last letter."""

_WORD_GAP = 0.2
"""A gap of more than this many heights of the font is a space."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of a line with a wide gap on both sides, and where it lies, in points.

    `base` is its base line, where that may be another one than the line's.
    """

    text: str
    left: float
    right: float
    base: float | None = None


@dataclass(frozen=True, slots=True)
class PdfLine:
    """A line of a page.

    `top` and `bottom` are its first and last base line, in points from the page's lower edge. They differ if
    a hyphenated word joins two lines. `size` is the font size of most of the line: a bullet or a name in
    another font does not count, and so for `bold`, `mono` and `italic`. All places are those of the page
    turned so that most of its text is upright; `turned` says that this line is not. `chars` are the places of
    its characters in the page's text. `lead` are the words at its start that stand out from the others.
    `partly_bold` says that a bold line begins or ends with words that are not. `all_mono` says that its first
    and last letter are of one width, too: a sentence may be full of names. `sans` says that its font has no
    serifs. `colours` are those of a few of its letters, each once.

    `laid_out` is the text of a line of code with as many blanks between its words as they take room; empty
    if each takes that of one. A table is one line, whose text is the table in Markdown; it is bold if its
    first row is. `in_band` says that it stands in a coloured band down the side of the page.
    """

    text: str
    size: float
    top: float
    bottom: float
    bold: bool = False
    mono: bool = False
    turned: bool = False
    cells: tuple[Cell, ...] = ()
    chars: tuple[range, ...] = ()
    is_table: bool = False
    italic: bool = False
    small_caps: bool = False
    lead: str = ""
    all_mono: bool = False
    laid_out: str = ""
    partly_bold: bool = False
    sans: bool = False
    colours: tuple[int, ...] = (0,)
    in_band: bool = False

    @property
    def lowest(self) -> float:
        return min(self.top, self.bottom)

    @property
    def highest(self) -> float:
        return max(self.top, self.bottom)

    @property
    def left(self) -> float:
        return self.cells[0].left if self.cells else 0.0

    @property
    def right(self) -> float:
        return self.cells[-1].right if self.cells else 0.0


def joined(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """The lines, in which neighbours on one base line are one.

    PDFium parts some rows of tables, and it parts a line at its exponents and indices.
    """
    found: list[PdfLine] = []
    for line in lines:
        before = found[-1] if found else None
        if before is not None and _is_beside(before, line):
            found[-1] = _with(before, line)
        elif before is not None and _goes_on(before, line):
            found[-1] = replace(
                before,
                text=f"{before.text} {line.text}",
                cells=before.cells + line.cells,
                chars=before.chars + line.chars,
            )
        else:
            found.append(line)
    return found


def _goes_on(before: PdfLine, line: PdfLine) -> bool:
    return (
        before.top == before.bottom == line.top == line.bottom
        and before.size == line.size
        and line.left - before.right > 0
        and not (before.turned or line.turned or before.mono or line.mono)
    )


def _is_beside(before: PdfLine, line: PdfLine) -> bool:
    """Whether a line is an exponent or an index of the line before, or goes on right behind one."""
    near = _SHIFT * before.size
    # What stands on the same line behind a gap may be the next cell of a table.
    near_enough = _WORD_GAP if _goes_on(before, line) else _ADJACENT
    return (
        -_OVERLAP * before.size <= line.left - before.right <= near_enough * before.size
        and line.size <= before.size
        and max(abs(at - before.top) for at in (before.bottom, line.top, line.bottom)) <= near
        and not (before.turned or line.turned or before.mono or line.mono)
        and bool(before.cells and line.cells)
    )


def _with(before: PdfLine, line: PdfLine) -> PdfLine:
    """A line with what stands right beside it, as one piece of text."""
    wide = line.left - before.right > _WORD_GAP * before.size
    gap = " " if wide else mark_gap(before.text, line.text)
    last, first = before.cells[-1], line.cells[0]
    whole = Cell(f"{last.text}{gap}{first.text}", last.left, first.right)
    return replace(
        before,
        text=f"{before.text}{gap}{line.text}",
        bottom=before.top,
        cells=(*before.cells[:-1], whole, *line.cells[1:]),
        chars=before.chars + line.chars,
    )


_TURNS: dict[int, Callable[[float, float], tuple[float, float]]] = {
    0: lambda x, y: (x, y),
    90: lambda x, y: (y, -x),
    180: lambda x, y: (-x, -y),
    270: lambda x, y: (-y, x),
}


def turned_back(x: float, y: float, angle: int) -> tuple[float, float]:
    """A place on the page, after the page was turned so that text of this angle is upright."""
    return _TURNS[angle](x, y)
