"""The outline of a PDF, and which lines of a page it names."""

import re
from collections.abc import Mapping, Sequence

import pypdfium2 as pdfium

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.pdf.lines import PdfLine

NUMBERING = re.compile(r"^(?:(?:chapter|section|part|appendix)\s+)?[\dA-Z]{0,3}(?:\.\d+)*[.:)]?\s+", re.I)
HEADING_LINES = 3
"""A heading has this many lines at most."""

LONGEST_HEADING = 150

Outline = Mapping[int, Mapping[str, int]]
"""For each page, from 1, the names of its headings as they are compared, with their levels."""


def named(lines: Sequence[PdfLine], at: int, names: Mapping[str, int]) -> tuple[int, int | None]:
    """How many lines from here are a heading that the outline names, and its level."""
    text = ""
    for count, line in enumerate(lines[at : at + HEADING_LINES], 1):
        if line.turned or line.is_table or len(text) > LONGEST_HEADING:
            break
        text = f"{text} {line.text}"
        key = _heading_key(text)
        for name in (key, NUMBERING.sub("", key)):
            if name in names:
                return count, names[name]
        if not any(name.startswith((key, NUMBERING.sub("", key))) for name in names):
            break
    return 0, None


def read_outline(document: pdfium.PdfDocument) -> Outline:
    """The outline of a document, which is empty if it has none or a damaged one."""
    found: dict[int, dict[str, int]] = {}
    try:
        for entry in document.get_toc(max_depth=6):
            target = entry.get_dest()
            page = target.get_index() if target is not None else None
            key = _heading_key(entry.get_title() or "")
            if page is None or not key:
                continue
            for name in {key, NUMBERING.sub("", key)}:
                found.setdefault(page + 1, {}).setdefault(name, entry.level + 1)
    except pdfium.PdfiumError:
        return {}
    return found


def _heading_key(text: str) -> str:
    return one_line(text).strip(" .:").lower()
