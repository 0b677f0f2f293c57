"""What stands above the name of a chapter and counts it: "Chapter 1", or "CHAPTER" and "ONE" below it."""

import re
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.outline import LABEL, NUMBER

_LABEL = re.compile(
    rf"{LABEL}\s{{1,4}}{NUMBER}[.:]?|CHAPTER|APPENDIX|CAPÍTULO|CHAPITRE|KAPITEL"
    r"|(?:ONE|TWO|THREE|FOUR|FIVE|SIX|SEVEN|EIGHT|NINE|TEN|ELEVEN|TWELVE|(?:THIR|FOUR|FIF|SIX|SEVEN|EIGH|NINE)TEEN"
    r"|(?:TWENTY|THIRTY|FORTY)(?:-?(?:ONE|TWO|THREE|FOUR|FIVE|SIX|SEVEN|EIGHT|NINE))?)"
)
"""What stands by itself above the name of a chapter."""

_GAP, _ROOM = 4.0, 1.5
"""What a chapter is called by its number stands above its name within this, in heights of the name's font.

It is further from what is above it than the second, in heights of its own: "section 5." may end a text.
"""


def with_chapter_labels(found: Sequence[int | None], lines: Sequence[PdfLine]) -> list[int | None]:
    """The levels, in which what stands above the name of a chapter, such as "Chapter 1", has its level."""
    levels = list(found)
    for at in range(len(lines) - 2, -1, -1):
        line, below = lines[at], lines[at + 1]
        if (
            levels[at + 1] is not None
            and not (line.turned or line.is_table)
            and line.size <= below.size
            and 0 < line.bottom - below.top <= _GAP * below.size
            and (at == 0 or not 0 < lines[at - 1].bottom - line.top <= _ROOM * line.size)
            and _LABEL.fullmatch(line.text) is not None
        ):
            levels[at] = levels[at + 1]
    return levels
