"""OpenDocument text: XML in a zip, read directly. `unstructured` would need the program pandoc."""

import io
import zipfile
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from footnote_ingest.parsing.archive import check_container
from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.office.bold_headings import OdtStyles, reads_as_heading
from footnote_ingest.parsing.office.raised_runs import write_odt_raised
from footnote_ingest.parsing.office.review import comment_line, review_warning
from footnote_ingest.parsing.packaged_xml import DUBLIN_CORE, READ_ERRORS, parse_part
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.table_text import rows_to_text

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_MOST_SPACES = 100
_TITLE_AMONG = 20
"""Paragraphs among which the title of a text stands, empty ones counted."""

_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_ANNOTATION = f"{_OFFICE}annotation"
_CHANGES = frozenset(f"{_TEXT}{name}" for name in ("change", "change-start", "change-end"))
_SKIPPED = frozenset({f"{_TEXT}tracked-changes", f"{_TEXT}sequence-decls", _ANNOTATION, f"{_OFFICE}forms"})


def parse(given: ParserInput) -> Extracted:
    check_container(given.data, given.limits)
    to = given.assembler()
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
        root = parse_part(content)
        body = next(root.iter(f"{_OFFICE}text"), None)
    except READ_ERRORS as error:
        raise ParseFailed("The document is damaged: its content cannot be read.", "corrupt") from error
    titled = ""
    if body is not None:
        write_odt_raised(body, [part for part in (named, root) if part is not None])
        review = _Review.of(body, shown=given.choices.review == "shown")
        styles = OdtStyles.of([part for part in (named, root) if part is not None])
        _add_odt(to, body, review, styles)
        titled = _styled_title(body, styles)
        if review.warning is not None:
            to.warnings.append(review.warning)

    def about(name: str) -> str:
        return (
            next((node.text or "" for node in meta.iter(f"{DUBLIN_CORE}{name}")), "")
            if meta is not None
            else ""
        )

    return to.finish(
        title=about("title") or titled, language=about("language"), metadata={"author": about("creator")}
    )


def _styled_title(body: etree._Element, styles: OdtStyles) -> str:
    """The paragraph that the writer has given the style of titles; empty if none of the first ones has it."""
    for paragraph in islice(body.iter(f"{_TEXT}p", f"{_TEXT}h"), _TITLE_AMONG):
        if styles.is_based_on(paragraph, "Title") and (text := one_line(_odt_text(paragraph))):
            return text
    return ""


def _beside(archive: zipfile.ZipFile, name: str, to: Assembler) -> etree._Element | None:
    """A part without which the text can be read; None if it is not there or damaged."""
    try:
        return parse_part(archive.read(name)) if name in archive.namelist() else None
    except READ_ERRORS:
        to.warnings.append(f"A part of the file is damaged and was left out: {name}.")
        return None


@dataclass(frozen=True, slots=True)
class _Review:
    """What reviewers left (ODF 1.3 part 3, clauses 5.5 and 14.1).

    `deleted` holds the text of a deletion by the id of its change, `inserted` the ids of insertions. Both are
    empty unless changes are to be shown.
    """

    shown: bool
    warning: str | None
    deleted: Mapping[str | None, str]
    inserted: Set[str | None]

    @classmethod
    def of(cls, body: etree._Element, *, shown: bool) -> "_Review":
        changes = list(body.iter(f"{_TEXT}changed-region"))
        comments = sum(1 for _ in body.iter(_ANNOTATION))
        deleted: dict[str | None, str] = {}
        inserted: set[str | None] = set()
        for change in changes if shown else ():
            name = change.get(f"{_TEXT}id")
            for removal in change.iterchildren(f"{_TEXT}deletion"):
                deleted[name] = " ".join(_odt_text(p) for p in removal.iter(f"{_TEXT}p", f"{_TEXT}h"))
            if change.find(f"{_TEXT}insertion") is not None:
                inserted.add(name)
        return cls(shown, None if shown else review_warning(len(changes), comments), deleted, inserted)

    def mark(self, node: etree._Element) -> str:
        """What is written where a change is, begins or ends."""
        name = node.get(f"{_TEXT}change-id")
        if name in self.deleted:
            return f"[deleted: {self.deleted[name]}]" if node.tag == f"{_TEXT}change" else ""
        if name in self.inserted:
            return {f"{_TEXT}change-start": "[inserted: ", f"{_TEXT}change-end": "]"}.get(str(node.tag), "")
        return ""

    def add_comments(self, to: Assembler, node: etree._Element) -> None:
        """Add the comments within a paragraph or a table behind it, if they are to be shown."""
        for comment in node.iter(_ANNOTATION) if self.shown else ():
            author = next((person.text for person in comment.iterchildren(f"{DUBLIN_CORE}creator")), None)
            said = " ".join(_odt_text(p) for p in comment.iter(f"{_TEXT}p"))
            to.add("paragraph", comment_line(author, said))


def _add_odt(to: Assembler, block: etree._Element, review: _Review, bold: OdtStyles) -> None:
    """Add the blocks in reading order.

    This uses a stack and not recursion, because the file decides how deep its blocks are nested.
    """
    rank = 0
    waiting: list[tuple[etree._Element, int]] = [(child, 0) for child in reversed(block)]
    while waiting:
        node, depth = waiting.pop()
        if node.tag in _SKIPPED or not isinstance(node.tag, str):
            continue
        if node.tag == f"{_TEXT}h":
            level = node.get(f"{_TEXT}outline-level", "1")
            rank = int(level) if level.isdecimal() else 1
            to.add("title", _odt_text(node, review), level=rank)
            review.add_comments(to, node)
        elif node.tag == f"{_TEXT}p":
            text = _odt_text(node, review)
            if not depth and _is_bold_heading(node, text, bold):
                to.add("title", text, level=rank + 1)
            else:
                to.add(
                    "list" if depth else "paragraph",
                    f"{'  ' * (depth - 1)}- {text}" if depth and text else text,
                )
            for note in node.iter(f"{_TEXT}note-body"):
                to.add("paragraph", _odt_text(note))
            review.add_comments(to, node)
        elif node.tag == f"{_TABLE}table":
            to.add("table", rows_to_text(_odt_rows(node)))
            review.add_comments(to, node)
        else:
            deeper = depth + (node.tag == f"{_TEXT}list")
            waiting.extend((child, deeper) for child in reversed(node))


def _is_bold_heading(node: etree._Element, text: str, bold: OdtStyles) -> bool:
    """Whether a paragraph is wholly bold and short, and text that is not follows it."""
    if not reads_as_heading(text) or not bold.is_bold(node):
        return False
    follower = node.getnext()
    while follower is not None and not _odt_text(follower).strip():
        follower = follower.getnext()
    if follower is None or follower.tag not in (f"{_TEXT}p", f"{_TEXT}list"):
        return False
    return follower.tag == f"{_TEXT}list" or not bold.is_bold(follower)


def _odt_rows(table: etree._Element) -> Iterator[list[str]]:
    for row in table.iter(f"{_TABLE}table-row"):
        yield [
            " ".join(
                _odt_text(p)
                for p in cell.iter(f"{_TEXT}p", f"{_TEXT}h")
                if all(above.tag != _ANNOTATION for above in p.iterancestors())
            )
            for cell in row.iterchildren(f"{_TABLE}table-cell")
        ]


def _odt_text(paragraph: etree._Element, review: _Review | None = None) -> str:
    """The characters of a paragraph, without the notes and annotations inside it.

    Changes are marked in it as `review` has it.
    """
    pieces: list[str] = []
    inner = paragraph.tag == f"{_TEXT}note-body"
    skip: etree._Element | None = None
    for event, node in etree.iterwalk(paragraph, events=("start", "end")):
        if skip is not None:
            if event == "end" and node is skip:
                skip = None
                pieces.append(node.tail or "")
            continue
        if event == "start":
            if (not inner and node.tag == f"{_TEXT}note") or node.tag == _ANNOTATION:
                skip = node
                continue
            if node.tag == f"{_TEXT}s":
                count = node.get(f"{_TEXT}c", "1")
                pieces.append(" " * min(int(count), _MOST_SPACES) if count.isdecimal() else " ")
            elif node.tag in (f"{_TEXT}tab", f"{_TEXT}line-break"):
                pieces.append("\t" if node.tag.endswith("tab") else "\n")
            elif review is not None and node.tag in _CHANGES:
                pieces.append(review.mark(node))
            pieces.append(node.text or "")
        elif node is not paragraph:
            pieces.append(node.tail or "")
    return "".join(pieces)
