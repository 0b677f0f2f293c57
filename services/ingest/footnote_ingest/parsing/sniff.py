"""What a file is, by its bytes. Its name and its declared type are hints among the kinds of text only."""

import io
import json
import re
import zipfile

import filetype

from footnote_ingest.parsing import encodings
from footnote_ingest.parsing.code_endings import ENDING_OF_NAME, LANGUAGE_OF
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.formats import (
    ASCIIDOC,
    BZIP2,
    CODE,
    DECLARED_TEXT,
    DOC,
    DOCX,
    EARLY_SHEETS,
    EPUB,
    FAMILY_OF,
    GZIP,
    LATEX,
    MAN,
    MARKUPS,
    MBOX,
    MSG,
    NOTEBOOK,
    ODP,
    ODS,
    ODT,
    OLE,
    POD,
    PPT,
    PPTX,
    SSA,
    SUPPORTED_NAMES,
    TAR,
    TEXINFO,
    TEXT_ENDINGS,
    XLS,
    XLSX,
    XZ,
    YAML,
    ZIP,
    Sniffed,
)
from footnote_ingest.parsing.markup.recognise import markup_of
from footnote_ingest.parsing.records.subtitles import subtitles_of

_HEADER_LINE = re.compile(
    r"^(from|to|cc|subject|date|received|return-path|delivered-to|message-id|mime-version|content-type|reply-to|sender|x-[\w-]+):",
    re.I | re.M,
)
_BETWEEN_MAILS = re.compile(r"From \S{1,300} .{10,200}\r?\n>?[!-9;-~]{1,100}:")
_WHITE = re.compile(r"\s*+")
_HTML_START = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.I)
_XML_START = re.compile(r"\s*<\?xml\b", re.I)
_XHTML = re.compile(r"<html\b|<!doctype[^<>]{1,80}//dtd xhtml", re.I)
_HTML_TAG = re.compile(r"</?(?:p|div|h[1-6]|ul|li|table|a|span|body|html|title|br)\b[^<>]*>", re.I)
_EML_HINTS = frozenset(
    {"from", "to", "subject", "date", "received", "message-id", "mime-version", "return-path", "delivered-to"}
)
_SHEBANG = re.compile(r"#!.*?\b(python|bash|sh|zsh|node|ruby|perl|php)[\d.]*\b")
_SHEBANG_LANGUAGE = {"bash": "shell", "sh": "shell", "zsh": "shell", "node": "js"}
# `HS` is the title of older pages of Tcl, which define it themselves.
_MAN_TITLE = re.compile(r"^\.(?:TH|Dt|HS)[ \t]+\S", re.M)
_MAN_SECTION = re.compile(r"^\.(?:SH|Sh)[ \t]+\S", re.M)
_DATA = {"json": "application/json", "yaml": YAML}
_OLD_OFFICE = {"doc": DOC, "dot": DOC, "xls": XLS, "xlt": XLS, "ppt": PPT, "pps": PPT, "pot": PPT}
_READ_BY_PEOPLE = ("readme", "changelog", "changes", "news", "install", "contributing", "history", "todo")
_STREAMS = (("WordDocument", DOC), ("Workbook", XLS), ("Book", XLS), ("PowerPoint Document", PPT))
"""The stream of an OLE file that holds its text, and the type of such a file."""

_PACKAGES = {"docx": DOCX, "pptx": PPTX, "xlsx": XLSX, "odt": ODT, "ods": ODS, "odp": ODP, "epub": EPUB}
_NO_TEXT = frozenset({*_PACKAGES, *_OLD_OFFICE, "pdf", "rtf", "msg", "zip", "tar", "gz", "tgz", "bz2", "xz"})
"""Endings of files that begin with bytes of their own, however they go on."""

_FLAT = re.compile(r'office:mimetype="application/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)"')
_FLAT_KINDS = {"text": ODT, "spreadsheet": ODS, "presentation": ODP}
"""An OpenDocument file that is one XML document, as `.fodt`, names its kind in its first element."""

_POD_COMMAND = re.compile(r"^=[a-zA-Z]", re.M)
_SCRIPT = "[script info]"
"""How subtitles of SubStation Alpha begin."""

_COMPRESSED = ((b"\x1f\x8b\x08", GZIP), (b"BZh", BZIP2), (b"\xfd7zXZ\x00", XZ))
_PROGRAMS_OWN = (
    "META-INF/MANIFEST.MF",
    "AndroidManifest.xml",
    "[Content_Types].xml",
    "Index/Document.iwa",
    "doc.kml",
)
"""Parts by which containers of programs are told from archives that a person packed."""

_SOURCE_ENDINGS = frozenset({"rst", "md"})
"""What stands before `.txt` in the names of sources that Sphinx puts beside its pages."""

HEAD_BYTES = 8192
"""The first bytes of a file, which are enough to tell what it is."""

_ANCHOR = re.compile(r"\[\[(?!true|false|null)[a-zA-Z]")
"""How the anchor of a text in AsciiDoc begins, which no JSON does."""

_LARGE_JSON = 5_000_000
"""A larger file that begins like JSON is taken for JSON without a trial."""


def sniff(data: bytes, filename: str = "", declared_mime: str = "", *, complete: bool = True) -> Sniffed:
    """Return what these bytes are.

    Raises ParseFailed (`empty`, `unsupported`, `not_text`, `encrypted`, `corrupt`). With `complete=False`
    only the first `HEAD_BYTES` are there, as when an upload is answered. What needs the whole file, such as
    the directory at the end of a zip, is then judged by the head.
    """
    if not data.strip(b"\x00 \t\r\n\x0c"):
        raise ParseFailed("The file is empty.", "empty")
    ending = _ending(filename)
    declared = declared_mime.partition(";")[0].strip().lower()
    if b"%PDF-" in data[:1024]:
        return _of("application/pdf")
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _container(data, ending, declared, complete)
    if data.startswith(OLE):
        return _ole(data, ending, complete)
    if data.startswith(EARLY_SHEETS):
        return _of(XLS)
    if data.startswith(b"{\\rtf"):
        return _of("application/rtf")
    for magic, mime in _COMPRESSED:
        if data.startswith(magic):
            return _of(mime)
    if is_tar(data):
        return _of(TAR)
    kind = filetype.guess(data[:HEAD_BYTES])
    if kind is not None and kind.mime in FAMILY_OF:
        return _of(kind.mime)
    encoding = encodings.detect(data, complete=complete)
    if encoding is None:
        what = f"a {kind.extension} file ({kind.mime})" if kind is not None else "binary data, not text"
        if ending in TEXT_ENDINGS or ending in LANGUAGE_OF:
            raise ParseFailed(f"The file is {what}, although it is called .{ending}.", "not_text")
        if kind is None and ending in _NO_TEXT:
            raise ParseFailed(
                f"The file is called .{ending} but does not begin like one: it is damaged, or a program has "
                "encrypted it.",
                "corrupt",
            )
        raise ParseFailed(f"The file is {what}. Supported: {SUPPORTED_NAMES}.", "unsupported")
    return _text(data, encoding, filename, declared, complete)


def is_tar(data: bytes) -> bool:
    """Whether the bytes begin with the header of a tar archive (POSIX.1-1988 and later)."""
    return data[257:262] == b"ustar"


def _of(mime: str, encoding: str | None = None, language: str | None = None) -> Sniffed:
    return Sniffed(mime, FAMILY_OF[mime], encoding, language)


def _ending(filename: str) -> str:
    """The ending of a name. The source of a page of Sphinx is called `page.rst.txt`."""
    name = filename.rsplit("/", 1)[-1].rsplit("\\", 1)[-1].lower()
    of_source, _, last = name.rpartition(".")
    if last == "txt" and of_source.rpartition(".")[2] in _SOURCE_ENDINGS and "." in of_source:
        return of_source.rpartition(".")[2]
    return ENDING_OF_NAME.get(name, last)


def _container(data: bytes, ending: str, declared: str, complete: bool) -> Sniffed:
    if complete:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                names = set(archive.namelist())
                mimetype = (
                    archive.read("mimetype")[:100]
                    if "mimetype" in names and archive.getinfo("mimetype").file_size < 200
                    else b""
                )
                if any(info.flag_bits & 1 for info in archive.infolist()):
                    raise ParseFailed(
                        "The file is encrypted. Remove the password and upload it again.", "encrypted"
                    )
        except (
            zipfile.BadZipFile,
            zipfile.LargeZipFile,
            NotImplementedError,
            EOFError,
            OSError,
            RuntimeError,
            ValueError,
        ) as error:
            raise ParseFailed(
                "The file is damaged: its zip container cannot be read. It may be cut off.", "corrupt"
            ) from error
    else:
        names = {
            match.decode("utf-8", "replace")
            for match in re.findall(rb"PK\x03\x04.{26}([\w\[\]./ -]{3,100})", data, re.S)
        }
        mimetype = data[38:98] if data[30:38] == b"mimetype" else b""
    if mimetype.startswith(EPUB.encode()):
        return _of(EPUB)
    for of_one in (ODT, ODS, ODP):
        if mimetype.startswith(of_one.encode()):
            return _of(of_one)
    for prefix, mime in (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX)):
        if any(name.startswith(prefix) for name in names):
            return _of(mime)
    by_name = _PACKAGES.get(ending)
    hinted = by_name or (declared if declared in _PACKAGES.values() else None)
    if hinted is not None and not complete:
        return _of(hinted)
    if "META-INF/container.xml" in names:
        return _of(EPUB)
    if not by_name and not mimetype and not names.intersection(_PROGRAMS_OWN):
        return _of(ZIP)
    what = (
        f"a zip archive, although it is called .{ending}" if by_name else "the container of another program"
    )
    raise ParseFailed(
        f"The file is {what}. Supported: {SUPPORTED_NAMES}.",
        "unsupported",
    )


def _ole(data: bytes, ending: str, complete: bool) -> Sniffed:
    """Tell an Outlook message from an encrypted Office file, and both from an Office file older than 2007."""
    if "EncryptedPackage".encode("utf-16-le") in data or (
        not complete and ending in ("docx", "pptx", "xlsx")
    ):
        raise ParseFailed("The file is encrypted. Remove the password and upload it again.", "encrypted")
    if "__substg1.0_".encode("utf-16-le") in data or (not complete and ending not in _OLD_OFFICE):
        return _of(MSG)
    for stream, mime in _STREAMS:
        # In a directory, a name ends with a zero (MS-CFB, section 2.6.1).
        if f"{stream}\x00".encode("utf-16-le") in data:
            return _of(mime)
    if not complete or ending in _OLD_OFFICE:
        return _of(_OLD_OFFICE[ending])
    raise ParseFailed(
        "The file is a container of Microsoft programs (OLE) that holds neither a document of Word, Excel or "
        f"PowerPoint nor a message of Outlook. Supported: {SUPPORTED_NAMES}.",
        "unsupported",
    )


def _xml(head: str, encoding: str) -> Sniffed:
    flat = _FLAT.search(head)
    if flat is not None:
        return _of(_FLAT_KINDS[flat[1]], encoding)
    return _of("application/xhtml+xml" if _XHTML.search(head) else "application/xml", encoding, "xml")


def _text(data: bytes, encoding: str, filename: str, declared: str, complete: bool) -> Sniffed:
    ending = _ending(filename)
    head = (
        data[:HEAD_BYTES]
        .decode("utf-8" if encoding == encodings.REPAIRED else encoding, "ignore")
        .lstrip("\ufeff")
    )
    if _is_manual_page(head, ending) and not (_begins_html(head) or _XML_START.match(head)):
        return _of(MAN, encoding)
    language = LANGUAGE_OF.get(ending)
    hinted = _hinted(ending, head)
    if language is not None:
        return _of(_DATA.get(language, CODE), encoding, language)
    if hinted in MARKUPS:
        return _of(hinted, encoding)
    if hinted != "message/rfc822" and _begins_html(head):
        return _of("text/html", encoding)
    if _XML_START.match(head):
        return _xml(head, encoding)
    mail = _mail(head, hinted == "message/rfc822" or declared == "message/rfc822")
    if mail is not None:
        return _of(mail, encoding)
    mime = hinted or DECLARED_TEXT.get(declared)
    if mime in ("text/html", "application/xhtml+xml") and not _HTML_TAG.search(head):
        mime = "text/plain"
    if mime in ("application/xml", "message/rfc822") and not head.lstrip().startswith("<"):
        mime = "text/plain"
    if mime == YAML:
        return _of(YAML, encoding, "yaml")
    if mime == NOTEBOOK:
        return _of(NOTEBOOK, encoding, "json")
    if mime == "application/json" or (
        mime is None
        and head.lstrip()[:1] in ("{", "[")
        and not _ANCHOR.match(head.lstrip())
        and _is_json(data, encoding, complete)
    ):
        return _of("application/json", encoding, "json")
    if mime is None and (shebang := _SHEBANG.match(head)):
        name = shebang.group(1)
        return _of(CODE, encoding, _SHEBANG_LANGUAGE.get(name, name))
    if mime in (None, "text/plain") and _may_hold_markup(filename, ending):
        mime = markup_of(head)
    return _of(mime or "text/plain", encoding, "xml" if mime == "application/xml" else None)


def _hinted(ending: str, head: str) -> str | None:
    """The media type that the ending stands for.

    Signatures and signed texts are called `.asc` as well, and manuals in Texinfo `.tex`.
    """
    hinted = TEXT_ENDINGS.get(ending)
    if hinted == LATEX and markup_of(head) == TEXINFO:
        return TEXINFO
    if hinted == POD and _POD_COMMAND.search(head) is None:
        return "text/plain"
    if hinted in (None, "text/plain") and head.lstrip()[: len(_SCRIPT)].lower() == _SCRIPT:
        return SSA
    if hinted in (None, "text/plain") and (subtitles := subtitles_of(head.lstrip())) is not None:
        return subtitles
    return "text/plain" if hinted == ASCIIDOC and head.startswith("-----BEGIN PGP") else hinted


def _may_hold_markup(filename: str, ending: str) -> bool:
    """Whether the name is that of a text for people: `.txt`, no ending at all, or a README."""
    name = filename.rsplit("/", 1)[-1].rsplit("\\", 1)[-1].lower()
    return ending in ("txt", "text") or "." not in name or name.startswith(_READ_BY_PEOPLE)


def _begins_html(head: str) -> bool:
    """Whether the first thing behind white space and comments is the start of a page.

    Each character is looked at once, however many comments there are. A comment that the head cuts off hides
    what follows it.
    """
    at = 0
    while True:
        white = _WHITE.match(head, at)
        at = white.end() if white else at
        if not head.startswith("<!--", at):
            return _HTML_START.match(head, at) is not None
        end = head.find("-->", at + 4)
        if end < 0:
            return False
        at = end + 3


def _is_manual_page(head: str, ending: str) -> bool:
    """Whether the text is a manual page: its name says so, or it has a title and a section.

    The endings of some pages are those of code, such as `.m`, so the text decides and not the name.
    """
    return _MAN_TITLE.search(head) is not None and (
        _MAN_SECTION.search(head) is not None or ending in ("man", "mdoc") or ending[:1].isdecimal()
    )


def _mail(head: str, hinted: bool) -> str | None:
    """The type of a mailbox or of a message; None for other text. `hinted`: it is said to be one message."""
    if not hinted and _BETWEEN_MAILS.match(head):
        return MBOX
    return "message/rfc822" if _is_mail(head, hinted) else None


def _is_mail(head: str, hinted: bool) -> bool:
    block = re.split(r"\r?\n\r?\n", head.lstrip(), maxsplit=1)[0]
    found = {match.group(1).lower() for match in _HEADER_LINE.finditer(block)}
    first = _HEADER_LINE.match(block)
    if hinted:
        return first is not None or len(found) >= 2
    return first is not None and len(found & _EML_HINTS) >= 3 and ("from" in found or "received" in found)


def _is_json(data: bytes, encoding: str, complete: bool) -> bool:
    if not complete or len(data) > _LARGE_JSON:
        return True
    try:
        json.loads(
            data.decode("utf-8" if encoding == encodings.REPAIRED else encoding, "replace").lstrip("\ufeff")
        )
    except (ValueError, RecursionError):
        return False
    return True
