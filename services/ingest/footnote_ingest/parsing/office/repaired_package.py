"""Office packages with a fault beside their text: what is damaged or missing is left out.

Source: ECMA-376 part 2 (Open Packaging Conventions). The libraries refuse a whole file for one reference to a
picture that is not there, or for a damaged list of fonts. They do not know the namespaces of Strict Open XML
(ECMA-376 part 1) either, so these are written as the usual ones.
"""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from lxml import etree

from footnote_ingest.parsing.packaged_xml import READ_ERRORS, parse_part

_TYPES = "[Content_Types].xml"
_TYPES_NAMESPACE = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_KNOWN_TYPES = {"rels": "application/vnd.openxmlformats-package.relationships+xml", "xml": "application/xml"}
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w{1,40})/")
_MARKUP = (".xml", ".rels")
_NAMED = 5
"""This many of the parts that were left out are named."""


class Repaired(NamedTuple):
    """A package as the libraries read it, and the parts that were damaged or missing."""

    data: bytes
    left_out: tuple[str, ...]

    @property
    def warning(self) -> str | None:
        """A sentence for the reader of the document; None if nothing was left out."""
        if not self.left_out:
            return None
        named = ", ".join(self.left_out[:_NAMED])
        more = len(self.left_out) - _NAMED
        return "Parts of the file are damaged or missing and were left out: " + (
            f"{named} and {more} more." if more > 0 else f"{named}."
        )


Rewrite = Callable[[etree._Element], etree._Element | None]
"""Takes the root of a part and returns what takes its place; None leaves the part out."""


def repaired(data: bytes, needed: Collection[str], rewrites: Mapping[str, Rewrite] | None = None) -> Repaired:
    """The package without optional parts that are no XML, and without references to what is not there.

    `needed` are beginnings of the names of parts with text: they are never left out. `rewrites` are for parts
    by name. Raises READ_ERRORS if the list of types, or text that is to be rewritten, cannot be read.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [info.filename for info in archive.infolist() if not info.is_dir()]
        kept: dict[str, bytes | None] = {}
        left_out: list[str] = []
        for name in dict.fromkeys(names):
            rewrite = (rewrites or {}).get(name)
            is_text = name.startswith(tuple(needed))
            if not name.endswith(_MARKUP) or (is_text and rewrite is None):
                kept[name] = None
                continue
            try:
                root = parse_part(_usual(archive.read(name)))
            except READ_ERRORS:
                if is_text or name == _TYPES:
                    raise
                left_out.append(name)
                continue
            changed = rewrite(root) if rewrite is not None else root
            if changed is not None:
                kept[name] = etree.tostring(changed)
        for name, content in kept.items():
            if content is not None and name.endswith(".rels"):
                kept[name], missing = _held_relations(name, content, kept)
                left_out += missing
        types = kept.get(_TYPES)
        if types is not None:
            kept[_TYPES] = _typed(types, kept)
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
            for name, content in kept.items():
                try:
                    written.writestr(name, content if content is not None else _read(archive, name))
                except (zipfile.BadZipFile, zlib.error):
                    if name.startswith(tuple(needed)):
                        raise
                    # A picture that is damaged takes no text away; the libraries ask for its name only.
                    left_out.append(name)
                    written.writestr(name, b"")
    return Repaired(file.getvalue(), tuple(dict.fromkeys(left_out)))


def is_strict(data: bytes, main: str) -> bool:
    """Whether the package is Strict Open XML, by the name of its main part."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return main in archive.namelist() and _STRICT.search(archive.read(main)) is not None


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    content = archive.read(name)
    return _usual(content) if name.endswith(_MARKUP) else content


def _usual(content: bytes) -> bytes:
    """Markup with the namespaces of Strict Open XML written as the usual ones."""
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", content)


def _held_relations(name: str, content: bytes, kept: Collection[str]) -> tuple[bytes, list[str]]:
    """The relations of a part that lead to parts that are there, and the names of the parts that are not."""
    folder = posixpath.dirname(posixpath.dirname(name))
    root = parse_part(content)
    missing: list[str] = []
    for relation in list(root):
        target = relation.get("Target", "")
        path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        if relation.get("TargetMode") != "External" and not target.startswith("#") and path not in kept:
            missing.append(path)
            root.remove(relation)
    return etree.tostring(root), missing


def _typed(types: bytes, names: Iterable[str]) -> bytes:
    """The list of types with one for each part, which the libraries want."""
    root = parse_part(types)
    endings = {node.get("Extension", "").lower() for node in root.iter(f"{_TYPES_NAMESPACE}Default")}
    parts = {node.get("PartName", "") for node in root.iter(f"{_TYPES_NAMESPACE}Override")}
    for name in names:
        ending = name.rpartition(".")[2].lower()
        if ending in endings or f"/{name}" in parts:
            continue
        endings.add(ending)
        etree.SubElement(
            root,
            f"{_TYPES_NAMESPACE}Default",
            Extension=ending,
            ContentType=_KNOWN_TYPES.get(ending, "application/octet-stream"),
        )
    written: bytes = etree.tostring(root)
    return written
