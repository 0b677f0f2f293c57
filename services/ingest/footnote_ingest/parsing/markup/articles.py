"""JATS and DocBook: articles and books in XML, with their sections, lists, tables and code.

Both say the same under different names (https://jats.nlm.nih.gov/publishing/tag-library/1.3/,
https://tdg.docbook.org/tdg/5.2/), so one reader knows the names of both.
"""

from collections.abc import Iterator
from itertools import zip_longest

from lxml import etree

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.lone_commands import reads_as_command
from footnote_ingest.parsing.markup.article_sources import SOURCES, source_line, source_number
from footnote_ingest.parsing.markup.manual_synopsis import synopsis_lines, write_references
from footnote_ingest.parsing.raised_text import written_runs
from footnote_ingest.parsing.table_text import rows_to_text

_ROOTS = frozenset(
    {
        "article",
        "book",
        "chapter",
        "section",
        "sect1",
        "refentry",
        "appendix",
        "preface",
        "part",
        "set",
        "topic",
    }
)
_SECTIONS = _ROOTS | frozenset(
    {
        "sect2",
        "sect3",
        "sect4",
        "sect5",
        "simplesect",
        "refsect1",
        "refsect2",
        "refsect3",
        "refsection",
        "sec",
    }
    | {
        "app",
        "ack",
        "ref-list",
        "abstract",
        "glossary",
        "bibliography",
        "dedication",
        "colophon",
        "notes",
        "glossdiv",
    }
)
_OF_SECTION = frozenset({"info", "title-group", "book-title-group", "refnamediv"})
"""What holds the title of the section around it; so do names like `bookinfo`."""

_TITLES = frozenset({"title", "article-title", "book-title", "refname"})
_PARAGRAPHS = SOURCES | {"p", "para", "simpara", "subtitle", "kwd-group", "article-categories"}
_PARAGRAPHS_TOO = frozenset({"refpurpose", "attrib", "verse-line", "releaseinfo", "equation"})
_SYNOPSES = frozenset({"cmdsynopsis", "funcsynopsis"})
_CODE = frozenset({"programlisting", "screen", "literallayout", "synopsis", "code", "preformat", *_SYNOPSES})
_COMMANDS = frozenset({"command", "userinput", "code", "literal", "computeroutput", "monospace"})
_TABLES = frozenset({"table", "informaltable"})
_LISTS = frozenset(
    {"list", "itemizedlist", "orderedlist", "variablelist", "def-list", "simplelist", "procedure"}
)
_ITEMS = frozenset({"list-item", "listitem", "varlistentry", "def-item", "member", "step"})
_NUMBERED = frozenset({"orderedlist", "procedure"})
_CAPTIONED = frozenset({"fig", "figure", "table-wrap", "informalfigure", "mediaobject"})
_AROUND_BLOCKS = frozenset(
    {"example", "informalexample", "blockquote", "note", "tip", "warning", "caution", "important", "sidebar"}
)
"""What holds blocks with words of their own, and may stand within a paragraph."""

_NOTES = frozenset({"fn", "footnote"})
_LEFT_OUT = frozenset(
    {
        "indexterm",
        "index",
        "toc",
        "journal-meta",
        "article-id",
        "permissions",
        "history",
        "counts",
        "alternatives",
        "keywordset",
    }
    | {"graphic", "imagedata", "custom-meta-group", "object-id", "label", "self-uri", "aff", "corresp"}
    | {"volume", "issue", "fpage", "lpage", "elocation-id", "copyright-year"}
)
_ONE_OF_SEVERAL = {"kwd-group": "kwd", "article-categories": "subject"}
"""Groups of words that belong together, and the element that each of them is."""

_WORDS_OF_THEIR_OWN = _PARAGRAPHS | {
    *("entry", "term", "br", "surname", "firstname", "given-names", "givennames", "othername", "email"),
    *("manvolnum", "refmiscinfo", "contrib", "year", "source", "subject", "kwd"),
}
"""Elements that no word goes across, even where no white space stands before them."""

_BLOCKS = _PARAGRAPHS | _PARAGRAPHS_TOO | _CODE | _TABLES | _LISTS | _CAPTIONED
_BLOCK_TAGS = [f"{{*}}{name}" for name in sorted(_BLOCKS | _TITLES)]
_UPS = {"sup": 1, "superscript": 1, "sub": -1, "subscript": -1}
_BLOCK = "\ue000"
"""What stands in the words of a paragraph for a block within it."""

_KEYS = "+"
"""What stands between keys that are pressed together."""

_CALS_ROW, _CALS_CELL = ("row", "tr"), ("entry", "td", "th")


def name_of(node: etree._Element) -> str:
    """The name of an element without its namespace; empty for a comment or the like."""
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def is_article(root: etree._Element) -> bool:
    """Whether the document is an article or book that `add_article` reads."""
    if name_of(root) not in _ROOTS:
        return False
    inside = {name_of(node) for node in root.iter()}
    return bool(inside & _PARAGRAPHS) and bool(inside & (_TITLES | {"body", "info"}))


def add_article(to: Assembler, root: etree._Element) -> str | None:
    """Add all of the document; returns its title."""
    _write_quotes(root)
    write_references(root)
    # A title is taken where its section begins, so each one is met once.
    _add(to, root, 0)
    titles = (one_line(said(node)) for node in root.iter() if name_of(node) in _TITLES)
    return next((title for title in titles if title), None)


def _write_quotes(root: etree._Element) -> None:
    """Write the marks that a page has around a `quote` of DocBook; those inside another are single."""
    for node in root.iter():
        if name_of(node) != "quote":
            continue
        inner = sum(1 for _ in node.iterancestors("{*}quote")) % 2
        before, behind = ("“”", "‘’")[inner]
        node.text = before + (node.text or "").lstrip()
        if len(node):
            node[-1].tail = (node[-1].tail or "").rstrip() + behind
        else:
            node.text = node.text.rstrip() + behind


def _add(to: Assembler, node: etree._Element, level: int) -> None:
    """Add a section or a block. The XML parser refuses documents deeper than 256, so recursion is safe."""
    name = name_of(node)
    if not name or name in _LEFT_OUT:
        return
    if name in _TITLES:
        above = name_of(node.getparent()) if node.getparent() is not None else ""
        headed = above in _SECTIONS or above in _OF_SECTION or above.endswith("info")
        to.add("title" if headed else "paragraph", _labelled(node), level=max(1, level))
    elif name in _CODE and (name != "code" or "\n" in (node.text or "") or _stands_alone(node)):
        shown = synopsis_lines(node) if name in _SYNOPSES else "".join(node.itertext())
        to.add("code", shown, language=node.get("language"))
    elif name in _TABLES:
        _add_table(to, node)
    elif name in _CAPTIONED:
        _add_captioned(to, node)
    elif name in _LISTS:
        _add_list(to, node, "")
    elif name in _PARAGRAPHS or name in _PARAGRAPHS_TOO:
        _add_paragraph(to, node, level)
    elif name in _NOTES or not _holds_blocks(node):
        if (not name.endswith(("date", "meta")) or name == "refmeta") and name not in (
            "contrib-group",
            "author",
            "authorgroup",
        ):
            to.add("paragraph", one_line(said(node)))
    else:
        _add_inner(to, node, level + (name in _SECTIONS))


def _add_inner(to: Assembler, node: etree._Element, level: int) -> None:
    """Add what stands in a section, and as paragraphs the words that no paragraph is around."""
    loose = [node.text or ""]
    for child in node:
        # What is in a line of loose words is a part of them.
        in_line = "".join(loose).strip() and not _is_block(child)
        if in_line:
            loose.append(said(child))
        else:
            to.add("paragraph", one_line("".join(loose)))
            loose = []
            _add(to, child, level)
        loose.append(child.tail or "")
    to.add("paragraph", one_line("".join(loose)))


def _is_block(node: etree._Element) -> bool:
    name = name_of(node)
    if name == "code":
        return "\n" in (node.text or "")
    return name in _BLOCKS | _TITLES | _AROUND_BLOCKS | _LEFT_OUT | _NOTES or _holds_blocks(node)


def _stands_alone(node: etree._Element) -> bool:
    parent = node.getparent()
    return parent is not None and name_of(parent) not in _PARAGRAPHS


def _holds_blocks(node: etree._Element) -> bool:
    return next(node.iterdescendants(*_BLOCK_TAGS), None) is not None


def _labelled(node: etree._Element) -> str:
    """A title with the number that stands before it."""
    before = node.getprevious()
    label = one_line(said(before)) if before is not None and name_of(before) == "label" else ""
    return f"{label} {one_line(said(node))}".strip()


def _add_paragraph(to: Assembler, node: etree._Element, level: int) -> None:
    """The words of a paragraph around the blocks that stand in it, and behind them its notes."""
    if (shown := _lone_command(node)) is not None:
        to.add("code", shown)
        return
    blocks = (_BLOCKS | _AROUND_BLOCKS) - {"code", "equation"}
    inner = [child for child in node if name_of(child) in blocks]
    first, *behind = _words(node, frozenset(map(name_of, inner))).split(_BLOCK)
    to.add("paragraph", first.strip())
    for child, words in zip_longest(inner, behind, fillvalue=""):
        if not isinstance(child, str):
            _add(to, child, level)
        to.add("paragraph", words.strip())
    for note in _notes(node):
        to.add("paragraph", one_line(said(note)))


def _notes(node: etree._Element) -> Iterator[etree._Element]:
    """The notes in a paragraph, without those of paragraphs in it that are read by themselves."""
    walk = etree.iterwalk(node, events=("start",))
    for _, inner in walk:
        inward = inner.getparent() is node and name_of(inner) in _PARAGRAPHS
        if inward or (name_of(inner) in _AROUND_BLOCKS and inner is not node):
            walk.skip_subtree()
        elif name_of(inner) in _NOTES:
            yield inner


def _lone_command(node: etree._Element) -> str | None:
    """The command that a paragraph shows and nothing else; None for any other."""
    if len(node) != 1 or name_of(node[0]) not in _COMMANDS:
        return None
    if (node.text or "").strip() or (node[0].tail or "").strip():
        return None
    shown = one_line(said(node[0]))
    return shown if reads_as_command(shown) else None


def _words(node: etree._Element, without: frozenset[str]) -> str:
    """The words of a paragraph, a reference or a group of keywords."""
    name = name_of(node)
    if name in _ONE_OF_SEVERAL:
        several = [one_line(said(part)) for part in node.iter() if name_of(part) == _ONE_OF_SEVERAL[name]]
        return ", ".join(filter(None, several)) or one_line(said(node))
    if name in SOURCES:
        return source_number(node) + (source_line(node) or one_line(said(node)))
    return one_line(said(node, without=without, in_place=_BLOCK))


def _add_list(to: Assembler, node: etree._Element, indent: str) -> None:
    ordered = name_of(node) in _NUMBERED or node.get("list-type") in ("order", "arabic")
    number = 0
    for child in node:
        if name_of(child) not in _ITEMS:
            if name_of(child) in _TITLES:
                to.add("paragraph", one_line(said(child)))
            continue
        number += 1
        mark = f"{number}." if ordered else "-"
        words = one_line(said(child, without=_CODE - {"code"} | _TABLES | _LISTS | _CAPTIONED))
        term = next((one_line(said(part)) for part in child if name_of(part) == "term"), "")
        if term and words.startswith(term):
            words = f"{term}: {words[len(term) :].strip()}"
        to.add("list", f"{indent}{mark} {words}" if words else "")
        for block in _outermost(child):
            if name_of(block) in _LISTS:
                _add_list(to, block, indent + "  ")
            else:
                _add(to, block, 0)


def _outermost(item: etree._Element) -> Iterator[etree._Element]:
    """The outermost code, tables and lists in an item."""
    for child in item:
        if name_of(child) in (_CODE - {"code"}) | _TABLES | _LISTS | _CAPTIONED:
            yield child
        elif name_of(child):
            yield from _outermost(child)


def _add_captioned(to: Assembler, node: etree._Element) -> None:
    label = next((one_line(said(part)) for part in node if name_of(part) == "label"), "")
    captions = [part for part in node if name_of(part) in ("caption", "title", "textobject")]
    words = " ".join(filter(None, [label, *(one_line(said(part)) for part in captions)]))
    tables = [part for part in node.iterdescendants() if name_of(part) in _TABLES]
    to.add("image_caption", words)
    for table in tables:
        _add_table(to, table)
    for part in node.iterdescendants():
        if name_of(part) in _CODE - {"code"}:
            _add(to, part, 0)
        elif name_of(part) in ("table-wrap-foot",):
            to.add("paragraph", one_line(said(part)))


def _add_table(to: Assembler, node: etree._Element) -> None:
    caption = next((one_line(said(part)) for part in node if name_of(part) in ("title", "caption")), "")
    to.add("image_caption", caption)
    rows = [
        [one_line(said(cell)) for cell in row if name_of(cell) in _CALS_CELL]
        for row in node.iterdescendants()
        if name_of(row) in _CALS_ROW
    ]
    to.add("table", rows_to_text(rows))


def said(node: etree._Element, without: frozenset[str] = frozenset(), *, in_place: str = "") -> str:
    """The words in an element, without its notes and what no reader sees.

    A child that is left out by its name has `in_place` in its place.
    """
    pieces: list[tuple[str, int]] = []
    ups = [0]
    skipped: etree._Element | None = None
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, inner in walk:
        if skipped is not None and inner is skipped:
            pieces.append((inner.tail or "", ups[-1]))
            continue
        if event == "start":
            name = name_of(inner)
            left_out = name in _NOTES or name in _LEFT_OUT or name in without
            if inner is not node and left_out and name not in ("label", "alternatives"):
                # Its end comes next.
                skipped = inner
                walk.skip_subtree()
                if name in without and inner.getparent() is node:
                    pieces.append((in_place, 0))
                continue
            if name in _WORDS_OF_THEIR_OWN:
                pieces.append((" ", 0))
            ups.append(_UPS.get(name, ups[-1]))
            pieces.append((inner.text or "", ups[-1]))
        else:
            ups.pop()
            if inner is not node:
                between = _between_parts(inner)
                tail = inner.tail or ""
                pieces += [(between, 0), (tail if between != _KEYS or tail.strip() else "", ups[-1])]
    return "".join(written_runs(pieces))


def _between_parts(node: etree._Element) -> str:
    """What stands between two entries of a menu or two keys (DocBook): a file may have nothing there."""
    whole = node.getparent()
    if whole is None or node.getnext() is None:
        return ""
    if name_of(whole) == "keycombo":
        return _KEYS if whole.get("action", "simul") == "simul" else " "
    if name_of(whole) != "menuchoice":
        return ""
    return " " if name_of(node) == "shortcut" else " \N{RIGHTWARDS ARROW} "
