"""Headings of e-books whose style makes them bold, in a file beside the chapter: a line alone in its box."""

import re
from collections.abc import Callable
from itertools import pairwise

from lxml import etree

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.office.bold_headings import reads_as_heading
from footnote_ingest.parsing.page_elements import HEADINGS

_COMMENT = re.compile(r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)")
"""One that nobody closes goes on to the end, as CSS says, and so none is looked for behind it."""

_CLASS = re.compile(r"(?:p|div)?\.([\w-]{1,100})")
_WEIGHT = re.compile(r"font-weight\s{0,9}:\s{0,9}(bold|bolder|[6-9]00)\b", re.I)
_AS_IT_IS = re.compile(r"white-space\s{0,9}:\s{0,9}pre\b(?!-)", re.I)
_ONE_WIDTH = re.compile(r"font(?:-family)?\s{0,9}:[^;]{0,100}\b(?:monospace|courier)\b", re.I)
_NUMBER = re.compile(r"\d{1,3}((?:\.\d{1,3}){0,4})\.?\s")
_BOXES = ("p", "li", "pre", "table", *HEADINGS)
_PLAIN_RANK = 2
_LOWEST_RANK = 6
_DRAWN = frozenset({"a", "b", "big", "br", "em", "font", "i", "small", "span", "strong", "tt", "u"})


def bold_classes(css: str) -> frozenset[str]:
    """The classes of paragraphs that a style sheet makes bold."""
    return _classes(css, lambda said: _WEIGHT.search(said) is not None)


def code_classes(css: str) -> frozenset[str]:
    """The classes of boxes whose lines a style sheet leaves as they are, in a font of one width."""
    return _classes(
        css, lambda said: _AS_IT_IS.search(said) is not None and _ONE_WIDTH.search(said) is not None
    )


def _classes(css: str, wanted: Callable[[str], bool]) -> frozenset[str]:
    found: set[str] = set()
    for rule in _COMMENT.sub(" ", css).split("}"):
        names, opened, said = rule.rpartition("{")
        if opened and wanted(said):
            found |= {
                name[1]
                for part in names.rpartition("{")[2].split(",")
                if (name := _CLASS.fullmatch(part.strip()))
            }
    return frozenset(found)


def name_bold_boxes(root: etree._Element, bold: frozenset[str]) -> None:
    """Make headings of the paragraphs of these classes that text follows.

    The rank of a heading is told by the parts of its number; one without a number stands below the name of
    the chapter. Two bold lines that follow each other are headings only where the first has a number.
    """
    if not bold:
        return
    boxes = [node for node in root.iter(*_BOXES) if "".join(node.itertext()).strip()]
    for node, below in pairwise(boxes):
        name = one_line("".join(node.itertext()))
        number = _NUMBER.match(name)
        if not _is_bold(node, bold) or not _is_line(node) or not reads_as_heading(name):
            continue
        if _is_bold(below, bold) and number is None:
            continue
        rank = min(_LOWEST_RANK, number[1].count(".") + 1) if number is not None else _PLAIN_RANK
        tail = node.tail
        node.clear()
        node.tag, node.text, node.tail = f"h{rank}", name, tail


def _is_bold(node: etree._Element, bold: frozenset[str]) -> bool:
    return not bold.isdisjoint(node.get("class", "").split())


def _is_line(node: etree._Element) -> bool:
    """Whether a paragraph holds nothing but words, and is no link to another place."""
    if node.tag != "p":
        return False
    inside = [child for child in node.iterdescendants() if isinstance(child.tag, str)]
    return all(child.tag in _DRAWN and not child.get("href") for child in inside)
