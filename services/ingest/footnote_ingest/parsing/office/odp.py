"""OpenDocument presentations: a slide is a page, with its title, its text, its tables and its notes."""

import re
from itertools import islice

from lxml import etree

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.office.office_files import deck_title
from footnote_ingest.parsing.office.open_document import (
    ANNOTATION,
    OFFICE,
    TABLE,
    TEXT,
    embedded,
    object_name,
    paragraph_text,
    paragraphs_of,
    read_package,
)
from footnote_ingest.parsing.office.open_tables import row_texts
from footnote_ingest.parsing.office.raised_runs import write_odt_raised
from footnote_ingest.parsing.office.review import comment_line, review_warning
from footnote_ingest.parsing.packaged_xml import DUBLIN_CORE
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.table_text import rows_to_text

_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_CHART_TITLES = (f"{_CHART}title", f"{_CHART}subtitle")
_MOST_OBJECTS = 200
"""This many charts and sheets that are part of slides are read at most."""

_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_X, _Y = f"{_SVG}x", f"{_SVG}y"
_LENGTH = re.compile(r"(-?[0-9]{1,6}(?:\.[0-9]{1,6})?)(cm|mm|in|pt|pc|px)$")
_CENTIMETRES = {"mm": 0.1, "in": 2.54, "pt": 2.54 / 72, "pc": 2.54 / 6, "px": 2.54 / 96}
_CLASS = f"{_PRESENTATION}class"
_NOTES = f"{_PRESENTATION}notes"
_ON_EACH_SLIDE = frozenset({"header", "footer", "date-time", "page-number", "page"})
"""What a frame of one of these classes holds stands on each slide alike, or is a picture of the slide."""

_SKIPPED = frozenset({ANNOTATION, _NOTES, f"{OFFICE}forms", f"{_DRAW}object-ole"})


def parse(given: ParserInput) -> Extracted:
    to = given.assembler()
    package = read_package(given, to, "The presentation is damaged: its slides cannot be read.")
    body = next(package.content.iter(f"{OFFICE}presentation"), None)
    slides = list(body.iterchildren(f"{_DRAW}page")) if body is not None else []
    if len(slides) > given.limits.pages:
        raise ParseFailed(f"The presentation has more than {given.limits.pages:,} slides.", "too_large")
    if body is not None:
        write_odt_raised(body, package.style_parts)
    shown = given.choices.review == "shown"
    comments = 0
    objects = list(islice(body.iter(f"{_DRAW}object"), _MOST_OBJECTS)) if body is not None else []
    # An object that is shown twice is read once: a file could show a large one very often.
    for node in {object_name(node): node for node in objects}.values():
        if (drawn := embedded(given, node)) is not None:
            node.extend([*drawn.iter(*_CHART_TITLES), *drawn.iter(f"{TABLE}table")])
    for number, slide in enumerate(slides, 1):
        to.leave_headings()
        titles = [frame for frame in slide.iter(f"{_DRAW}frame") if frame.get(_CLASS) == "title"]
        for frame in titles[:1]:
            to.add("title", _one_text(frame), page=number, level=1)
        _add_shapes(to, slide, frozenset(titles[:1]), number)
        for notes in slide.iterchildren(_NOTES):
            _add_shapes(to, notes, frozenset(), number)
        for comment in slide.iter(ANNOTATION):
            comments += 1
            if shown:
                author = next((person.text for person in comment.iterchildren(f"{DUBLIN_CORE}creator")), None)
                said = " ".join(paragraph_text(p) for p in comment.iter(f"{TEXT}p"))
                to.add("paragraph", comment_line(author, said), page=number)
    warning = None if shown else review_warning(0, comments)
    if warning is not None:
        to.warnings.append(warning)
    return to.finish(
        title=deck_title(package.about("title"), to.elements),
        language=package.about("language"),
        pages=len(slides),
        metadata={"author": package.about("creator")},
    )


def _place(shape: etree._Element) -> tuple[float, float]:
    """How far a shape is from the top and from the left; a group is where the first of its shapes is."""
    placed = next((node for node in shape.iter(etree.Element) if node.get(_Y)), shape)
    return _length(placed.get(_Y, "")), _length(placed.get(_X, ""))


def _length(said: str) -> float:
    """A length in centimetres; 0 if there is none."""
    found = _LENGTH.match(said)
    return float(found[1]) * _CENTIMETRES.get(found[2], 1.0) if found is not None else 0.0


def _one_text(frame: etree._Element) -> str:
    return one_line(" ".join(paragraph_text(paragraph) for paragraph in paragraphs_of(frame)))


def _add_shapes(to: Assembler, page: etree._Element, done: frozenset[etree._Element], number: int) -> None:
    """Add the texts of a slide or of its notes, from the top to the bottom.

    This uses a stack and not recursion, because the file decides how deep its groups are nested.
    """
    placed = sorted(page, key=_place)
    waiting: list[tuple[etree._Element, int]] = [(child, 0) for child in placed[::-1]]
    while waiting:
        node, depth = waiting.pop()
        if (
            not isinstance(node.tag, str)
            or node.tag in _SKIPPED
            or node in done
            or node.get(_CLASS) in _ON_EACH_SLIDE
        ):
            continue
        if node.tag in (f"{TEXT}p", f"{TEXT}h"):
            text = paragraph_text(node)
            listed = depth > 0 and bool(text.strip())
            to.add(
                "list" if listed else "paragraph",
                f"{'  ' * (depth - 1)}- {text}" if listed else text,
                page=number,
            )
        elif node.tag == f"{TABLE}table":
            to.add("table", rows_to_text(row_texts(node)), page=number)
        else:
            waiting.extend((child, depth + (node.tag == f"{TEXT}list")) for child in reversed(node))
