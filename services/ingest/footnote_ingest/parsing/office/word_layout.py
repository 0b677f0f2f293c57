"""What a Word document holds that is no text of it, or only lays it out: hidden words, contents, boxes."""

import re

from docx.oxml.ns import qn
from lxml import etree

from footnote_ingest.parsing.office.word_markup import put_in_place

_OFF = frozenset({"0", "false", "off"})
_CONTENTS = re.compile(r"toc heading|toc [1-9]|table of figures|index heading|index [1-9]", re.I)
"""The names of the styles in which Word sets a table of contents, and an index."""


def drop_hidden(body: etree._Element) -> bool:
    """Take out words that are set hidden. Returns whether there were any.

    Marks of fields stay, which hold more than their own run.
    """
    found = False
    for run in list(body.iter(qn("w:r"))):
        hidden = run.find(f"{qn('w:rPr')}/{qn('w:vanish')}")
        if hidden is None or hidden.get(qn("w:val"), "1") in _OFF:
            continue
        for text in list(run.iterchildren(qn("w:t"), qn("w:tab"), qn("w:br"))):
            found = found or bool((text.text or "").strip())
            run.remove(text)
    return found


def drop_contents(body: etree._Element, styles: etree._Element) -> bool:
    """Take out the lines of a table of contents and of an index. Returns whether there were any."""
    named = {style.get(qn("w:styleId"), ""): style.find(qn("w:name")) for style in styles.iter(qn("w:style"))}
    of_contents = {
        key
        for key, name in named.items()
        if name is not None and _CONTENTS.fullmatch(name.get(qn("w:val"), "")) is not None
    }
    paragraphs = list(body.iter(qn("w:p")))
    lines = [paragraph for paragraph in paragraphs if _style(paragraph) in of_contents]
    dropped = set(lines)
    if not any(_is_said(paragraph) for paragraph in paragraphs if paragraph not in dropped):
        return False
    for line in lines:
        put_in_place(line, [])
    return bool(lines)


def open_boxes(body: etree._Element) -> None:
    """Put what stands in a table of a single cell, which is a box around text, in the place of the table."""
    for table in list(body.iter(qn("w:tbl"))):
        cells = [cell for row in table.iterchildren(qn("w:tr")) for cell in row.iterchildren(qn("w:tc"))]
        if len(cells) == 1:
            put_in_place(table, [child for child in cells[0] if child.tag != qn("w:tcPr")])


def _is_said(paragraph: etree._Element) -> bool:
    return any((text.text or "").strip() for text in paragraph.iter(qn("w:t")))


def _style(paragraph: etree._Element) -> str:
    named = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    return str(named.get(qn("w:val"), "")) if named is not None else ""
