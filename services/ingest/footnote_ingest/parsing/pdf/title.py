"""Whether the title in a PDF's properties is one: programs put file names and placeholders there."""

import re

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
