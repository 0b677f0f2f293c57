"""Which lines of a PDF are headings, and of which level: by the outline, or else by size and boldness."""

import re
from collections import Counter
from collections.abc import Sequence

import pypdfium2 as pdfium

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.pdf.lines import PdfLine

_NUMBERING = re.compile(r"^(?:(?:chapter|section|part|appendix)\s+)?[\dA-Z]{0,3}(?:\.\d+)*[.:)]?\s+", re.I)
_DEPTH = re.compile(r"\d+((?:\.\d+)*)[.)]?\s")
_NO_HEADING_END = re.compile(r"[.,;:!?…][\"'”’)\]]*$")
_HEADING_RATIO = 1.12
"""The font of a heading is larger than that of the body by this factor."""

_MOST_LARGE_TEXT = 0.25
"""If this share of the text is large, its size does not tell a heading; the same holds for bold text."""

_MOST_LARGE_SIZES = 8
_LONGEST_HEADING = 150
_LONGEST_BOLD_HEADING = 80
_TITLE_CHARS = range(3, 201)


class Headings:
    """Which lines are headings, and of which level: by the outline, or without one by size and boldness."""

    def __init__(self, document: pdfium.PdfDocument, pages: Sequence[list[PdfLine] | None]) -> None:
        self._outline = _from_outline(document)
        sizes: Counter[float] = Counter()
        bold = 0
        for lines in pages:
            for line in lines or ():
                if line.is_table:
                    continue
                sizes[line.size] += len(line.text)
                bold += len(line.text) if line.bold else 0
        self.body = sizes.most_common(1)[0][0] if sizes else 0.0
        larger = sorted((size for size in sizes if size > _HEADING_RATIO * self.body), reverse=True)
        total = sum(sizes.values())
        # In a document with many large sizes, such as a poster, the size does not tell a heading.
        few = sum(sizes[size] for size in larger) < _MOST_LARGE_TEXT * total
        plain = few and len(larger) <= _MOST_LARGE_SIZES
        self._levels = {size: level for level, size in enumerate(larger, 1)} if plain else {}
        self._bold_tells = bold < _MOST_LARGE_TEXT * total

    def largest(self, first_page: Sequence[PdfLine]) -> str | None:
        """The largest words on the first page; None if they are body text or too many for a title."""
        upright = [line for line in first_page if not line.turned and not line.is_table]
        size = max((line.size for line in upright), default=0.0)
        name = " ".join(line.text for line in upright if line.size == size)
        return name if size > _HEADING_RATIO * self.body and len(name) in _TITLE_CHARS else None

    def levels(self, lines: Sequence[PdfLine], page: int) -> list[int | None]:
        """The level of each line of a page; None for a line that is no heading."""
        found = [None if line.turned or line.is_table else self._level(line, page) for line in lines]
        if self._outline or not self._bold_tells:
            return found
        for at, line in enumerate(lines):
            if found[at] is None and self._is_bold_heading(lines, at):
                depth = _DEPTH.match(line.text)
                found[at] = len(self._levels) + 1 + (depth.group(1).count(".") if depth else 0)
        return found

    def _level(self, line: PdfLine, page: int) -> int | None:
        if self._outline:
            key = _heading_key(line.text)
            return self._outline.get((page, key)) or self._outline.get((page, _NUMBERING.sub("", key)))
        level = self._levels.get(line.size)
        if level is None or len(line.text) > _LONGEST_HEADING:
            return None
        return level if sum(char.isalpha() for char in line.text) >= 2 else None

    def _is_bold_heading(self, lines: Sequence[PdfLine], at: int) -> bool:
        """Whether a bold line stands alone above text that is not bold."""
        line = lines[at]
        following = lines[at + 1] if at + 1 < len(lines) else None
        return (
            line.bold
            and not line.is_table
            and not line.mono
            and not line.turned
            and line.size >= self.body
            and len(line.text) <= _LONGEST_BOLD_HEADING
            and sum(char.isalpha() for char in line.text) >= 2
            and line.text[0].isalnum()
            and _NO_HEADING_END.search(line.text) is None
            and (at == 0 or not lines[at - 1].bold)
            and following is not None
            and not following.bold
            and following.top < line.bottom
        )


def _from_outline(document: pdfium.PdfDocument) -> dict[tuple[int, str], int]:
    found: dict[tuple[int, str], int] = {}
    try:
        for entry in document.get_toc(max_depth=6):
            target = entry.get_dest()
            page = target.get_index() if target is not None else None
            key = _heading_key(entry.get_title() or "")
            if page is None or not key:
                continue
            for name in {key, _NUMBERING.sub("", key)}:
                found.setdefault((page + 1, name), entry.level + 1)
    except pdfium.PdfiumError:
        return {}
    return found


def _heading_key(text: str) -> str:
    return one_line(text).strip(" .:").lower()
