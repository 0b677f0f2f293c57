"""Workbooks and delimited text: cells as they are written, and a table for each block of rows.

`unstructured` is not used here. It calls pandas, which turns `007` into 7 and dates into times, and holds the
whole sheet several times in memory.
"""

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

import openpyxl
from lxml import etree
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.utils.exceptions import InvalidFileException

from footnote_ingest.parsing.archive import check_container
from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.office.repaired_package import is_strict, repaired
from footnote_ingest.parsing.office.review import comment_line, review_warning
from footnote_ingest.parsing.office.sheet_comments import sheet_comments
from footnote_ingest.parsing.office.sheet_names import names_the_book
from footnote_ingest.parsing.office.sound_cells import NEEDED, DamagedCell, read_rows_only, with_sound_styles
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.raised_text import written_runs
from footnote_ingest.parsing.table_text import rows_to_text

read_rows_only()

_DELIMITERS = ",;\t|"
_FAULTY = (
    "The workbook has a fault beside its cells, in its styles, names or properties. The cells were read, and "
    "nothing else was."
)
_BROKEN = (
    OSError,
    InvalidFileException,
    zipfile.BadZipFile,
    etree.LxmlError,
    SyntaxError,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
)
_MAX_COLUMNS = 2_000
_DELIMITER_LINES = 20
"""The delimiter is told by this many lines."""

_EXACT_INTEGERS = 1e15
"""A float from here on is not shown as an integer: it may be inexact."""

_PERCENTS = re.compile(r"[#,]{0,9}0{1,9}(?:\.0{1,9})?%")
_UP = {"superscript": 1, "subscript": -1}
_UNCACHED = re.compile(
    rb"</(?:\w+:)?f>(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>|</(?:\w+:)?c>)|<(?:\w+:)?f[^<>]*/></(?:\w+:)?c>"
)


def parse_csv(given: ParserInput) -> Extracted:
    """The whole file is one table; its first row is the header."""
    decoded = decode(given.data, given.sniffed.encoding)
    to = given.assembler()
    if decoded.warning:
        to.warnings.append(decoded.warning)
    delimiter = "\t" if given.sniffed.mime == "text/tab-separated-values" else _delimiter(decoded.text)
    csv.field_size_limit(to.text_limit)
    try:
        rows = list(csv.reader(io.StringIO(decoded.text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        # A cell may be too long, and then the document is.
        to.check_size(len(decoded.text))
        raise ParseFailed(f"The table cannot be read: {error}.", "corrupt") from error
    to.add("table", rows_to_text(rows))
    return to.finish(metadata={"encoding": decoded.encoding})


def parse_xlsx(given: ParserInput) -> Extracted:
    """A sheet is a title and its tables, which are parted by empty rows.

    A formula shows its last computed value. A fault beside the cells, such as one of styles, refuses none.
    """
    check_container(given.data, given.limits)
    if is_strict(given.data, "xl/workbook.xml"):
        given = replace(given, data=repaired(given.data, NEEDED).data)
    try:
        return _read_book(given, given.assembler())
    except _BROKEN:
        pass
    try:
        sound = with_sound_styles(given.data)
        to = given.assembler()
        to.warnings += filter(None, (_FAULTY, sound.warning))
        return _read_book(replace(given, data=sound.data), to)
    except _BROKEN as error:
        raise ParseFailed("The workbook is damaged: its sheets cannot be read.", "corrupt") from error


def _read_book(given: ParserInput, to: Assembler) -> Extracted:
    shown = given.choices.review == "shown"
    book = openpyxl.load_workbook(
        io.BytesIO(given.data), read_only=True, data_only=True, keep_links=False, rich_text=True
    )
    formulas = (
        openpyxl.load_workbook(io.BytesIO(given.data), read_only=True, keep_links=False)
        if _lacks_values(given.data)
        else None
    )
    comments = sheet_comments(given.data)
    names = [sheet.title for sheet in book.worksheets]
    if len(names) > given.limits.pages:
        raise ParseFailed(f"The workbook has more than {given.limits.pages:,} sheets.", "too_large")
    for number, name in enumerate(names, 1):
        to.leave_headings()
        to.add("title", name, page=number, level=1)
        _add_sheet(to, _rows(book, name), _rows(formulas, name) if formulas else None, number)
        for comment in comments.get(name, ()) if shown else ():
            to.add("paragraph", comment_line(comment.author, comment.text, comment.cell), page=number)
    warning = None if shown else review_warning(0, sum(map(len, comments.values())))
    if warning is not None:
        to.warnings.append(warning)
    if formulas:
        to.warnings.append("Some formulas have no stored result; the formula itself is shown.")
    properties = book.properties
    if not any(e.kind == "table" for e in to.elements):
        raise ParseFailed("The workbook has no cells with content.", "empty")
    return to.finish(
        title=properties.title,
        pages=len(names),
        metadata={"author": properties.creator or ""},
        headed=names_the_book(names),
    )


def _rows(book: openpyxl.Workbook, name: str) -> Iterator[list[object]]:
    """The values of each row up to its own last cell; a row without a cell is empty.

    The size that the sheet claims is not used. One stray cell in the last corner claims 17 billion cells, and
    some programs claim a single one.
    """
    sheet = book[name]
    sheet.reset_dimensions()
    for row in sheet.iter_rows():
        yield [_as_percentage(cell.value, _format_of(cell)) for cell in row]


def _format_of(cell: Any) -> str | None:
    """The format of a cell's number; None where the cell names a style that is not there."""
    try:
        found: str | None = cell.number_format
    except IndexError:
        return None
    return found


def _as_percentage(value: object, number_format: str | None) -> object:
    """The value; a share that is formatted as percents, as `1.25%` instead of 0.0125, with all its digits."""
    if not isinstance(value, float | int) or isinstance(value, bool) or not number_format:
        return value
    return f"{value * 100:.10g}%" if _PERCENTS.fullmatch(number_format) else value


def _add_sheet(
    to: Assembler,
    values: Iterator[list[object]],
    formulas: Iterator[list[object]] | None,
    page: int,
) -> None:
    block: list[list[str]] = []
    cut = False
    damaged = 0
    for row in values:
        damaged += sum(isinstance(cell, DamagedCell) for cell in row)
        written = next(formulas, [])[:_MAX_COLUMNS] if formulas else []
        cells = [_shown(cell) for cell in row[:_MAX_COLUMNS]]
        cut = cut or any(cell is not None for cell in row[_MAX_COLUMNS:])
        cells += [""] * (len(written) - len(cells))
        for index, formula in enumerate(written):
            if not cells[index] and formula is not None:
                cells[index] = _shown(formula)
        if any(cells):
            block.append(cells)
        elif block:
            to.add("table", rows_to_text(block), page=page)
            block = []
    to.add("table", rows_to_text(block), page=page)
    if damaged:
        what = "1 cell is damaged and is" if damaged == 1 else f"{damaged:,} cells are damaged and are"
        to.warnings.append(f"In a sheet {what} shown as stored.")
    if cut:
        to.warnings.append(f"Cells right of column {_MAX_COLUMNS:,} of a sheet are left out.")


def _shown(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, CellRichText):
        return _with_raised(cell)
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT_INTEGERS:
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time(0) else cell.isoformat(" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell)


def _with_raised(cell: CellRichText) -> str:
    """The text of a cell whose pieces have fonts of their own: some may be raised, such as a note's mark."""
    return "".join(
        written_runs(
            [
                (piece.text, _UP.get(piece.font.vertAlign or "", 0))
                if isinstance(piece, TextBlock)
                else (str(piece), 0)
                for piece in cell
            ]
        )
    )


def _lacks_values(data: bytes) -> bool:
    """Whether a program wrote formulas without their results, as libraries do."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return any(
            _UNCACHED.search(archive.read(name)) is not None
            for name in archive.namelist()
            if name.startswith("xl/worksheets/") and name.endswith(".xml")
        )


def _delimiter(text: str) -> str:
    """The delimiter that best splits the first lines into equal numbers of cells."""
    lines = [line for line in text[:20_000].split("\n")[:_DELIMITER_LINES] if line.strip()]
    best, score = ",", 0.0
    for candidate in _DELIMITERS:
        counts = [len(row) for row in csv.reader(lines, delimiter=candidate)]
        if counts and counts[0] > 1:
            agreement = counts.count(counts[0]) / len(counts) * min(counts[0], 10)
            if agreement > score:
                best, score = candidate, agreement
    return best
