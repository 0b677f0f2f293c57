"""What generators of pages write beside names and code, and bars of letters above an index.

Sphinx links each part of a source to its description ("[docs]") and puts boxes into the code, Haddock and
RDoc lead to the source of a function, and Texinfo draws a bar of letters around an index. What docutils calls
a sidebar is a text of its author's, and no menu.
"""

from lxml import etree

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.page_furniture import remove_node

_BACK, _ADVICE = "viewcode-back", "method-click-advice"
_SIGNATURE, _TO_SOURCE = "src", frozenset({"link", "selflink"})
"""How Haddock marks the line that names a function and its type, and the links in it."""

_LETTERS = "summary-letter"
_JUMP = "jump to"
_CODE_BOXES = ("div", "p")
_RIBBON = "fork me on github"
_SIDEBAR, _SIDEBAR_TITLE = "sidebar", "sidebar-title"


def remove_asides(root: etree._Element) -> None:
    """Take such links and bars out, and have code stand in one piece."""
    for node in list(root.iter("a", "span")):
        classes = node.get("class", "").split()
        is_ribbon = node.tag == "a" and (node.text or "").strip().lower() == _RIBBON
        if _BACK in classes or _ADVICE in classes or is_ribbon:
            remove_node(node)
    for code in root.iter("pre"):
        for box in code.iter(*_CODE_BOXES):
            if not _ends_line(box):
                box.tail = f"\n{box.tail or ''}"
        etree.strip_tags(code, *_CODE_BOXES)
    for paragraph in list(root.iter("p")):
        if _SIGNATURE in paragraph.get("class", "").split():
            _write_signature(paragraph)
    for table in list(root.iter("table")):
        if _is_letter_bar(table):
            remove_node(table)
    for box in root.iter("aside", "div"):
        if _SIDEBAR in box.get("class", "").split() and _is_titled(box):
            box.tag = "div"
            del box.attrib["class"]


def _is_titled(box: etree._Element) -> bool:
    """Whether a sidebar has the title that docutils gives to those of a text."""
    return any(_SIDEBAR_TITLE in child.get("class", "").split() for child in box.iterchildren("p"))


def _ends_line(box: etree._Element) -> bool:
    """Whether the words of a box in code end with a line break, or one follows it."""
    if (box.tail or "").startswith("\n"):
        return True
    last = box
    while len(last) and not last[-1].tail:
        last = last[-1]
    said = (last[-1].tail if len(last) else last.text) or ""
    return said.endswith("\n")


def _write_signature(paragraph: etree._Element) -> None:
    """Make code of a line of Haddock's, without the links behind it."""
    for link in list(paragraph.iter("a")):
        if not _TO_SOURCE.isdisjoint(link.get("class", "").split()):
            remove_node(link)
    text, tail = one_line("".join(paragraph.itertext())), paragraph.tail
    paragraph.clear()
    paragraph.tag, paragraph.text, paragraph.tail = "pre", text, tail


def _is_letter_bar(table: etree._Element) -> bool:
    """Whether a table holds nothing but links to the letters of an index, perhaps behind "Jump to"."""
    first = next(table.iter("th", "td"), None)
    if first is None or not one_line("".join(first.itertext())).lower().startswith(_JUMP):
        return False
    return any(_LETTERS in link.get("class", "").split() for link in table.iter("a"))
