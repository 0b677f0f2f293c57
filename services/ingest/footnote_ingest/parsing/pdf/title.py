"""The title of a PDF: that of its properties, unless a program put a file name or a placeholder there.

Without one, words in capitals at the top of the first page are the title.
"""

import itertools
import re
from collections.abc import Sequence

from footnote_ingest.parsing.elements import MAX_TITLE_CHARS
from footnote_ingest.parsing.pdf.lines import PdfLine

_TOP_LINES = 8
"""A title in capitals is among so many lines at the top."""

_LEAST_LETTERS = 10

_FILE_NAME = re.compile(
    r"\S+\.[a-z][a-z0-9]{1,5}|.*\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|pdf|html?|qxd|fm)", re.I
)
_MADE_UP = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel)|powerpoint presentation|untitled|arxiv:).*"
    r"|\(?(?:anonymous|unspecified|none|null|title|no title)\)?"
    r"|(?:table of )?contents|cover(?: page)?|index|document ?\d*|presentation ?\d*|slide ?\d*"
    # A name of a typesetting system, such as "sag-39-3-4:sag-0".
    r"|\w{1,20}(?:[-:]\w{1,20}){3,12}"
    r"|[\d\W_]*|[a-z]:\\.*|/\S*/.*|[0-9a-f]{16,}",
    re.I,
)


def own_title(title: str | None) -> str | None:
    """The title from the properties; None if it is a file name, a number or a placeholder."""
    name = " ".join((title or "").split())
    return name if name and not _FILE_NAME.fullmatch(name) and not _MADE_UP.fullmatch(name) else None


def title_in_capitals(first_page: Sequence[PdfLine]) -> str | None:
    """A title in capitals, where nothing is larger than the text, as in articles of mathematicians.

    The name of a journal may stand in capitals above it, so lines in bold come first. None without a title.
    """
    top = [line for line in first_page if not (line.turned or line.is_table)][:_TOP_LINES]
    groups = [list(group) for _, group in itertools.groupby(top, key=_look)]
    names = [
        (group[0].bold, " ".join(line.text for line in group))
        for group in groups
        if all(line.text.isupper() for line in group)
    ]
    fit = [(bold, name) for bold, name in names if _is_name(name)]
    bold = [name for is_bold, name in fit if is_bold]
    return next(iter(bold or [name for _, name in fit]), None)


def _look(line: PdfLine) -> tuple[bool, bool, float]:
    return line.text.isupper(), line.bold, line.size


def _is_name(text: str) -> bool:
    letters = sum(char.isalpha() for char in text)
    return len(text.split()) > 1 and letters >= _LEAST_LETTERS and len(text) <= MAX_TITLE_CHARS
