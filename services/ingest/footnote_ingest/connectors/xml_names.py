"""Nodes of XML by their names alone: feeds and sitemaps are written with and without their namespaces."""

from lxml import etree


def local_name(node: etree._Element) -> str:
    """The name without its namespace; empty for comments and instructions."""
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def children(node: etree._Element, name: str) -> list[etree._Element]:
    """The children with this name."""
    return [each for each in node if local_name(each) == name]


def child(node: etree._Element, *names: str) -> etree._Element | None:
    """The first child with one of these names, in the order of the names."""
    return next((each for name in names for each in children(node, name)), None)


def words(node: etree._Element, *names: str) -> str:
    """The words of that child; empty if there is none."""
    found = child(node, *names)
    return " ".join("".join(map(str, found.itertext())).split()) if found is not None else ""
