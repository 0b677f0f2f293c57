"""What was filled in on the forms of a PDF."""

import ctypes

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from footnote_ingest.parsing.elements import one_line

_MOST_FIELDS = 500
"""So many fields of a page are read."""


class FormFields:
    """The fields of a document's forms, if it has any."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self._document = document
        self._has_form = document.get_formtype() != raw.FORMTYPE_NONE
        if self._has_form:
            document.init_forms()

    def of_page(self, index: int) -> list[str]:
        """A line `name: value` for each field of a page that is filled in."""
        if not self._has_form or self._document.formenv is None:
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
        form = self._document.formenv.raw
        said = raw.FPDFAnnot_GetFormFieldAlternateName, raw.FPDFAnnot_GetFormFieldName
        name = next((shown for ask in said if (shown := _text(ask, form, annotation))), "")
        value = _text(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
        if not value or value == "Off":
            return []
        return [f"{name}: {value}" if name else value]


def _text(ask: object, form: object, annotation: object) -> str:
    assert callable(ask)
    size = ask(form, annotation, None, 0)
    # The answer is in UTF-16 and ends with NUL.
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    ask(form, annotation, buffer, size)
    return one_line(bytes(buffer)[: max(0, size - 2)].decode("utf-16-le", "replace"))
