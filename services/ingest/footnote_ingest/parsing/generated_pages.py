"""What generators of pages draw with boxes: code and tables of Doxygen and Javadoc, notes of DocBook.

A page shows them by its style sheet, so their elements alone do not say what they are.
"""

from lxml import etree

from footnote_ingest.parsing.book_styles import code_classes
from footnote_ingest.parsing.page_elements import HEADINGS
from footnote_ingest.parsing.page_furniture import remove_node

_CODE = "fragment"
"""Doxygen's code: a box for each line, and hidden ones that tell what a name is."""

_LINE = "line"
_GRID = "summary-table"
_HEAD = "table-header"
_LAST_COLUMN = "col-last"
"""Javadoc's table of members since Java 17: boxes in rows, the last of a row in a class of its own."""

_MEMBERS = "memberdecls"
_INHERITED = "inherit_header"
"""Doxygen's table of members: its name is a row, and so is that of the class from which the next are."""

_SUMMARY = "summary"
_SIGNATURES = frozenset({"member-signature", "type-signature"})
_NOTES = frozenset({"note", "tip", "warning", "important", "caution"})
_NO_HEADINGS = frozenset({"author", "editor", "corpauthor", "releaseinfo"})
"""Lines of the title page that DocBook's style sheets draw as headings."""

_MOST_NAME_CHARS = 40
_LONGEST_STYLES = 200_000
_NOT_IN_CODE = ("p", "div", "ul", "ol", "dl", "table", "pre", *HEADINGS)


def redraw(root: etree._Element) -> None:
    """Put elements that say what they are in place of such boxes."""
    styles = "".join(node.text or "" for node in root.iter("style"))
    drawn_as_code = code_classes(styles[:_LONGEST_STYLES]) if styles else frozenset[str]()
    _part_members(root)
    for box in list(root.iter("div", "h2", "h3", "h4", "a")):
        if box.getparent() is None:
            continue
        classes = box.get("class", "").split()
        if box.tag == "a":
            if "#" in box.get("href", "") and (box.text or "").strip() == "More...":
                remove_node(box)
        elif box.tag != "div":
            if _NO_HEADINGS.intersection(classes):
                box.tag = "p"
        elif _CODE in classes:
            _write_code(box)
        elif not drawn_as_code.isdisjoint(classes):
            if next(box.iterdescendants(*_NOT_IN_CODE), None) is None:
                _become_code(box, _with_breaks(box))
        elif _SIGNATURES.intersection(classes):
            _become_code(box, "".join(box.itertext()).replace("\u200b", "").strip())
        elif _GRID in classes:
            _write_table(box)
        elif _NOTES.intersection(classes):
            _name_note(box)
        elif _SUMMARY in classes and _is_links_with_bars(box):
            remove_node(box)


def _is_links_with_bars(box: etree._Element) -> bool:
    """Whether a box holds links and bars between them, as Doxygen's line that leads to the parts below."""
    between = [box.text or "", *(child.tail or "" for child in box)]
    links = [child for child in box if child.tag == "a"]
    return len(links) == len(box) > 0 and not "".join(between).strip(" |\xa0\t\r\n")


def _part_members(root: etree._Element) -> None:
    """Put the names in tables of members before the rows that they name."""
    for table in list(root.iter("table")):
        if _MEMBERS not in table.get("class", "").split() or _holds_table(table):
            continue
        rows = list(table.iter("tr"))
        for child in list(table):
            table.remove(child)
        table.tag = "div"
        members: etree._Element | None = None
        for row in rows:
            named = next(row.iterdescendants(*HEADINGS), None) is not None
            if named or _INHERITED in row.get("class", "").split():
                members = None
                for cell in list(row):
                    cell.tag = "div"
                    table.append(cell)
            elif any(not said.isspace() for said in row.itertext()):
                if members is None:
                    members = etree.SubElement(table, "table")
                members.append(row)


def _holds_table(table: etree._Element) -> bool:
    return next(table.iterdescendants("table"), None) is not None


def _write_code(box: etree._Element) -> None:
    """The lines of Doxygen's code, without the notes on names that stand beside them."""
    lines = [line for line in box.iterchildren("div") if _LINE in line.get("class", "").split()]
    if lines:
        _become_code(box, "\n".join("".join(line.itertext()).rstrip("\n") for line in lines))


def _with_breaks(box: etree._Element) -> str:
    for end in box.iter("br"):
        end.text = "\n"
    return "".join(box.itertext()).strip("\r\n")


def _become_code(box: etree._Element, text: str) -> None:
    tail = box.tail
    box.clear()
    box.tag, box.text, box.tail = "pre", text.replace("\xa0", " "), tail


def _write_table(box: etree._Element) -> None:
    """A table of the boxes. A row ends with the box of the last column."""
    rows: list[list[etree._Element]] = [[]]
    for cell in box.iterchildren("div"):
        rows[-1].append(cell)
        if _LAST_COLUMN in cell.get("class", "").split():
            rows.append([])
    if len({len(row) for row in rows if row}) != 1 or len(rows[0]) < 2:
        return
    tail = box.tail
    box.clear()
    box.tag, box.tail = "table", tail
    for row in rows:
        line = etree.SubElement(box, "tr")
        for cell in row:
            head = _HEAD in cell.get("class", "").split()
            cell.tag, cell.tail = "th" if head else "td", None
            cell.attrib.clear()
            for inner in cell.iter("div", "p"):
                if inner is not cell:
                    inner.tag = "span"
            line.append(cell)


def _name_note(box: etree._Element) -> None:
    """The name of a note is no heading: what follows the note does not stand below it."""
    for heading in box.iter(*HEADINGS):
        if len("".join(heading.itertext()).strip()) <= _MOST_NAME_CHARS:
            heading.tag = "p"
