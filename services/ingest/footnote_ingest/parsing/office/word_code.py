"""Code in a Word document: paragraphs in a font of one width, or in a style that says so.

The partitioner tells no code, so such a paragraph gets a sign of private use before its first letter.
"""

import re
from collections.abc import Mapping

from docx.oxml.ns import qn
from lxml import etree

from footnote_ingest.parsing.office.word_markup import run_of

CODE = "\ue0c0"
"""A text that begins with it is a line of code."""

_FIXED = re.compile(r"courier|consolas|mono\b|menlo|monaco|lucida console|typewriter|terminal", re.I)
_STYLE = re.compile(
    r"(?:source ?code|code(?: ?block)?|html preformatted|macro(?: text)?|verbatim|(?:program ?)?listing)",
    re.I,
)
_AS_TYPED = re.compile(r"preformatted(?: ?text)?", re.I)
"""The style that a program gives to all of a plain text that it opens: it says no more than a font."""

_NO_CODE = re.compile(r"(?:heading|title|subtitle|caption|list)\b", re.I)
"""How the names of styles begin whose paragraphs are no code in any font: names of functions are headings."""

_MOST_CODE = 0.7
"""If more of the paragraphs are set in a font of one width than this, or as they were typed, that is the
writer's taste.
"""

_DEEPEST = 10


def mark_code(body: etree._Element, styles: etree._Element) -> None:
    """Put the sign before each paragraph of the text that is code, and before an empty one between two."""
    fonts = _Fonts(styles)
    paragraphs = list(body.iterchildren(qn("w:p")))
    said = [paragraph for paragraph in paragraphs if _is_said(paragraph) and not fonts.has_part(paragraph)]
    fixed = {paragraph for paragraph in said if fonts.is_as_typed(paragraph) or fonts.are_fixed(paragraph)}
    if len(fixed) > _MOST_CODE * len(said):
        fixed = set()
    code = {paragraph for paragraph in said if paragraph in fixed or fonts.names_code(paragraph)}
    for paragraph in paragraphs:
        is_between = not _is_said(paragraph) and _is_between(paragraph, code)
        if is_between or (paragraph in code and not _is_item(paragraph)):
            _mark(paragraph)


def _mark(paragraph: etree._Element) -> None:
    properties = paragraph.find(qn("w:pPr"))
    paragraph.insert(0 if properties is None else 1, run_of(CODE))


def _is_said(paragraph: etree._Element) -> bool:
    return any((text.text or "").strip() for text in paragraph.iter(qn("w:t")))


def _is_item(paragraph: etree._Element) -> bool:
    return paragraph.find(f"{qn('w:pPr')}/{qn('w:numPr')}") is not None


def _is_between(paragraph: etree._Element, code: set[etree._Element]) -> bool:
    return paragraph.getprevious() in code and paragraph.getnext() in code


class _Fonts:
    """Whether the fonts of runs and styles have one width; a style may be made from another one."""

    def __init__(self, styles: etree._Element) -> None:
        self._fixed: dict[str, bool] = {}
        self._parents: dict[str, str] = {}
        self._names: dict[str, str] = {}
        for style in styles.iter(qn("w:style")):
            key = style.get(qn("w:styleId"), "")
            name, based = style.find(qn("w:name")), style.find(qn("w:basedOn"))
            self._names[key] = name.get(qn("w:val"), "") if name is not None else ""
            self._parents[key] = based.get(qn("w:val"), "") if based is not None else ""
            told = _is_fixed(style.find(qn("w:rPr")))
            if told is not None:
                self._fixed[key] = told

    def has_part(self, paragraph: etree._Element) -> bool:
        """Whether the style of a paragraph gives it another part: that of a heading, a caption or an item."""
        return _NO_CODE.match(self._names.get(_style_of(paragraph, "w:pPr", "w:pStyle"), "")) is not None

    def names_code(self, paragraph: etree._Element) -> bool:
        """Whether the style of a paragraph is called as one for code."""
        return _STYLE.fullmatch(self._names.get(_style_of(paragraph, "w:pPr", "w:pStyle"), "")) is not None

    def is_as_typed(self, paragraph: etree._Element) -> bool:
        """Whether the style of a paragraph says that its lines are as they were typed."""
        return _AS_TYPED.fullmatch(self._names.get(_style_of(paragraph, "w:pPr", "w:pStyle"), "")) is not None

    def are_fixed(self, paragraph: etree._Element) -> bool:
        """Whether all words of a paragraph are in a font of one width."""
        around = _inherited(_style_of(paragraph, "w:pPr", "w:pStyle"), self._fixed, self._parents)
        for run in paragraph.iter(qn("w:r")):
            if not any((text.text or "").strip() for text in run.iterchildren(qn("w:t"))):
                continue
            own = _is_fixed(run.find(qn("w:rPr")))
            if own is None:
                own = _inherited(_style_of(run, "w:rPr", "w:rStyle"), self._fixed, self._parents)
            if not (around if own is None else own):
                return False
        return True


def _style_of(node: etree._Element, properties: str, style: str) -> str:
    named = node.find(f"{qn(properties)}/{qn(style)}")
    return str(named.get(qn("w:val"), "")) if named is not None else ""


def _is_fixed(about: etree._Element | None) -> bool | None:
    """Whether a font has one width; None where none is named."""
    fonts = about.find(qn("w:rFonts")) if about is not None else None
    name = fonts.get(qn("w:ascii")) if fonts is not None else None
    return _FIXED.search(name) is not None if name else None


def _inherited(name: str, told: Mapping[str, bool], parents: Mapping[str, str]) -> bool | None:
    for _ in range(_DEEPEST):
        if not name or name in told:
            break
        name = parents.get(name, "")
    return told.get(name)
