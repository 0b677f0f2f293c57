"""Which lines of a PDF are headings, and of which level.

The outline tells it, or size, weight, capitals and numbers do.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from footnote_ingest.parsing.pdf.asides import names_figure
from footnote_ingest.parsing.pdf.front_page import without_names
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.near_sizes import NearSizes
from footnote_ingest.parsing.pdf.numbered import SECTION_NUMBER, numbered_lines, numbers_tell
from footnote_ingest.parsing.pdf.outline import HEADING_LINES, LONGEST_HEADING, NUMBERING, Outline, named

_DEPTH = re.compile(r"\d+((?:\.\d+)*)[.)]?\s")
_NO_HEADING_END = re.compile(r"[.,;:!…][\"'”’)\]]*$")
_WORD = re.compile(r"[^\W\d_]{2}")
_HEADING_RATIO = 1.12
"""The font of a heading is larger than that of the body by this factor."""

_LONG_BOLD_RATIO = 1.03
"""A heading of several lines that is bold is larger than the body by this factor."""

_APART = 1.5
"""Two bold headings below each other lie apart by more than this, in heights of their font."""

_SMALL_BOLD, _SMALL_APART = 0.9, 3.0
"""A smaller bold heading, such as "Abstract", has this size at least, in sizes of the body.

It then lies further from the text above than this, in heights of its font.
"""

_BESIDE_OUTLINE = 1.05
"""A bold heading that the outline does not name is larger than the body by this factor."""

_BETWEEN = (1.5, 1.2)
"""One at the size of the text lies further from what is above and below than this, in usual gaps."""

_FULL = 0.7
"""The first line of a heading of several lines takes this share of the width of the text at least."""

_SAME_SIZE = 0.05
"""A heading at the size of the text differs from it by at most this share."""

_CAPITALS_APART = 1.2
"""A heading in capitals lies apart from the text above by more than this, in usual gaps."""

_WIDEST_PITCH = 2.6
"""Lines of one paragraph are no further apart than this, in heights of their font."""

_LEAST_CAPITALS = 5
"""A heading in capitals has at least this many letters; a shorter one may be a name."""

_LEAST_TEXT_BELOW = 40
"""A line of text below a heading in capitals has at least this many characters."""

_MOST_LARGE_TEXT = 0.25
"""If this share of the text is large, its size does not tell a heading; so for bold text and capitals."""

_COMMON = 0.08
"""A size of this share of the text is none of headings."""

_MOST_LARGE_SIZES = 8
_BETWEEN_LEVEL, _ITALICS, _RUN_IN = 3, 4, 8
"""So far below other headings are bold ones at the size of the text that an outline leaves out.

Then come those in italics, and those that begin a paragraph.
"""

_LEAST_ITALIC, _ITALIC_WIDTH, _ITALIC_INDENT = 0.95, 0.8, 1.6
"""A heading in italics has this size at least, in sizes of the body, and less than this share of a line.

It begins with the text below, to so many heights of its font, unless it has a number or is larger.
"""

_LARGER_ITALIC = 1.05
"""One that is larger than the body by this factor may also take a whole line, and may begin a page."""

_ITALIC_NUMBER = re.compile(r"(?:[A-Z]|\d{1,2}(?:\.\d{1,2}){0,3})[.)]?\s+(?=[^\W\d_])")
_LONGEST_BOLD_HEADING = 80
_REMARKS = re.compile(
    r"(?:note|notes|warning|important|caution|tip|example|hinweis|beispiel|warnung|achtung|wichtig"
    r"|anmerkung|nota|notas|aviso|atenção|atención|importante|consejo|attenzione|avvertenza"
    r"|suggerimento|remarque|attention|avertissement|uwaga|poznámka|примечание|внимание"
    r"|предупреждение|注意|注記|备注|警告)"
)
"""What stands in bold above a remark, which is no section."""


class Headings:
    """Which lines are headings, and of which level.

    The outline tells it, and bold lines that it leaves out are headings below its own. Without an outline the
    size, the weight, the capitals and the numbers of lines tell it.
    """

    def __init__(self, outline: Outline, pages: Sequence[list[PdfLine] | None]) -> None:
        self._outline = outline
        sizes: Counter[float] = Counter()
        bold = italic = capitals = 0
        seen_on: dict[float, set[int]] = {}
        for number, lines in enumerate(pages):
            for line in lines or ():
                if line.is_table:
                    continue
                sizes[line.size] += len(line.text)
                seen_on.setdefault(line.size, set()).add(number)
                bold += len(line.text) if line.bold else 0
                italic += len(line.text) if line.italic else 0
                capitals += len(line.text) if _in_capitals(line) else 0
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
        several = [size for size in larger if len(seen_on[size]) > 1 or len(pages) == 1]
        plain = len(several) <= _MOST_LARGE_SIZES
        self._levels = {size: level for level, size in enumerate(larger, 1)} if plain else {}
        self._nearly = NearSizes(pages if plain and not outline else (), self.body)
        self._bold_tells = bold < _MOST_LARGE_TEXT * total
        self._italics_tell = italic < _MOST_LARGE_TEXT * total
        self._capitals_tell = capitals < _MOST_LARGE_TEXT * total
        self._numbers_tell = not outline and numbers_tell(pages)
        told = [level for names in self._outline.values() for level in names.values()]
        self._below = 1 + (max(told) if told else len(self._levels))

    def levels(self, lines: Sequence[PdfLine], page: int) -> list[int | None]:
        """The level of each line of a page; None for a line that is no heading."""
        if self._outline:
            found = self._by_outline(lines, self._outline.get(page, {}))
            self._add_larger(found, lines)
        else:
            found = [None if line.turned or line.is_table else self._by_size(line) for line in lines]
            for at in self._nearly.among(lines):
                found[at] = self._below if found[at] is None else found[at]
        if self._bold_tells:
            self._add_bold(found, lines)
        if self._capitals_tell and not self._outline:
            self._add_capitals(found, lines)
        if self._italics_tell:
            self._add_italics(found, lines)
        for at, number in numbered_lines(lines) if self._numbers_tell else ():
            if found[at] is None:
                found[at] = self._below + len(number) - 1
        return found if page > 1 or self._outline.get(1) else without_names(found, lines, self.body)

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
        return level if _WORD.search(line.text) else None

    def _add_larger(self, found: list[int | None], lines: Sequence[PdfLine]) -> None:
        """Find larger lines that begin where the text right below begins, which an outline leaves out."""
        for at in range(len(lines) - 2, -1, -1):
            line, below = lines[at], lines[at + 1]
            if (
                found[at] is None
                and self._by_size(line) is not None
                and not (line.turned or line.is_table or line.mono or line.bold)
                and len(line.text) <= _LONGEST_BOLD_HEADING
                and (line.text[0].isupper() or line.text[0].isdigit())
                and _NO_HEADING_END.search(line.text) is None
                and len(line.cells) <= 1 + (NUMBERING.match(line.text) is not None)
                and not (below.turned or below.is_table)
                and (below.size <= _BESIDE_OUTLINE * self.body or found[at + 1] is not None)
                and (
                    abs(line.left - below.left) <= _ITALIC_INDENT * line.size
                    # The name of a slide stands to the left of its text.
                    or (at == 0 and line.left < below.left)
                )
                and line.bottom > below.top
                and (at == 0 or lines[at - 1].bottom - line.top > line.size)
            ):
                depth = _DEPTH.match(line.text)
                found[at] = self._below + (depth.group(1).count(".") if depth else 0)

    def _add_bold(self, found: list[int | None], lines: Sequence[PdfLine]) -> None:
        """Find bold lines that stand alone above text, or above a heading of their kind."""
        groups = [group for group in _bold_groups(lines) if found[group.start] is None]
        # From the last one, because a heading may stand right above another.
        for group in reversed(groups):
            if self._is_bold_heading(lines, group, found):
                depth = _DEPTH.match(lines[group.start].text)
                small = self._outline and lines[group.start].size < _BESIDE_OUTLINE * self.body
                level = self._below + (depth.group(1).count(".") if depth else _BETWEEN_LEVEL if small else 0)
                found[group.start : group.stop] = [level] * len(group)

    def _is_bold_heading(self, lines: Sequence[PdfLine], group: range, found: Sequence[int | None]) -> bool:
        first, last = lines[group.start], lines[group.stop - 1]
        text = " ".join(lines[at].text for at in group)
        below = lines[group.stop] if group.stop < len(lines) else None
        numbered = SECTION_NUMBER.match(first.text) is not None
        least = _BESIDE_OUTLINE if self._outline and not (numbered or _stands_between(lines, group)) else 1.0
        if len(group) > 1 and not (_DEPTH.match(first.text) or _stands_between(lines, group)):
            least = max(least, _LONG_BOLD_RATIO)
        large = first.size >= least * self.body
        return (
            (
                large
                or (
                    first.size >= _SMALL_BOLD * self.body
                    and (_stands_apart(lines, group) or _names_small_text(lines, group))
                )
            )
            and len(group) <= HEADING_LINES
            and len(text) <= (_LONGEST_BOLD_HEADING if len(group) == 1 else LONGEST_HEADING)
            and _WORD.search(text) is not None
            and text[0].isalnum()
            and (_NO_HEADING_END.search(last.text) is None or (numbered and _ends_a_name(last)))
            and not (_runs_in(first) or names_figure(first))
            and (numbered or not any(lines[at].partly_bold for at in group))
            and _REMARKS.fullmatch(text.lower()) is None
            and below is not None
            and below.top < last.bottom
            and (not below.bold or below.partly_bold or found[group.stop] is not None)
        )

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
                and len(line.text) <= _LONGEST_BOLD_HEADING
                and not (line.mono or line.turned or line.is_table)
                and _NO_HEADING_END.search(line.text) is None
                and len(line.cells) == 1
                and line.size >= _SMALL_BOLD * self.body
                and _REMARKS.fullmatch(line.text.lower()) is None
                and not _in_capitals(below)
                and len(below.text) >= _LEAST_TEXT_BELOW
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
                and len(line.text) <= _LONGEST_BOLD_HEADING
                and (line.text[0].isupper() or number is not None)
                and _WORD.search(line.text) is not None
                and _NO_HEADING_END.search(line.text) is None
                and line.size >= _LEAST_ITALIC * self.body
                and _REMARKS.fullmatch(line.text.lower()) is None
                and not (below.italic or below.mono or below.turned or below.is_table)
                and len(below.text) >= _LEAST_TEXT_BELOW
                and not below.text[0].islower()
                and (larger or line.right - line.left < _ITALIC_WIDTH * (below.right - below.left))
                and (
                    number is not None
                    or (larger and line.left < below.left)
                    or abs(line.left - below.left) <= _ITALIC_INDENT * line.size
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


def _larger(sizes: Counter[float], body: float) -> list[float]:
    """The sizes that are larger than the text, from the largest."""
    return sorted((size for size in sizes if size > _HEADING_RATIO * body), reverse=True)


def _in_capitals(line: PdfLine) -> bool:
    return line.small_caps or line.text.isupper()


def _pitch(lines: Sequence[PdfLine], at: int) -> float:
    """How far a line lies from the next one, or its size where none is below it."""
    gap = lines[at].bottom - lines[at + 1].top if at + 1 < len(lines) else 0.0
    # Text below a wider gap is another paragraph.
    return gap if 0 < gap <= _WIDEST_PITCH * lines[at].size else lines[at].size


def _stands_apart(lines: Sequence[PdfLine], group: range) -> bool:
    """Whether there is much room above a single line."""
    at = group.start
    gap = lines[at - 1].bottom - lines[at].top if at > 0 else 0.0
    return len(group) == 1 and gap > _SMALL_APART * lines[at].size


def _names_small_text(lines: Sequence[PdfLine], group: range) -> bool:
    """Whether a single line stands apart from what is above it, and the text below is smaller."""
    at = group.start
    if len(group) > 1 or at + 1 >= len(lines):
        return False
    line, below = lines[at], lines[at + 1]
    return (
        line.size >= _HEADING_RATIO * below.size
        and not (below.mono or below.turned or below.is_table)
        and len(below.text) >= _LEAST_TEXT_BELOW
        and abs(line.left - below.left) <= _ITALIC_INDENT * line.size
        and (at == 0 or lines[at - 1].bottom - line.top > _APART * line.size)
    )


def _runs_in(line: PdfLine) -> bool:
    """Whether the bold words of a line end with a full stop, and a sentence in another font begins."""
    return line.lead.endswith(".") and line.text.removeprefix(line.lead).lstrip()[:1].isalpha()


def _ends_a_name(line: PdfLine) -> bool:
    """Whether a line ends with one full stop, as some houses set their numbered headings."""
    return line.text[-1] == "." and line.text[-2] != "."


def _stands_between(lines: Sequence[PdfLine], group: range) -> bool:
    """Whether lines have more room than their neighbours above and below, and text of full lines follows."""
    at, end = group.start, group.stop
    if end + 1 >= len(lines):
        return False
    line, below, last = lines[at], lines[end], lines[end + 1]
    pitch = below.bottom - last.top
    # The first of several lines is full, or it would hold the words of the next one.
    if len(group) > 1 and (at == 0 or line.right - line.left < _FULL * (below.right - below.left)):
        return False
    return (
        0 < pitch <= _WIDEST_PITCH * below.size
        and lines[end - 1].bottom - below.top > _BETWEEN[1] * pitch
        and (at == 0 or lines[at - 1].bottom - line.top > _BETWEEN[0] * pitch)
        and below.size == last.size
        and abs(line.size - below.size) <= _SAME_SIZE * below.size
        and len(below.text) >= _LEAST_TEXT_BELOW
        and abs(line.left - below.left) <= _ITALIC_INDENT * line.size
        and (line.text[0].isupper() or line.text.rsplit(" ", 1)[-1][0].isupper())
    )


def _bold_groups(lines: Sequence[PdfLine]) -> Iterator[range]:
    """Neighbouring bold lines of one size that are not apart."""
    at = 0
    while at < len(lines):
        end = at + 1
        if _is_bold(lines[at]):
            while end < len(lines) and _is_bold(lines[end]) and _goes_on(lines[end - 1], lines[end]):
                end += 1
            yield range(at, end)
        at = end


def _is_bold(line: PdfLine) -> bool:
    return line.bold and not (line.mono or line.turned or line.is_table)


def _goes_on(above: PdfLine, line: PdfLine) -> bool:
    same = above.size == line.size and above.italic == line.italic
    return same and 0 < above.bottom - line.top <= _APART * line.size
