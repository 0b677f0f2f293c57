"""The comments on the slides of a presentation, in the old form and in that of 2021.

Sources: ECMA-376 part 1, clause 19.4; MS-PPTX, `CT_Comment`.
"""

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree
from pptx.opc.package import Part
from pptx.presentation import Presentation

from footnote_ingest.parsing.packaged_xml import parse_part

_AUTHORS = ("/commentAuthors", "/authors")
_COMMENTS = "/comments"


class SlideComment(NamedTuple):
    """A comment or an answer to one. `author` is None where the file does not name the person."""

    author: str | None
    text: str


def slide_comments(deck: Presentation) -> list[list[SlideComment]]:
    """The comments slide by slide, in the order of the file."""
    people = {
        person.get("id"): person.get("name")
        for part in _related(deck.part, *_AUTHORS)
        for person in part.iter()
        if _name(person) in ("cmAuthor", "author")
    }
    return [
        [
            SlideComment(people.get(node.get("authorId")), _text(node))
            for part in _related(slide.part, _COMMENTS)
            for node in part.iter()
            if _name(node) in ("cm", "reply")
        ]
        for slide in deck.slides
    ]


def _related(part: Part, *endings: str) -> Iterator[etree._Element]:
    for relation in part.rels.values():
        if not relation.is_external and relation.reltype.endswith(endings):
            yield parse_part(relation.target_part.blob)


def _name(node: etree._Element) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def _text(comment: etree._Element) -> str:
    """The words of a comment, without those of the answers inside it."""
    pieces: list[str] = []
    waiting = list(reversed(comment))
    while waiting:
        node = waiting.pop()
        if _name(node) in ("t", "text"):
            pieces.append(node.text or "")
        elif _name(node) not in ("replyLst", "reply", ""):
            waiting.extend(reversed(node))
    return " ".join(pieces)
