"""The name of a journal on the first page of an article, which may be larger than the article's title."""

import re
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine

_VOLUME = re.compile(r"\b(?:volume|vol\.?|band|tome|issue)\s\d{1,4}\b|\bissn\b", re.I)
_CITED = re.compile(r",?\s\d{1,4}(?:\s?\(\d{1,4}\)|,\s\d)")
_BELOW = 2.0
"""The volume stands below the name within so many heights of its font."""


def masthead(pages: Sequence[Sequence[PdfLine] | None]) -> frozenset[int]:
    """The id of the largest line of the first page, if it is the name of a journal."""
    first = (pages[0] if pages else None) or ()
    upright = (line for line in first if not (line.turned or line.is_table))
    largest = max(upright, key=lambda line: line.size, default=None)
    return frozenset({id(largest)} if largest is not None and is_masthead(largest.text, first) else ())


def is_masthead(name: str, first_page: Sequence[PdfLine]) -> bool:
    """Whether a name on a page is a journal's: the volume stands right below it, or behind it elsewhere."""
    line = next((one for one in first_page if one.text and name.startswith(one.text)), None)
    return any(
        (one.text.startswith(name) and _CITED.match(one.text, len(name)) is not None)
        or (
            line is not None
            and 0 < line.lowest - one.highest <= _BELOW * line.size
            and _VOLUME.search(one.text) is not None
        )
        for one in first_page
        if not one.is_table
    )
