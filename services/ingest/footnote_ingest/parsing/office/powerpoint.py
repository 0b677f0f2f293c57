"""PowerPoint presentations by `unstructured`, with the text of diagrams and charts, which it overlooks."""

import io
from collections.abc import Iterator

import pptx
from lxml import etree
from pptx.opc.package import Part
from pptx.presentation import Presentation

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.office.office_files import core_facts, deck_title
from footnote_ingest.parsing.office.raised_runs import write_slide_raised
from footnote_ingest.parsing.office.review import comment_line, review_warning
from footnote_ingest.parsing.office.slide_comments import slide_comments
from footnote_ingest.parsing.office.sound_or_repaired import sound_or_repaired
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.partitioners import add_element, partition_pptx

_NEEDED = ("ppt/presentation", "ppt/slides/slide", "ppt/slideLayouts/", "ppt/slideMasters/")
_A_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_A_PARAGRAPH = "{http://schemas.openxmlformats.org/drawingml/2006/main}p"
_C_VALUE = "{http://schemas.openxmlformats.org/drawingml/2006/chart}v"


_NUMBER_OF_SLIDE = "‹#›"
"""What a box holds where the program writes the number of the slide."""


def parse(given: ParserInput) -> Extracted:
    damaged = "The presentation is damaged: its slides cannot be read."
    return sound_or_repaired(given, _read, _NEEDED, damaged)


def _read(given: ParserInput, to: Assembler) -> Extracted:
    shown = given.choices.review == "shown"
    deck = pptx.Presentation(io.BytesIO(given.data))
    ready = io.BytesIO(given.data)
    if _write_raised(deck):
        ready = io.BytesIO()
        deck.save(ready)
        ready.seek(0)
    elements = list(partition_pptx(file=ready, languages=[""], include_slide_notes=True))
    notes = _slide_notes(deck)
    drawn = _drawings(deck)
    comments = slide_comments(deck)
    if len(drawn) > given.limits.pages:
        raise ParseFailed(f"The presentation has more than {given.limits.pages:,} slides.", "too_large")
    for number in range(1, len(drawn) + 1):
        to.leave_headings()
        note = notes[number - 1]
        # The partitioner puts the speaker's notes before the slide; they are moved behind it.
        slide = [e for e in elements if e.metadata.page_number == number]
        spoken = [
            e
            for e in slide
            if note and one_line(e.text) and one_line(e.text) in note and e.category != "Title"
        ]
        first = slide[: len(spoken)] == spoken
        for element in slide[len(spoken) :] if first else slide:
            if element.text.strip() == _NUMBER_OF_SLIDE:
                continue
            add_element(to, element, page=number)
        for text in drawn[number - 1]:
            to.add("paragraph", text, page=number)
        for element in spoken if first else ():
            add_element(to, element, page=number)
        for comment in comments[number - 1] if shown else ():
            to.add("paragraph", comment_line(comment.author, comment.text), page=number)
    warning = None if shown else review_warning(0, sum(map(len, comments)))
    if warning is not None:
        to.warnings.append(warning)
    core = deck.core_properties
    return to.finish(
        title=deck_title(core.title, to.elements),
        language=core.language,
        pages=len(drawn),
        metadata=core_facts(core.author, core.modified),
    )


def _write_raised(deck: Presentation) -> bool:
    """Write the raised runs of all slides and notes. Returns whether there may be some."""
    roots = [
        part.element
        for slide in deck.slides
        for part in (slide, slide.notes_slide if slide.has_notes_slide else None)
        if part is not None
    ]
    return sum(map(write_slide_raised, roots)) > 0


def _slide_notes(deck: Presentation) -> list[str]:
    found: list[str] = []
    for slide in deck.slides:
        frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        found.append(one_line(frame.text) if frame is not None else "")
    return found


def _drawings(deck: Presentation) -> list[list[str]]:
    """The texts of diagrams and charts, slide by slide."""
    return [list(_drawn(slide.part)) for slide in deck.slides]


def _drawn(part: Part) -> Iterator[str]:
    for relation in part.rels.values():
        if relation.is_external or not relation.reltype.endswith(("/diagramData", "/chart")):
            continue
        root = etree.fromstring(relation.target_part.blob)
        write_slide_raised(root)
        texts = ["".join(t.text or "" for t in p.iter(_A_TEXT)) for p in root.iter(_A_PARAGRAPH)]
        values = dict.fromkeys(v.text or "" for v in root.iter(_C_VALUE))
        yield from (text for text in texts if text.strip())
        if values:
            yield ", ".join(values)
