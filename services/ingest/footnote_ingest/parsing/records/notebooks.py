"""Jupyter notebooks: text, code and what the code has printed, in the order of the cells.

The format is that of nbformat 4 (https://nbformat.readthedocs.io/en/latest/format_description.html); that of
nbformat 3 is read too. Pictures and widgets of outputs are left out, and counted in a warning.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lxml import etree

from footnote_ingest.parsing.elements import Extracted, Kind, one_line, storable
from footnote_ingest.parsing.encodings import decode, without_terminal_codes
from footnote_ingest.parsing.formats import RST, Sniffed
from footnote_ingest.parsing.markup import rst
from footnote_ingest.parsing.markup.markdown import as_shown, mark_markdown
from footnote_ingest.parsing.markup.recognise import markup_of
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.plain import parse_code
from footnote_ingest.parsing.table_text import html_table_rows, rows_to_text

OUTPUT_CHARS = 100_000
"""An output is cut after this many characters."""

_TAGS_SHARE = 20
"""The table of an output may be this many times as long in HTML."""

_CELL_GAP = "\n\n"
_EMBEDDED = re.compile(r"(?<=data:)([\w.+-]{1,60}/[\w.+-]{1,60});base64,[A-Za-z0-9+/=]*+")
_MAGIC = re.compile(r"%%(\w+)")
_LANGUAGE_OF_MAGIC = {
    "bash": "shell",
    "sh": "shell",
    "javascript": "js",
    "js": "js",
    "perl": "perl",
    "python": "python",
    "python3": "python",
    "R": "r",
    "ruby": "ruby",
    "sql": "sql",
}
_LANGUAGE_OF_KERNEL = {"javascript": "js", "typescript": "ts", "c++": "cpp", "c#": "csharp", "bash": "shell"}
_KEYS_OF_3 = {"text": "text/plain", "html": "text/html", "latex": "text/latex", "png": "image/png"}
_OPAQUE = re.compile(r"<[^\n]*>")
"""The text of an object that shows itself in another way, such as `<Figure size 640x480 with 1 Axes>`."""


@dataclass(slots=True)
class _Part:
    """A piece of the notebook's text. `kind` is None for Markdown, which has elements of its own."""

    kind: Kind | None
    text: str
    language: str | None = None
    level: int | None = None


@dataclass(slots=True)
class _Notebook:
    """What has been read, and what was left out of it."""

    language: str | None
    parts: list[_Part] = field(default_factory=list)
    raw: list[int] = field(default_factory=list)
    unseen: int = 0
    cut: int = 0

    def put(
        self, kind: Kind | None, text: str, language: str | None = None, level: int | None = None
    ) -> None:
        text = storable(text).strip("\n")
        if text.strip():
            self.parts.append(_Part(kind, text, language, level))


def parse(given: ParserInput) -> Extracted:
    """Markdown cells have their headings, code cells their language.

    A file without cells is read as code.
    """
    decoded = decode(given.data, given.sniffed.encoding)
    try:
        document = json.loads(decoded.text)
    except (ValueError, RecursionError):
        document = None
    cells = _cells(document)
    if cells is None:
        return parse_code(given)
    facts = _mapping(document.get("metadata"))
    book = _Notebook(_language(facts))
    for cell in cells:
        _read_cell(book, cell)
    _read_raw(book, given)
    to = given.assembler(_CELL_GAP.join(part.text for part in book.parts))
    if decoded.warning:
        to.warnings.append(decoded.warning)
    at = 0
    for part in book.parts:
        end = at + len(part.text)
        if part.kind is None:
            mark_markdown(to, part.text, at)
        else:
            to.mark(part.kind, at, end, language=part.language, level=part.level)
        at = end + len(_CELL_GAP)
    if book.unseen:
        to.warnings.append(f"Outputs without text, such as pictures, were left out: {book.unseen}.")
    if book.cut:
        to.warnings.append(f"Outputs of more than {OUTPUT_CHARS:,} characters were cut: {book.cut}.")
    title = facts.get("title")
    return to.finish(
        title=title if isinstance(title, str) else to.highest_title(),
        metadata={"encoding": decoded.encoding, "code_language": book.language or ""},
    )


def _cells(document: object) -> list[Mapping[str, object]] | None:
    """The cells of a notebook; None if the document is not one. In nbformat 3 they lie on worksheets."""
    book = _mapping(document)
    found: list[object] = []
    if isinstance(book.get("cells"), list):
        found = _sequence(book["cells"])
    elif isinstance(book.get("worksheets"), list):
        found = [
            cell
            for sheet in _sequence(book["worksheets"])
            for cell in _sequence(_mapping(sheet).get("cells"))
        ]
    else:
        return None
    return [_mapping(cell) for cell in found]


def _language(facts: Mapping[str, object]) -> str | None:
    for holder, key in (("language_info", "name"), ("kernelspec", "language"), ("kernelspec", "name")):
        said = _mapping(facts.get(holder)).get(key)
        if isinstance(said, str) and said.strip():
            name = said.strip().lower().rstrip("0123456789.")
            return _LANGUAGE_OF_KERNEL.get(name, name)
    return None


def _read_cell(book: _Notebook, cell: Mapping[str, object]) -> None:
    source = _text(cell.get("source", cell.get("input")))
    match cell.get("cell_type"):
        case "markdown":
            book.put(None, as_shown(_EMBEDDED.sub(r"\1", source)))
        case "heading":
            level = cell.get("level")
            book.put("title", one_line(source), level=level if isinstance(level, int) else 1)
        case "code":
            magic = _MAGIC.match(source)
            language = _LANGUAGE_OF_MAGIC.get(magic[1]) if magic else None
            book.put("code", source, language or book.language)
            for output in _sequence(cell.get("outputs")):
                _read_output(book, _mapping(output))
        case _:
            book.raw.append(len(book.parts))
            book.parts.append(_Part("paragraph", storable(source)))


def _read_raw(book: _Notebook, given: ParserInput) -> None:
    """Read the raw cells as the markup that all of them together are in."""
    raw, book.raw = [at for at in book.raw if book.parts[at].text.strip()], []
    texts = [book.parts[at].text for at in raw]
    markup = markup_of("\n\n".join(texts))
    read: list[list[_Part]] = [[] for _ in raw]
    if markup == RST:
        # Ranks of headings, and names of links, hold from one cell to the next.
        between = "cell" + "x" * (max(map(len, texts), default=0) + 1)
        sniffed = Sniffed(RST, "rst", "utf-8")
        whole = f"\n\n{between}\n\n".join(texts).encode("utf-8", "replace")
        at = 0
        for element in rst.parse(replace(given, data=whole, filename="", sniffed=sniffed)).elements:
            if element.text == between:
                at += 1
            else:
                read[at].append(_Part(element.kind, element.text, element.language, element.level))
    pieces = dict(zip(raw, read, strict=True)) if markup == RST else {}
    parts: list[_Part] = []
    for at, part in enumerate(book.parts):
        if markup == "text/markdown" and at in raw:
            part.kind = None
        parts += pieces[at] if at in pieces else [part] if part.text.strip() else []
    book.parts = parts


def _read_output(book: _Notebook, output: Mapping[str, object]) -> None:
    match output.get("output_type"):
        case "stream":
            _put_output(book, _text(output.get("text")))
        case "error" | "pyerr":
            said = f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
            trace = "\n".join(map(_text, _sequence(output.get("traceback"))))
            _put_output(book, trace or said)
        case "display_data" | "execute_result" | "pyout" | "update_display_data":
            data = output.get("data")
            bundle = (
                {_KEYS_OF_3.get(key, key): value for key, value in output.items()}
                if data is None
                else _mapping(data)
            )
            _read_bundle(book, bundle)


def _read_bundle(book: _Notebook, bundle: Mapping[str, object]) -> None:
    """One thing that is shown in several forms. The richest form in words is taken."""
    markdown, html, plain = (_text(bundle.get(mime)) for mime in ("text/markdown", "text/html", "text/plain"))
    table = _table(html) if "<table" in html and len(html) <= OUTPUT_CHARS * _TAGS_SHARE else ""
    if markdown.strip():
        book.put(None, _EMBEDDED.sub(r"\1", _bounded(book, markdown)))
    elif table:
        book.put("table", _bounded(book, table))
        book.put("paragraph", _bounded(book, _beside_table(html)))
    elif plain.strip() and not _OPAQUE.fullmatch(plain.strip()):
        _put_output(book, plain)
    elif html.strip() and (shown := _seen(html)):
        book.put("paragraph", _bounded(book, shown))
    elif latex := _text(bundle.get("text/latex")):
        book.put("paragraph", _bounded(book, latex))
    elif any(value for mime, value in bundle.items() if "/" in mime):
        book.unseen += 1


def _put_output(book: _Notebook, text: str) -> None:
    """Output as a terminal shows it: what a carriage return has overwritten is not seen."""
    lines = without_terminal_codes(text).split("\n")
    shown = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
    book.put("code", _bounded(book, shown))


def _bounded(book: _Notebook, text: str) -> str:
    if len(text) <= OUTPUT_CHARS:
        return text
    book.cut += 1
    return text[: text.rfind("\n", OUTPUT_CHARS // 2, OUTPUT_CHARS) + 1 or OUTPUT_CHARS]


def _tree(html: str) -> etree._Element | None:
    try:
        return etree.fromstring(html, etree.HTMLParser(no_network=True, remove_comments=True))
    except (etree.XMLSyntaxError, ValueError):
        return None


def _table(html: str) -> str:
    """The table of an output that is nothing but a table, such as a data frame; empty for others."""
    root = _tree(html)
    if root is None or sum(1 for _ in root.iter("table")) != 1:
        return ""
    return rows_to_text(html_table_rows(html))


def _beside_table(html: str) -> str:
    """What an output says above or below its table, such as how many rows it has."""
    root = _tree(html)
    if root is None:
        return ""
    etree.strip_elements(root, "table", with_tail=False)
    return _words_seen(root)


def _seen(html: str) -> str:
    root = _tree(html)
    return "" if root is None else _words_seen(root)


def _words_seen(root: etree._Element) -> str:
    etree.strip_elements(root, "script", "style", "svg", "head", with_tail=False)
    lines = (one_line(piece) for piece in root.itertext())
    return "\n".join(line for line in lines if line)


def _text(value: object) -> str:
    """A text that the file may hold as a list of lines."""
    if isinstance(value, list):
        return "".join(piece for piece in value if isinstance(piece, str))
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _sequence(value: object) -> list[object]:
    return value if isinstance(value, list) else []
