"""XML: prose is taken out of its tags, data stays as it is written."""

import re

from lxml import etree

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parser_input import ParserInput

_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_TITLES = frozenset({"title", "head", "heading", "subject"})


def parse(given: ParserInput) -> Extracted:
    """Raises `ParseFailed` only for what has no text at all: broken XML is kept as the code that it is."""
    decoded = decode(given.data, given.sniffed.encoding)
    root = _tree(decoded.text)
    if root is None or not _is_prose(root):
        to = given.assembler(decoded.text)
        to.mark("code", 0, len(decoded.text), language="xml")
        if root is None:
            to.warnings.append("The file is not well-formed XML and was taken as plain code.")
    else:
        to = given.assembler()
        _add_prose(to, root)
        if to.empty:
            raise ParseFailed("The file has no text between its tags.", "empty")
    if decoded.warning:
        to.warnings.append(decoded.warning)
    return to.finish(metadata={"encoding": decoded.encoding})


def _tree(text: str) -> etree._Element | None:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(_DECLARATION.sub("", text).encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None


def _mixed(node: etree._Element) -> bool:
    """Words beside child elements: the mark of prose."""
    return len(node) > 0 and (
        bool((node.text or "").strip()) or any((child.tail or "").strip() for child in node)
    )


def _is_prose(root: etree._Element) -> bool:
    mixed = leaves = 0
    for node in root.iter():
        mixed += _mixed(node)
        leaves += len(node) == 0 and len((node.text or "").split()) > 0
    return mixed > 0 and mixed * 10 >= leaves


def _add_prose(to: Assembler, root: etree._Element) -> None:
    """A paragraph per outermost element that holds words directly; titles by name, their level by depth."""
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if not isinstance(node.tag, str):
            continue
        if _mixed(node) or len(node) == 0:
            name = etree.QName(node).localname.lower()
            text = one_line(" ".join(node.itertext()) if len(node) == 0 else "".join(node.itertext()))
            if name in _TITLES and text:
                to.add("title", text, level=max(1, depth))
            else:
                to.add("paragraph", text)
        else:
            waiting.extend((child, depth + 1) for child in reversed(node))
