"""PDF by pypdfium2: text by page, headings by outline or font size, OCR for pages without text."""

import ctypes
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw
from PIL import Image

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.ocr import NEEDED, recognise
from footnote_ingest.parsing.parser_input import ParserInput

_NUMBER = re.compile(r"(?<![\d.,])\d{1,5}(?![\d.,]\d)")
_NUMBERING = re.compile(r"^(?:(?:chapter|section|part|appendix)\s+)?[\dA-Z]{0,3}(?:\.\d+)*[.:)]?\s+", re.I)
_BULLET = re.compile(r"^\s*(?:[•◦▪‣·∙●○■□–*]|\(?\d{1,2}[.)])\s+\S")
_SENTENCE_END = re.compile(r"[.!?:;…][\"'”’)\]]*$")
_NO_PAGES = re.compile(rb"/Count\s+0\b")
_PAGE = re.compile(rb"/Type\s*/Page\b")
_ERROR_PASSWORD = 4

_CHARS_LOOKED_AT = 8
"""How many characters of a line tell its font size."""

_HEADING_RATIO = 1.12
"""The font of a heading is larger than that of the body by this factor."""

_MOST_LARGE_TEXT = 0.25
"""If this share of the text is large, its size does not tell a heading."""

_MOST_LARGE_SIZES = 8
_LONGEST_HEADING = 150
_TITLE_CHARS = range(3, 201)

_LEAST_RETURNS = 4
"""A header or footer is on at least so many pages, and on a third of them in a long document."""

_LONGEST_RUNNING_LINE = 100

_PARAGRAPH_GAP, _PARAGRAPH_GAP_POINTS = 1.35, 0.5
"""A paragraph ends where the gap exceeds the usual one by this factor and so many points."""

_HEADING_GAP = 2.2
"""Lines of one heading are no further apart than this, in heights of its font or usual gaps."""

_OTHER_SIZE_POINTS = 1.5
"""A font that differs by more than so many points begins a new paragraph."""

_RENDER_SCALE = 300 / 72
_MAX_RENDERED_PIXELS = 40_000_000


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a page.

    `top` and `bottom` are its first and last base line, in points from the page's lower edge. They differ if
    a hyphenated word joins two lines. `size` is the font size of most of the line: a bullet or a name in
    another font does not count.
    """

    text: str
    size: float
    top: float
    bottom: float


def parse(given: ParserInput) -> Extracted:
    try:
        document = pdfium.PdfDocument(given.data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == _ERROR_PASSWORD or "password" in str(error).lower():
            raise ParseFailed(
                "The PDF is encrypted. Remove the password and upload it again.", "encrypted"
            ) from error
        # PDFium refuses a file without pages just as it refuses a broken one. We tell people which it is.
        if _NO_PAGES.search(given.data) and not _PAGE.search(given.data):
            raise ParseFailed("The PDF has no pages.", "empty") from error
        raise ParseFailed("The PDF is damaged: it cannot be opened. It may be cut off.", "corrupt") from error
    count = len(document)
    if count > given.limits.pages:
        raise ParseFailed(
            f"The PDF has {count:,} pages, more than the {given.limits.pages:,} that are allowed.",
            "too_large",
        )
    to = given.assembler()
    pages = [_lines(document, number) for number in range(count)]
    running = _Running(pages)
    headings = _Headings(document, pages)
    scanned = 0
    for number, lines in enumerate(pages, 1):
        if lines is None:
            to.warnings.append(f"Page {number} is damaged and was left out.")
        elif lines:
            _add_page(to, running.without(lines, number), number, headings)
        elif given.ocr is not None and scanned < given.limits.ocr_pages:
            scanned += 1
            for block in recognise(_picture(document, number - 1), given.ocr):
                to.add("ocr_text", block, page=number)
        else:
            to.warnings.append(f"Page {number} has no text.")
    if to.empty:
        needed = "No text was found on them." if given.ocr else NEEDED
        raise ParseFailed(
            f"The PDF holds only pictures of pages. {needed}", "no_text", retryable=given.ocr is None
        )
    about = document.get_metadata_dict(skip_empty=True)
    return to.finish(
        title=_own_title(about.get("Title")) or headings.largest(pages[0] or []),
        pages=count,
        metadata={"author": about.get("Author", ""), "left_out": "; ".join(sorted(running.shown))[:500]},
    )


def _lines(document: pdfium.PdfDocument, number: int) -> list[_Line] | None:
    """The lines of a page in reading order; None if the page is damaged."""
    try:
        page = document[number]
        text_page = page.get_textpage()
        text = text_page.get_text_range()
    except pdfium.PdfiumError:
        return None
    lines: list[_Line] = []
    offset = 0

    def base_line(at: int) -> float:
        char = raw.FPDFText_GetCharIndexFromTextIndex(text_page.raw, at)
        return y.value if raw.FPDFText_GetCharOrigin(text_page.raw, char, x, y) else 0.0

    def font_size(at: int) -> float:
        char = raw.FPDFText_GetCharIndexFromTextIndex(text_page.raw, at)
        return round(float(raw.FPDFText_GetFontSize(text_page.raw, char)), 1)

    x, y = ctypes.c_double(), ctypes.c_double()
    for content in text.split("\r\n"):
        shown = content.strip()
        if shown:
            first = offset + len(content) - len(content.lstrip())
            last = offset + len(content.rstrip()) - 1
            sizes = Counter(map(font_size, range(first, last + 1, 1 + (last - first) // _CHARS_LOOKED_AT)))
            size = sizes.most_common(1)[0][0]
            # PDFium puts U+FFFE where a word was hyphenated at the end of a line.
            text_of_line = one_line(shown.replace("\ufffe", ""))
            lines.append(_Line(text_of_line, size, base_line(first), base_line(last)))
        offset += len(content) + 2
    text_page.close()
    page.close()
    return lines


class _Running:
    """Headers, footers and page numbers that return on many pages. They are kept once and then left out.

    A line returns if it is the same on another page, or the same except for one number that counts with the
    pages. A line with any other number, such as a total, stays.
    """

    def __init__(self, pages: Sequence[list[_Line] | None]) -> None:
        self._kept: set[str] = set()
        self.shown: set[str] = set()
        seen: Counter[str] = Counter()
        for number, lines in enumerate(pages, 1):
            seen.update({key for line in _margins(lines or []) for key in _running_keys(line.text, number)})
        enough = max(_LEAST_RETURNS, sum(1 for lines in pages if lines) // 3)
        self._repeated = {key for key, count in seen.items() if count >= enough}

    def without(self, lines: Sequence[_Line], page: int) -> list[_Line]:
        left_out = {id(line) for line in _margins(lines) if self._returns(line, page)}
        return [line for line in lines if id(line) not in left_out]

    def _returns(self, line: _Line, page: int) -> bool:
        key = next((key for key in _running_keys(line.text, page) if key in self._repeated), None)
        if key is None or len(line.text) > _LONGEST_RUNNING_LINE:
            return False
        bare = not any(char.isalpha() for char in line.text)
        if not bare and key not in self._kept:
            self._kept.add(key)
            return False
        self.shown.add("page numbers" if bare else line.text)
        return True


def _margins(lines: Sequence[_Line]) -> list[_Line]:
    return [*lines[:2], *lines[2:][-2:]]


def _running_keys(text: str, page: int) -> list[str]:
    """The line itself, and for each number in it the line with that number relative to the page number."""
    return [text] + [
        f"{text[: found.start()]}\x00{int(found.group()) - page}{text[found.end() :]}"
        for found in _NUMBER.finditer(text)
    ]


class _Headings:
    """Which lines are headings, and of which level: by the outline, or without one by their size."""

    def __init__(self, document: pdfium.PdfDocument, pages: Sequence[list[_Line] | None]) -> None:
        self._outline = self._from_outline(document)
        sizes: Counter[float] = Counter()
        for lines in pages:
            for line in lines or ():
                sizes[line.size] += len(line.text)
        self.body = sizes.most_common(1)[0][0] if sizes else 0.0
        larger = sorted((size for size in sizes if size > _HEADING_RATIO * self.body), reverse=True)
        total = sum(sizes.values())
        # In a document with many large sizes, such as a poster, the size does not tell a heading.
        few = sum(sizes[size] for size in larger) < _MOST_LARGE_TEXT * total
        plain = few and len(larger) <= _MOST_LARGE_SIZES
        self._levels = {size: level for level, size in enumerate(larger, 1)} if plain else {}

    def largest(self, first_page: Sequence[_Line]) -> str | None:
        """The largest words on the first page; None if they are body text or too many for a title."""
        size = max((line.size for line in first_page), default=0.0)
        name = " ".join(line.text for line in first_page if line.size == size)
        return name if size > _HEADING_RATIO * self.body and len(name) in _TITLE_CHARS else None

    def level(self, line: _Line, page: int) -> int | None:
        if self._outline:
            key = _heading_key(line.text)
            return self._outline.get((page, key)) or self._outline.get((page, _NUMBERING.sub("", key)))
        level = self._levels.get(line.size)
        shown = sum(char.isalpha() for char in line.text)
        return level if level and shown >= 2 and len(line.text) <= _LONGEST_HEADING else None

    @staticmethod
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


def _add_page(to: Assembler, lines: Sequence[_Line], number: int, headings: _Headings) -> None:
    """Join lines into paragraphs.

    A larger gap, another font size, a list mark or a heading begins a new one.
    """
    gaps = [
        above.bottom - below.top for above, below in itertools.pairwise(lines) if above.bottom > below.top
    ]
    # Most gaps lie within paragraphs, except on a page of short paragraphs; so a small gap counts as the
    # usual one.
    usual = sorted(gaps)[len(gaps) // 3] if gaps else 0.0
    open_lines: list[_Line] = []
    open_level: int | None = None
    for line in lines:
        level = headings.level(line, number)
        if open_lines:
            before = open_lines[-1]
            gap = before.bottom - line.top
            if level is not None or open_level is not None:
                starts = (
                    level != open_level
                    or before.size != line.size
                    or gap > _HEADING_GAP * max(line.size, usual)
                )
            elif gap < 0:
                starts = _SENTENCE_END.search(before.text) is not None
            else:
                starts = (
                    gap > _PARAGRAPH_GAP * usual + _PARAGRAPH_GAP_POINTS
                    or abs(line.size - before.size) > _OTHER_SIZE_POINTS
                    or _BULLET.match(line.text) is not None
                )
            if starts:
                _flush(to, open_lines, open_level, number)
                open_lines = []
        open_lines.append(line)
        open_level = level
    _flush(to, open_lines, open_level, number)


def _flush(to: Assembler, lines: Sequence[_Line], level: int | None, page: int) -> None:
    text = "\n".join(line.text for line in lines)
    if level is not None:
        to.add("title", one_line(text), page=page, level=level)
    else:
        to.add("list" if _BULLET.match(text) else "paragraph", text, page=page)


def _own_title(title: str | None) -> str | None:
    """The title from the properties; None if it is a file name or was made up by a program."""
    if not title or re.search(
        r"\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|pdf|html?)$|^microsoft |^untitled", title.strip(), re.I
    ):
        return None
    return title


def _picture(document: pdfium.PdfDocument, index: int) -> Image.Image:
    page = document[index]
    width, height = page.get_size()
    scale = min(_RENDER_SCALE, (_MAX_RENDERED_PIXELS / max(1.0, width * height)) ** 0.5)
    picture: Image.Image = page.render(scale=scale, grayscale=True).to_pil()
    return picture
