"""PDF by pypdfium2: text with pages, headings from the outline or from font sizes, OCR where a page has no text."""

import ctypes
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import pypdfium2 as pdfium
import pypdfium2.raw as raw
from PIL import Image

from footnote_ingest.parsing.elements import Assembler, Extracted, one_line
from footnote_ingest.parsing.failures import ParseFailed
from footnote_ingest.parsing.ocr import NEEDED, recognise
from footnote_ingest.parsing.source import Source

_DIGITS = re.compile(r"\d+")
_NUMBERING = re.compile(r"^(?:(?:chapter|section|part|appendix)\s+)?[\dA-Z]{0,3}(?:\.\d+)*[.:)]?\s+", re.I)
_BULLET = re.compile(r"^\s*(?:[•◦▪‣·∙●○■□–*]|\(?\d{1,2}[.)])\s+\S")
_SENTENCE_END = re.compile(r"[.!?:;…][\"'”’)\]]*$")
_ERROR_PASSWORD = 4
_RENDER_SCALE = 300 / 72
_MAX_RENDERED_PIXELS = 40_000_000


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a page. `top` and `left` are in points from the page's lower left, `size` is the font's."""

    text: str
    size: float
    top: float
    left: float


def parse(source: Source) -> Extracted:
    try:
        document = pdfium.PdfDocument(source.data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == _ERROR_PASSWORD or "password" in str(error).lower():
            raise ParseFailed("The PDF is encrypted. Remove the password and upload it again.", "encrypted") from error
        raise ParseFailed("The PDF is damaged: it cannot be opened. It may be cut off.", "corrupt") from error
    count = len(document)
    if count == 0:
        raise ParseFailed("The PDF has no pages.", "empty")
    if count > source.limits.pages:
        raise ParseFailed(f"The PDF has {count:,} pages, more than the {source.limits.pages:,} that are allowed.", "too_large")
    to = source.assembler()
    pages = [_lines(document, number) for number in range(count)]
    left_out = _running(pages)
    headings = _Headings(document, pages)
    scanned = 0
    for number, lines in enumerate(pages, 1):
        if lines is None:
            to.warnings.append(f"Page {number} is damaged and was left out.")
        elif lines:
            _add_page(to, [line for line in lines if not left_out.drop(line, number)], number, headings)
        elif source.tesseract is not None and scanned < source.limits.ocr_pages:
            scanned += 1
            for block in recognise(_picture(document, number - 1), source.tesseract):
                to.add("ocr_text", block, page=number)
        else:
            to.warnings.append(f"Page {number} has no text.")
    if to.empty:
        needed = "No text was found on them." if source.tesseract else NEEDED
        raise ParseFailed(f"The PDF holds only pictures of pages. {needed}", "no_text", retryable=source.tesseract is None)
    about = document.get_metadata_dict(skip_empty=True)
    return to.finish(
        title=_own_title(about.get("Title")),
        pages=count,
        metadata={"author": about.get("Author", ""), "left_out": "; ".join(sorted(left_out.shown))[:500]},
    )


def _lines(document: pdfium.PdfDocument, number: int) -> list[_Line] | None:
    """The lines of a page in reading order, or None if the page is damaged."""
    try:
        page = document[number]
        text_page = page.get_textpage()
        text = text_page.get_text_range()
    except pdfium.PdfiumError:
        return None
    lines: list[_Line] = []
    place = 0
    box = [ctypes.c_double() for _ in range(4)]
    for content in text.split("\r\n"):
        shown = content.strip()
        if shown:
            char = raw.FPDFText_GetCharIndexFromTextIndex(text_page.raw, place + len(content) - len(content.lstrip()))
            size = raw.FPDFText_GetFontSize(text_page.raw, char)
            raw.FPDFText_GetCharBox(text_page.raw, char, *box)
            # U+FFFE stands where a word was hyphenated at the end of a line.
            lines.append(_Line(one_line(shown.replace("\ufffe", "")), round(size, 1), box[3].value, box[0].value))
        place += len(content) + 2
    text_page.close()
    page.close()
    return lines


class _Running:
    """Headers and footers that return on many pages, and page numbers: shown once, then left out."""

    def __init__(self, repeated: frozenset[str]) -> None:
        self._repeated = repeated
        self._kept: set[str] = set()
        self.shown: set[str] = set()

    def drop(self, line: _Line, page: int) -> bool:
        key = _DIGITS.sub("#", line.text)
        if key not in self._repeated:
            return False
        if key == "#" or key in self._kept:
            self.shown.add(line.text if key != "#" else "page numbers")
            return len(line.text) <= 100
        self._kept.add(key)
        return False


def _running(pages: Sequence[list[_Line] | None]) -> _Running:
    """Lines at the top or bottom that, digits aside, return on at least four pages and a third of them."""
    seen: Counter[str] = Counter()
    filled = [lines for lines in pages if lines]
    for lines in filled:
        seen.update({_DIGITS.sub("#", line.text) for line in [*lines[:2], *lines[-2:]]})
    enough = max(4, len(filled) // 3)
    return _Running(frozenset(text for text, count in seen.items() if count >= enough))


class _Headings:
    """Which lines are headings, and of which level: by the outline, or else by size against the body's."""

    def __init__(self, document: pdfium.PdfDocument, pages: Sequence[list[_Line] | None]) -> None:
        self._outline = self._from_outline(document)
        sizes: Counter[float] = Counter()
        for lines in pages:
            for line in lines or ():
                sizes[line.size] += len(line.text)
        self.body = sizes.most_common(1)[0][0] if sizes else 0.0
        larger = sorted((size for size in sizes if size > 1.12 * self.body), reverse=True)
        total = sum(sizes.values())
        # A document set in many large sizes, such as a poster, has no headings that could be told by size.
        plain = sum(sizes[size] for size in larger) < 0.25 * total and len(larger) <= 8
        self._levels = {size: level for level, size in enumerate(larger, 1)} if plain else {}

    def level(self, line: _Line, page: int) -> int | None:
        if self._outline:
            key = _heading_key(line.text)
            return self._outline.get((page, key)) or self._outline.get((page, _NUMBERING.sub("", key)))
        level = self._levels.get(line.size)
        shown = sum(char.isalpha() for char in line.text)
        return level if level and shown >= 2 and len(line.text) <= 150 else None

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
    """Join lines into paragraphs: a larger gap, another font size, a list mark or a heading begins a new one."""
    gaps = [above.top - below.top for above, below in zip(lines, lines[1:], strict=False) if above.top > below.top]
    usual = median(gaps) if gaps else 0.0
    open_lines: list[_Line] = []
    open_level: int | None = None
    for line in lines:
        level = headings.level(line, number)
        if open_lines:
            before = open_lines[-1]
            gap = before.top - line.top
            if level is not None or open_level is not None:
                starts = level != open_level or before.size != line.size or gap > 2.2 * max(line.size, usual)
            elif gap < 0:
                starts = _SENTENCE_END.search(before.text) is not None
            else:
                starts = gap > 1.35 * usual + 0.5 or abs(line.size - before.size) > 1.5 or _BULLET.match(line.text) is not None
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
    """The title from the properties, unless it is a file name or a program's mark."""
    if not title or re.search(r"\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|pdf|html?)$|^microsoft |^untitled", title.strip(), re.I):
        return None
    return title


def _picture(document: pdfium.PdfDocument, index: int) -> Image.Image:
    page = document[index]
    width, height = page.get_size()
    scale = min(_RENDER_SCALE, (_MAX_RENDERED_PIXELS / max(1.0, width * height)) ** 0.5)
    return page.render(scale=scale, grayscale=True).to_pil()
