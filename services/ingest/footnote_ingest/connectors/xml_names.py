"""Nodes of XML by their names alone: feeds and sitemaps are written with and without their namespaces."""

from itertools import islice

from lxml import etree

_MOST_MARKS = 3_000_000
_CHILDREN_OF_ITEM = 500
"""Children of an item of a feed, or of a place in a sitemap, among which its words are looked for."""


def has_too_many_nodes(data: bytes) -> bool:
    """Whether a text of XML would take more memory as a tree than its own size lets expect."""
    return data.count(b"<") > _MOST_MARKS


def local_name(node: etree._Element) -> str:
    """The name without its namespace; empty for comments and instructions."""
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def children(node: etree._Element, name: str) -> list[etree._Element]:
    """The children with this name."""
    return [each for each in node if local_name(each) == name]


def child(node: etree._Element, *names: str) -> etree._Element | None:
    """The first child with one of these names, in the order of the names."""
    first: dict[str, etree._Element] = {}
    for each in islice(node, _CHILDREN_OF_ITEM):
        first.setdefault(local_name(each), each)
    return next((first[name] for name in names if name in first), None)


def words(node: etree._Element, *names: str) -> str:
    """The words of that child; empty if there is none."""
    found = child(node, *names)
    return " ".join("".join(map(str, found.itertext())).split()) if found is not None else ""
