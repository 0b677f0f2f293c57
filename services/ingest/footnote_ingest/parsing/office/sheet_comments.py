"""The comments on the cells of a workbook: notes of the old form, and threads with their answers.

Sources: ECMA-376 part 1, clause 18.7; MS-XLSX, `CT_ThreadedComment`.
"""

import io
import posixpath
import zipfile
from typing import NamedTuple

from lxml import etree

from footnote_ingest.parsing.packaged_xml import parse_part

_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_BOOK = "xl/workbook.xml"


class CellComment(NamedTuple):
    """A comment on a cell such as `B2`. `author` is None where the file does not name the person."""

    cell: str
    author: str | None
    text: str


def sheet_comments(data: bytes) -> dict[str, list[CellComment]]:
    """The comments by the name of their sheet. Raises READ_ERRORS for a damaged part."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        held = _Package(archive)
        targets = {number: target for number, _, target in held.related(_BOOK)}
        people = {
            person.get("id"): person.get("displayName")
            for name in held.names
            if name.startswith("xl/persons/")
            for person in held.nodes(name, "person")
        }
        found: dict[str, list[CellComment]] = {}
        for sheet in held.nodes(_BOOK, "sheet"):
            path = targets.get(sheet.get(_RELATION_ID) or "")
            if path is not None:
                found[sheet.get("name") or ""] = _of_sheet(held, path, people)
        return found


class _Package:
    """The parts of a workbook. A part that is not there has no nodes."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.names = frozenset(archive.namelist())

    def nodes(self, part: str, name: str) -> list[etree._Element]:
        if part not in self.names:
            return []
        root = parse_part(self._archive.read(part))
        return [node for node in root.iter() if isinstance(node.tag, str) and _name(node) == name]

    def related(self, part: str) -> list[tuple[str, str, str]]:
        """The id, the type and the path of each part that this one refers to."""
        folder, name = posixpath.split(part)
        relations = self.nodes(f"{folder}/_rels/{name}.rels", "Relationship")
        return [
            (
                relation.get("Id", ""),
                relation.get("Type", ""),
                posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip("/"),
            )
            for relation in relations
        ]


def _of_sheet(held: _Package, path: str, people: dict[str | None, str | None]) -> list[CellComment]:
    threads: list[CellComment] = []
    notes: list[CellComment] = []
    for _, kind, target in held.related(path):
        if kind.endswith("/threadedComment"):
            threads += [
                CellComment(node.get("ref") or "", people.get(node.get("personId")), _words(node, "text"))
                for node in held.nodes(target, "threadedComment")
            ]
        elif kind.endswith("/comments"):
            authors = [node.text for node in held.nodes(target, "author")]
            notes += [
                CellComment(node.get("ref") or "", _author(authors, node), _words(node, "t"))
                for node in held.nodes(target, "comment")
            ]
    # Behind each thread stands a note, which tells old programs that there is one.
    threaded = {comment.cell for comment in threads}
    return [*threads, *(note for note in notes if note.cell not in threaded)]


def _author(authors: list[str | None], note: etree._Element) -> str | None:
    at = note.get("authorId", "")
    return authors[int(at)] if at.isdecimal() and len(at) < 6 and int(at) < len(authors) else None


def _words(node: etree._Element, name: str) -> str:
    return "".join(
        part.text or "" for part in node.iter() if isinstance(part.tag, str) and _name(part) == name
    )


def _name(node: etree._Element) -> str:
    return str(etree.QName(node).localname)
