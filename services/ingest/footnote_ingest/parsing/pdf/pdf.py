"""PDF by pypdfium2: text by page, its headings, tables and code, and OCR for pages without text."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

import pypdfium2 as pdfium
import pypdfium2.raw as raw
from PIL import Image

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.ocr import NEEDED, recognise
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.pdf.chosen_title import chosen_title
from footnote_ingest.parsing.pdf.contents import without_contents
from footnote_ingest.parsing.pdf.flow import Flow
from footnote_ingest.parsing.pdf.forms import FormFields
from footnote_ingest.parsing.pdf.headings import Headings
from footnote_ingest.parsing.pdf.hyphens import with_hyphens
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.long_maps import with_short_maps
from footnote_ingest.parsing.pdf.outline import read_outline
from footnote_ingest.parsing.pdf.page_ranges import page_ranges
from footnote_ingest.parsing.pdf.page_reader import MOST_CHARS, TooManyChars, read_lines
from footnote_ingest.parsing.pdf.paragraphs import pieces_of
from footnote_ingest.parsing.pdf.pieces import Piece
from footnote_ingest.parsing.pdf.run_ins import part_run_ins
from footnote_ingest.parsing.pdf.running import Running
from footnote_ingest.parsing.pdf.sans_code import with_sans_code
from footnote_ingest.parsing.pdf.side_bands import without_bands
from footnote_ingest.parsing.pdf.slide_titles import are_wide
from footnote_ingest.parsing.pdf.table_pages import TablePages
from footnote_ingest.parsing.pdf.typed_pages import with_typed_text
from footnote_ingest.parsing.pdf.unreadable import unreadable

_NO_PAGES = re.compile(rb"/Count\s+0\b")
_PAGE = re.compile(rb"/Type\s*/Page\b")
_ERROR_PASSWORD = 4
_RENDER_SCALE = 300 / 72
_MAX_RENDERED_PIXELS = 40_000_000
_OF_CUT_MAPS = (
    "A font says of one letter that it stands for more than 20 characters: the others were left out."
)
_MOST_LEFT_OUT = 4_000
"""So many characters name what was left out."""

_RANGES_NAMED = 20
"""This many ranges of pages are named in a warning."""


def parse(given: ParserInput) -> Extracted:
    data, were_cut = with_short_maps(given.data)
    document = _opened(given, data)
    count = len(document)
    to = given.assembler()
    flow, tables = Flow(to), TablePages()
    fields = FormFields(document, data)
    overfull: list[int] = []
    drawn = [_drawn(document, number, overfull) for number in range(count)]
    pages = with_hyphens(with_sans_code(with_typed_text(drawn)))
    unclear = unreadable(pages)
    pages = [[] if number in unclear else lines for number, lines in enumerate(pages, 1)]
    read, has_contents = without_contents(pages)
    read, in_bands = without_bands(read)
    running = Running(read)
    headings = Headings(read_outline(document), read, wide=are_wide(document))
    damaged: list[int] = []
    silent: list[int] = []
    pictures: list[int] = []
    foreign: list[int] = []
    unread: list[int] = []
    scanned = 0
    for number, (lines, text) in enumerate(zip(pages, read, strict=True), 1):
        if lines is None:
            damaged.append(number)
        elif lines:
            kept = running.without(text or [], number)
            level_of = partial(headings.run_in_level, page=number)
            for piece in pieces_of(*part_run_ins(kept, headings.levels(kept, number), level_of), number):
                flow.add(tables.seen(piece))
        elif (page := _page(document, number - 1)) is None:
            damaged.append(number)
        elif given.ocr is not None and scanned < given.limits.ocr_pages:
            scanned += 1
            for block in recognise(_picture(page), given.ocr):
                flow.add(Piece("ocr_text", block, number))
        elif number in overfull:
            unread.append(number)
        elif number in unclear:
            foreign.append(number)
        else:
            (pictures if _has_picture(page) else silent).append(number)
        for line in fields.of_page(number - 1):
            flow.add(Piece("list", f"- {line}", number))
    flow.finish()
    if to.empty:
        raise _without_text(given, unread, unclear=bool(unclear))
    to.warnings += [_too_many_chars(unread)] if unread else []
    for which, is_what in ((damaged, "damaged and left out"), (silent, "without text")):
        if which:
            to.warnings.append(f"{_pages(which)} {_be(which)} {is_what}.")
    to.warnings += [_OF_CUT_MAPS] if were_cut else []
    to.warnings += [*_not_told(given, pictures, foreign), *fields.not_told()]
    about = document.get_metadata_dict(skip_empty=True)
    left_out = sorted(running.left_out() | in_bands | ({"table of contents"} if has_contents else set()))
    return to.finish(
        title=chosen_title(about.get("Title"), given.filename, read[0] or [], drawn[0] or [], headings.body),
        pages=count,
        metadata={"author": about.get("Author", ""), "left_out": "; ".join(left_out)[:_MOST_LEFT_OUT]},
    )


def _opened(given: ParserInput, data: bytes) -> pdfium.PdfDocument:
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == _ERROR_PASSWORD or "password" in str(error).lower():
            raise ParseFailed(
                "The PDF is encrypted. Remove the password and upload it again.", "encrypted"
            ) from error
        # PDFium refuses a file without pages just as it refuses a broken one. We tell people which it is.
        if _NO_PAGES.search(given.data) and not _PAGE.search(given.data):
            raise ParseFailed("The PDF has no pages.", "empty") from error
        raise ParseFailed("The PDF is damaged: it cannot be opened. It may be cut off.", "corrupt") from error
    if len(document) > given.limits.pages:
        raise ParseFailed(
            f"The PDF has {len(document):,} pages, more than the {given.limits.pages:,} that are allowed.",
            "too_large",
        )
    return document


def _drawn(document: pdfium.PdfDocument, index: int, overfull: list[int]) -> list[PdfLine] | None:
    """The lines of a page. Of one with too many characters there are none, and its number is noted."""
    try:
        return read_lines(document, index)
    except TooManyChars:
        overfull.append(index + 1)
        return []


def _without_text(given: ParserInput, unread: Sequence[int], *, unclear: bool) -> ParseFailed:
    if unread:
        return ParseFailed(_too_many_chars(unread), "too_large")
    needed = "No text was found on them." if given.ocr else NEEDED
    what = "letters whose fonts do not say what they mean" if unclear else "pictures of pages"
    return ParseFailed(f"The PDF holds only {what}. {needed}", "no_text")


def _too_many_chars(numbers: Sequence[int]) -> str:
    shown = page_ranges(numbers, _RANGES_NAMED)
    if len(numbers) == 1:
        return f"Page {shown} holds more than {MOST_CHARS:,} characters and is left out."
    return f"Pages {shown} hold more than {MOST_CHARS:,} characters each and are left out."


def _not_told(given: ParserInput, pictures: Sequence[int], foreign: Sequence[int]) -> Iterator[str]:
    """What a person is told of pages that only OCR could have read."""
    why = NEEDED if given.ocr is None else f"OCR reads {given.limits.ocr_pages:,} pages of a file."
    if pictures:
        yield f"{_pages(pictures)} {_be(pictures)} pictures and left out. {why}"
    if foreign:
        yield f"The fonts of {_pages(foreign).lower()} do not say what their letters mean. {why}"


def _pages(numbers: Sequence[int]) -> str:
    """The pages as a reader names them, such as "Pages 2, 4-6"."""
    return f"{'Page' if len(numbers) == 1 else 'Pages'} {page_ranges(numbers, _RANGES_NAMED)}"


def _be(numbers: Sequence[int]) -> str:
    return "is" if len(numbers) == 1 else "are"


def _page(document: pdfium.PdfDocument, index: int) -> pdfium.PdfPage | None:
    """A page; None if it is damaged. PDFium may read an object of such a file once and not again."""
    try:
        return document[index]
    except pdfium.PdfiumError:
        return None


def _has_picture(page: pdfium.PdfPage) -> bool:
    return next(iter(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3)), None) is not None


def _picture(page: pdfium.PdfPage) -> Image.Image:
    width, height = page.get_size()
    scale = min(_RENDER_SCALE, (_MAX_RENDERED_PIXELS / max(1.0, width * height)) ** 0.5)
    picture: Image.Image = page.render(scale=scale, grayscale=True).to_pil()
    return picture
