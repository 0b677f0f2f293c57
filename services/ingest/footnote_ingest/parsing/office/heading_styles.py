"""Styles of Word that somebody has made from those of headings, of which readers only know the latter."""

import re
from collections.abc import Mapping

from docx.oxml.ns import qn
from lxml import etree

_HEADING = re.compile(r"heading [1-9]", re.I)
_DEEPEST = 12
"""A style may be based on another one, and so on, up to this depth."""

_BODY_LEVEL = "9"
"""A style of this level of the outline sets text, even if it is made from a heading (ECMA-376 17.3.1.20)."""


def write_heading_styles(body: etree._Element, styles: etree._Element) -> None:
    """Give the paragraphs of such a style that of the heading from which it is made."""
    named: dict[str, str] = {}
    parents: dict[str, str] = {}
    plain: set[str] = set()
    for style in styles.iter(qn("w:style")):
        key = style.get(qn("w:styleId"), "")
        name, based = style.find(qn("w:name")), style.find(qn("w:basedOn"))
        named[key] = name.get(qn("w:val"), "") if name is not None else ""
        parents[key] = based.get(qn("w:val"), "") if based is not None else ""
        level = style.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
        if level is not None and level.get(qn("w:val")) == _BODY_LEVEL:
            plain.add(key)
    headings = {key: _heading_of(key, named, parents, plain) for key in named}
    for own in body.iter(qn("w:pStyle")):
        heading = headings.get(own.get(qn("w:val"), ""))
        if heading is not None:
            own.set(qn("w:val"), heading)


def _heading_of(
    key: str, named: Mapping[str, str], parents: Mapping[str, str], plain: set[str]
) -> str | None:
    """The style of a heading from which a style is made, or which it is; None for any other."""
    for _ in range(_DEEPEST):
        if key in plain or key not in named:
            return None
        if _HEADING.fullmatch(named[key]):
            return key
        key = parents[key]
    return None
