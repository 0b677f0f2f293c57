"""RTF: a reader of control words that gives paragraphs, headings and tables.

`unstructured` is not used here. It calls pandoc, which loses the character after each `\\u` escape.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.office.bold_headings import reads_as_heading
from footnote_ingest.parsing.office.rtf_fonts import code_page, font_pages
from footnote_ingest.parsing.office.rtf_styles import heading_styles
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.raised_text import written_runs
from footnote_ingest.parsing.table_text import rows_to_text

_TOKEN = re.compile(
    r"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})?[ ]?|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z])"
    r"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\",
    re.S,
)
# These groups hold no text of the document.
_SKIPPED = frozenset(
    [
        "fonttbl",
        "colortbl",
        "stylesheet",
        "info",
        "pict",
        "object",
        "objdata",
        "themedata",
        "datastore",
        "latentstyles",
        "listtable",
        "listoverridetable",
        "rsidtbl",
        "generator",
        "xmlnstbl",
        "header",
        "headerf",
        "headerl",
        "headerr",
        "footer",
        "footerf",
        "footerl",
        "footerr",
        "fldinst",
        "filetbl",
        "revtbl",
        "bkmkstart",
        "bkmkend",
        "mmathPr",
        "wgrffmtfilter",
        "pnseclvl",
        "pntxta",
        "pntxtb",
        "nonshppict",
        "annotation",
        "atnid",
        "atnauthor",
        "sn",
        "sv",
    ]
)
_SIGNS = {
    "emdash": "—",
    "endash": "–",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "tab": "\t",
    "line": "\n",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
}
_CONVERTED = "Original file was "
"""What latex2rtf tells in place of a title."""

_TITLE = re.compile(r"\{\\title ([^{}\\]{1,300})\}")
_MAX_DEPTH = 2_000
_MOST_STAND_INS = 16
_UPS = {"super": 1, "up": 1, "sub": -1, "dn": -1, "nosupersub": 0, "plain": 0}
"""The control words that raise and lower text, and those that put it back on its line."""

_Run = tuple[str, int]
"""A piece of text, and whether it is raised (1), lowered (-1) or on its line (0)."""


@dataclass(frozen=True, slots=True)
class _Group:
    """What applies until the closing brace of a group."""

    skipped: bool = False
    # How many characters follow a `\u` escape, for readers that do not know it.
    stand_ins: int = 1
    # Whether this is the text of a footnote, which comes behind its paragraph.
    note: bool = False
    # Whether the text is raised (1) or lowered (-1).
    up: int = 0
    bold: bool = False
    # Whether nobody sees the text.
    hidden: bool = False
    # The size of the font, in half points; 24 where nothing says it.
    size: int = 24
    # The code page of the font, where that has one of its own.
    codec: str | None = None


@dataclass(slots=True)
class _RtfReader:
    to: Assembler
    codec: str
    fonts: dict[int, str] = field(default_factory=dict)
    styles: Mapping[int, int] = field(default_factory=dict)
    group: _Group = field(default_factory=_Group)
    outer: list[_Group] = field(default_factory=list)
    text: list[_Run] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)
    notes: list[_Run] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    level: int | None = None
    # A bold line that is a heading if text that is not bold follows, and the rank of the last heading.
    waiting: str = ""
    # The size of a line in capitals that waits; it is a heading if smaller text follows.
    waiting_size: int = 0
    rank: int = 0
    bold: bool = True
    listed: bool = False
    # Whether the paragraph says that it stands in a table.
    tabled: bool = False
    # The size of the paragraph that is being read, the first paragraph and its size, and the largest other.
    size: int = 0
    first: str = ""
    first_size: int = 0
    largest: int = 0
    ignore: int = 0
    skip_next: bool = False

    def write(self, text: str) -> None:
        self._flush_raw()
        if self.ignore:
            dropped = min(self.ignore, len(text))
            self.ignore -= dropped
            text = text[dropped:]
        if not self.group.skipped:
            self._say(text)

    def write_byte(self, byte: int) -> None:
        """Collect a byte: a character can have several."""
        if self.ignore:
            self.ignore -= 1
        elif not self.group.skipped:
            self.raw.append(byte)

    def _flush_raw(self) -> None:
        if self.raw:
            self._say(self.decoded(bytes(self.raw)))
            self.raw.clear()

    def decoded(self, data: bytes) -> str:
        """Bytes in the code page of the font, or else of the file."""
        return data.decode(self.group.codec or self.codec, "replace")

    def _say(self, text: str) -> None:
        if self.group.hidden:
            return
        (self.notes if self.group.note else self.text).append((text, self.group.up))
        if text.strip() and not self.group.note:
            self.bold = self.bold and self.group.bold
            self.size = max(self.size, self.group.size)

    def _taken(self) -> str:
        self._flush_raw()
        text = _joined(self.text)
        self.text.clear()
        return text

    def end_paragraph(self) -> None:
        self._flush_raw()
        if self.cells or (self.tabled and any(piece.strip() for piece, _ in self.text)):
            # This is a paragraph within a cell. A cell may have many, so its text is joined at its end.
            self.text.append(("\n", 0))
            return
        text = self._taken()
        self.end_table()
        bold, self.bold = self.bold, True
        size = self._measure(text)
        if not text.strip() and not self.notes:
            return
        # A line in capitals heads what is set in smaller letters.
        heads = self.level is None and not self.listed and not self.notes and reads_as_heading(text)
        large = heads and not bold and text == text.upper()
        followed = self.listed or not bold if not self.waiting_size else size < self.waiting_size
        self.end_waiting(followed=self.level is None and followed)
        if heads and (bold or large):
            self.waiting, self.waiting_size = text, size if large else 0
            return
        kind = "title" if self.level is not None else "list" if self.listed else "paragraph"
        if kind == "title":
            self.rank = (self.level or 0) + 1
            self.to.add("title", text, level=self.rank)
        else:
            self.to.add("list" if kind == "list" else "paragraph", text)
        self.end_notes()

    def _measure(self, text: str) -> int:
        """Note how large a paragraph is that has ended, and tell it."""
        size, self.size = self.size, 0
        if text.strip() and not self.first:
            self.first, self.first_size = text, size
        elif one_line(text) != one_line(self.first):
            self.largest = max(self.largest, size)
        return size

    def printed_title(self) -> str | None:
        """The first paragraph, if it is one line that is printed larger than all other paragraphs."""
        stands_out = self.first_size > self.largest > 0 and reads_as_heading(self.first)
        return one_line(self.first) if stands_out else None

    def end_waiting(self, *, followed: bool) -> None:
        """Add the bold line that waits; it is a heading if it is `followed` by text."""
        text, self.waiting, self.waiting_size = self.waiting, "", 0
        if followed and text:
            self.to.add("title", text, level=self.rank + 1)
        else:
            self.to.add("paragraph", text)

    def end_notes(self) -> None:
        """Add the footnotes of the paragraph that has just ended. Each is a line of what was collected."""
        notes, self.notes = _joined(self.notes), []
        for note in notes.split("\n"):
            self.to.add("paragraph", note)

    def end_cell(self) -> None:
        self.cells.append(self._taken())
        self.bold = True

    def end_row(self) -> None:
        self.rows.append(self.cells)
        self.cells = []
        self.tabled = False

    def end_table(self) -> None:
        if self.rows:
            self.end_waiting(followed=False)
            self.to.add("table", rows_to_text(self.rows))
            self.rows = []
            self.end_notes()

    def open(self) -> None:
        self.outer.append(self.group)
        if len(self.outer) > _MAX_DEPTH:
            raise ParseFailed("The RTF document is nested too deeply to be read.", "corrupt")

    def close(self) -> None:
        self._flush_raw()
        noted = self.group.note
        self.group = self.outer.pop() if self.outer else _Group()
        if noted and not self.group.note:
            self.notes.append(("\n", 0))

    def control(self, word: str, number: int | None) -> None:
        skip, self.skip_next = self.skip_next, False
        if word in _SKIPPED or (skip and word not in ("shptxt", "shpinst")):
            self.group = replace(self.group, skipped=True)
        elif word == "uc":
            self.group = replace(self.group, stand_ins=max(0, min(number or 0, _MOST_STAND_INS)))
        elif word == "u" and number is not None:
            self.write(_char(number))
            self.ignore = self.group.stand_ins
        elif word == "footnote" and not self.group.skipped:
            self._flush_raw()
            self.group = replace(self.group, note=True)
        elif word in _SIGNS:
            self.write(_SIGNS[word])
        elif word == "b":
            self._flush_raw()
            self.group = replace(self.group, bold=number != 0)
        elif word == "v":
            self._flush_raw()
            self.group = replace(self.group, hidden=number != 0)
        elif word == "fs" and number is not None:
            self._flush_raw()
            self.group = replace(self.group, size=number)
        elif word == "f" and number is not None:
            self._flush_raw()
            self.group = replace(self.group, codec=self.fonts.get(number))
        elif word in _UPS:
            self._flush_raw()
            if word == "plain":
                self.group = replace(self.group, bold=False, hidden=False, size=24, codec=None)
            # A shift of no points puts the text back on its line.
            self.group = replace(self.group, up=0 if number == 0 else _UPS[word])
        elif not self.group.skipped:
            self._layout(word, number)

    def _layout(self, word: str, number: int | None) -> None:
        if self.group.note:
            # The layout of a note is not that of the paragraph around it.
            self.notes.append((" " if word == "par" else "", 0))
        elif word in ("par", "sect", "page"):
            self.end_paragraph()
        elif word == "cell":
            self.end_cell()
        elif word == "row":
            self.end_row()
        elif word == "pard":
            self.level, self.listed, self.tabled = None, False, False
        elif word == "intbl":
            self.tabled = True
        elif word == "outlinelevel":
            self.level = number if number is not None and 0 <= number <= 8 else None
        elif word == "s" and number is not None and number in self.styles:
            self.level = self.styles[number]
        elif word in ("ls", "pnlvlblt"):
            self.listed = True


def _joined(pieces: list[_Run]) -> str:
    """The pieces as one text, in which the halves of a surrogate pair are one character."""
    return "".join(written_runs(pieces)).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _char(number: int) -> str:
    """`\\u` carries a signed 16-bit unit.

    The halves of a pair become one character at the end of the paragraph.
    """
    return chr(number + 65536 if number < 0 else number) if -65536 <= number <= 0x10FFFF else "\ufffd"


def parse(given: ParserInput) -> Extracted:
    data = given.data.decode("latin-1")
    page = re.search(r"\\ansicpg(\d{3,5})", data[:2000])
    codec = code_page(page.group(1) if page else "1252")
    reader = _RtfReader(given.assembler(), codec, font_pages(data), heading_styles(data))
    for token in _tokens(data):
        _take(reader, token)
    reader.tabled = False
    if reader.cells:
        # The file is cut off within a row.
        reader.end_cell()
        reader.end_row()
    reader.end_paragraph()
    reader.end_waiting(followed=False)
    reader.end_table()
    title = _TITLE.search(data)
    named = title.group(1) if title and not title.group(1).startswith(_CONVERTED) else None
    return reader.to.finish(title=named or reader.printed_title())


def _tokens(data: str) -> Iterator[re.Match[str]]:
    at = 0
    while token := _TOKEN.match(data, at):
        at = token.end()
        if token["word"] == "bin":
            at += max(0, int(token["number"] or 0))
            continue
        yield token


def _take(reader: _RtfReader, token: re.Match[str]) -> None:
    if token["word"]:
        reader.control(token["word"], int(token["number"]) if token["number"] else None)
    elif token["hex"]:
        reader.write_byte(int(token["hex"], 16))
    elif token["brace"] == "{":
        reader.open()
    elif token["brace"]:
        reader.close()
    elif token["text"]:
        # A program may have left bytes of the file's own code page as they are.
        reader.write(
            token["text"] if token["text"].isascii() else reader.decoded(token["text"].encode("latin-1"))
        )
    elif token["sign"] == "*":
        reader.skip_next = True
    elif token["sign"] in ("\n", "\r"):
        reader.end_paragraph()
    elif token["sign"]:
        reader.write({"~": "\xa0", "_": "-", "-": ""}.get(token["sign"], token["sign"]))
