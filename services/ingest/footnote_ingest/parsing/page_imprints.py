"""What a page says of itself at its edges: with what it was made, whose it is and how it may be used."""

import re
from collections.abc import Sequence

from footnote_ingest.parsing.partitioners import Element

NEVER_FURNITURE = frozenset({"Image", "CodeSnippet", "Table"})
"""Parts of these kinds are content wherever they stand."""

_LONGEST_SIGNATURE = 200

_MADE = (
    r"this (?:document|page|file) was (?:created|generated|made|produced) "
    r"(?:with|using|by (?:\w{1,20}2html|doxygen|sphinx|javadoc|pandoc|asciidoctor?|docutils|yard|pod2html))\b"
    r"|this (?:document|page|file|manual) was (?:automatically )?(?:created|generated|made|produced) "
    r"(?:automatically )?(?:on|at) [\w ,.:/-]{0,40}\d"
    r"|this document was (?:translated from \w{1,10} by hevea"
    r"|generated (?:by|on) [\w ,.:/-]{0,60}using (?:texi2any|texi2html|makeinfo|latex2html))\b"
)
"""A program that made a page is no content, as people are who wrote it."""

_COLOPHON = re.compile(
    r"\W{0,5}(?:©|\(c\)|copyright\b|last (?:updated|modified)\b|generated (?:by|on)\b"
    r"|created (?:using|with)\b|powered by\b|built with\b|all rights reserved\b"
    r"|(?:website|image|logo|page|theme) designs?\b"
    rf"|{_MADE}"
    r"|was this (?:page|article) helpful)",
    re.I,
)
_MAKER = re.compile(
    r"\W{0,5}(?:generated (?:by|on)|created (?:using|with)|powered by|built with"
    rf"|{_MADE})\b",
    re.I,
)
_IMPRINT = re.compile(
    r"\W{0,5}(?:(?:©|\(c\)|copyright\b).{0,150}\ball rights reserved\b"
    r"|except where otherwise noted, (?:this|the|all) \w{1,20} (?:of this site )?(?:is|are) licensed\b)",
    re.I,
)
_ABOUT_RIGHTS = re.compile(r"copy|licen[cs]|legal|rights|author|credit|notice|trademark", re.I)
_LEAST_PARTS = 4
"""A page of fewer parts may be about its own imprint."""


def tells_its_maker(element: Element) -> bool:
    """Whether an element says with what the page was made, and nothing else."""
    short = element.category not in NEVER_FURNITURE and len(element.text) <= _LONGEST_SIGNATURE
    return short and _MAKER.match(element.text) is not None


def is_imprint(elements: Sequence[Element]) -> bool:
    """Whether a page ends with whose it is, below no heading that is about this."""
    if len(elements) < _LEAST_PARTS:
        return False
    last = elements[-1]
    if last.category in NEVER_FURNITURE or len(last.text) > _LONGEST_SIGNATURE:
        return False
    if _IMPRINT.match(last.text) is None:
        return False
    above = next((e.text for e in reversed(elements) if e.category == "Title"), "")
    return _ABOUT_RIGHTS.search(above) is None


def is_colophon(text: str) -> bool:
    """Whether words are what stands at the edges of a page: its rights, its date or its maker."""
    return _COLOPHON.match(text) is not None
