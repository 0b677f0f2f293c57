"""Headings that are no headings to the office program: a short paragraph in bold with text below it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from docx.oxml.ns import qn
from lxml import etree

_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_SPAN = f"{_TEXT}span"
_WEIGHT = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}font-weight"
_ALIGN = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}text-align"
_BOLD = frozenset({"bold", "600", "700", "800", "900"})
_DEEPEST = 10
"""A style may be based on another one, and so on, up to this depth."""

_FONTS = (f"{_STYLE}font-name", "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}font-family")
_FIXED = re.compile(r"courier|consolas|mono\b|menlo|monaco|lucida console|typewriter|terminal", re.I)
"""Fonts of one width. What is bold in a style of such a font is a command or code."""

_OFF = frozenset({"0", "false", "off"})
_CHARS = range(3, 81)
_WORDS = 12
_LETTERS = 3
_ENDS = frozenset(".,;:!?…")
_LABEL = re.compile(
    r"(?:note|notes|hint|tip|warning|caution|important|attention|example|figure|table|fig\.|tab\.)\b", re.I
)
"""How a remark or a caption begins."""


def reads_as_heading(text: str) -> bool:
    """Whether a paragraph that is wholly bold can be a heading: one short line that is no sentence."""
    line = text.strip()
    return (
        len(line) in _CHARS
        and len(line.split()) <= _WORDS
        and "\n" not in line
        and "\t" not in line
        and line[-1] not in _ENDS
        and sum(char.isalpha() for char in line) >= _LETTERS
        and not _LABEL.match(line)
    )


def write_bold_styles(body: etree._Element, styles: etree._Element) -> None:
    """Write the weight that the styles of Word give to runs into the runs, where readers look for it.

    A run's own weight counts before that of its style, and that before the one of its paragraph (ECMA-376
    part 1, 17.7.2).
    """
    weights: dict[str, bool] = {}
    parents: dict[str, str] = {}
    value = qn("w:val")
    for style in styles.iter(qn("w:style")):
        name = style.get(qn("w:styleId"), "")
        about = style.find(qn("w:rPr"))
        if (weight := about.find(qn("w:b")) if about is not None else None) is not None:
            weights[name] = weight.get(value, "1") not in _OFF and not _is_fixed(about)
        based = style.find(qn("w:basedOn"))
        parents[name] = based.get(value, "") if based is not None else ""
    if not any(weights.values()):
        return
    for run in body.iter(qn("w:r")):
        paragraph, about = run.getparent(), run.find(qn("w:rPr"))
        if about is not None and about.find(qn("w:b")) is not None:
            continue
        own = about.find(qn("w:rStyle")) if about is not None else None
        around = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}") if paragraph is not None else None
        said = [
            _inherited(node.get(value, ""), weights, parents) for node in (own, around) if node is not None
        ]
        if next((weight for weight in said if weight is not None), False):
            about = run.makeelement(qn("w:rPr")) if about is None else about
            run.insert(0, about)
            etree.SubElement(about, qn("w:b"))


def _is_fixed(about: etree._Element | None) -> bool:
    fonts = about.find(qn("w:rFonts")) if about is not None else None
    return fonts is not None and _FIXED.search(fonts.get(qn("w:ascii"), "")) is not None


def _inherited(name: str, weights: Mapping[str, bool], parents: Mapping[str, str]) -> bool | None:
    """The weight of a style, or else of the one that it is made from; None if no style says it."""
    for _ in range(_DEEPEST):
        if not name or name in weights:
            break
        name = parents.get(name, "")
    return weights.get(name)


@dataclass(frozen=True, slots=True)
class OdtStyles:
    """Which styles of an OpenDocument text are bold (ODF 1.3 part 3, 20.193), and what each is based on.

    `fixed` says of those that name their font whether it is one of one width, and `centred` of those that say
    where their lines stand whether it is in the middle.
    """

    weights: Mapping[str, bool]
    parents: Mapping[str, str]
    fixed: Mapping[str, bool]
    centred: Mapping[str, bool]

    @classmethod
    def of(cls, parts: Iterable[etree._Element]) -> "OdtStyles":
        """The styles of these parts. Where two have a style of one name, the later one counts."""
        weights: dict[str, bool] = {}
        parents: dict[str, str] = {}
        fixed: dict[str, bool] = {}
        centred: dict[str, bool] = {}
        for part in parts:
            for style in part.iter(f"{_STYLE}style"):
                name = style.get(f"{_STYLE}name", "")
                about = style.find(f"{_STYLE}text-properties")
                weight = about.get(_WEIGHT) if about is not None else None
                if weight is not None:
                    weights[name] = weight in _BOLD
                fonts = [about.get(key) for key in _FONTS] if about is not None else []
                if any(fonts):
                    fixed[name] = any(font and _FIXED.search(font) for font in fonts)
                lines = style.find(f"{_STYLE}paragraph-properties")
                if (stand := lines.get(_ALIGN) if lines is not None else None) is not None:
                    centred[name] = stand == "center"
                parents[name] = style.get(f"{_STYLE}parent-style-name", "")
        return cls(weights, parents, fixed, centred)

    def is_centred(self, paragraph: etree._Element) -> bool:
        """Whether a paragraph's own style puts its lines in the middle."""
        return _inherited(paragraph.get(f"{_TEXT}style-name", ""), self.centred, self.parents) is True

    def is_fixed(self, paragraph: etree._Element) -> bool:
        """Whether a paragraph's own style sets it in a font of one width, as code is set."""
        return _inherited(paragraph.get(f"{_TEXT}style-name", ""), self.fixed, self.parents) is True

    def is_bold(self, paragraph: etree._Element) -> bool:
        """Whether each word of a paragraph is bold."""
        own = self._weight(paragraph.get(f"{_TEXT}style-name", "")) is True
        said = False
        bolds = [own]
        for event, node in etree.iterwalk(paragraph, events=("start", "end")):
            if event == "start":
                if node is not paragraph:
                    weight = self._weight(node.get(f"{_TEXT}style-name", "")) if node.tag == _SPAN else None
                    bolds.append(bolds[-1] if weight is None else weight)
                text = node.text
            else:
                bolds.pop()
                text = node.tail if node is not paragraph else None
            if text and text.strip():
                if not bolds[-1]:
                    return False
                said = True
        return said

    def is_based_on(self, paragraph: etree._Element, style: str) -> bool:
        """Whether a paragraph has this style, or one that is made from it."""
        name: str = paragraph.get(f"{_TEXT}style-name", "")
        for _ in range(_DEEPEST):
            if not name or name == style:
                break
            name = self.parents.get(name, "")
        return name == style

    def _weight(self, name: str) -> bool | None:
        return _inherited(name, self.weights, self.parents)
