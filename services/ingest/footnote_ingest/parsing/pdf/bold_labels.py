"""Headings where much is bold, as on forms: single short bold lines with room on both sides."""

from collections.abc import Iterator, Sequence

from footnote_ingest.parsing.pdf.bold_headings import NO_HEADING_END, REMARKS, WORD, bold_groups
from footnote_ingest.parsing.pdf.lines import PdfLine

_LONGEST, _LEAST_BELOW = 60, 20
"""Such a line has so many characters at most, and the line below it so many at least."""

_APART = 1.5
"""It lies further from what is above and below than this, in heights of its font."""


def bold_labels(lines: Sequence[PdfLine], body: float) -> Iterator[int]:
    """The places of such lines; `body` is the size of the text. A word with a colon names a field."""
    for group in bold_groups(lines):
        at = group.start
        line, below = lines[at], lines[group.stop] if group.stop < len(lines) else None
        name = line.text.removesuffix(":")
        if (
            len(group) == 1
            and line.bold
            and line.size >= body
            and len(line.text) <= _LONGEST
            and WORD.search(name) is not None
            and name[0].isalnum()
            and not line.partly_bold
            and (name == line.text or " " in name)
            and NO_HEADING_END.search(name) is None
            and REMARKS.fullmatch(name.lower()) is None
            and (at == 0 or lines[at - 1].bottom - line.top > _APART * line.size)
            and below is not None
            and not (below.bold or below.turned)
            and line.bottom - below.top > _APART * line.size
            and len(below.text) >= _LEAST_BELOW
        ):
            yield at
