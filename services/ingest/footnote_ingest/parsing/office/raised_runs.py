"""Which runs of office files are raised or lowered: a note's mark behind a number must not join it."""

import re
from collections.abc import Iterable, Mapping

from docx.oxml.ns import qn
from lxml import etree
from pptx.oxml.ns import qn as qn_of_drawing

from footnote_ingest.parsing.raised_markup import write_raised

_UP = {"superscript": 1, "subscript": -1}
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_SHIFT = re.compile(r"(-?)(?:(super)|(sub)|\d{1,4}(?:\.\d{1,4})?%)")
_NO_SHIFT = re.compile(r"-?0{1,4}(?:\.0{1,4})?%")
_DEEPEST = 10
"""A style may be based on another one, and so on, up to this depth."""

_WORD_TEXT = frozenset({qn("w:t")})
_WORD_BREAKS = frozenset({qn("w:p"), qn("w:tab"), qn("w:br"), qn("w:cr")})
_SLIDE_TEXT = frozenset({qn_of_drawing("a:t")})
_SLIDE_BREAKS = frozenset({qn_of_drawing("a:p"), qn_of_drawing("a:br")})
_ODT_BREAKS = frozenset(
    f"{_TEXT}{name}" for name in ("p", "h", "note", "note-body", "tab", "line-break", "s", "tracked-changes")
)


def write_word_raised(body: etree._Element, styles: Mapping[str, int]) -> None:
    """Write the raised runs of Word paragraphs (ECMA-376 part 1, 17.3.2.42).

    `styles` are those of `word_styles`.
    """
    properties, aligned, named, moved = qn("w:rPr"), qn("w:vertAlign"), qn("w:rStyle"), qn("w:position")
    value = qn("w:val")

    def up_of(node: etree._Element) -> int:
        about = node.find(properties) if node.tag == qn("w:r") else None
        if about is None:
            return 0
        told = about.find(aligned)
        if told is not None:
            return _UP.get(told.get(value, ""), 0)
        style, shift = about.find(named), about.find(moved)
        if shift is not None and (half_points := _whole(shift.get(value, ""))):
            return 1 if half_points > 0 else -1
        return styles.get(style.get(value, ""), 0) if style is not None else 0

    write_raised(body, up_of, _WORD_BREAKS, _WORD_TEXT)


def word_styles(styles: etree._Element) -> dict[str, int]:
    """The styles of Word that raise or lower their text, by id."""
    found: dict[str, int] = {}
    for style in styles.iter(qn("w:style")):
        told = next(style.iter(qn("w:vertAlign")), None)
        if told is not None and (up := _UP.get(told.get(qn("w:val"), ""), 0)):
            found[style.get(qn("w:styleId"), "")] = up
    return found


def write_slide_raised(root: etree._Element) -> bool:
    """Write the raised runs of a slide (ECMA-376 part 1, 21.1.2.3.9). Returns whether there may be some."""
    properties = qn_of_drawing("a:rPr")

    def up_of(node: etree._Element) -> int:
        about = node.find(properties) if node.tag == qn_of_drawing("a:r") else None
        shift = _whole(about.get("baseline", "0").rstrip("%")) if about is not None else 0
        return (shift > 0) - (shift < 0)

    if next((True for node in root.iter(properties) if node.get("baseline", "0") != "0"), False):
        write_raised(root, up_of, _SLIDE_BREAKS, _SLIDE_TEXT)
        return True
    return False


def write_odt_raised(body: etree._Element, style_parts: Iterable[etree._Element]) -> None:
    """Write the raised text of an OpenDocument text (ODF 1.3 part 3, 20.393), by the styles of its parts."""
    ups: dict[str, int] = {}
    parents: dict[str, str] = {}
    for part in style_parts:
        for style in part.iter(f"{_STYLE}style"):
            name = style.get(f"{_STYLE}name", "")
            about = style.find(f"{_STYLE}text-properties")
            position = about.get(f"{_STYLE}text-position", "") if about is not None else ""
            if position:
                ups[name] = _odt_up(position)
            parents[name] = style.get(f"{_STYLE}parent-style-name", "")

    def up_of(node: etree._Element) -> int:
        name = node.get(f"{_TEXT}style-name", "") if node.tag == f"{_TEXT}span" else ""
        for _ in range(_DEEPEST):
            if not name or name in ups:
                break
            name = parents.get(name, "")
        return ups.get(name, 0)

    if any(ups.values()):
        write_raised(body, up_of, _ODT_BREAKS)


def _odt_up(position: str) -> int:
    told = _SHIFT.match(position)
    if told is None or _NO_SHIFT.match(position):
        return 0
    return -1 if told[1] or told[3] else 1


def _whole(number: str) -> int:
    try:
        return int(number)
    except ValueError:
        return 0
