"""RSS and Atom: each item is a section with its date, its author, its link and its words.

RSS 2.0 (https://www.rssboard.org/rss-specification), RSS 1.0 and Atom (RFC 4287) are read alike.
"""

import re

from lxml import etree

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Element, one_line
from footnote_ingest.parsing.page_furniture import squeezed
from footnote_ingest.parsing.text_code import is_sentence
from footnote_ingest.parsing.web import add_html

_ROOTS = frozenset({"rss", "feed", "RDF"})
_ITEMS = frozenset({"item", "entry"})
_DATES = ("pubDate", "published", "updated", "date", "lastBuildDate")
_PEOPLE = ("creator", "author", "managingEditor")
_BODIES = ("encoded", "content", "description", "summary", "subtitle")
"""Where the words are, the fullest first."""

_SAID, _HOLDERS = frozenset({"title", *_DATES, *_PEOPLE, *_BODIES}), _ITEMS | {"group"}
_TAG = re.compile(r"<[^<>]{1,2000}>")
_BLANK_LINES, _LETTER_SHARE = re.compile(r"\n[ \t]*\n\s*"), 0.3
"""A body is a mail if this share of its lines has words in a row, as sentences have."""

_TELLING = 80
"""A summary whose first this many letters and digits stand in the fuller text says nothing else."""


def is_feed(root: etree._Element) -> bool:
    """Whether the document is a feed that `add_feed` reads."""
    if _name(root) not in _ROOTS:
        return False
    return any(_name(node) in _ITEMS or _name(node) == "channel" for node in root.iter())


def add_feed(to: Assembler, root: etree._Element) -> str | None:
    """Add the feed and all of its items; returns the title of the feed."""
    channel = next((node for node in root if _name(node) == "channel"), root)
    title = _said(channel, "title")
    to.add("title", title, level=1)
    _add_facts(to, channel)
    _add_body(to, channel)
    walk = etree.iterwalk(root, events=("start",))
    for _, item in walk:
        around = item.getparent()
        if _name(item) in _SAID and around is not None and _name(around) in _HOLDERS:
            # What stands within the words of an item is read with them.
            walk.skip_subtree()
        elif _name(item) in _ITEMS:
            to.add("title", _said(item, "title") or _said(item, *_DATES) or _link(item), level=2)
            _add_facts(to, item)
            _add_body(to, item)
    return title or None


def _name(node: etree._Element) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def _said(node: etree._Element, *names: str) -> str:
    """The words of the first child with one of these names, in the order of the names."""
    for name in names:
        for child in node:
            if _name(child) == name and (words := one_line(" ".join(child.itertext()))):
                return words
    return ""


def _link(node: etree._Element) -> str:
    links = [child for child in node if _name(child) == "link"]
    chosen = [link for link in links if link.get("rel", "alternate") == "alternate"] or links
    for link in chosen:
        target = link.get("href") or one_line(link.text or "")
        if target:
            return target
    return next((one_line(child.text or "") for child in node if _name(child) == "guid"), "")


def _add_facts(to: Assembler, node: etree._Element) -> None:
    enclosures = [child.get("url", "") for child in node if _name(child) == "enclosure"]
    subjects = [
        child.get("term") or one_line(child.text or "")
        for child in node
        if _name(child) in ("category", "subject")
    ]
    facts = [
        _said(node, *_DATES),
        _said(node, *_PEOPLE),
        _link(node),
        ", ".join(filter(None, subjects)),
        *enclosures,
    ]
    to.add("paragraph", " · ".join(filter(None, facts)))


def _add_body(to: Assembler, node: etree._Element) -> None:
    """Add the fullest body, and before it a description or summary that says something else.

    An item of a film or a recording may say in a group what it is about (Media RSS 1.5.1).
    """
    children = [*node, *(inner for child in node if _name(child) == "group" for inner in child)]
    bodies = [child for name in _BODIES for child in children if _name(child) == name]
    told = [(body, words) for body in bodies if (words := _words(body))]
    if len(told) > 1:
        fullest, said = told[0]
        other = next((body for body, words in told[1:] if _name(body) != _name(fullest)), None)
        if other is not None and _words(other)[:_TELLING] not in said:
            _add_words(to, other)
    for body in bodies:
        if _add_words(to, body):
            return


def _is_letter(element: Element) -> bool:
    """Whether a body that is all set as code is a mail: many of its lines are parts of sentences."""
    lines = [line for line in element.text.split("\n") if line.strip()]
    return element.kind == "code" and sum(map(is_sentence, lines)) >= _LETTER_SHARE * len(lines)


def _words(body: etree._Element) -> str:
    return squeezed(_TAG.sub(" ", "".join(body.itertext())))


def _add_words(to: Assembler, body: etree._Element) -> bool:
    """Add the words of a body, which may be HTML as text or as elements. Returns False if it has none."""
    html = (
        "".join(etree.tostring(child, encoding="unicode") for child in body) if len(body) else body.text or ""
    )
    if not html.strip():
        return False
    if "<" not in html and "&" not in html:
        to.add("paragraph", html)
        return True
    inner = Assembler(text_limit=to.text_limit, element_limit=to.element_limit)
    add_html(inner, f"<html><body>{html}</body></html>")
    if len(inner.elements) == 1 and _is_letter(inner.elements[0]):
        for block in _BLANK_LINES.split(inner.elements[0].text):
            to.add("paragraph", block)
        return True
    for element in inner.elements:
        level = element.level + 2 if element.level is not None else None
        to.add(element.kind, element.text, level=level, language=element.language)
    return not inner.empty
