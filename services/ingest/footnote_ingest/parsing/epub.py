"""EPUB books: XHTML chapters in a zip, read directly. `unstructured` would need the program pandoc."""

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from footnote_ingest.parsing.archive import check_container
from footnote_ingest.parsing.book_styles import bold_classes
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.packaged_xml import DUBLIN_CORE, READ_ERRORS, parse_part
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.web import add_html

_OPF = "{http://www.idpf.org/2007/opf}"
_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_SLUG = re.compile(r"[a-z0-9.]+[-_][a-z0-9._-]+")
"""The name of a project, which a program that makes books of documentation took for the title."""

_STYLE_BYTES = 1_000_000
"""This much of its style sheets is read."""


def parse(given: ParserInput) -> Extracted:
    """The chapters in the order of the book's spine. Each chapter counts as a page."""
    check_container(given.data, given.limits)
    to = given.assembler()
    try:
        with zipfile.ZipFile(io.BytesIO(given.data)) as archive:
            if (
                "META-INF/encryption.xml" in archive.namelist()
                and "META-INF/rights.xml" in archive.namelist()
            ):
                raise ParseFailed(
                    "The book is protected by digital rights management and cannot be read.", "encrypted"
                )
            root = next(
                (
                    node.get("full-path")
                    for node in parse_part(archive.read("META-INF/container.xml")).iter(
                        f"{_CONTAINER}rootfile"
                    )
                ),
                None,
            )
            package = parse_part(archive.read(root or ""))
            folder = posixpath.dirname(root or "")
            files = {item.get("id"): item.get("href", "") for item in package.iter(f"{_OPF}item")}
            spine = [
                files[ref] for item in package.iter(f"{_OPF}itemref") if (ref := item.get("idref")) in files
            ]
            bold = bold_classes("\n".join(_style_sheets(archive, package, folder)))
            for number, href in enumerate(spine, 1):
                name = posixpath.normpath(posixpath.join(folder, unquote(href)))
                if name not in archive.namelist():
                    to.warnings.append(f"Chapter {number} is missing from the book.")
                    continue
                to.leave_headings()
                add_html(to, decode(archive.read(name)).text, page=number, bold=bold)
    except READ_ERRORS as error:
        raise ParseFailed("The book is damaged: its chapters cannot be read.", "corrupt") from error

    def about(name: str) -> str:
        return next((node.text or "" for node in package.iter(f"{DUBLIN_CORE}{name}")), "")

    title = about("title")
    return to.finish(
        title=(to.leading_title() if _SLUG.fullmatch(title.strip()) else None) or title,
        language=about("language"),
        pages=len(spine),
        metadata={"author": about("creator")},
    )


def _style_sheets(archive: zipfile.ZipFile, package: etree._Element, folder: str) -> Iterator[str]:
    """The style sheets that the book lists, as far as their sizes together stay within the bound."""
    left = _STYLE_BYTES
    for item in package.iter(f"{_OPF}item"):
        name = posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
        if item.get("media-type") != "text/css" or name not in archive.namelist():
            continue
        size = archive.getinfo(name).file_size
        if size <= left:
            left -= size
            yield decode(archive.read(name)).text
