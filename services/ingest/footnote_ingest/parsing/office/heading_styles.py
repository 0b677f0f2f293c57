"""Styles of Word that somebody has made from those of headings, or given a level of the outline.

Readers only know the styles of headings themselves. Contracts count their clauses by levels of the outline,
so a paragraph that is a sentence is text all the same.
"""

import re
from collections.abc import Mapping

from docx.oxml.ns import qn
from lxml import etree

_HEADING = re.compile(r"heading [1-9]", re.I)
_OF_THE_WHOLE = frozenset({"title", "subtitle"})
_DEEPEST = 12
"""A style may be based on another one, and so on, up to this depth."""

_OF_CONTENTS, _LISTED_LEVEL = "_Toc", "1"
_CAPTION = re.compile(r"caption|figure|fig\.|table|tab\.|abbildung|abb\.|tabelle|tableau|tabla|figura", re.I)
_LONGEST, _SENTENCE_WORDS, _SENTENCE_ENDS = 200, 6, ".;:,"
"""What has a level, or is named by the table of contents, is a heading unless it is a caption or text.

Text is longer than this, or has more than so many words and ends with one of these signs.
"""

_LEVELS = frozenset("012345678")
_BODY_LEVEL = "9"
"""A style of this level of the outline sets text, even if it is made from a heading (ECMA-376 17.3.1.20)."""


def write_heading_styles(body: etree._Element, styles: etree._Element) -> None:
    """Give the paragraphs of such a style that of the heading from which it is made, or of its level."""
    named: dict[str, str] = {}
    parents: dict[str, str] = {}
    levels: dict[str, str] = {}
    for style in styles.iter(qn("w:style")):
        key = style.get(qn("w:styleId"), "")
        name, based = style.find(qn("w:name")), style.find(qn("w:basedOn"))
        named[key] = name.get(qn("w:val"), "") if name is not None else ""
        parents[key] = based.get(qn("w:val"), "") if based is not None else ""
        level = style.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
        if level is not None:
            levels[key] = level.get(qn("w:val"), "")
    plain = {key for key, level in levels.items() if level == _BODY_LEVEL}
    headings = {key: _heading_of(key, named, parents, plain) for key in named}
    for own in body.iter(qn("w:pStyle")):
        heading = headings.get(own.get(qn("w:val"), ""))
        if heading is not None:
            own.set(qn("w:val"), heading)
    own_levels = {key: _level_of(key, parents, levels) for key in named if headings[key] is None}
    _write_levels(body, styles, named, own_levels)
    _write_listed(body, styles)


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


def _level_of(key: str, parents: Mapping[str, str], levels: Mapping[str, str]) -> str:
    """The level of the outline of a style, or else of the one that it is made from; empty for none."""
    for _ in range(_DEEPEST):
        if key in levels:
            return levels[key]
        key = parents.get(key, "")
    return ""


def _write_levels(
    body: etree._Element, styles: etree._Element, named: Mapping[str, str], of_styles: Mapping[str, str]
) -> None:
    """Give the paragraphs that have a level of the outline, or whose style has one, the style of a heading.

    `of_styles` are the levels of those styles that are none of headings.
    """
    of_levels: dict[str, str] = {}
    for paragraph in body.iter(qn("w:p")):
        style = _style(paragraph)
        own = paragraph.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
        level = own.get(qn("w:val"), "") if own is not None else of_styles.get(style, "")
        if (
            level not in _LEVELS
            or named.get(style, "").lower() in _OF_THE_WHOLE
            or not _may_be_name(paragraph)
        ):
            continue
        if level not in of_levels:
            of_levels[level] = _style_of_level(styles, level)
        _set_style(paragraph, of_levels[level])


def _write_listed(body: etree._Element, styles: etree._Element) -> None:
    """Give the paragraphs that the table of contents names the style of a heading, if they have none."""
    named = {style.get(qn("w:styleId"), ""): style.find(qn("w:name")) for style in styles.iter(qn("w:style"))}
    names = {key: name.get(qn("w:val"), "") for key, name in named.items() if name is not None}
    listed = ""
    for mark in body.iter(qn("w:bookmarkStart")):
        paragraph = mark.getparent()
        if not mark.get(qn("w:name"), "").startswith(_OF_CONTENTS) or paragraph is None:
            continue
        name = names.get(_style(paragraph), "")
        if (
            paragraph.tag != qn("w:p")
            or _HEADING.fullmatch(name)
            or name.lower() in _OF_THE_WHOLE
            or _CAPTION.match(name)
            or not _may_be_name(paragraph)
        ):
            continue
        listed = listed or _style_of_level(styles, _LISTED_LEVEL)
        _set_style(paragraph, listed)


def _may_be_name(paragraph: etree._Element) -> bool:
    said = "".join(text.text or "" for text in paragraph.iter(qn("w:t"))).strip()
    is_sentence = said.endswith(tuple(_SENTENCE_ENDS)) and len(said.split()) > _SENTENCE_WORDS
    return 0 < len(said) <= _LONGEST and not is_sentence and _CAPTION.match(said) is None


def _style(paragraph: etree._Element) -> str:
    named = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    return str(named.get(qn("w:val"), "")) if named is not None else ""


def _set_style(paragraph: etree._Element, key: str) -> None:
    about = paragraph.find(qn("w:pPr"))
    if about is None:
        about = paragraph.makeelement(qn("w:pPr"))
        paragraph.insert(0, about)
    style = about.find(qn("w:pStyle"))
    if style is None:
        style = about.makeelement(qn("w:pStyle"))
        about.insert(0, style)
    style.set(qn("w:val"), key)


def _style_of_level(styles: etree._Element, level: str) -> str:
    """The key of the style of headings of a level of the outline, which is made if the document lacks it."""
    for style in styles.iter(qn("w:style")):
        named = style.find(qn("w:name"))
        if named is not None and named.get(qn("w:val"), "").lower() == _name_of(level):
            return str(style.get(qn("w:styleId"), ""))
    key = f"OutlineLevel{level}"
    made = etree.SubElement(styles, qn("w:style"), {qn("w:type"): "paragraph", qn("w:styleId"): key})
    etree.SubElement(made, qn("w:name"), {qn("w:val"): _name_of(level)})
    return key


def _name_of(level: str) -> str:
    return f"heading {int(level) + 1}"
