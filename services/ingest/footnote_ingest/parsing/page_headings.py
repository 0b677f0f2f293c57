"""Headings of old web pages, which mark them by their looks: a short bold line alone in its box, or in a bar.

They count only where a page has no headings of its own and several lines look alike.
"""

from lxml import etree

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.office.bold_headings import reads_as_heading
from footnote_ingest.parsing.page_elements import HEADINGS
from footnote_ingest.parsing.page_furniture import remove_node

_BOXES = frozenset({"p", "div", "center"})
_BOLD = frozenset({"b", "strong"})
_DRAWN = frozenset({*_BOLD, "u", "i", "em", "font", "big", "span", "a", "br"})
_BAR = frozenset({"table", "tbody", "tr", "td", "th"})
_RANK = "h3"
"""Headings that are found have a lower rank than the one that the page may have."""

_EXAMPLES = frozenset({"Example", "Examples"})
"""Among the headings of a manual's page these are some; elsewhere they are labels."""

_LEAST_TEXT = 60
"""At least this much text stands below a heading in its own box."""

_LEAST = 3
"""This many lines of a page that look like headings are headings; fewer may be emphasis."""

_MOST_OWN = 1
"""A page with more headings of HTML than this, the name of the whole, has headings of its own."""


def clear_headings(root: etree._Element) -> None:
    """Take pictures and fields out of headings that have words: the partitioner would take these for text.

    A picture with a description is put behind the heading.
    """
    for heading in root.iter(*HEADINGS):
        if not "".join(heading.itertext()).strip():
            continue
        for mark in list(heading.iter("img", "input")):
            remove_node(mark)
            if mark.tag == "img" and mark.get("alt", "").strip():
                mark.tail, heading.tail = heading.tail, None
                heading.addnext(mark)


def name_headings(root: etree._Element) -> None:
    """Make headings of the bold lines that stand alone, if the page has none."""
    if sum(1 for _ in root.iter(*HEADINGS)) > _MOST_OWN:
        return
    begun = [node for node in root.iter("p", "div") if _begins_with_heading(node)]
    if len(begun) >= _LEAST:
        for node in begun:
            _part_from_heading(node)
    found = [node for node in root.iter(*_BOXES, "table") if _stands_as_heading(node)]
    if len(found) < _LEAST:
        return
    for node in found:
        tail, text = node.tail, one_line("".join(node.itertext()))
        node.clear()
        node.tag, node.text, node.tail = _RANK, text, tail


def _begins_with_heading(node: etree._Element) -> bool:
    """Whether a box begins with a bold line, and a break and text follow."""
    first = next(node.iterchildren(), None)
    if first is None or (node.text or "").strip() or first.tag not in _DRAWN - {"a", "br", "span"}:
        return False
    following = first.getnext()
    if following is None or following.tag != "br" or (first.tail or "").strip():
        return False
    behind = len("".join(node.itertext()).strip()) - len("".join(first.itertext()).strip())
    inside = [child for child in first.iter() if isinstance(child.tag, str)]
    return (
        behind >= _LEAST_TEXT
        and all(
            child.tag in _DRAWN and not (child.tag == "a" and child.get("href")) and child.tag != "br"
            for child in inside
        )
        and all(_is_bold(child, node) for child in inside if (child.text or "").strip())
        and not any(
            (child.tail or "").strip() and not _is_bold(child.getparent(), node) for child in inside[1:]
        )
        and reads_as_heading(one_line("".join(first.itertext())))
    )


def _part_from_heading(node: etree._Element) -> None:
    """Put the bold line that a box begins with before the box, as a heading."""
    first = node[0]
    heading = etree.Element(_RANK)
    heading.text = one_line("".join(first.itertext()))
    node.remove(first)
    node.addprevious(heading)


def _stands_as_heading(node: etree._Element) -> bool:
    """Whether all words of a box, or of the one cell of a coloured bar, are bold, and text follows."""
    bar = node.tag == "table"
    if bar and (sum(1 for _ in node.iter("td", "th")) != 1 or not _is_coloured(node)):
        return False
    allowed = _DRAWN | _BAR if bar else _DRAWN
    inside = [child for child in node.iterdescendants() if isinstance(child.tag, str)]
    if any(child.tag not in allowed or (child.tag == "a" and child.get("href")) for child in inside):
        return False
    said = one_line("".join(node.itertext()))
    if not (reads_as_heading(said) or said in _EXAMPLES):
        return False
    return all(_is_bold(child, node) for child in node.iter() if (child.text or "").strip()) and not any(
        (child.tail or "").strip() and not _is_bold(child.getparent(), node) for child in inside
    )


def _is_bold(node: etree._Element | None, box: etree._Element) -> bool:
    while node is not None and node is not box:
        if node.tag in _BOLD:
            return True
        node = node.getparent()
    return False


def _is_coloured(table: etree._Element) -> bool:
    return any(
        node.get("bgcolor") or "background" in node.get("style", "").lower()
        for node in table.iter("table", "tr", "td", "th")
    )
