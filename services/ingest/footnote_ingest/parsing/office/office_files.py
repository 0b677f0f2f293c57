"""What office files have in common: how those of Word and PowerPoint break, and their properties."""

import re
import zipfile
import zlib
from collections.abc import Sequence

from docx.opc.exceptions import OpcError
from lxml import etree
from pptx.exc import PythonPptxError

from footnote_ingest.parsing.elements import Element

BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    OpcError,
    PythonPptxError,
    etree.LxmlError,
    SyntaxError,
    KeyError,
    ValueError,
    AttributeError,
    IndexError,
    TypeError,
    OverflowError,
)
"""What the libraries raise for a damaged file."""

_MADE_UP_TITLES = ("powerpoint presentation", "word document", "presentation")

_WORD = re.compile(r"[^\W\d_]{2,}")


def core_facts(author: str | None, modified: object) -> dict[str, str]:
    """Author and last change as metadata."""
    return {"author": author or "", "modified": str(modified or "")}


def own_title(title: str | None) -> str | None:
    """The title from the properties; None if there is none, or if a program put it there."""
    return None if not title or title.lower() in _MADE_UP_TITLES else title


def deck_title(title: str | None, elements: Sequence[Element]) -> str | None:
    """The title of slides: that of the properties if a slide has a word of it, or that of the first slide.

    A program's own title, such as "PowerPoint-Präsentation" or "Folie 1", stands on no slide, in any
    language. Without a title on the first slide, what the properties say is all there is.
    """
    own = own_title(title)
    first = next((e.text for e in elements if e.kind == "title" and e.page == 1), None)
    if own is None or first is None:
        return first if own is None else own
    said = _words(own)
    spoken = any(said & _words(element.text) for element in elements) if said else False
    return own if spoken else first


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
