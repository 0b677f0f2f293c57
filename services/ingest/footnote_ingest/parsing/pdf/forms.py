"""What was filled in on the forms of a PDF, and what was typed over its pages."""

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.pdf.page_ranges import page_ranges

_MOST_FIELDS = 500
"""This many fields of a page are read."""

_MOST_OPTIONS = 1_000
"""This many answers of a question are looked at."""

_MOST_LOOKED_AT = 20_000
"""This many answers of a document are looked at: each look goes through all those of its question.

Of a question behind them the file's own value is told, which may be a code.
"""

_RANGES_NAMED = 20
"""This many ranges of pages are named in a warning."""

_BOX = re.compile(rb"/Subtype\s?/(?:Widget|FreeText)\b")

_LONG_WORD = re.compile(r"[^\W\d_]{4,}")

_LABEL_WIDTH, _LABEL_ABOVE = 260.0, 16.0
"""The label of a field stands at most this many points beside its box, or above it."""

_LABEL_INDENT, _ONE_LINE, _LEAST_LETTERS = 4.0, 24.0, 2
"""The label above a box may begin this many points to the left of it.

It stands above where the box is higher than one line, of so many points. It has so many letters at least.
"""

_TOUCHES = 1.0
"""Words may reach into a box by this many points."""

_MOST_LABEL = 120
"""A longer label is cut to its end, which is nearest to the field."""

_TICKED = "\N{BALLOT BOX WITH X}"
_OFF = frozenset({"", "Off"})
_CHOICES = frozenset({raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX})
_MARKS = frozenset({raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON})


@dataclass(frozen=True, slots=True)
class _Box:
    """Where a field lies, in points."""

    left: float
    bottom: float
    right: float
    top: float

    def beside(self, other: "_Box") -> bool:
        """Whether another box lies in the same row."""
        return other.bottom < self.top and self.bottom < other.top


class FormFields:
    """The fields of a document's forms and the words typed over its pages, if it has any.

    A page that a program has taken out of a form keeps its boxes, which then say themselves what they hold.
    `data` is the file.
    """

    def __init__(self, document: pdfium.PdfDocument, data: bytes) -> None:
        self._document = document
        self._is_form = document.get_formtype() != raw.FORMTYPE_NONE
        self._answers_left = _MOST_LOOKED_AT
        self._maybe_codes = 0
        self._crowded: list[int] = []
        self._has_boxes = self._is_form or _BOX.search(data) is not None
        if self._is_form:
            document.init_forms()

    def of_page(self, index: int) -> list[str]:
        """A line for each field of a page that is filled in: `label: value`, or a cross and the label.

        The label is what stands beside or above the field, unless the file says what the field is about in
        quite other words; else the name that the field has. Of answers to choose from, the chosen ones are
        told as they are shown. Words typed over the page are a line each.
        """
        if not self._has_boxes or (self._is_form and self._document.formenv is None):
            return []
        try:
            page = self._document[index]
        except pdfium.PdfiumError:
            return []
        number = raw.FPDFPage_GetAnnotCount(page.raw)
        if number > _MOST_FIELDS:
            self._crowded.append(index + 1)
            number = _MOST_FIELDS
        opened = [raw.FPDFPage_GetAnnot(page.raw, at) for at in range(number)]
        widgets = [one for one in opened if raw.FPDFAnnot_GetSubtype(one) == raw.FPDF_ANNOT_WIDGET]
        lines: list[str] = []
        if widgets:
            text = page.get_textpage()
            boxes = [_box(one) for one in widgets]
            for widget, box in zip(widgets, boxes, strict=True):
                lines += self._line(widget, box, boxes, text)
            text.close()
        for one in opened:
            if raw.FPDFAnnot_GetSubtype(one) == raw.FPDF_ANNOT_FREETEXT:
                typed = _text(raw.FPDFAnnot_GetStringValue, one, b"Contents")
                lines += [typed] if typed else []
            raw.FPDFPage_CloseAnnot(one)
        page.close()
        return lines

    def _line(
        self, widget: raw.FPDF_ANNOTATION, box: _Box, boxes: Sequence[_Box], text: pdfium.PdfTextPage
    ) -> list[str]:
        form = self._document.formenv.raw if self._is_form else None

        def told(ask: object, key: bytes) -> str:
            return _text(ask, form, widget) if form else _text(raw.FPDFAnnot_GetStringValue, widget, key)

        value = told(raw.FPDFAnnot_GetFormFieldValue, b"V")
        kind = raw.FPDFAnnot_GetFormFieldType(form, widget) if form else raw.FPDF_FORMFIELD_UNKNOWN
        if kind in _CHOICES:
            value = ", ".join(self._chosen(form, widget)) or value
        if kind in _MARKS:
            # All boxes of one question have its answer as their value.
            if not raw.FPDFAnnot_IsChecked(form, widget):
                return []
            value = _TICKED
        elif value in _OFF:
            return []
        label = _label(box, boxes, text, behind=value == _TICKED)
        about = told(raw.FPDFAnnot_GetFormFieldAlternateName, b"TU")
        name = label if not about or _share_a_word(label, about) else about
        name = name or told(raw.FPDFAnnot_GetFormFieldName, b"T")
        if value == _TICKED:
            return [f"{value} {name}"]
        return [f"{name}: {value}" if name else value]

    def _chosen(self, form: raw.FPDF_FORMHANDLE, widget: raw.FPDF_ANNOTATION) -> list[str]:
        """The answers that were chosen, as the form shows them: their value may be a code."""
        offered = raw.FPDFAnnot_GetOptionCount(form, widget)
        count = min(offered, _MOST_OPTIONS)
        if count > self._answers_left:
            self._maybe_codes += 1
            return []
        self._answers_left -= count
        chosen = [at for at in range(count) if raw.FPDFAnnot_IsOptionSelected(form, widget, at)]
        self._maybe_codes += offered > count and not chosen
        return [_text(raw.FPDFAnnot_GetOptionLabel, form, widget, at) for at in chosen]

    def not_told(self) -> Iterator[str]:
        """What a person is told of fields and answers that were not looked at."""
        if self._crowded:
            shown = page_ranges(self._crowded, _RANGES_NAMED)
            yield f"Of a page the first {_MOST_FIELDS:,} fields and notes are read. More are on: {shown}."
        if self._maybe_codes:
            yield (
                f"Fields whose answer may be shown as its code, because the form has too many answers: "
                f"{self._maybe_codes:,}."
            )


def _box(widget: raw.FPDF_ANNOTATION) -> _Box:
    place = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(widget, place)
    sides = sorted((place.left, place.right)), sorted((place.bottom, place.top))
    return _Box(sides[0][0], sides[1][0], sides[0][1], sides[1][1])


def _label(box: _Box, boxes: Sequence[_Box], text: pdfium.PdfTextPage, *, behind: bool) -> str:
    """The words beside a field, up to the next field of its row, or those above it; empty without any.

    They stand `behind` a box that is ticked, and above one of several lines.
    """
    row = [other for other in boxes if other is not box and box.beside(other)]
    end = min([box.right + _LABEL_WIDTH, *(one.left for one in row if one.left >= box.right - _TOUCHES)])
    if behind:
        return _words(text, _Box(box.right - _TOUCHES, box.bottom, end, box.top))[:_MOST_LABEL]
    begin = max([box.left - _LABEL_WIDTH, *(one.right for one in row if one.right <= box.left + _TOUCHES)])
    found = ""
    if box.top - box.bottom <= _ONE_LINE:
        found = _words(text, _Box(begin, box.bottom, box.left + _TOUCHES, box.top))
    if not found:
        wide = max(box.right, min(end, box.left + _LABEL_WIDTH))
        found = _words(text, _Box(box.left - _LABEL_INDENT, box.top - _TOUCHES, wide, box.top + _LABEL_ABOVE))
    return found.rstrip(" :.")[-_MOST_LABEL:].lstrip()


def _share_a_word(one: str, other: str) -> bool:
    return bool(set(_LONG_WORD.findall(one.lower())) & set(_LONG_WORD.findall(other.lower())))


def _words(text: pdfium.PdfTextPage, box: _Box) -> str:
    if box.right <= box.left:
        return ""
    said = one_line(text.get_text_bounded(box.left, box.bottom, box.right, box.top))
    return said if sum(char.isalpha() for char in said) >= _LEAST_LETTERS else ""


def _text(ask: object, *about: object) -> str:
    assert callable(ask)
    size = ask(*about, None, 0)
    # The answer is in UTF-16 and ends with NUL.
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    ask(*about, buffer, size)
    return one_line(bytes(buffer)[: max(0, size - 2)].decode("utf-16-le", "replace"))
