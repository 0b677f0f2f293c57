"""Tables that lay out a web page, and what generators of pages draw with them: notes and signatures.

A table of a page is a table of the document only where its cells stand in rows and columns for a reader.
"""

import re

from lxml import etree

from footnote_ingest.parsing.page_elements import HEADINGS, TABLE_PARTS

_HOLDS_PAGE = ("table", "pre", *HEADINGS)
_BLOCKS = (
    "p",
    "div",
    "ul",
    "ol",
    "dl",
    "pre",
    "table",
    "blockquote",
    *HEADINGS,
    "br",
    "img",
)
_NOTE_CELLS = 3
_NOTE_ROWS = 2
"""A note has its picture, perhaps a name, and its text."""

_LEAST_LINKS, _LINKED_SHARE, _TIMES_LARGER = 4, 0.9, 3
"""A cell is the menu of a page if it holds this many links and hardly anything else.

Another cell of its row, with the page itself, holds this many times as much text.
"""

_LEAST_ROWS = 2
"""A table with a head and this many rows is one for a reader, though a cell holds another table."""

_SIGNATURES = frozenset({"memname", "funcprototype-table"})
"""A table of Doxygen or DocBook with a type, a name and a parameter in each row."""

_BEFORE_OPENING = re.compile(r" (?=[(),;])|(?<=\() ")


def lay_out(table: etree._Element) -> bool:
    """Turn a table that arranges its content into boxes. Returns whether it was one."""
    if not _SIGNATURES.isdisjoint(table.get("class", "").split()):
        _write_signature(table)
        return True
    note = _is_note(table)
    if not note:
        _part_inner(table)
        if not _is_layout(table):
            return False
        _drop_menus(table)
    for row in table.iter("tr"):
        if not note and _is_line(row):
            _join(row)
    for part in [table, *_own_parts(table)]:
        part.tag = "p" if part.get("data-line") else "div"
    return True


def _part_inner(table: etree._Element) -> None:
    """Put the tables within the cells of a table behind it, if it has a head and rows of its own."""
    own = _own_parts(table)
    rows = [part for part in own if part.tag == "tr" and len(part) > 1]
    named = [part for part in own if part.tag == "th"]
    headings = next(table.iterdescendants(*HEADINGS), None) is not None
    if len(named) < len("ab") or len(rows) <= _LEAST_ROWS or headings:
        return
    behind = table
    for cell in own:
        for inner in list(cell.iterdescendants("table")) if cell.tag == "td" else ():
            if next(inner.iterancestors("table"), None) is not table:
                continue
            tail, inner.tail = inner.tail, None
            holder, before = inner.getparent(), inner.getprevious()
            if tail and before is not None:
                before.tail = (before.tail or "") + tail
            elif tail and holder is not None:
                holder.text = (holder.text or "") + tail
            behind.addnext(inner)
            behind = inner


def _drop_menus(table: etree._Element) -> None:
    """Empty the cells that hold the menu of a page beside the page itself."""
    for row in [part for part in _own_parts(table) if part.tag == "tr"]:
        cells = list(row.iterchildren("td", "th"))
        sizes = [_size(cell) for cell in cells]
        for cell, size in zip(cells, sizes, strict=True):
            links = [link for link in cell.iter("a") if link.get("href")]
            linked = sum(map(_size, links))
            if (
                len(links) >= _LEAST_LINKS
                and linked >= _LINKED_SHARE * size
                and max(sizes) > _TIMES_LARGER * size
            ):
                cell.clear()


def _size(node: etree._Element) -> int:
    return len("".join("".join(node.itertext()).split()))


def write_callouts(root: etree._Element) -> None:
    """Write the numbers that stand as pictures in code: a picture would part the code."""
    for code in root.iter("pre"):
        for picture in list(code.iter("img")):
            name = picture.get("alt", "").strip("() ")
            picture.tag = "span"
            picture.text = f"({name})" if name else ""


def _is_note(table: etree._Element) -> bool:
    """Whether the table draws a note or a warning: one cell with nothing but a picture, and its text.

    The description of the picture, such as `Important`, is put in its place.
    """
    cells = list(table.iter("td", "th"))
    if not 2 <= len(cells) <= _NOTE_CELLS or sum(1 for _ in table.iter("tr")) > _NOTE_ROWS:
        return False
    icon = cells[0]
    pictures = list(icon.iter("img"))
    named = "icon" in icon.get("class", "").split()
    if not named and (len(pictures) != 1 or "".join(icon.itertext()).strip()):
        return False
    said = {"".join(cell.itertext()).strip().lower() for cell in cells[1:]}
    for picture in pictures:
        name = picture.get("alt", "").strip("[] ")
        picture.tag = "span"
        picture.text = "" if name.lower() in said else name
    return True


def _is_layout(table: etree._Element) -> bool:
    """Whether a table arranges a page: it holds headings, code or other tables, or has only one cell."""
    if table.get("role") == "presentation":
        return True
    if next(table.iterdescendants(*_HOLDS_PAGE), None) is not None:
        return True
    cells = sum(1 for _ in table.iterdescendants("td", "th"))
    return cells <= 1 or _sets_margins(table)


def _sets_margins(table: etree._Element) -> bool:
    """Whether a table only keeps a page off its edges: one cell of a row says something, in blocks."""
    if next(table.iterdescendants("th"), None) is not None:
        return False
    for row in table.iter("tr"):
        cells = row.iterchildren("td")
        if sum(any(not said.isspace() for said in cell.itertext()) for cell in cells) > 1:
            return False
    return next(table.iterdescendants("p", "ul", "ol", "dl"), None) is not None


def _is_line(row: etree._Element) -> bool:
    """Whether a row has several cells of words alone, which a reader reads as one line."""
    cells = list(row.iterchildren("td", "th"))
    return len(cells) > 1 and next(row.iterdescendants(*_BLOCKS), None) is None


def _join(row: etree._Element) -> None:
    row.set("data-line", "1")
    for cell in list(row.iterchildren("td", "th")):
        cell.tag = "span"
        cell.tail = " "


def _write_signature(table: etree._Element) -> None:
    # Its own rows alone: else each word would be written once for each table that is around it.
    parts = [table, *table.iterchildren("thead", "tbody", "tfoot")]
    rows = [
        " ".join(" ".join(cell.itertext()).strip() for cell in row.iterchildren("td"))
        for part in parts
        for row in part.iterchildren("tr")
    ]
    said = " ".join(" ".join(rows).split())
    for child in list(table):
        table.remove(child)
    table.tag = "pre"
    table.text = _BEFORE_OPENING.sub("", said)


def _own_parts(table: etree._Element) -> list[etree._Element]:
    """The rows and cells of this table, without those of tables inside it."""
    own: list[etree._Element] = []
    waiting = [child for child in table if child.tag in TABLE_PARTS]
    while waiting:
        node = waiting.pop()
        own.append(node)
        waiting.extend(child for child in node if child.tag in TABLE_PARTS and child.tag != "table")
    return own
