"""What was filled in on the forms of a PDF."""

import ctypes
import re

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from footnote_ingest.parsing.elements import one_line

_MOST_FIELDS = 500
"""So many fields of a page are read."""


_WIDGET = re.compile(rb"/Subtype\s?/Widget\b")


class FormFields:
    """The fields of a document's forms, if it has any.

    A page that a program has taken out of a form keeps its boxes, which then say themselves what they hold.
    `data` is the file.
    """

    def __init__(self, document: pdfium.PdfDocument, data: bytes) -> None:
        self._document = document
        self._is_form = document.get_formtype() != raw.FORMTYPE_NONE
        self._has_boxes = self._is_form or _WIDGET.search(data) is not None
        if self._is_form:
            document.init_forms()

    def of_page(self, index: int) -> list[str]:
        """A line `name: value` for each field of a page that is filled in."""
        if not self._has_boxes or (self._is_form and self._document.formenv is None):
            return []
        try:
            page = self._document[index]
        except pdfium.PdfiumError:
            return []
        lines: list[str] = []
        for number in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _MOST_FIELDS)):
            annotation = raw.FPDFPage_GetAnnot(page.raw, number)
            if raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET:
                lines += self._line(annotation)
            raw.FPDFPage_CloseAnnot(annotation)
        page.close()
        return lines

    def _line(self, annotation: raw.FPDF_ANNOTATION) -> list[str]:
        form = self._document.formenv.raw if self._is_form else None

        def told(ask: object, key: bytes) -> str:
            return (
                _text(ask, form, annotation) if form else _text(raw.FPDFAnnot_GetStringValue, annotation, key)
            )

        name = told(raw.FPDFAnnot_GetFormFieldAlternateName, b"TU") or told(
            raw.FPDFAnnot_GetFormFieldName, b"T"
        )
        value = told(raw.FPDFAnnot_GetFormFieldValue, b"V")
        if not value or value == "Off":
            return []
        return [f"{name}: {value}" if name else value]


def _text(ask: object, *about: object) -> str:
    assert callable(ask)
    size = ask(*about, None, 0)
    # The answer is in UTF-16 and ends with NUL.
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    ask(*about, buffer, size)
    return one_line(bytes(buffer)[: max(0, size - 2)].decode("utf-16-le", "replace"))
