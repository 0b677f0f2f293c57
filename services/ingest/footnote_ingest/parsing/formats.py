"""The formats that are read: their media types, the family of each, and the endings of their names."""

from dataclasses import dataclass
from typing import Literal

Family = Literal[
    "plain",
    "markdown",
    "rst",
    "org",
    "asciidoc",
    "latex",
    "texinfo",
    "pod",
    "code",
    "data",
    "man",
    "notebook",
    "subtitles",
    "content_lines",
    "web",
    "xml",
    "csv",
    "docx",
    "pptx",
    "xlsx",
    "odt",
    "ods",
    "odp",
    "epub",
    "rtf",
    "eml",
    "msg",
    "mbox",
    "pdf",
    "image",
    "audio",
    "archive",
]

READ_TOGETHER: frozenset[Family] = frozenset(
    (
        "plain",
        "markdown",
        "rst",
        "org",
        "asciidoc",
        "latex",
        "texinfo",
        "pod",
        "man",
        "subtitles",
        "content_lines",
    )
)
"""Formats that only Python code reads. No file of theirs can take over the process that reads it, as one that
finds a fault in a C library could. So one process may read several files of one owner.
"""

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
DOC = "application/msword"
XLS = "application/vnd.ms-excel"
PPT = "application/vnd.ms-powerpoint"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
EPUB = "application/epub+zip"
MSG = "application/vnd.ms-outlook"
CODE = "text/x-source-code"
MAN = "text/troff"
NOTEBOOK = "application/x-ipynb+json"
YAML = "application/yaml"
MBOX = "application/mbox"
SRT = "application/x-subrip"
SSA = "text/x-ssa"
RST = "text/x-rst"
ORG = "text/org"
ASCIIDOC = "text/asciidoc"
LATEX = "text/x-tex"
TEXINFO = "text/x-texinfo"
POD = "text/x-pod"
ZIP = "application/zip"
TAR = "application/x-tar"
GZIP = "application/gzip"
BZIP2 = "application/x-bzip2"
XZ = "application/x-xz"
MARKUPS = frozenset(("text/markdown", RST, ORG, ASCIIDOC, LATEX, TEXINFO, POD))
"""A name with the ending of one of these says what the text is; in other names the text itself does."""

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How a file of Office before 2007 and a message of Outlook begin (MS-CFB, section 2.2)."""

EARLY_SHEETS = (b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00")
"""How sheets of Excel 2, 3 and 4 begin, which no OLE file holds: with the record BOF of their version."""

FAMILY_OF: dict[str, Family] = {
    "text/plain": "plain",
    "text/markdown": "markdown",
    RST: "rst",
    ORG: "org",
    ASCIIDOC: "asciidoc",
    LATEX: "latex",
    TEXINFO: "texinfo",
    POD: "pod",
    "text/html": "web",
    "application/xhtml+xml": "web",
    "application/xml": "xml",
    "application/json": "data",
    YAML: "data",
    CODE: "code",
    MAN: "man",
    NOTEBOOK: "notebook",
    SRT: "subtitles",
    SSA: "subtitles",
    "text/vtt": "subtitles",
    "text/calendar": "content_lines",
    "text/vcard": "content_lines",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/pdf": "pdf",
    DOCX: "docx",
    PPTX: "pptx",
    XLSX: "xlsx",
    DOC: "docx",
    PPT: "pptx",
    XLS: "xlsx",
    ODT: "odt",
    ODS: "ods",
    ODP: "odp",
    EPUB: "epub",
    "application/rtf": "rtf",
    "message/rfc822": "eml",
    MSG: "msg",
    MBOX: "mbox",
    "image/png": "image",
    "image/jpeg": "image",
    "image/tiff": "image",
    "audio/mpeg": "audio",
    "audio/mp4": "audio",
    "audio/aac": "audio",
    "audio/ogg": "audio",
    "audio/x-wav": "audio",
    "audio/x-flac": "audio",
    ZIP: "archive",
    TAR: "archive",
    GZIP: "archive",
    BZIP2: "archive",
    XZ: "archive",
}

SUPPORTED_NAMES = (
    "txt, md, rst, org, adoc, tex, texi, pod, html, pdf, docx, pptx, xlsx, csv, tsv, eml, msg, mbox, epub, "
    "odt, ods, odp, fodt, fods, fodp, rtf, json, yaml, xml, ics, vcf, srt, vtt, ass, source code, "
    "manual pages, ipynb, zip, tar, gz, "
    "and png, jpg, tiff where OCR is installed, mp3, m4a, aac, ogg, wav, flac where a model transcribes, "
    "doc, xls, ppt where LibreOffice is"
)


def supported_mimes() -> tuple[str, ...]:
    """Every media type that `sniff` can answer with, in a stable order."""
    return tuple(FAMILY_OF)


# These endings choose among the kinds of text, after the bytes have been found to be text.
TEXT_ENDINGS: dict[str, str] = {
    "txt": "text/plain",
    "text": "text/plain",
    "log": "text/plain",
    "md": "text/markdown",
    "markdown": "text/markdown",
    "mdx": "text/markdown",
    "mkd": "text/markdown",
    "rmd": "text/markdown",
    "qmd": "text/markdown",
    "rst": RST,
    "rest": RST,
    "org": ORG,
    "adoc": ASCIIDOC,
    "asciidoc": ASCIIDOC,
    "asc": ASCIIDOC,
    "tex": LATEX,
    "ltx": LATEX,
    "latex": LATEX,
    "rnw": LATEX,
    "texi": TEXINFO,
    "texinfo": TEXINFO,
    "txi": TEXINFO,
    "pod": POD,
    "html": "text/html",
    "htm": "text/html",
    "xhtml": "application/xhtml+xml",
    "xml": "application/xml",
    "rss": "application/xml",
    "atom": "application/xml",
    "nxml": "application/xml",
    "docbook": "application/xml",
    "dbk": "application/xml",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "tab": "text/tab-separated-values",
    "json": "application/json",
    "jsonl": "application/json",
    "ndjson": "application/json",
    "geojson": "application/json",
    "ipynb": NOTEBOOK,
    "srt": SRT,
    "ass": SSA,
    "ssa": SSA,
    "vtt": "text/vtt",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "yaml": YAML,
    "yml": YAML,
    "eml": "message/rfc822",
    "man": MAN,
    "mdoc": MAN,
}

DECLARED_TEXT: dict[str, str] = {
    **{
        mime: mime
        for mime, family in FAMILY_OF.items()
        if mime in MARKUPS or family in ("web", "xml", "csv", "eml")
    },
    "text/x-markdown": "text/markdown",
    "application/x-tex": LATEX,
    "application/x-latex": LATEX,
    "text/x-latex": LATEX,
    "application/x-texinfo": TEXINFO,
    "text/xml": "application/xml",
    "application/rss+xml": "application/xml",
    "application/atom+xml": "application/xml",
    "application/json": "application/json",
    NOTEBOOK: NOTEBOOK,
    "text/vtt": "text/vtt",
    SSA: SSA,
    "text/calendar": "text/calendar",
    "text/vcard": "text/vcard",
    YAML: YAML,
}


@dataclass(frozen=True, slots=True)
class Sniffed:
    """What the bytes are.

    `encoding` is a Python codec, for text only; `language` is a programming language.
    """

    mime: str
    family: Family
    encoding: str | None = None
    language: str | None = None
