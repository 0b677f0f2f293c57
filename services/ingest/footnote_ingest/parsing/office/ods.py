"""OpenDocument spreadsheets: cells as they are shown, and a table for each block of rows."""

from collections.abc import Iterator

from lxml import etree
from openpyxl.utils import get_column_letter

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.office.open_document import (
    ANNOTATION,
    OFFICE,
    TABLE,
    paragraph_text,
    paragraphs_of,
    read_package,
)
from footnote_ingest.parsing.office.open_tables import MOST_COLUMNS, MOST_REPEATS, columns_of, rows_of
from footnote_ingest.parsing.office.raised_runs import write_odt_raised
from footnote_ingest.parsing.office.review import comment_line, review_warning
from footnote_ingest.parsing.office.sheet_names import names_the_book
from footnote_ingest.parsing.packaged_xml import DUBLIN_CORE
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.table_text import rows_to_text

_COPY_OF_OTHERS = f"{TABLE}table-source"
"""A sheet with this is a copy of one of another file, which no reader sees."""


def parse(given: ParserInput) -> Extracted:
    """A sheet is a title and its tables, which are parted by empty rows."""
    to = given.assembler()
    package = read_package(given, to, "The spreadsheet is damaged: its sheets cannot be read.")
    body = next(package.content.iter(f"{OFFICE}spreadsheet"), None)
    sheets = (
        [sheet for sheet in body.iterchildren(f"{TABLE}table") if sheet.find(_COPY_OF_OTHERS) is None]
        if body is not None
        else []
    )
    if len(sheets) > given.limits.pages:
        raise ParseFailed(f"The spreadsheet has more than {given.limits.pages:,} sheets.", "too_large")
    if body is not None:
        write_odt_raised(body, package.style_parts)
    shown = given.choices.review == "shown"
    comments = 0
    for number, sheet in enumerate(sheets, 1):
        to.leave_headings()
        to.add("title", sheet.get(f"{TABLE}name", f"Sheet {number}"), page=number, level=1)
        _add_sheet(to, sheet, number)
        for drawn in sheet.iterchildren(f"{TABLE}shapes"):
            for paragraph in paragraphs_of(drawn):
                to.add("paragraph", paragraph_text(paragraph), page=number)
        for where, comment in _comments(sheet):
            comments += 1
            if shown:
                author = next((person.text for person in comment.iterchildren(f"{DUBLIN_CORE}creator")), None)
                said = " ".join(paragraph_text(p) for p in comment.iterchildren() if p.tag.endswith("}p"))
                to.add("paragraph", comment_line(author, said, where), page=number)
    if not any(e.kind != "title" for e in to.elements):
        raise ParseFailed("The spreadsheet has no cells with content.", "empty")
    warning = None if shown else review_warning(0, comments)
    if warning is not None:
        to.warnings.append(warning)
    return to.finish(
        title=package.about("title"),
        language=package.about("language"),
        pages=len(sheets),
        metadata={"author": package.about("creator")},
        headed=names_the_book([sheet.get(f"{TABLE}name", "") for sheet in sheets]),
    )


def _add_sheet(to: Assembler, sheet: etree._Element, page: int) -> None:
    block: list[list[str]] = []
    size = 0
    cut = False
    for row in rows_of(sheet):
        cut = cut or row.cut
        if row.cells:
            cells = list(row.cells)
            block.extend([cells] * row.times)
            size += row.times * (len(cells) + sum(map(len, cells)))
        if size > to.text_limit or (block and not row.cells):
            # Of more characters than are allowed, this makes a refusal before they fill the memory.
            to.add("table", rows_to_text(block), page=page)
            block, size = [], 0
    to.add("table", rows_to_text(block), page=page)
    if cut:
        to.warnings.append(
            f"Cells right of column {MOST_COLUMNS:,} of a sheet, and more than {MOST_REPEATS:,} rows that "
            "say the same, are left out."
        )


def _comments(sheet: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    """The comments of a sheet, each with the name of its cell."""
    if next(sheet.iter(ANNOTATION), None) is None:
        return
    line = 1
    for row in rows_of(sheet):
        for column, cell in columns_of(row.node):
            for comment in cell.iterchildren(ANNOTATION):
                yield f"{get_column_letter(min(column, MOST_COLUMNS))}{line}", comment
        line += row.times
