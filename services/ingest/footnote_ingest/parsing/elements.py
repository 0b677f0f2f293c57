"""The common output of every parser: the text of a document and the elements that it consists of.

The invariant everything after parsing relies on: `extracted.text[e.char_start:e.char_end] == e.text` for every
element `e`, elements are in order and do not overlap, and only white space lies between them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict, get_args

Kind = Literal[
    "paragraph", "table", "list", "title", "code", "ocr_text", "image_caption", "transcript", "generated_text"
]
KINDS: frozenset[str] = frozenset(get_args(Kind))
MAX_TITLE_CHARS = 250
_SPACE = re.compile(r"\s+")
# PostgreSQL stores no NUL, UTF-8 no lone surrogate.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Element:
    """One unit of a document. `heading_path` holds the titles above it, outermost first; a title includes itself.

    `page` counts from 1 (slides and sheets are pages). `level` is the depth of a title, from 1.
    `language` is the programming language of code, where known.
    """

    kind: Kind
    text: str
    page: int | None
    heading_path: tuple[str, ...]
    char_start: int
    char_end: int
    level: int | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a file, to become a child document. Not processed here."""

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


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a document says. `metadata` holds facts about it as strings (`sender`, `date`, `author`, `encoding` ...).

    `family` names the parser; the chunking policy depends on it. `pages` is 0 where a format has no pages.
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
        """UTF-8 JSON of all but the attachments' contents; element texts are ranges of `text`, paths are shared."""
        paths: dict[tuple[str, ...], int] = {}
        rows: list[_ElementJson] = [
            {
                "kind": e.kind,
                "page": e.page,
                "path": paths.setdefault(e.heading_path, len(paths)),
                "start": e.char_start,
                "end": e.char_end,
                "level": e.level,
                "language": e.language,
            }
            for e in self.elements
        ]
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
        """The inverse of `to_json`; `attachments` travel apart."""
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


def storable(text: str) -> str:
    """The text with what no store can hold (NUL, lone surrogates) replaced by U+FFFD, and newlines as `\\n`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSTORABLE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Runs of white space as one space."""
    return _SPACE.sub(" ", text).strip()
