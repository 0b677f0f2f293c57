"""What the formats of OpenDocument share: XML in a zip, its properties, and the words of a paragraph."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lxml import etree

from footnote_ingest.parsing.archive import check_container
from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.packaged_xml import DUBLIN_CORE, READ_ERRORS, parse_part
from footnote_ingest.parsing.parser_input import ParserInput

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
ANNOTATION = f"{OFFICE}annotation"

_CHANGES = frozenset(f"{TEXT}{name}" for name in ("change", "change-start", "change-end"))
HREF = "{http://www.w3.org/1999/xlink}href"
_MOST_SPACES, _DIGITS = 100, 9
"""Of a number that is told, so many digits are read: one of thousands is an error of Python's."""

_WHITE = re.compile(r"[ \t\r\n]+")
"""White space in the file is one space of the text; elements tell all other (ODF 1.3 part 3, 6.1.2)."""

_ZIP = b"PK"
_PICTURE = (b"<office:binary-data>", b"</office:binary-data>")
"""Around the bytes of a picture in a file that is one XML document."""


@dataclass(frozen=True, slots=True)
class OpenPackage:
    """The parts of a file: its content, and its properties and named styles if they are there and sound."""

    content: etree._Element
    meta: etree._Element | None
    named: etree._Element | None

    @property
    def style_parts(self) -> list[etree._Element]:
        """The parts that hold styles; those of the content count more, and come last."""
        return [part for part in (self.named, self.content) if part is not None]

    def about(self, name: str) -> str:
        """A property of Dublin Core, such as `title`; empty if the file does not say it."""
        if self.meta is None:
            return ""
        return next((node.text or "" for node in self.meta.iter(f"{DUBLIN_CORE}{name}")), "")


def read_package(given: ParserInput, to: Assembler, damaged: str) -> OpenPackage:
    """Read the parts. `damaged` is what people are told.

    Raises ParseFailed (`encrypted`, `bomb`, `corrupt`).
    """
    if not given.data.startswith(_ZIP):
        return _read_flat(given.data, damaged)
    check_container(given.data, given.limits)
    try:
        with zipfile.ZipFile(io.BytesIO(given.data)) as archive:
            names = archive.namelist()
            if "META-INF/manifest.xml" in names and b"encryption-data" in archive.read(
                "META-INF/manifest.xml"
            ):
                raise ParseFailed(
                    "The file is encrypted. Remove the password and upload it again.", "encrypted"
                )
            content = archive.read("content.xml")
            meta, named = (_beside(archive, name, to) for name in ("meta.xml", "styles.xml"))
        return OpenPackage(parse_part(content), meta, named)
    except READ_ERRORS as error:
        raise ParseFailed(damaged, "corrupt") from error


def _read_flat(data: bytes, damaged: str) -> OpenPackage:
    """The parts of a file that is one XML document (ODF 1.3 part 3, 3.1.1), without its pictures."""
    pieces = []
    at = 0
    while (begin := data.find(_PICTURE[0], at)) >= 0 and (end := data.find(_PICTURE[1], begin)) >= 0:
        pieces.append(data[at:begin])
        at = end + len(_PICTURE[1])
    pieces.append(data[at:])
    try:
        root = parse_part(b"".join(pieces))
    except READ_ERRORS as error:
        raise ParseFailed(damaged, "corrupt") from error
    return OpenPackage(root, root, None)


def embedded(given: ParserInput, node: etree._Element) -> etree._Element | None:
    """The content of an object that lies in the file, such as a chart; None if it is no such or damaged."""
    if not given.data.startswith(_ZIP):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(given.data)) as archive:
            return object_in(archive, object_name(node))
    except READ_ERRORS:
        return None


def object_name(node: etree._Element) -> str:
    """Where the object of a frame lies. A link to it may be written in many ways, which are one name."""
    link: str = node.get(HREF, "")
    return link.removeprefix("./").rstrip("/")


def object_in(archive: zipfile.ZipFile, name: str) -> etree._Element | None:
    """The content of an object by its `object_name`; None if it is not there or damaged."""
    try:
        return parse_part(archive.read(f"{name}/content.xml"))
    except READ_ERRORS:
        return None


def _beside(archive: zipfile.ZipFile, name: str, to: Assembler) -> etree._Element | None:
    """A part without which the text can be read; None if it is not there or damaged."""
    try:
        return parse_part(archive.read(name)) if name in archive.namelist() else None
    except READ_ERRORS:
        to.warnings.append(f"A part of the file is damaged and was left out: {name}.")
        return None


def paragraphs_of(node: etree._Element) -> Iterator[etree._Element]:
    """The paragraphs below a node, without those of comments."""
    for paragraph in node.iter(f"{TEXT}p", f"{TEXT}h"):
        if next(paragraph.iterancestors(ANNOTATION), None) is None:
            yield paragraph


def paragraph_text(paragraph: etree._Element, mark: Callable[[etree._Element], str] | None = None) -> str:
    """The characters of a paragraph, without the notes and annotations inside it.

    `mark` says what is written where a tracked change is, begins or ends.
    """
    pieces: list[str] = []

    def say(text: str | None) -> None:
        said = _WHITE.sub(" ", text or "")
        begins = not pieces or pieces[-1].endswith((" ", "\n", "\t"))
        said = said[1:] if begins and said.startswith(" ") else said
        if said:
            pieces.append(said)

    inner = paragraph.tag == f"{TEXT}note-body"
    skip: etree._Element | None = None
    for event, node in etree.iterwalk(paragraph, events=("start", "end")):
        if skip is not None:
            if event == "end" and node is skip:
                skip = None
                say(node.tail)
            continue
        if event == "start":
            if (not inner and node.tag == f"{TEXT}note") or node.tag == ANNOTATION:
                skip = node
                continue
            if node.tag == f"{TEXT}s":
                count = node.get(f"{TEXT}c", "1")
                pieces.append(" " * min(int(count[:_DIGITS]), _MOST_SPACES) if count.isdecimal() else " ")
            elif node.tag in (f"{TEXT}tab", f"{TEXT}line-break"):
                pieces.append("\t" if node.tag.endswith("tab") else "\n")
            elif mark is not None and node.tag in _CHANGES:
                pieces.append(mark(node))
            say(node.text)
        elif node is not paragraph:
            say(node.tail)
    return "".join(pieces)
