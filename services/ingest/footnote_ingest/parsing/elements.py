"""The output of every parser: the text of a document and the elements that it consists of.

Everything after parsing relies on this invariant: `extracted.text[e.char_start:e.char_end] == e.text` for
every element `e`; elements are in order and do not overlap; only white space lies between them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NotRequired, TypedDict

Kind = Literal[
    "paragraph",
    "table",
    "list",
    "title",
    "code",
    "footnote",
    "ocr_text",
    "image_caption",
    "transcript",
    "generated_text",
]
MAX_TITLE_CHARS = 250
"""A longer heading is no heading but a paragraph."""

MAX_NAME_CHARS = 500
"""The title of a document is cut after this many characters."""

# PostgreSQL cannot store NUL, and UTF-8 cannot encode a lone surrogate.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Element:
    """One unit of a document.

    `heading_path` holds the titles above it, outermost first; that of a title includes the title itself.
    `page` counts from 1, and slides and sheets are pages. `level` is the depth of a title, from 1. `language`
    is the programming language of code, if it is known. `goes_on` says that the element is the rest of a
    sentence that the element before begins, on an earlier page, or of the table before.
    """

    kind: Kind
    text: str
    page: int | None
    heading_path: tuple[str, ...]
    char_start: int
    char_end: int
    level: int | None = None
    language: str | None = None
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a file. It becomes a document of its own and is not read here."""

    name: str
    mime: str
    content: bytes


class _ElementJson(TypedDict):
    kind: Kind
    page: int | None
    path: int
    start: int
    end: int
    level: int | None
    language: str | None
    goes_on: NotRequired[bool]


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a document says.

    `metadata` holds facts about it as strings: `sender`, `date`, `author`, `encoding` and the like. `family`
    names the parser, and the chunking policy depends on it. `pages` is 0 if the format has no pages.
    """

    text: str
    elements: tuple[Element, ...]
    title: str | None = None
    language: str | None = None
    pages: int = 0
    warnings: tuple[str, ...] = ()
    mime: str = "text/plain"
    family: str = "plain"
    metadata: Mapping[str, str] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()

    def to_json(self) -> bytes:
        """Everything but the attachments, as JSON in UTF-8.

        Elements refer to ranges of the text, and share their paths.
        """
        paths: dict[tuple[str, ...], int] = {}
        rows = [_element_json(e, paths.setdefault(e.heading_path, len(paths))) for e in self.elements]
        document = {
            "version": 1,
            "text": self.text,
            "paths": [list(path) for path in paths],
            "elements": rows,
            "title": self.title,
            "language": self.language,
            "pages": self.pages,
            "warnings": list(self.warnings),
            "mime": self.mime,
            "family": self.family,
            "metadata": dict(self.metadata),
        }
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_json(cls, data: bytes | str, attachments: Iterable[Attachment] = ()) -> "Extracted":
        """The inverse of `to_json`. The attachments are passed separately."""
        document = json.loads(data)
        text: str = document["text"]
        paths = [tuple(path) for path in document["paths"]]
        elements = tuple(
            Element(
                row["kind"],
                text[row["start"] : row["end"]],
                row["page"],
                paths[row["path"]],
                row["start"],
                row["end"],
                row["level"],
                row["language"],
                row.get("goes_on", False),
            )
            for row in document["elements"]
        )
        return cls(
            text=text,
            elements=elements,
            title=document["title"],
            language=document["language"],
            pages=document["pages"],
            warnings=tuple(document["warnings"]),
            mime=document["mime"],
            family=document["family"],
            metadata=document["metadata"],
            attachments=tuple(attachments),
        )


def _element_json(element: Element, path: int) -> _ElementJson:
    row: _ElementJson = {
        "kind": element.kind,
        "page": element.page,
        "path": path,
        "start": element.char_start,
        "end": element.char_end,
        "level": element.level,
        "language": element.language,
    }
    if element.goes_on:
        row["goes_on"] = True
    return row


def storable(text: str) -> str:
    """The text with `\\n` as line break and U+FFFD for what no store keeps (NUL, lone surrogates)."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSTORABLE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """The text with each run of white space as one space, and none at its ends."""
    return " ".join(text.split())
