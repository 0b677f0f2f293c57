"""Pages of a damaged PDF, which PDFium may read once and not again."""

from collections import Counter

import pypdfium2 as pdfium
import pytest

from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, words


def test_a_page_that_is_not_there_a_second_time_is_told_as_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[int] = Counter()
    read = pdfium.PdfDocument.get_page

    def once(document: pdfium.PdfDocument, index: int) -> pdfium.PdfPage:
        asked[index] += 1
        if index == 1 and asked[index] > 1:
            raise pdfium.PdfiumError("Failed to load page.")
        return read(document, index)

    monkeypatch.setattr(pdfium.PdfDocument, "get_page", once)
    extracted = parsed_here(drawn([words(50, 700, "The harbour is open.")], []), "a.pdf")
    assert extracted.text == "The harbour is open."
    assert extracted.warnings == ("Page 2 is damaged and left out.",)
