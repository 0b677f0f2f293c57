"""Headings that are no headings to the office program: a short paragraph in bold with text below it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lxml import etree

_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_SPAN = f"{_TEXT}span"
_WEIGHT = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}font-weight"
_BOLD = frozenset({"bold", "600", "700", "800", "900"})
_DEEPEST = 10
"""A style may be based on another one, and so on, up to this depth."""

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


@dataclass(frozen=True, slots=True)
class OdtStyles:
    """Which styles of an OpenDocument text are bold (ODF 1.3 part 3, 20.193), and what each is based on."""

    weights: Mapping[str, bool]
    parents: Mapping[str, str]

    @classmethod
    def of(cls, parts: Iterable[etree._Element]) -> "OdtStyles":
        """The styles of these parts. Where two have a style of one name, the later one counts."""
        weights: dict[str, bool] = {}
        parents: dict[str, str] = {}
        for part in parts:
            for style in part.iter(f"{_STYLE}style"):
                name = style.get(f"{_STYLE}name", "")
                about = style.find(f"{_STYLE}text-properties")
                weight = about.get(_WEIGHT) if about is not None else None
                if weight is not None:
                    weights[name] = weight in _BOLD
                parents[name] = style.get(f"{_STYLE}parent-style-name", "")
        return cls(weights, parents)

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
        for _ in range(_DEEPEST):
            if not name or name in self.weights:
                break
            name = self.parents.get(name, "")
        return self.weights.get(name)
