"""Pieces of a Word document that are put into it before it is partitioned."""

from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from lxml import etree


def paragraph_of(text: str) -> etree._Element:
    """A paragraph that holds only this text."""
    paragraph = OxmlElement("w:p")
    paragraph.append(run_of(text))
    return paragraph


def run_of(text: str) -> etree._Element:
    """A run that holds only this text."""
    run = OxmlElement("w:r")
    etree.SubElement(run, qn("w:t")).text = text
    return run


def line_break() -> etree._Element:
    """A run that ends its line."""
    run = OxmlElement("w:r")
    etree.SubElement(run, qn("w:br"))
    return run


def put_in_place(node: etree._Element, children: list[etree._Element]) -> None:
    """Put these children, or nothing, in the place of a node."""
    parent = node.getparent()
    if parent is None:
        return
    at = parent.index(node)
    parent.remove(node)
    for step, child in enumerate(children):
        parent.insert(at + step, child)
