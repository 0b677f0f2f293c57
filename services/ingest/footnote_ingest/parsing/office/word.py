"""Word documents by `unstructured`, after a preparation.

It overlooks content controls, tracked insertions, text boxes and footnotes. So their text is moved to where a
reader sees it before the document is partitioned.
"""

import io
from collections.abc import Mapping
from copy import deepcopy

import docx
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph
from lxml import etree

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.court_captions import is_caption
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.office.bold_headings import reads_as_heading, write_bold_styles
from footnote_ingest.parsing.office.equations import EQUATION, equation_text
from footnote_ingest.parsing.office.heading_styles import write_heading_styles
from footnote_ingest.parsing.office.office_files import core_facts, own_title
from footnote_ingest.parsing.office.raised_runs import word_styles, write_word_raised
from footnote_ingest.parsing.office.review import review_warning
from footnote_ingest.parsing.office.sound_or_repaired import sound_or_repaired
from footnote_ingest.parsing.office.symbol_font import write_word_symbols
from footnote_ingest.parsing.office.word_code import CODE, mark_code
from footnote_ingest.parsing.office.word_layout import drop_contents, drop_hidden, open_boxes
from footnote_ingest.parsing.office.word_markup import line_break, paragraph_of, put_in_place, run_of
from footnote_ingest.parsing.office.word_review import place_comments, settle_changes
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.partitioners import Element, add_element, partition_docx

_WRAPPERS = ("w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:fldSimple")
_NOTES = ("footnote", "endnote")
_FURNITURE = ("Header", "Footer", "PageBreak")
_NEEDED = ("word/document",)
_FIELD = "{{"
"""What begins a field that a program fills in."""


def parse(given: ParserInput) -> Extracted:
    damaged = "The Word document is damaged: its content cannot be read."
    return sound_or_repaired(given, _read, _NEEDED, damaged)


def _read(given: ParserInput, to: Assembler) -> Extracted:
    shown = given.choices.review == "shown"
    document = docx.Document(io.BytesIO(given.data))
    changes = settle_changes(document.element.body, shown=shown)
    comments = place_comments(document, shown=shown)
    _unwrap(document)
    body, styles = document.element.body, document.styles.element
    left_out = [
        name
        for name, dropped in (
            ("hidden words", drop_hidden(body)),
            ("table of contents", drop_contents(body, styles)),
        )
        if dropped
    ]
    open_boxes(body)
    write_word_symbols(body)
    ups = word_styles(styles)
    write_word_raised(body, ups)
    write_heading_styles(body, styles)
    mark_code(body, styles)
    write_bold_styles(body, styles)
    _write_equations(document)
    _place_text_boxes(document)
    _place_notes(document, ups)
    ready = io.BytesIO()
    document.save(ready)
    ready.seek(0)
    elements = list(partition_docx(file=ready, languages=[""]))
    named = _title(document)
    warning = None if shown else review_warning(changes, comments)
    if warning is not None:
        to.warnings.append(warning)
    _add_docx(to, elements, named)
    core = document.core_properties
    pages = max((e.page or 0 for e in to.elements), default=0)
    title = named or own_title(core.title) or _centred_title(document)
    return to.finish(
        title=_below_caption(to) if title is not None and is_caption(title) else title,
        language=core.language,
        pages=pages,
        metadata=core_facts(core.author, core.modified)
        | ({"left_out": "; ".join(left_out)} if left_out else {}),
    )


def _title(document: Document) -> str | None:
    """The text of the first paragraph with the style `Title`.

    `paragraph.style` is not asked: python-docx searches all styles for each paragraph.
    """
    styles = {
        style.style_id
        for style in document.styles
        if style.type == WD_STYLE_TYPE.PARAGRAPH and style.name == "Title"
    }
    for paragraph in document.paragraphs:
        properties = paragraph._p.pPr
        named = properties.pStyle if properties is not None else None
        if named is not None and named.val in styles and paragraph.text.strip():
            return one_line(paragraph.text)
    return None


def _centred_title(document: Document) -> str | None:
    """The first paragraph with words, if it stands in the middle, in bold or above one that does not."""
    said = (paragraph for paragraph in document.paragraphs if paragraph.text.strip())
    first, second = next(said, None), next(said, None)
    if first is None or not _is_centred(first) or not reads_as_heading(first.text):
        return None
    bold = all(run.bold for run in first.runs if run.text.strip())
    alone = second is not None and not _is_centred(second) and _FIELD not in first.text
    return one_line(first.text) if bold or alone else None


def _is_centred(paragraph: Paragraph) -> bool:
    stand = paragraph._p.find(f"{qn('w:pPr')}/{qn('w:jc')}")
    return stand is not None and stand.get(qn("w:val")) == "center"


def _below_caption(to: Assembler) -> str | None:
    """The first heading that names neither a court nor a case, nor is a field of a template."""
    names = (one.text for one in to.elements if one.kind == "title")
    return next(
        (name for name in names if not (is_caption(name) or _FIELD in name or name.endswith(":"))), None
    )


def _add_docx(to: Assembler, elements: list[Element], name: str | None) -> None:
    """Add the elements, without the headers and footers of pages.

    The partitioner gives the style `Title` the same rank as `Heading 1`. If a document has a title of that
    style, its headings are moved one level down.
    """
    shown = [element for element in elements if element.category not in _FURNITURE]
    level = 0
    code: list[str] = []
    for at, element in enumerate(shown):
        follower = shown[at + 1] if at + 1 < len(shown) else None
        if element.text.startswith(CODE):
            code.append(element.text.replace(CODE, ""))
            if follower is None or not follower.text.startswith(CODE):
                to.add("code", "\n".join(code), page=element.metadata.page_number)
                code.clear()
        elif element.category == "Title" and name is not None and one_line(element.text) != name:
            level = (element.metadata.category_depth or 0) + 2
            to.add("title", element.text, page=element.metadata.page_number, level=level)
        elif follower is not None and _is_bold_heading(element, follower) and one_line(element.text) != name:
            to.add("title", element.text, page=element.metadata.page_number, level=level + 1)
        else:
            if element.category == "Title":
                level = (element.metadata.category_depth or 0) + 1
            add_element(to, element)


def _is_bold_heading(element: Element, follower: Element) -> bool:
    """Whether a paragraph is wholly bold and short, and text that is not follows it."""
    if not _is_bold(element) or not reads_as_heading(element.text):
        return False
    return follower.category in ("NarrativeText", "ListItem") and not _is_bold(follower)


def _is_bold(element: Element) -> bool:
    about = element.metadata
    if element.category != "NarrativeText" or set(about.emphasized_text_tags or ()) != {"b"}:
        return False
    return "".join("".join(about.emphasized_text_contents or ()).split()) == "".join(element.text.split())


def _unwrap(document: Document) -> None:
    body = document.element.body
    for control in list(body.iter(qn("w:sdt"))):
        content = control.find(qn("w:sdtContent"))
        put_in_place(control, list(content) if content is not None else [])
    for name in _WRAPPERS:
        for wrapper in list(body.iter(qn(name))):
            # Within properties, `w:ins` only marks a paragraph or a row as inserted.
            above = wrapper.getparent()
            if above is not None and above.tag not in (qn("w:rPr"), qn("w:trPr")):
                put_in_place(wrapper, [child for child in wrapper if child.tag != qn("w:customXmlPr")])


def _write_equations(document: Document) -> None:
    """Put the text of each equation in its place, because the partitioner does not see equations."""
    for equation in list(document.element.body.iter(EQUATION)):
        above = equation.getparent()
        if above is None:
            continue
        run = run_of(equation_text(equation))
        if above.tag == qn("w:p"):
            above.replace(equation, run)
        else:
            # A displayed equation has a box of its own within the paragraph, alone or with others below it.
            above.addprevious(run)
            if equation.getnext() is not None:
                above.addprevious(line_break())
            above.remove(equation)


def _place_text_boxes(document: Document) -> None:
    """Put the paragraphs of a text box behind the paragraph in which it is anchored.

    The copies that files hold for old versions of Word are left out.
    """
    body = document.element.body
    for box in list(body.iter(qn("w:txbxContent"))):
        names = [etree.QName(up).localname for up in box.iterancestors()]
        host = next((up for up in box.iterancestors() if up.tag == qn("w:p")), None)
        if "Fallback" in names or host is None or names.count("txbxContent"):
            continue
        for block in reversed(list(box)):
            host.addnext(deepcopy(block))


def _place_notes(document: Document, ups: Mapping[str, int]) -> None:
    """Put the text of each footnote and endnote behind the paragraph that refers to it."""
    body = document.element.body
    for name in _NOTES:
        part = next(
            (rel.target_part for rel in document.part.rels.values() if rel.reltype.endswith(f"/{name}s")),
            None,
        )
        if part is None:
            continue
        told = etree.fromstring(part.blob)
        write_word_raised(told, ups)
        notes = {note.get(qn("w:id")): note for note in told.iter(qn(f"w:{name}"))}
        for reference in list(body.iter(qn(f"w:{name}Reference"))):
            host = next((up for up in reference.iterancestors() if up.tag == qn("w:p")), None)
            note = notes.pop(reference.get(qn("w:id")), None)
            if host is None or note is None:
                continue
            for paragraph in reversed(list(note.iter(qn("w:p")))):
                text = "".join(piece.text or "" for piece in paragraph.iter(qn("w:t")))
                host.addnext(paragraph_of(text))
