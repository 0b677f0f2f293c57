"""Word and PowerPoint by `unstructured`, after bringing into reach what it does not look at.

It skips content controls, tracked insertions, text boxes and footnotes in Word, and diagrams and charts in PowerPoint:
their text is moved to where a reader sees it before the document is partitioned.
"""

import io
from collections.abc import Iterator
from copy import deepcopy

import docx
import pptx
from docx.document import Document
from docx.opc.exceptions import OpcError
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from lxml import etree
from pptx.exc import PythonPptxError
from pptx.opc.package import Part
from pptx.presentation import Presentation

from footnote_ingest.parsing.archive import check_container
from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.failures import ParseFailed
from footnote_ingest.parsing.partitioners import Element, add_element, partition_docx, partition_pptx
from footnote_ingest.parsing.source import Source

_BROKEN = (
    OpcError,
    PythonPptxError,
    etree.LxmlError,
    SyntaxError,
    KeyError,
    ValueError,
    AttributeError,
    IndexError,
    TypeError,
)
_WRAPPERS = ("w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:fldSimple")
_NOTES = ("footnote", "endnote")
_A_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_A_PARAGRAPH = "{http://schemas.openxmlformats.org/drawingml/2006/main}p"
_C_VALUE = "{http://schemas.openxmlformats.org/drawingml/2006/chart}v"


def parse_docx(source: Source) -> Extracted:
    check_container(source.data, source.limits)
    to = source.assembler()
    try:
        document = docx.Document(io.BytesIO(source.data))
        _unwrap(document)
        _place_text_boxes(document)
        _place_notes(document)
        ready = io.BytesIO()
        document.save(ready)
        ready.seek(0)
        elements = list(partition_docx(file=ready, languages=[""]))
    except _BROKEN as error:
        raise ParseFailed("The Word document is damaged: its content cannot be read.", "corrupt") from error
    named = next(
        (
            one_line(p.text)
            for p in document.paragraphs
            if p.style is not None and p.style.name == "Title" and p.text.strip()
        ),
        None,
    )
    _add_docx(to, elements, named)
    core = document.core_properties
    pages = max((e.page or 0 for e in to.elements), default=0)
    return to.finish(
        title=named or _own_title(core.title),
        language=core.language,
        pages=pages,
        metadata=_core(core.author, core.modified),
    )


def parse_pptx(source: Source) -> Extracted:
    check_container(source.data, source.limits)
    to = source.assembler()
    try:
        deck = pptx.Presentation(io.BytesIO(source.data))
        elements = list(
            partition_pptx(file=io.BytesIO(source.data), languages=[""], include_slide_notes=True)
        )
        notes = _slide_notes(deck)
        drawn = _drawings(deck)
    except _BROKEN as error:
        raise ParseFailed("The presentation is damaged: its slides cannot be read.", "corrupt") from error
    if len(drawn) > source.limits.pages:
        raise ParseFailed(f"The presentation has more than {source.limits.pages:,} slides.", "too_large")
    for number in range(1, len(drawn) + 1):
        to.leave_headings()
        note = notes[number - 1]
        # The partitioner puts the speaker's notes before the slide that they speak about.
        slide = [e for e in elements if e.metadata.page_number == number]
        spoken = [
            e
            for e in slide
            if note and one_line(e.text) and one_line(e.text) in note and e.category != "Title"
        ]
        first = slide[: len(spoken)] == spoken
        for element in slide[len(spoken) :] if first else slide:
            add_element(to, element, page=number)
        for text in drawn[number - 1]:
            to.add("paragraph", text, page=number)
        for element in spoken if first else ():
            add_element(to, element, page=number)
    core = deck.core_properties
    return to.finish(
        title=_own_title(core.title),
        language=core.language,
        pages=len(drawn),
        metadata=_core(core.author, core.modified),
    )


def _add_docx(to: Assembler, elements: list[Element], name: str | None) -> None:
    """Headers and footers once each, whatever number of sections repeats them.

    The partitioner gives the style `Title` the rank of `Heading 1`; where a document has one, headings go one down.
    """
    seen: set[str] = set()
    for element in elements:
        if element.category in ("Header", "Footer"):
            if element.text in seen:
                continue
            seen.add(element.text)
        if element.category == "Title" and name is not None and one_line(element.text) != name:
            to.add(
                "title",
                element.text,
                page=element.metadata.page_number,
                level=(element.metadata.category_depth or 0) + 2,
            )
        else:
            add_element(to, element)


def _core(author: str | None, modified: object) -> dict[str, str]:
    return {"author": author or "", "modified": str(modified or "")}


def _own_title(title: str | None) -> str | None:
    """The title from the properties, unless a program put it there."""
    return (
        None
        if not title or title.lower() in ("powerpoint presentation", "word document", "presentation")
        else title
    )


def _unwrap(document: Document) -> None:
    body = document.element.body
    for control in list(body.iter(qn("w:sdt"))):
        content = control.find(qn("w:sdtContent"))
        _replace(control, list(content) if content is not None else [])
    for name in _WRAPPERS:
        for wrapper in list(body.iter(qn(name))):
            # In properties `w:ins` only marks a paragraph or row as inserted.
            above = wrapper.getparent()
            if above is not None and above.tag not in (qn("w:rPr"), qn("w:trPr")):
                _replace(wrapper, [child for child in wrapper if child.tag != qn("w:customXmlPr")])


def _replace(node: etree._Element, children: list[etree._Element]) -> None:
    parent = node.getparent()
    if parent is None:
        return
    place = parent.index(node)
    parent.remove(node)
    for step, child in enumerate(children):
        parent.insert(place + step, child)


def _place_text_boxes(document: Document) -> None:
    """The paragraphs of a text box follow the paragraph that it is anchored in. Old copies for old readers are left out."""
    body = document.element.body
    for box in list(body.iter(qn("w:txbxContent"))):
        names = [etree.QName(up).localname for up in box.iterancestors()]
        host = next((up for up in box.iterancestors() if up.tag == qn("w:p")), None)
        if "Fallback" in names or host is None or names.count("txbxContent"):
            continue
        for block in reversed(list(box)):
            host.addnext(deepcopy(block))


def _place_notes(document: Document) -> None:
    """The text of a foot- or endnote follows the paragraph that refers to it."""
    body = document.element.body
    for name in _NOTES:
        part = next(
            (rel.target_part for rel in document.part.rels.values() if rel.reltype.endswith(f"/{name}s")),
            None,
        )
        if part is None:
            continue
        notes = {note.get(qn("w:id")): note for note in etree.fromstring(part.blob).iter(qn(f"w:{name}"))}
        for reference in list(body.iter(qn(f"w:{name}Reference"))):
            host = next((up for up in reference.iterancestors() if up.tag == qn("w:p")), None)
            note = notes.pop(reference.get(qn("w:id")), None)
            if host is None or note is None:
                continue
            for paragraph in reversed(list(note.iter(qn("w:p")))):
                text = "".join(piece.text or "" for piece in paragraph.iter(qn("w:t")))
                host.addnext(_paragraph(text))


def _paragraph(text: str) -> etree._Element:
    paragraph = OxmlElement("w:p")
    run = etree.SubElement(paragraph, qn("w:r"))
    piece = etree.SubElement(run, qn("w:t"))
    piece.text = text
    return paragraph


def _slide_notes(deck: Presentation) -> list[str]:
    found: list[str] = []
    for slide in deck.slides:
        frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        found.append(one_line(frame.text) if frame is not None else "")
    return found


def _drawings(deck: Presentation) -> list[list[str]]:
    """The text of diagrams and charts, a list for each slide."""
    return [list(_drawn(slide.part)) for slide in deck.slides]


def _drawn(part: Part) -> Iterator[str]:
    for relation in part.rels.values():
        if relation.is_external or not relation.reltype.endswith(("/diagramData", "/chart")):
            continue
        root = etree.fromstring(relation.target_part.blob)
        texts = ["".join(t.text or "" for t in p.iter(_A_TEXT)) for p in root.iter(_A_PARAGRAPH)]
        values = dict.fromkeys(v.text or "" for v in root.iter(_C_VALUE))
        yield from (text for text in texts if text.strip())
        if values:
            yield ", ".join(values)
