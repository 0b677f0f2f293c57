"""What surrounds the content of a web page: menus, tables of contents, cookie notes, footers.

Two judges look at a page. Marks in the page itself (elements, roles, classes) name most of its furniture, and
`trafilatura` tells where the content begins and ends.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import trafilatura
from lxml import etree

from footnote_ingest.parsing.furniture_names import MARKS
from footnote_ingest.parsing.page_imprints import NEVER_FURNITURE, is_colophon, is_imprint, tells_its_maker
from footnote_ingest.parsing.partitioners import Element

_ROLES = frozenset({"navigation", "search", "menu", "menubar", "contentinfo", "alertdialog", "dialog"})
_ON_THE_LINE = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "0123456789" * 2)
"""Raised digits are ours: `trafilatura` tells them as they stand in the file."""

_ITEM_NUMBER = re.compile(r"^[\dA-Za-z]{1,4}\. ")
"""So are the numbers before items of lists."""

_WORD_BREAKS = re.compile(r"[^\w]+|_+")
_MOST_OF_PAGE = 0.5
"""An element with more than this share of the words of a page is its content, whatever it is called."""

TOC_LINKS = 3
"""A list of at least this many links into the page itself, and of nothing else, is a table of contents."""

_TOC_NAMES = frozenset(
    {"contents", "table of contents", "toc", "on this page", "in this article", "subsections"}
)
_LINKED_SHARE = 0.9
_JUDGED_CHARS = 200_000
"""A longer page is not given to `trafilatura`, which would take seconds for it."""

_KEPT_SHARE = 0.5
"""`trafilatura` is believed where it keeps more of the words of a page than it loses."""

_LINKS_OF_MENU = 0.6
"""At the ends of a page, a part of whose text at least this share is links can be a menu."""

_LINKS_OF_ITEM = 0.95
"""An item of a list that can be one of a menu is a link and nothing else: one that says more has its say."""

_HEADS_OF_MANUALS, _MANUAL = frozenset({"head", "foot"}), re.compile(r"\w\(\d\w{0,4}\)|\d{4}")
_BAR = "navbarcell"
_LONGEST_SIGNATURE = 200
_EDGE = 60
"""The most parts that are left out at either end of a page."""

_TRIMMED_SHARE = 0.3
"""The largest share of the words of a page that is left out at its ends."""

_BOXES = frozenset({"div", "section", "aside", "header", "footer", "ul", "ol", "p", "table", "dl", "a"})
_NEIGHBOURS = frozenset({"prev", "previous", "next", "up"})
_TITLED = frozenset({"body", "main", "article", "h1"})
_LOGOS = frozenset({"logo", "brand", "site-title"})
"""Classes of headings in a menu that name the site, not the page."""

_ARTICLES = frozenset({"article", "main", "section", "blockquote"})

_SPANS = re.compile(r"\s(?:row|col)span\s{0,3}=\s{0,3}[\"']?[^\"'\s<>]{1,20}[\"']?", re.I)
"""Over how many rows or columns a cell goes. `trafilatura` writes each: up to a gigabyte for a small page."""

# It reports on each page that it finds odd, and its log is nobody's to read.
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)


@dataclass(slots=True)
class _Held:
    """What an element holds: characters, those of links, links by where they lead, and the page's title."""

    chars: int = 0
    linked: int = 0
    inward: int = 0
    outward: int = 0
    titled: bool = False

    def add(self, inner: "_Held") -> None:
        self.chars += inner.chars
        self.linked += inner.linked
        self.inward += inner.inward
        self.outward += inner.outward
        self.titled = self.titled or inner.titled


def remove_furniture(root: etree._Element) -> None:
    """Take out what the page marks as menu, table of contents, note about cookies or footer."""
    held = _weigh(root)
    most = _MOST_OF_PAGE * held[root].chars
    waiting = [(root, False)]
    while waiting:
        node, inside = waiting.pop()
        inside = inside or node.tag in _ARTICLES
        if node is not root and _is_furniture(node, held[node], inside, most):
            _drop_toc_name(node)
            remove_node(node)
        else:
            waiting.extend((child, inside) for child in node if child in held)
    _remove_signature(root)


def _remove_signature(root: etree._Element) -> None:
    """Take out the short `address` that a page ends with, which says who wrote it and when."""
    last = next(iter(list(root.iter("address"))[-1:]), None)
    if last is None or len("".join(last.itertext()).strip()) > _LONGEST_SIGNATURE:
        return
    text = "".join(root.itertext()).rstrip()
    if text.endswith("".join(last.itertext()).rstrip()) and not (last.tail or "").strip():
        remove_node(last)


def _weigh(root: etree._Element) -> dict[etree._Element, _Held]:
    """What each element holds, in one walk from the leaves up."""
    held: dict[etree._Element, _Held] = {}
    here = {node.get("id") or node.get("name") for node in root.iter() if node.get("id") or node.get("name")}
    for _, node in etree.iterwalk(root, events=("end",)):
        if not isinstance(node.tag, str):
            continue
        titled = node.tag in _TITLED and node.get("class", "") not in _LOGOS
        own = held[node] = _Held(len((node.text or "").strip()), titled=titled)
        for child in node:
            if child in held:
                own.add(held[child])
                if not len(child) and child.tag not in _BOXES:
                    # Nothing asks for the cells of a large table again, and they are most of a page.
                    del held[child]
            own.chars += len((child.tail or "").strip())
        if node.tag == "a" and node.get("href"):
            own.linked = own.chars
            page, mark, anchor = node.get("href", "").partition("#")
            # A page may name itself before the mark, and is known by its anchors then.
            inward = bool(mark) and (not page or ("/" not in page and anchor in here))
            own.inward, own.outward = int(inward), int(not inward)
    return held


def _is_furniture(node: etree._Element, held: _Held, inside: bool, most: float) -> bool:
    if node.tag in ("ul", "ol", "dl") and held.inward >= TOC_LINKS and not held.outward:
        return held.linked >= _LINKED_SHARE * held.chars
    if node.tag not in _BOXES or held.titled or held.chars > most:
        return False
    if node.tag == "table" and (
        (held.outward and (_is_bracketed(node) or _is_bar_of_javadoc(node))) or _heads_manual(node)
    ):
        return True
    if node.tag == "a":
        return node.get("rel", "").lower() in _NEIGHBOURS or _is_marked(node)
    if node.tag == "header" and not inside and next(node.iter("nav", "form"), None) is not None:
        # The head of a site holds its menu or its search, and the title of no page.
        return True
    return _is_marked(node) or (node.tag == "footer" and not inside)


def _is_bracketed(table: etree._Element) -> bool:
    """Whether each cell holds `[a link]` and nothing else, as texi2html puts around each page."""
    cells = ["".join(cell.itertext()).strip() for cell in table.iter("td")]
    said = [cell for cell in cells if cell]
    return bool(said) and all(cell[0] == "[" and cell[-1] == "]" for cell in said)


def _is_bar_of_javadoc(table: etree._Element) -> bool:
    """Whether a table is the bar of links that Javadoc before Java 7 drew around a page."""
    first = next(table.iter("td"), None)
    return first is not None and first.get("class", "").lower().startswith(_BAR)


def _heads_manual(table: etree._Element) -> bool:
    """Whether a table is the head or the foot of a manual page, as mandoc draws them."""
    return (
        _HEADS_OF_MANUALS.issuperset(table.get("class", "").split() or [""])
        and len(list(islice(table.iter("tr"), 2))) == 1
        and _MANUAL.search("".join(table.itertext())) is not None
    )


def remove_node(node: etree._Element) -> None:
    """Take a node out, and leave the text that follows it."""
    parent = node.getparent()
    if parent is None:
        return
    if node.tail:
        before = node.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + node.tail
        else:
            parent.text = (parent.text or "") + node.tail
    parent.remove(node)


def main_text(html: str) -> str:
    """The words of the content as `trafilatura` finds it; empty where it finds none, or was not asked."""
    if len(html) > _JUDGED_CHARS:
        return ""
    try:
        found = trafilatura.extract(
            _SPANS.sub("", html),
            favor_recall=True,
            include_tables=True,
            include_comments=False,
            deduplicate=False,
        )
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, etree.LxmlError):
        # It is a judge of the edges only; what it cannot read is read without it.
        return ""
    return squeezed(found or "")


def content(elements: Sequence[Element], main: str) -> Sequence[Element]:
    """The elements without those before the content's beginning and behind its end.

    `main` is what `main_text` found. The first heading of the first rank begins the content
    at the latest, and only links and colophons are left out.
    All elements but what the page was made with are returned where `trafilatura` loses more than it keeps, or
    where much would be left out.
    """
    while elements and tells_its_maker(elements[-1]):
        elements = elements[:-1]
    elements = _within(elements, main)
    while is_imprint(elements):
        elements = elements[:-1]
    return elements


def _within(elements: Sequence[Element], main: str) -> Sequence[Element]:
    if not main:
        return elements
    sizes = [len(squeezed(element.text)) for element in elements]
    whole = sum(sizes)
    if len(main) < _KEPT_SHARE * whole:
        return elements
    top = _name_of_page(elements)
    first = _run(elements, main, top)
    last = len(elements) - _run(elements[: first - 1 if first else None : -1], main, top)
    left = sum(sizes[:first]) + sum(sizes[last:])
    return elements if left > _TRIMMED_SHARE * whole else elements[first:last]


def squeezed(text: str) -> str:
    """The letters and digits of a text, in lower case: what two ways to read the same page agree on."""
    return _WORD_BREAKS.sub("", text.translate(_ON_THE_LINE)).lower()


def _name_of_page(elements: Sequence[Element]) -> Element | None:
    """The only heading of the highest rank; None if several have it."""
    titles = [element for element in elements if element.category == "Title"]
    depths = [element.metadata.category_depth or 0 for element in titles]
    least = min(depths, default=0)
    return titles[depths.index(least)] if depths.count(least) == 1 else None


def _run(elements: Sequence[Element], main: str, top: Element | None) -> int:
    """How many of the first elements are furniture. A heading is if what stands beyond it is, too."""
    run = 0
    for at, element in enumerate(elements[:_EDGE]):
        ranked_first = element is top or (element.category == "Title" and not element.metadata.category_depth)
        # A picture has no words of its own in what trafilatura gives.
        said = _ITEM_NUMBER.sub("", element.text, count=1)
        if ranked_first or element.category in NEVER_FURNITURE or squeezed(said) in main:
            break
        if element.category != "Title":
            if not _reads_like_furniture(element):
                break
            run = at + 1
    return run


def _reads_like_furniture(element: Element) -> bool:
    links = sum(len(text or "") for text in element.metadata.link_texts or ())
    least = _LINKS_OF_ITEM if element.category == "ListItem" else _LINKS_OF_MENU
    return links >= least * len(element.text) or is_colophon(element.text)


def _is_marked(node: etree._Element) -> bool:
    if node.get("role", "").lower() in _ROLES:
        return True
    names = f"{node.get('class', '')} {node.get('id', '')}".lower().replace("_", "-").split()
    return any(name in MARKS for name in names)


def _drop_toc_name(node: etree._Element) -> None:
    """Take out the heading of a table of contents that is about to go."""
    before = node.getprevious()
    if before is not None and isinstance(before.tag, str) and is_toc_name(before):
        remove_node(before)


def is_toc_name(node: etree._Element) -> bool:
    """Whether an element says only that a table of contents follows."""
    if (node.tail or "").strip():
        return False
    return " ".join("".join(node.itertext()).split()).strip(" :►▼").lower() in _TOC_NAMES
