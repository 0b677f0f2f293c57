"""Run-in headings: words in bold or italics that begin a paragraph and name it, as in "Methods. We asked".

A word with a colon is a label, not a heading: "Note:", "Strategy:".
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from footnote_ingest.parsing.pdf.asides import begins_caption
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.numbered import SECTION_NUMBER

_END = re.compile(r"[.\u2013\u2014]$")
_DASH = re.compile(r"[\u2013\u2014]\s*")
_LETTERS = re.compile(r"[^\W\d_]{3}")
_SENTENCE_END = re.compile(r"(?:[.!?:;\u2026][\"'\u201d\u2019)\]]{0,3}|[□■∎◻])$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_MOST_CHARS, _MOST_WORDS = 60, 8
_LEAST_REST = 20
"""This many characters follow a run-in heading in its line at least, or the paragraph has more lines."""

_INDENT = 0.5
"""A first line is indented by more than this, in heights of its font."""

_SHORT = 3.0
"""The last line of a paragraph ends before its neighbours by more than this, in heights of its font."""

_APART = 1.2
"""A paragraph lies apart from the one above by more than this, in gaps of its own lines."""

_NO_HEADINGS = frozenset(
    {
        "algorithm",
        "answer",
        "assumption",
        "beispiel",
        "caution",
        "claim",
        "conjecture",
        "corollary",
        "definition",
        "example",
        "exercise",
        "fact",
        "figure",
        "hinweis",
        "important",
        "lemma",
        "note",
        "notes",
        "proof",
        "proposition",
        "question",
        "remark",
        "remarks",
        "table",
        "theorem",
        "tip",
        "warning",
    }
)
"""What such words name at the start of a paragraph ends with it, so it is no section."""


def part_run_ins(
    lines: Sequence[PdfLine],
    levels: Sequence[int | None],
    level_of: Callable[[PdfLine], int],
) -> tuple[list[PdfLine], list[int | None]]:
    """The lines and their levels, with each run-in heading as a line of its own of the level it is given."""
    parted: list[PdfLine] = []
    given: list[int | None] = []
    for at, (line, level) in enumerate(zip(lines, levels, strict=True)):
        name = _name(line) if level is None else ""
        rest = line.text.removeprefix(line.lead).lstrip() if name else ""
        if name and _goes_on(rest, lines, at) and _begins_paragraph(lines, levels, at):
            heading = replace(line, text=name, cells=(Cell(name, line.left, line.left),), lead="")
            parted.append(heading)
            given.append(level_of(heading))
            line = replace(line, text=_DASH.sub("", rest, count=1) if _DASH.match(rest) else rest, lead="")
        parted.append(line)
        given.append(level)
    return parted, given


def _name(line: PdfLine) -> str:
    """The heading that a line may begin with, without the mark at its end; empty for any other line."""
    lead = line.lead
    if line.turned or line.is_table or not lead or not line.text.startswith(lead):
        return ""
    if _END.search(lead) is None and _DASH.match(line.text[len(lead) :].lstrip()) is None:
        return ""
    name = lead.rstrip(" .:\u2013\u2014")
    first = _FIRST_WORD.search(name)
    is_name = (
        len(name) <= _MOST_CHARS
        and len(name.split()) <= _MOST_WORDS
        and (name[:1].isupper() or name[:1].isdigit())
        and _LETTERS.search(name) is not None
        and first is not None
        and first[0].lower() not in _NO_HEADINGS
        and not begins_caption(line)
    )
    return name if is_name else ""


def _goes_on(rest: str, lines: Sequence[PdfLine], at: int) -> bool:
    """Whether a sentence follows a heading in its line."""
    first = rest.lstrip("\u2013\u2014: \"'(\u201c\u2018")[:1]
    below = lines[at + 1] if at + 1 < len(lines) else None
    longer = below is not None and 0 < lines[at].bottom - below.top <= _SHORT * lines[at].size
    return first.isupper() and (len(rest) >= _LEAST_REST or longer)


def _begins_paragraph(lines: Sequence[PdfLine], levels: Sequence[int | None], at: int) -> bool:
    line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else None
    if at == 0:
        return True
    before = lines[at - 1]
    above = before.bottom - line.top
    if levels[at - 1] is not None or before.is_table or before.size != line.size:
        return True
    if _SENTENCE_END.search(before.text) is None:
        return False
    gap = line.bottom - below.top if below is not None and below.size == line.size else 0.0
    return (
        above < 0
        or SECTION_NUMBER.match(line.text) is not None
        or before.right < line.right - _SHORT * line.size
        or (gap > 0 and above > _APART * gap)
        or (below is not None and gap > 0 and line.left - below.left > _INDENT * line.size)
    )
