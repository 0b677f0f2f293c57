"""XML: feeds and articles by their vocabulary, other prose without its tags; data stays as it is."""

import html.entities
import re

from lxml import etree

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.markup import articles
from footnote_ingest.parsing.markup.article_authors import authors
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.records import feeds

_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_LEAVES_PER_MIXED = 10
"""In prose, at least one element in this many holds words beside child elements."""

_NAME, _NO_NAME = re.compile(r"[^\W\d][\w.-]{0,200}"), "broken"
_KEPT, _OF_PREFIXES = 0.98, "NAMESPACE"
"""At least this share of the words of a broken article is in what the parser makes of it."""

_NAMED = re.compile(r"&([A-Za-z][\w.-]{0,60});", re.A)
_OF_XML = frozenset({"lt", "gt", "amp", "quot", "apos"})
_CHARACTERS = {name: chr(point) for name, point in html.entities.name2codepoint.items()}
_ENTITY = re.compile(
    r"<!ENTITY\s{1,20}([A-Za-z][\w.-]{0,60})\s{1,20}(?:\"([^\"%]{1,200})\"|'([^'%]{1,200})')\s{0,20}>"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,100}>")
_LONGEST_DOCTYPE, _LONGEST_VALUE, _MOST_DECLARED = 2_000, 200, 1_000_000
"""A document's own entities take so many characters in all; what goes beyond is left to their names."""

_TITLES = frozenset({"title", "head", "heading", "subject"})


def parse(given: ParserInput) -> Extracted:
    """Raises ParseFailed only for prose without any text. Broken XML is code, unless it is an article."""
    decoded = decode(given.data, given.sniffed.encoding)
    root, broken_at = _tree(decoded.text), None
    if root is None:
        root, broken_at = _mended(decoded.text)
    title, author = None, ""
    if root is not None and feeds.is_feed(root):
        to = given.assembler()
        title = feeds.add_feed(to, root)
    elif root is not None and articles.is_article(root):
        to = given.assembler()
        title, author = articles.add_article(to, root), authors(root)
    elif root is None or not _is_prose(root):
        to = given.assembler(decoded.text)
        to.mark("code", 0, len(decoded.text), language="xml")
        if root is None:
            to.warnings.append("The file is not well-formed XML and was taken as plain code.")
    else:
        to = given.assembler()
        _add_prose(to, root)
        if to.empty:
            raise ParseFailed("The file has no text between its tags.", "empty")
    if broken_at is not None:
        to.warnings.append(
            f"The file is not well-formed XML from line {broken_at} on and was read as far as its tags tell."
        )
    if decoded.warning:
        to.warnings.append(decoded.warning)
    return to.finish(title=title, metadata={"encoding": decoded.encoding, "author": author})


def _tree(text: str) -> etree._Element | None:
    try:
        return etree.fromstring(_plain(text), _parser(recover=False))
    except etree.XMLSyntaxError:
        return None


def _mended(text: str) -> tuple[etree._Element, int] | tuple[None, None]:
    """An article or feed that is not well-formed, as by a lone `&`, and the line of its first error.

    What the parser makes of it counts only where next to no words are lost.
    """
    parser = _parser(recover=True)
    try:
        root = etree.fromstring(_plain(text), parser)
    except etree.XMLSyntaxError:
        return None, None
    # lxml gives None for what has no root, other than its types say.
    if root is None or not parser.error_log or not (articles.is_article(_named(root)) or feeds.is_feed(root)):
        return None, None
    # A prefix that nothing declares loses no words.
    broken = any(entry.domain_name != _OF_PREFIXES for entry in parser.error_log)
    words = sum(map(_words, root.itertext()))
    if broken and words < _KEPT * _words_outside_tags(text):
        return None, None
    return root, parser.error_log[0].line


def _named(root: etree._Element) -> etree._Element:
    """The tree, in which a name with a prefix of no known namespace is a plain name: lxml splits none of it.

    Such a prefix may be declared in a document type definition, which is not loaded.
    """
    for node in root.iter():
        if isinstance(node.tag, str) and ":" in node.tag and not node.tag.startswith("{"):
            # A broken tag may have nothing behind its colon that is a name, as `<https://` has.
            name = node.tag.rpartition(":")[2]
            node.tag = name if _NAME.fullmatch(name) else _NO_NAME
    return root


def _plain(text: str) -> bytes:
    return _without_entities(_DECLARATION.sub("", text)).encode("utf-8", "replace")


def _parser(*, recover: bool) -> etree.XMLParser:
    """A parser that keeps no table of ids: a file whose ids are no names, or are given twice, is sound."""
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
        collect_ids=False,
    )


def _words(text: str) -> int:
    """How many there are, without a lone `&`, by which an article is broken most often."""
    pieces = text.split()
    return len(pieces) - pieces.count("&")


def _words_outside_tags(text: str) -> int:
    """The words of a document that are in no tag and no comment, whether it is well-formed or not."""
    words = at = 0
    while at < len(text):
        begin = text.find("<", at)
        words += _words(text[at : begin if begin >= 0 else len(text)])
        if begin < 0:
            break
        end = "-->" if text.startswith("<!--", begin) else ">"
        found = text.find(end, begin)
        at = found + len(end) if found >= 0 else len(text)
    return words


def _without_entities(text: str) -> str:
    """The text with a character or a name for each entity. No document type definition is loaded for them.

    CDATA stays as it is: in code, `&x;` is an address.
    """
    declared = _declared(text) if "<!ENTITY" in text else {}
    left = _MOST_DECLARED

    def shown(named: re.Match[str]) -> str:
        nonlocal left
        value = declared.get(named[1], "")
        left -= len(value)
        return value if value and left >= 0 else _said(named)

    pieces: list[str] = []
    at = 0
    while (begin := text.find("<![CDATA[", at)) >= 0 and (end := text.find("]]>", begin)) >= 0:
        pieces += [_NAMED.sub(shown, text[at:begin]), text[begin:end]]
        at = end
    return "".join([*pieces, _NAMED.sub(shown, text[at:])])


def _declared(text: str) -> dict[str, str]:
    """What the entities stand for that the document itself declares as short words, such as its version.

    Their values may name others that stand before them. Tags in them only say how the words are set. What
    names a file is left to its name.
    """
    begin = text.find("<!DOCTYPE")
    opened = text.find("[", begin, begin + _LONGEST_DOCTYPE) if begin >= 0 else -1
    closed = text.find("]", opened) if opened >= 0 else -1
    found: dict[str, str] = {}
    for entity in _ENTITY.finditer(text, opened, closed) if closed >= 0 else ():
        value = entity[2] if entity[2] is not None else entity[3]
        value = _NAMED.sub(lambda named: found.get(named[1]) or _said(named), value)
        value = _TAG.sub("", value) if len(value) <= _LONGEST_VALUE else ""
        if value and "<" not in value and entity[1] not in found:
            found[entity[1]] = value
    return found


def _said(named: re.Match[str]) -> str:
    """The character that HTML and DocBook know by this name, or else the name, which says what is meant."""
    return named[0] if named[1] in _OF_XML else _CHARACTERS.get(named[1], named[1].replace(".", " "))


def _mixed(node: etree._Element) -> bool:
    """Whether the node holds words beside its child elements, as prose does."""
    return len(node) > 0 and (
        bool((node.text or "").strip()) or any((child.tail or "").strip() for child in node)
    )


def _is_prose(root: etree._Element) -> bool:
    mixed = leaves = 0
    for node in root.iter():
        mixed += _mixed(node)
        leaves += len(node) == 0 and len((node.text or "").split()) > 0
    return mixed > 0 and mixed * _LEAVES_PER_MIXED >= leaves


def _add_prose(to: Assembler, root: etree._Element) -> None:
    """Add a paragraph for each outermost element that holds words directly.

    An element is a title by its name, and its depth is the level of the title.
    """
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
