"""Lines of a web page that only lead elsewhere and that nothing in the page marks: "Next: Signals, Up: Top".

Tools that write manuals put them around each page, and hand-made pages have a list of their own headings.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lxml import etree

from footnote_ingest.parsing.page_bounds import said_up_to
from footnote_ingest.parsing.page_elements import HEADINGS
from footnote_ingest.parsing.page_furniture import TOC_LINKS, is_toc_name, remove_node

_BOXES = ("p", "div", "td", "li", "center", "address", "span")
_INLINE = frozenset(("a", "b", "code", "em", "font", "i", "img", "small", "span", "strong", "tt", "u"))
_WAY = re.compile(
    r"(?:next|previous|prev|up|top|contents|table of contents|index|home|forward|back|back to|first|last)",
    re.I,
)
_WAY_WORDS, _LONGEST_LEAD = frozenset({"go", "to", "the", "section"}), 40
"""Words around ways, as in "Go to the first, previous, next section" of old manuals in Texinfo."""

_NEIGHBOUR = re.compile(r"\b(?:next|previous|prev|up)\b", re.I)
_BETWEEN = re.compile(r"[\s\xa0:,;.|/\[\]()<>«»←→↑-]+")
_NAMED_WAY = re.compile(
    r"(?:next|previous|prev|up)\s{0,3}:\s{0,3}\S.{0,100}|(?:back|return) to\b.{0,100}", re.I
)
"""What a link to a page beside this one says: its place and its name."""

_BACK = re.compile(r"(?:back|return|up) to\b", re.I)
_ALONE = re.compile(r"[\[(<]\s?(?:next|previous|prev|up|top|contents|index|home)\s?[\])>]", re.I)
"""A line of one way alone, in brackets."""

_STAMP = re.compile(r"\$?(?:Date|Id|Revision|Author)\b[^$]{0,80}\$?", re.I)
_DATED = re.compile(
    r"(?:last (?:modified|updated|changed)\b.{0,60}|[\d\s./:-]{6,30}|\d{1,2} [a-z]{3,9} \d{4})", re.I
)
_LONGEST_LINE = 300
_LONGEST_BACK = 120
"""A line of ways is no longer than this, with the names of the pages."""

_LEAST_LINKS = 2
_TRAIL = re.compile(r"[»›→❯]|(?<=\s)[>/](?=\s)")
_LEAST_BARS = 2
_LINKED_SHARE = 0.9
"""What stands below the name of a table of contents belongs to it while so much of its text is links."""


class _Line(NamedTuple):
    """What a line says: all of it, its links, and what stands outside them."""

    text: str
    links: Sequence[str]
    outside: str


def remove_ways(root: etree._Element) -> None:
    """Take out lines and tables that only name other pages, and unmarked tables of contents."""
    for box in [box for box in root.iter(*_BOXES) if _names_neighbours(_line_of(box))]:
        if box.getparent() is not None:
            _drop(box)
    for box in list(root.iter("body", "div", "td", "center")):
        for before, line in list(_loose_lines(box)):
            ahead = (box.text if before is None else before.tail) or ""
            if _names_neighbours(_joined(line, ahead)):
                if before is None:
                    box.text = None
                else:
                    before.tail = None
                for node in line:
                    node.tail = None
                    remove_node(node)
    for path in list(_site_paths(root)):
        remove_node(path)
    for table in list(root.iter("table")):
        if table.getparent() is not None and _leads_back(table):
            remove_node(table)
    for name in list(root.iter(*HEADINGS, "p")):
        if name.getparent() is not None and is_toc_name(name):
            _drop_list_below(name)


def _site_paths(root: etree._Element) -> Iterator[etree._Element]:
    """The paragraphs above the first heading that are a link on each line: the places above the page."""
    for node in root.iter("p", *HEADINGS):
        if node.tag in HEADINGS:
            return
        if _is_trail(node):
            yield node
            continue
        lines = [child.tag for child in node]
        if lines.count("br") < _LEAST_LINKS - 1 or set(lines) != {"a", "br"}:
            continue
        line = _line_of(node)
        if line is not None and len(line.links) >= _LEAST_LINKS and not line.outside.strip():
            yield node


def _is_trail(node: etree._Element) -> bool:
    """Whether a line says nothing but the places above the page, with marks such as `»` between them."""
    line = _line_of(node)
    if line is None or len(line.links) < _LEAST_LINKS:
        return False
    marks = len(_TRAIL.findall(line.outside))
    return marks >= len(line.links) - 1 and marks >= _LEAST_LINKS and len(line.text) <= _LONGEST_BACK


def _drop(box: etree._Element) -> None:
    """Take out a box. A cell stays, so that the others of its row keep their places."""
    if box.tag == "td":
        tail = box.tail
        box.clear()
        box.tail = tail
    else:
        remove_node(box)


def _line_of(box: etree._Element) -> _Line | None:
    if not any(link.get("href") for link in box.iter("a")):
        return None
    text = said_up_to(box, _LONGEST_LINE)
    if len(text) > _LONGEST_LINE:
        return None
    return _Line(text, [_words(link) for link in box.iter("a") if link.get("href")], _outside_links(box))


def _joined(nodes: Sequence[etree._Element], ahead: str) -> _Line | None:
    """A line of nodes beside each other, with what stands before them and behind each of them."""
    links = [_words(link) for node in nodes for link in node.iter("a") if link.get("href")]
    text = " ".join((ahead, *(f"{_words(node)} {node.tail or ''}" for node in nodes))) if links else ""
    if not links or len(text) > _LONGEST_LINE:
        return None
    told = (("" if node.tag == "a" else _outside_links(node)) + (node.tail or "") for node in nodes)
    outside = f"{ahead} {''.join(told)}"
    return _Line(" ".join(text.split()), links, outside)


def _loose_lines(box: etree._Element) -> Iterator[tuple[etree._Element | None, list[etree._Element]]]:
    """The lines of links that stand in a box without a paragraph of their own, and the node before each.

    Line breaks and boxes part them. What begins with other words than those of ways is none.
    """
    line: list[etree._Element] = []
    before: etree._Element | None = None
    open_line = _may_lead(box.text)
    for node in box:
        if node.tag in _INLINE:
            line.append(node)
            continue
        if line and open_line:
            yield before, line
        line, before = [], node
        open_line = _may_lead(node.tail)
    if line and open_line:
        yield before, line


def _may_lead(text: str | None) -> bool:
    """Whether words may begin a line of ways: there are none, or they are ways that lead nowhere here."""
    said = (text or "").strip()
    return len(said) <= _LONGEST_LEAD and all(_is_way_word(word) for word in _BETWEEN.split(said) if word)


def _is_way_word(word: str) -> bool:
    return _WAY.fullmatch(word) is not None or word.lower() in _WAY_WORDS


def _words(node: etree._Element) -> str:
    return " ".join("".join(node.itertext()).split())


def _names_neighbours(line: _Line | None) -> bool:
    """Whether a line names the pages beside this one: links, and before or in each the word for its place.

    A line of three links and more in brackets, with bars between them, is the menu of a site.
    """
    if line is None:
        return False
    text, links, between = line
    if text[:1] == "[" and text[-1:] == "]" and between.count("|") >= _LEAST_BARS:
        return not between.strip("[]| \t\r\n\xa0")
    if len(links) == 1 and _ALONE.fullmatch(text) and not between.strip("[]()<> \t\r\n\xa0"):
        return True
    words = [word for word in _BETWEEN.split(between) if word]
    named = [link for link in links if _WAY.fullmatch(link.strip("<>«»., "))]
    told_ways = [link for link in links if _NAMED_WAY.fullmatch(link)]
    if told_ways and not words and len(named) + len(told_ways) == len(links):
        return True
    if not _NEIGHBOUR.search(text) or not all(map(_is_way_word, words)):
        return False
    # Of a sentence such as "Next stop", no word is a place that a colon follows.
    told = bool(re.search(r"\b(?:next|previous|prev|up)\s*:", between, re.I))
    return told or (len(named) == len(links) and len(links) >= _LEAST_LINKS)


def _outside_links(box: etree._Element) -> str:
    said = [box.text or ""]
    walk = etree.iterwalk(box, events=("start", "end"))
    for event, node in walk:
        if node is box:
            continue
        if event == "end":
            said.append(node.tail or "")
        elif node.tag == "a":
            walk.skip_subtree()
        else:
            said.append(node.text or "")
    return "".join(said)


def _leads_back(table: etree._Element) -> bool:
    """Whether a table of one row only says "Back to the home page", perhaps with the date of the page."""
    text = " ".join("".join(table.itertext()).split())
    if len(text) > _LONGEST_BACK or sum(1 for _ in table.iter("tr")) > 1:
        return False
    cells = [" ".join("".join(cell.itertext()).split()) for cell in table.iter("td", "th")]
    said = [cell for cell in cells if cell]
    back = [cell for cell in said if _BACK.match(cell)]
    links = [link for link in table.iter("a") if link.get("href")]
    others = [cell for cell in said if not _BACK.match(cell)]
    return bool(back and links) and all(_STAMP.fullmatch(cell) or _DATED.fullmatch(cell) for cell in others)


def _drop_list_below(name: etree._Element) -> None:
    """Take out a table of contents without marks: its name, and what holds only links into the page."""
    below: list[etree._Element] = []
    inward = 0
    for node in name.itersiblings():
        if not isinstance(node.tag, str):
            continue
        links = list(node.iter("a")) if node.tag != "a" else [node]
        if any(not link.get("href", "#").startswith("#") for link in links):
            break
        chars = len("".join(node.itertext()).strip())
        linked = sum(len("".join(link.itertext()).strip()) for link in links if link.get("href"))
        if (chars and linked < _LINKED_SHARE * chars) or len((node.tail or "").strip()) > len("•|"):
            break
        below.append(node)
        inward += sum(1 for link in links if link.get("href"))
    if inward >= TOC_LINKS:
        for node in (*below, name):
            node.tail = None
            remove_node(node)
