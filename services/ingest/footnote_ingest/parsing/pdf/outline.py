"""The outline of a PDF, and which lines of a page it names."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

import pypdfium2 as pdfium

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.pdf.lines import PdfLine

LABEL = (
    r"(?i:chapter|section|part|appendix|chapitre|partie|annexe|kapitel|teil|anhang|cap[ií]tulo|parte"
    r"|ap[eéê]ndice|capitolo|appendice|hoofdstuk|rozdział|глава|часть|приложение)"
)
NUMBER = r"(?:\d{1,3}|[A-Z]\d{0,2}|[IVXLC]{1,7})"
NUMBERING = re.compile(rf"^(?:{LABEL}\s+)?(?:{NUMBER})?(?:\.\d++)*+[.:)]?\s+")
"""The number before a name. A short word, such as "and", is none."""

_SECTION = re.compile(r"\d{1,3}\.\d")
_LOOSE = re.compile(r"[\s\"'`´‘’“”„‚«»‐‑–—-]+")
"""Quotation marks, dashes and blanks are not the same in an outline and on its pages."""

_ACCENTS = re.compile("[\u0300-\u036f]+")

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
        text = f"{text} {line.text}".lstrip()
        keys = _keys(text)
        for name in keys:
            if name in names:
                return count, names[name]
        if not any(name.startswith(keys) for name in names):
            break
    return 0, None


def read_outline(document: pdfium.PdfDocument) -> Outline:
    """The outline of a document, which is empty if it has none or a damaged one."""
    found: dict[int, dict[str, int]] = {}
    try:
        for entry in document.get_toc(max_depth=6):
            target = entry.get_dest()
            page = target.get_index() if target is not None else None
            if page is None:
                continue
            for name in _keys(one_line(entry.get_title() or "")):
                found.setdefault(page + 1, {}).setdefault(name, entry.level + 1)
    except pdfium.PdfiumError:
        return {}
    return found


def _keys(text: str) -> tuple[str, ...]:
    """What a heading is compared by, with its number and without it. One number behind another is no name."""
    name = NUMBERING.sub("", text, count=1)
    keys = heading_key(text), heading_key("" if name != text and _SECTION.match(name) else name)
    return tuple(dict.fromkeys(filter(None, keys)))


def heading_key(text: str) -> str:
    """A heading without what is not compared. A dash at its beginning is the mark of an item."""
    plain = text.strip(" .:")
    if not plain.isascii():
        plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", plain))
    return (plain[:1] + _LOOSE.sub("", plain[1:])).casefold()
