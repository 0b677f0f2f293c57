"""Paragraphs that show a command and nothing else: a page sets their words as code, though not as a block."""

import re

from lxml import etree

from footnote_ingest.parsing.elements import one_line

_MARKED = frozenset({"code", "tt", "kbd", "samp"})
_CLASSES = frozenset({"command", "userinput", "computeroutput", "commandline"})
"""What DocBook's style sheets call the boxes that they draw as code."""

_AROUND = frozenset({"span", "b", "strong", "i", "em", "font", "big", "small"})
_HELD = frozenset({"td", "th", "dt", "a"})
"""A cell, a term and a link stay what they are, whatever stands in them."""

_NO_CODE = ("a", "img", "p", "div")
_BREAK = "\ue000"

_LONGEST = 400
_PROSE = re.compile(r"(?<!\w)(?:[a-z]{1,20},?[ ]){5}[a-z]")
_SENTENCE_END = re.compile(r"[a-z]{2}[.!?:]$", re.M)


def reads_as_command(text: str) -> bool:
    """Whether words that a document sets as code are a command: at least two of them, and no sentence."""
    said = text.strip()
    return (
        len(said) <= _LONGEST
        and len(said.split(maxsplit=1)) > 1
        and _PROSE.search(said) is None
        and _SENTENCE_END.search(said) is None
    )


def show_commands(root: etree._Element) -> None:
    """Make blocks of code of the paragraphs of a page whose words are all set as code."""
    for paragraph in list(root.iter("p")):
        first = next(paragraph.iterchildren(), None)
        if first is None or (paragraph.text or "").strip() or first.tag not in _MARKED | _AROUND | {"br"}:
            continue
        around = paragraph.getparent()
        if around is None or around.tag in _HELD or not _is_all_code(paragraph):
            continue
        text = _said(paragraph)
        if reads_as_command(text):
            tail = paragraph.tail
            paragraph.clear()
            paragraph.tag, paragraph.text, paragraph.tail = "pre", text, tail


def _is_all_code(box: etree._Element) -> bool:
    """Whether all words of a box stand in elements that are set as code, without links and pictures."""
    walk = etree.iterwalk(box, events=("start", "end"))
    for event, node in walk:
        if node is box:
            continue
        if event == "end":
            if (node.tail or "").strip():
                return False
        elif node.tag in _MARKED or not _CLASSES.isdisjoint(node.get("class", "").split()):
            if next(node.iterdescendants(*_NO_CODE), None) is not None:
                return False
            walk.skip_subtree()
        elif node.tag != "br" and (node.tag not in _AROUND or (node.text or "").strip()):
            return False
    return True


def _said(paragraph: etree._Element) -> str:
    """The words of a paragraph with single blanks between them, and its breaks of lines."""
    breaks = list(paragraph.iter("br"))
    for end in breaks:
        end.text = _BREAK
    lines = "".join(paragraph.itertext()).split(_BREAK)
    for end in breaks:
        end.text = None
    return "\n".join(map(one_line, lines)).strip()
