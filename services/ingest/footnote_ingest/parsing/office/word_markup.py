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
