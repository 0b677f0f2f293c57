"""What reviewers leave in a Word document: tracked changes and comments.

Source: ECMA-376 part 1, clauses 17.13.4 and 17.13.5.

By default the text is read as if every change were accepted, and comments are left out. Where an operator
wants them shown, changes and comments stand in square brackets.
"""

from docx.document import Document
from docx.oxml.ns import qn
from lxml import etree

from footnote_ingest.parsing.office.review import comment_line
from footnote_ingest.parsing.office.word_markup import paragraph_of, run_of

_REMOVED = ("w:del", "w:moveFrom")
_ADDED = ("w:ins", "w:moveTo")
_PROPERTIES = frozenset(qn(name) for name in ("w:rPr", "w:trPr", "w:tcPr", "w:sectPr"))
"""Within these, a change only marks a paragraph, a row or a cell."""


def settle_changes(body: etree._Element, *, shown: bool) -> int:
    """Make the text that of the accepted document, or write out each change, and return how many there were.

    Text that was added stays where it is: it only gets brackets if changes are shown.
    """
    changes = 0
    for name in (*_REMOVED, *_ADDED):
        for change in list(body.iter(qn(name))):
            above = change.getparent()
            if above is None:
                continue
            if above.tag not in _PROPERTIES:
                changes += 1
                _write(change, above, name in _REMOVED, shown)
            elif above.tag == qn("w:trPr") and name in _REMOVED:
                changes += 1
                _drop_row(above, shown)
    if not shown:
        _join_paragraphs(body)
    return changes


def place_comments(document: Document, *, shown: bool) -> int:
    """Put each comment behind the paragraph it is about, if comments are shown. Return how many there are."""
    part = next(
        (rel.target_part for rel in document.part.rels.values() if rel.reltype.endswith("/comments")), None
    )
    if part is None:
        return 0
    comments = {note.get(qn("w:id")): note for note in etree.fromstring(part.blob).iter(qn("w:comment"))}
    found = len(comments)
    for reference in list(document.element.body.iter(qn("w:commentReference"))) if shown else ():
        comment = comments.pop(reference.get(qn("w:id")), None)
        host = next((up for up in reference.iterancestors() if up.tag == qn("w:p")), None)
        if comment is not None and host is not None:
            said = " ".join(_text(p) for p in comment.iter(qn("w:p")))
            host.addnext(paragraph_of(comment_line(comment.get(qn("w:author")), said)))
    return found


def _write(change: etree._Element, above: etree._Element, removed: bool, shown: bool) -> None:
    """Leave out removed text, or bracket what was removed or added."""
    text = _text(change)
    if removed:
        if shown and text.strip():
            above.replace(change, run_of(f"[deleted: {text}]"))
        else:
            above.remove(change)
    elif shown and text.strip():
        change.addprevious(run_of("[inserted: "))
        change.addnext(run_of("]"))


def _drop_row(properties: etree._Element, shown: bool) -> None:
    row = properties.getparent()
    table = row.getparent() if row is not None else None
    if row is not None and table is not None and not shown:
        table.remove(row)


def _join_paragraphs(body: etree._Element) -> None:
    """Join each paragraph whose mark was deleted with the one behind it, as accepting the change does."""
    carried: dict[etree._Element, list[etree._Element]] = {}
    for paragraph in list(body.iter(qn("w:p"))):
        before = carried.pop(paragraph, [])
        following = paragraph.getnext()
        if _mark_removed(paragraph) and following is not None and following.tag == qn("w:p"):
            before.extend(child for child in paragraph if child.tag != qn("w:pPr"))
            carried[following] = before
            above = paragraph.getparent()
            if above is not None:
                above.remove(paragraph)
            continue
        first = next((child for child in paragraph if child.tag != qn("w:pPr")), None)
        for child in before:
            if first is not None:
                first.addprevious(child)
            else:
                paragraph.append(child)


def _mark_removed(paragraph: etree._Element) -> bool:
    mark = paragraph.find(f"{qn('w:pPr')}/{qn('w:rPr')}")
    return mark is not None and any(mark.find(qn(name)) is not None for name in _REMOVED)


def _text(node: etree._Element) -> str:
    return "".join(piece.text or "" for piece in node.iter(qn("w:t"), qn("w:delText")))
