"""HTML and XHTML: what a reader of the page sees, without scripts, navigation and controls."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from lxml import etree

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.book_styles import name_bold_boxes
from footnote_ingest.parsing.character_references import without_control_characters
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.generated_pages import redraw
from footnote_ingest.parsing.lone_commands import show_commands
from footnote_ingest.parsing.page_asides import remove_asides
from footnote_ingest.parsing.page_bounds import check_bounds
from footnote_ingest.parsing.page_depth import flatten
from footnote_ingest.parsing.page_elements import HEADINGS, TABLE_PARTS
from footnote_ingest.parsing.page_furniture import content, main_text, remove_furniture, remove_node, squeezed
from footnote_ingest.parsing.page_headings import clear_headings, name_headings
from footnote_ingest.parsing.page_layout import lay_out, write_callouts
from footnote_ingest.parsing.page_lists import write_numbers
from footnote_ingest.parsing.page_marks import (
    code_languages,
    name_link_targets,
    name_page,
    own_name,
    remove_linked_pictures,
    remove_signs,
    remove_ways_back,
)
from footnote_ingest.parsing.page_ways import remove_ways
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.partitioners import Element, add_element, partition_html
from footnote_ingest.parsing.raised_markup import write_raised

# The partitioner drops these elements with everything in them. Today's documentation and help pages hold
# content there.
_RETAG = {
    "details": "div",
    "summary": "p",
    "figure": "div",
    "figcaption": "p",
    "form": "div",
    "fieldset": "div",
    "legend": "p",
    "label": "span",
    "caption": "p",
}
_DROP = (
    "script",
    "style",
    "noscript",
    "template",
    "nav",
    "button",
    "select",
    "textarea",
    "svg",
    "iframe",
    "object",
    "head",
    "link",
    "meta",
)
_INLINE = ("a", "abbr", "b", "code", "em", "font", "i", "kbd", "span", "strong", "tt", "u", "var")
_UP = {"sup": 1, "sub": -1}
_SHIFTED = re.compile(r"vertical-align\s*:\s*(?:(super|text-top)|sub|text-bottom)", re.I)
_BREAKS = frozenset(
    {
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "body",
            "br",
            "caption",
            "dd",
            "div",
            "dl",
            "dt",
            "figure",
        )
    }
    | {*("figcaption", "footer", "form", *HEADINGS, "header", "hr", "li", "main")}
    | {*("ol", "p", "pre", "section", "summary", *TABLE_PARTS, "ul")}
)
"""Elements that no word and no number goes across."""

_ANCHOR_MARKS = frozenset(["¶", "#", "◆", "§", "🔗", "\uf0c1", "¶¶"])
_WITHIN_PAGE = frozenset("#⬆↑⇧▲")
"""Signs that lead to a heading, or to the top of the page, only where the link stays in the page."""

_MANY_BREAKS = re.compile(r"(?:<br\b[^<>]{0,100}>\s*+){8,}", re.I)
"""So many breaks of lines are room and nothing else; each takes as long as a word."""

_HIDDEN = re.compile(r"display\s*:\s*none", re.I)
_LEAST_MAIN = 0.3
"""A `main` with less than this share of the page's text does not stand for the page."""
_BOX_TAG = re.compile(
    r"</?(?:div|span|section|article|center|font|b|i|em|strong|blockquote|ul|ol|dl|table|tbody|tr|td)\b[^<>]*>",
    re.I,
)
_QUOTE_CLASSES = re.compile(r"\b(?:gmail_quote|yahoo_quoted|moz-cite-prefix|protonmail_quote)\b")


class _Prepared(NamedTuple):
    """A page whose marks say what a reader sees, and the languages of its code by the code's letters."""

    text: str
    title: str | None
    language: str | None
    code: dict[str, str]


def parse(given: ParserInput) -> Extracted:
    decoded = decode(given.data, given.sniffed.encoding)
    to = given.assembler()
    title, language = add_html(to, decoded.text, furniture=False)
    if to.elements and all(element.kind == "title" for element in to.elements):
        # A page that is nothing but a table of contents says what it lists.
        to = given.assembler()
        title, language = add_html(to, decoded.text)
    if decoded.warning:
        to.warnings.append(decoded.warning)
    levels = [e.level for e in to.elements if e.level]
    highest = min(levels, default=1)
    title = own_name(title, [e.heading_path[-1] for e in to.elements if e.level == highest])
    return to.finish(title=title, language=language, metadata={"encoding": decoded.encoding})


def add_html(
    to: Assembler,
    html: str,
    *,
    page: int | None = None,
    mail: bool = False,
    furniture: bool = True,
    bold: frozenset[str] = frozenset(),
) -> tuple[str | None, str | None]:
    """Append the content of an HTML document; return its title and its language, if it has them.

    With `mail=True`, what mail programs mark as quoted gets `> ` before each paragraph, as in plain mail.
    With `furniture=False`, menus, tables of contents, notes about cookies and footers are left out. `bold`
    names the classes that a style sheet beside the page makes bold.
    """
    html = _MANY_BREAKS.sub("<br><br>\n", without_control_characters(html))
    page_read = _prepared(to, html, mail=mail, furniture=furniture, bold=bold)
    if page_read is None:
        return None, None
    # The tree is gone by now: the partitioner makes one of its own, and both are large for a large page.
    elements: Sequence[Element] = partition_html(text=page_read.text, languages=[""])
    if not furniture:
        elements = content(elements, main_text(html))
    for element in elements:
        if element.category == "CodeSnippet":
            language = page_read.code.get(squeezed(element.text))
            to.add("code", element.text, page=page, language=language)
        else:
            add_element(to, element, page=page)
    return page_read.title, page_read.language


def _prepared(
    to: Assembler, html: str, *, mail: bool, furniture: bool, bold: frozenset[str]
) -> _Prepared | None:
    """The page as the partitioner shall read it; None if there is none."""
    root = _tree(html)
    if root is None:
        return None
    _gather_body(root)
    check_bounds(root, to, _DROP)
    title = next((one_line("".join(node.itertext())) for node in root.iter("title")), None)
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang")
    if mail:
        _mark_quotes(root)
    flatten(root, _is_dropped)
    redraw(root)
    remove_asides(root)
    show_commands(root)
    if not furniture:
        remove_ways(root)
        remove_furniture(root)
        remove_linked_pictures(root)
        remove_signs(root)
        remove_ways_back(root)
        name_page(root, title)
        name_headings(root)
    name_bold_boxes(root, bold)
    languages = code_languages(root)
    write_raised(root, _up_of, _BREAKS)
    etree.strip_tags(root, *_UP)
    name_link_targets(root)
    _clean(root)
    text = etree.tostring(root, encoding="unicode", method="html")
    return _Prepared(text, title or None, language, languages)


def _gather_body(root: etree._Element) -> None:
    """Put what stands behind the end of the body into it: browsers show that, the partitioner does not."""
    body = root.find("body")
    if body is None:
        return
    behind = list(body.itersiblings())
    if body.tail and body.tail.strip():
        etree.SubElement(body, "p").text = body.tail
    body.tail = None
    body.extend(behind)


def _tree(html: str) -> etree._Element | None:
    """The tree of a page.

    libxml2 stops at a depth of some 2,000, so a deeper page is read without its boxes.
    """
    for text in (html, _BOX_TAG.sub("\n", html)):
        parser = etree.HTMLParser(
            huge_tree=True, remove_comments=True, remove_pis=True, no_network=True, encoding="utf-8"
        )
        try:
            # lxml refuses a str with an XML declaration, so it gets bytes.
            root = etree.fromstring(text.encode("utf-8", "replace"), parser)
        except etree.XMLSyntaxError as error:
            raise ParseFailed("The page is damaged: it cannot be read as HTML.", "corrupt") from error
        if not any("depth" in entry.message for entry in parser.error_log):
            return root
    raise ParseFailed("The page is nested too deeply to be read.", "corrupt")


def _clean(root: etree._Element) -> None:
    etree.strip_elements(root, *_DROP, with_tail=False)
    for node in [node for node in root.iter() if isinstance(node.tag, str) and _is_not_shown(node)]:
        remove_node(node)
    write_callouts(root)
    write_numbers(root)
    clear_headings(root)
    for image in root.iter("img"):
        # A picture that is loaded later has no `src` yet, and then the partitioner would skip its
        # description.
        image.set("src", image.get("src") or "later")
    for table in list(root.iter("table")):
        for caption in list(table.iterchildren("caption")):
            caption.tail = None
            table.addprevious(caption)
        if not lay_out(table):
            # The partitioner would put a space between the words of a cell that are set apart by marks.
            etree.strip_tags(table, *_INLINE)
    for node in root.iter(*_RETAG):
        node.tag = _RETAG[node.tag]
    _keep_outside_main(root)


def _is_not_shown(node: etree._Element) -> bool:
    """Whether a page hides an element, or shows it beside its content: a sign, or numbers of lines."""
    return (
        _HIDDEN.search(node.get("style", "")) is not None
        or (node.tag == "a" and _is_anchor_mark(node))
        or (node.tag == "td" and "linenos" in node.get("class", ""))
        or (node.tag == "span" and "mw-editsection" in node.get("class", ""))
    )


def _up_of(node: etree._Element) -> int:
    """1 for raised text, -1 for lowered text, 0 for other elements."""
    up = _UP.get(str(node.tag), 0)
    if up or "vertical-align" not in (style := node.get("style", "").lower()) or node.tag in TABLE_PARTS:
        return up
    shifted = _SHIFTED.search(style)
    return 0 if shifted is None else 1 if shifted[1] else -1


def _is_anchor_mark(node: etree._Element) -> bool:
    """Whether this is the little sign behind a heading that links to the heading."""
    text = "".join(node.itertext()).strip()
    if text in _WITHIN_PAGE:
        return str(node.get("href", "")).startswith("#")
    return text in _ANCHOR_MARKS


def _keep_outside_main(root: etree._Element) -> None:
    """Have all of the page read if its first `main` is only a small part of it.

    The partitioner would read nothing but that `main`.
    """
    mains = list(root.iter("main"))
    if not mains:
        return
    inside = len("".join(mains[0].itertext()))
    if len(mains) > 1 or inside < _LEAST_MAIN * len("".join(root.itertext())):
        for main in mains:
            main.tag = "div"


def _is_dropped(node: etree._Element) -> bool:
    return node.tag in _DROP or _HIDDEN.search(node.get("style", "")) is not None


def _mark_quotes(root: etree._Element) -> None:
    """Put `> ` before each paragraph of what mail programs mark as the quoted message."""
    quoted = [
        node
        for node in root.iter("blockquote", "div")
        if (node.tag == "blockquote" and node.get("type") == "cite")
        or _QUOTE_CLASSES.search(node.get("class", ""))
    ]
    seen: set[etree._Element] = set()
    within: set[etree._Element] = set()
    for quote in quoted:
        if quote in within:
            continue
        within.update(quote.iter("blockquote", "div"))
        for node in quote.iter("p", "div", "li", "td", "blockquote", *HEADINGS, "pre"):
            if node in seen or not (node.text or "").strip():
                continue
            seen.add(node)
            node.text = "> " + (node.text or "").lstrip()
        for node in quote.iter("br", "span"):
            if node not in seen and node.tag == "br" and (node.tail or "").strip():
                seen.add(node)
                node.tail = "\n> " + (node.tail or "").lstrip()
