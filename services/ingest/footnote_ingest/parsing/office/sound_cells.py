"""What openpyxl is given of a workbook, so that a fault beside the cells does not refuse the cells.

It raises for an empty fill, a name without a range, a date of properties that is no date, a rule of formats
that it does not know, a part that is named and missing, and a cell whose number is none.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

from lxml import etree
from openpyxl.utils.cell import coordinate_to_tuple
from openpyxl.worksheet._reader import WorkSheetParser, iterparse

from footnote_ingest.parsing.office.repaired_package import Repaired, repaired

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ROW = f"{_MAIN}row"
_REFERENCE = re.compile("[A-Z]{1,3}[1-9][0-9]{0,6}")
NEEDED = ("xl/worksheets/", "xl/sharedStrings")
"""How the names of parts with cells begin."""

_DAMAGED_CELL = (ValueError, IndexError, TypeError, KeyError, AttributeError)
_BESIDE_CELLS = frozenset(
    f"{_MAIN}{name}" for name in ("conditionalFormatting", "dataValidation", "hyperlink", "mergeCell", "ext")
)


class DamagedCell(str):
    """The value of a cell that cannot be read, as it is stored."""


class _RowsOnly(WorkSheetParser):  # type: ignore[misc]
    """The reader of a sheet that looks at nothing but its rows.

    Pieces of a cell keep their fonts, which the library's reader of one sheet after another does not hand on.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **{**named, "rich_text": True})

    def parse(self) -> Iterator[Any]:
        """The rows, as the library yields them."""
        for _, node in iterparse(self.source):
            if node.tag == _ROW:
                row = self.parse_row(node)
                node.clear()
                yield row
            elif node.tag in _BESIDE_CELLS:
                node.clear()

    def parse_cell(self, node: Any) -> dict[str, Any]:
        """A cell. One that is damaged, or no date although it has that format, is shown as it is stored."""
        try:
            cell: dict[str, Any] = super().parse_cell(node)
            if cell["data_type"] == "e":
                cell["value"] = node.findtext(f"{_MAIN}v")
        except _DAMAGED_CELL:
            row, column = self._place(node)
            self.col_counter = column
            # What is stored for a shared string is its number, which says nothing.
            stored = "" if node.get("t") == "s" else node.findtext(f"{_MAIN}v") or ""
            value = DamagedCell(stored)
            cell = {"row": row, "column": column, "value": value, "data_type": "s", "style_id": 0}
        return cell

    def _place(self, node: Any) -> tuple[int, int]:
        """The row and the column of a cell: those that it names, or else the next ones."""
        named = _REFERENCE.fullmatch(node.get("r") or "")
        if named is None:
            return self.row_counter, self.col_counter + 1
        place: tuple[int, int] = coordinate_to_tuple(named[0])
        return place


def read_rows_only() -> None:
    """Have openpyxl read the rows of a sheet, and nothing else of it."""
    vars(import_module("openpyxl.worksheet._read_only"))["WorkSheetParser"] = _RowsOnly


def with_sound_styles(data: bytes) -> Repaired:
    """The workbook with nothing beside its cells but the formats of numbers, the sheets and the title.

    Raises READ_ERRORS if it is damaged further.
    """
    return repaired(
        data,
        NEEDED,
        {
            "[Content_Types].xml": partial(_types, known=_parts(data)),
            "xl/workbook.xml": _book,
            "xl/styles.xml": _styles,
            "xl/sharedStrings.xml": _strings,
            "docProps/core.xml": _properties,
            "docProps/custom.xml": lambda root: None,
        },
    )


def _parts(data: bytes) -> frozenset[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return frozenset(package.namelist())


def _types(root: etree._Element, known: frozenset[str]) -> etree._Element:
    """The types of parts without those of parts that are missing, such as strings that no cell shares."""
    for part in list(root):
        name = part.get("PartName", "").removeprefix("/")
        if name and name not in known:
            root.remove(part)
    return root


def _book(root: etree._Element) -> etree._Element:
    for part in list(root):
        if part.tag not in (f"{_MAIN}workbookPr", f"{_MAIN}sheets"):
            root.remove(part)
        elif part.tag == f"{_MAIN}workbookPr":
            _keep_attributes(part, ("date1904",))
    return root


def _styles(root: etree._Element) -> etree._Element:
    """The formats of numbers, and which format of cells has which of them."""
    for part in list(root):
        if part.tag not in (f"{_MAIN}numFmts", f"{_MAIN}cellXfs"):
            root.remove(part)
            continue
        for held in list(part):
            number = held.get("numFmtId", "0")
            if part.tag == f"{_MAIN}numFmts" and not (number.isdecimal() and held.get("formatCode")):
                part.remove(held)
                continue
            for inner in list(held):
                held.remove(inner)
            _keep_attributes(held, ("numFmtId", "formatCode") if number.isdecimal() else ())
    return root


def _strings(root: etree._Element) -> etree._Element:
    """Strings with no more of their fonts than what is raised, and without the readings of Japanese words."""
    for node in list(root.iter(f"{_MAIN}rPh", f"{_MAIN}phoneticPr")):
        above = node.getparent()
        if above is not None:
            above.remove(node)
    for fonts in root.iter(f"{_MAIN}rPr"):
        for mark in list(fonts):
            if mark.tag != f"{_MAIN}vertAlign" or mark.get("val") not in ("superscript", "subscript"):
                fonts.remove(mark)
    return root


def _properties(root: etree._Element) -> etree._Element:
    for part in list(root):
        if not isinstance(part.tag, str) or etree.QName(part).localname not in ("title", "creator"):
            root.remove(part)
    return root


def _keep_attributes(node: etree._Element, names: tuple[str, ...]) -> None:
    for name in list(node.attrib):
        if name not in names:
            del node.attrib[name]
