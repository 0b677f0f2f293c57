"""What Word and PowerPoint files have in common: how they break, and their properties."""

from docx.opc.exceptions import OpcError
from lxml import etree
from pptx.exc import PythonPptxError

BROKEN = (
    OpcError,
    PythonPptxError,
    etree.LxmlError,
    SyntaxError,
    KeyError,
    ValueError,
    AttributeError,
    IndexError,
    TypeError,
)
"""What the libraries raise for a damaged file."""

_MADE_UP_TITLES = ("powerpoint presentation", "word document", "presentation")


def core_facts(author: str | None, modified: object) -> dict[str, str]:
    """Author and last change as metadata."""
    return {"author": author or "", "modified": str(modified or "")}


def own_title(title: str | None) -> str | None:
    """The title from the properties; None if there is none, or if a program put it there."""
    return None if not title or title.lower() in _MADE_UP_TITLES else title
