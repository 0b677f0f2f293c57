"""The table of contents of a PDF: its entries name headings that stand elsewhere, so they are left out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.pdf.lines import PdfLine

_LEAST_DOTS = 4
"""This many dots lead from an entry to its page number; three are an ellipsis."""

_LEAST_ENTRIES = 3
"""A page begins a table of contents if it has at least this many entries; a page that goes on needs one."""

_LEAST_NAMED = 0.5
"""At least this share of the entries stands elsewhere in the document, so a price list is none."""

_LEAST_SHARE = 0.4
"""From the first entry of a page to the last, at least this share of the lines are entries.

The others are chapters without dots, and first lines of long entries.
"""

_LEADERS = re.compile(r"(?:[.\u2024\u2026\u00b7]\s{0,2}){4,}")
_PAGE_NUMBER = re.compile(r"(?:[A-Z]{1,2}[.\-])?\d{1,4}|[ivxlcIVXLC]{1,8}")
_NUMBERING = re.compile(
    r"(?:(?:chapter|section|part|appendix|figure|table|example|listing"
    r"|kapitel|abschnitt|teil|anhang|chapitre|partie|annexe|cap[ií]tulo|capitolo|hoofdstuk|rozdzia[łl]|kapitola"
    r"|глава)\s+)?"
    r"(?:\d{1,4}|[A-Z]|[ivxl]{1,6})(?:[.\-]\d{1,4}){0,6}[.:)]?\s+",
    re.I,
)
_NAMES = frozenset(
    {
        "contents",
        "table of contents",
        "inhalt",
        "inhaltsverzeichnis",
        "table des matières",
        "sommaire",
        "índice",
        "indice",
        "inhoudsopgave",
        "spis treści",
        "содержание",
        "оглавление",
        "目次",
        "目录",
    }
)
"""What stands above a table of contents."""

_LONGEST_NAME = 80
"""A heading, or the first line of it, has this many characters at most."""

_NAME_CHARS = 30
"""This many characters of an entry's name are compared: a long heading may go on in a second line."""


def without_contents(pages: Sequence[list[PdfLine] | None]) -> tuple[list[list[PdfLine] | None], bool]:
    """The lines of the pages without the tables of contents, and whether there was one.

    A document that is hardly more than a table of contents keeps it. Dots that lead to anything else, such as
    a price, become an ellipsis; in code they stay.
    """
    entries = [_entries(lines or ()) for lines in pages]
    spans: list[tuple[int, int] | None] = [None] * len(pages)
    if any(name is not None for names in entries for name in names):
        known = heading_names(
            line
            for lines, names in zip(pages, entries, strict=True)
            for line, name in zip(lines or (), names, strict=True)
            if name is None
        )
        before: tuple[int, int] | None = None
        for at, lines in enumerate(pages):
            before = spans[at] = _span(lines or [], entries[at], known, goes_on=before is not None)
    left_out = sum(span[1] - span[0] for span in spans if span)
    if 2 * left_out > sum(len(lines) for lines in pages if lines):
        return [_plain(lines) for lines in pages], False
    kept = [
        _plain(lines if span is None or lines is None else lines[: span[0]] + lines[span[1] :])
        for lines, span in zip(pages, spans, strict=True)
    ]
    return kept, left_out > 0


def _entries(lines: Sequence[PdfLine]) -> list[str | None]:
    """The names of the entries of a page. Below the name of a table of contents they may have no dots."""
    names = [_entry(line) for line in lines]
    below = False
    for at, line in enumerate(lines):
        if below and names[at] is None and _ends_with_number(line) and not line.is_table:
            names[at] = name_key(" ".join(cell.text for cell in line.cells[:-1])) or None
        below = _is_name(line) or (below and names[at] is not None)
    return names


def _entry(line: PdfLine) -> str | None:
    """The name of an entry, with dots that lead to a page number; None for another line."""
    if line.is_table or line.turned:
        return None
    rest = line.text.rstrip("0123456789ivxlcIVXLC")
    name = rest.rstrip(" .\u2024\u2026\u00b7")
    # A page number such as A-3 has its letters before the digits.
    if name == rest and len(line.text) - len(rest) and rest[-2:-1].isupper() and rest[-1:] in "-.":
        rest = rest[:-2]
        name = rest.rstrip(" .\u2024\u2026\u00b7")
    dots = rest[len(name) :]
    if dots.count(".") + dots.count("\u2024") + dots.count("\u00b7") + 3 * dots.count("\u2026") < _LEAST_DOTS:
        return None
    return name_key(name) if _PAGE_NUMBER.fullmatch(line.text[len(rest) :].strip()) and name else None


def _span(
    lines: Sequence[PdfLine], names: Sequence[str | None], known: frozenset[str], *, goes_on: bool
) -> tuple[int, int] | None:
    """From where to where the lines of a page are a table of contents; None if there is none."""
    places = [at for at, name in enumerate(names) if name is not None]
    found = sum(name in known for name in names if name is not None)
    if len(places) < (1 if goes_on else _LEAST_ENTRIES) or found < _LEAST_NAMED * len(places):
        return None
    first, last = places[0], places[-1] + 1
    if len(places) < _LEAST_SHARE * (last - first):
        return None
    while first > 0 and (_ends_with_number(lines[first - 1]) or _is_name(lines[first - 1])):
        first -= 1
    while last < len(lines) and _ends_with_number(lines[last]):
        last += 1
    return first, last


def _ends_with_number(line: PdfLine) -> bool:
    """Whether a line is an entry without dots, as chapters often are: its last cell is a page number."""
    return len(line.cells) > 1 and _PAGE_NUMBER.fullmatch(line.cells[-1].text) is not None


def _is_name(line: PdfLine) -> bool:
    return one_line(line.text).lower() in _NAMES


def heading_names(lines: Iterable[PdfLine]) -> frozenset[str]:
    """The lines that may be a heading or its first line, as they are compared."""
    return frozenset(name_key(line.text) for line in lines if len(line.text) <= _LONGEST_NAME)


def name_key(name: str) -> str:
    """What the name of a heading is compared by, without its number."""
    shown = one_line(name).lower()
    number = _NUMBERING.match(shown)
    # A long word may be parted in one place, and whole in another.
    return shown[number.end() if number is not None else 0 :].strip(" .:").replace("-", "")[:_NAME_CHARS]


def _plain(lines: list[PdfLine] | None) -> list[PdfLine] | None:
    if lines is None:
        return None
    return [
        replace(line, text=_LEADERS.sub("\u2026 ", line.text).rstrip())
        if ("...." in line.text or ". . . ." in line.text) and (not line.mono or _entry(line))
        else line
        for line in lines
    ]
