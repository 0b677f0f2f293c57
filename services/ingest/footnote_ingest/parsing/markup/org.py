"""Org by its lines: headings, items, tables and code, without marks, as a reader sees them.

The syntax is that of https://orgmode.org/worg/org-syntax.html. Properties, comments and settings are not part
of the text, and other files are not opened.
"""

import re

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.markup.markup_text import MarkupDocument, lines_of, verbatim
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.table_text import rows_to_text

_HEADING = re.compile(r"(\*{1,60})[ ]++(.+)$")
_TAGS = re.compile(r"(?<![ \t])[ \t]+:[\w@#%:]{1,200}:$")
_PRIORITY = re.compile(r"\[#\w\][ ]*")
_SETTING = re.compile(r"#\+(\w[\w-]{0,40})(?:\[[^\]]{0,200}\])?:[ ]*+(.*)$")
_BLOCK = re.compile(r"#\+begin_(\w[\w-]{0,40})(?:[ ]++(.*))?$", re.I)
_DRAWER = re.compile(r":[\w-]{1,60}:$")
_ITEM = re.compile(r"(?:[-+]|\d{1,4}[.)]|[A-Za-z][.)])(?:[ ]+|$)")
_CHECK = re.compile(r"\[[ Xx-]\][ ]+")
_FOOTNOTE = re.compile(r"\[fn:([\w-]{1,60})\][ ]*")
_RULE_ROW = re.compile(r"\|-[-+|]*$")
_INLINE = re.compile(
    r"""
      \[\[(?P<target>[^\]\[]{1,1000})\](?:\[(?P<words>[^\]\[]{1,1000})\])?\]
    | \[fn:(?P<note>[\w-]{0,60})(?::(?P<said>[^\[\]]{1,2000}))?\]
    | <<{1,2}(?P<anchor>[^<>\n]{1,200})>{1,2}>
    | (?<![\w*/_=~+])(?P<mark>[*/_+])(?P<marked>[^\s*/_+](?:[^*/_+]{0,1000}[^\s*/_+])?)(?P=mark)(?!\w)
    | (?<![\w*/_=~+])=(?P<literal>[^\s=](?:[^=]{0,1000}[^\s=])?)=(?!\w)
    | (?<![\w*/_=~+])~(?P<code>(?:~(?=/))?[^\s~](?:[^~]{0,1000}[^\s~])?)~(?!\w)
    """,
    re.X,
)
_CODE_BLOCKS = frozenset(("src", "example"))
_UNREAD_DRAWERS = frozenset((":properties:", ":logbook:", ":clock:"))
_UNREAD_BLOCKS = frozenset(("comment", "export"))
_FACTS = {"author": "author", "date": "date"}
_ADDRESS = ("http://", "https://", "ftp://", "mailto:")


def parse(given: ParserInput) -> Extracted:
    """Read the text. Its title is that of its settings."""
    document = MarkupDocument(given)
    lines = lines_of(document.text)
    reader = _OrgReader(document)
    at = 0
    while at < len(lines):
        at = reader.read(lines, at)
    reader.end_paragraph()
    return document.to.finish(title=reader.title, metadata=document.metadata)


class _OrgReader:
    """Reads line by line, and collects the lines of a paragraph or an item."""

    def __init__(self, document: MarkupDocument) -> None:
        self._document = document
        self._lines: list[str] = []
        # Where the next line is that ends a block or a drawer, so that it is not searched for again.
        self._ends: dict[str, int | None] = {}
        self.title: str | None = None

    def read(self, lines: list[str], at: int) -> int:
        """Read what begins in this line; return the line after it."""
        line = lines[at]
        body = line.strip()
        heading = _HEADING.match(line)
        if heading is not None:
            self._heading(len(heading[1]), heading[2])
        elif not body:
            self.end_paragraph()
        elif body.startswith("#"):
            return self._keyword(lines, at, body)
        elif body.startswith("|"):
            return self._table(lines, at)
        elif body == ":" or body.startswith(": "):
            return self._fixed_width(lines, at)
        elif _DRAWER.match(body) and (end := self._end_of(lines, at, ":end:")) is not None:
            self.end_paragraph()
            # A page shows what a drawer of the text's own holds, without its name.
            return end + 1 if body.lower() in _UNREAD_DRAWERS else at + 1
        elif body.lower() == ":end:":
            self.end_paragraph()
        elif (item := _ITEM.match(body)) is not None or (line.startswith(" ") and body.startswith("* ")):
            self._item(body, item.end() if item is not None else 2)
        elif (note := _FOOTNOTE.match(line)) is not None:
            self.end_paragraph()
            self._document.lead(f"[{note[1]}] ", "paragraph")
            self._lines.append(line[note.end() :])
        else:
            self._lines.append(body)
        return at + 1

    def end_paragraph(self) -> None:
        """Add what was collected."""
        self._document.add("paragraph", _shown(" ".join(self._lines)))
        self._document.end_lead()
        self._lines = []

    def _heading(self, level: int, text: str) -> None:
        self.end_paragraph()
        self._document.add("title", _shown(_PRIORITY.sub("", _TAGS.sub("", text))), level=level)

    def _item(self, body: str, begin: int) -> None:
        self.end_paragraph()
        mark = body[:begin].strip()
        text = _CHECK.sub("", body[begin:], count=1)
        term, gap, told = text.partition(" :: ")
        self._document.lead(f"{_shown(term)}\n" if gap else f"{mark if mark[0].isalnum() else '-'} ", "list")
        self._lines.append(told if gap else text)

    def _keyword(self, lines: list[str], at: int, body: str) -> int:
        """A setting, a block or a comment."""
        block = _BLOCK.match(body)
        if block is not None:
            return self._block(lines, at, block[1].lower(), block[2] or "")
        setting = _SETTING.match(body)
        if setting is None:
            if body.startswith(("# ", "#+")) or body == "#":
                return at + 1
            self._lines.append(body)
            return at + 1
        name, value = setting[1].lower(), setting[2].strip()
        if name == "title":
            self.title = f"{self.title} {_shown(value)}" if self.title else _shown(value)
        elif name in _FACTS:
            self._document.metadata[_FACTS[name]] = value
        elif name == "caption":
            self.end_paragraph()
            self._document.add("paragraph", _shown(value))
        return at + 1

    def _block(self, lines: list[str], at: int, name: str, rest: str) -> int:
        """A block of code or of what is not read. Other blocks are read without their first and last line."""
        self.end_paragraph()
        if name not in _CODE_BLOCKS | _UNREAD_BLOCKS:
            return at + 1
        end = self._end_of(lines, at, f"#+end_{name}")
        if end is None:
            return at + 1
        if name in _CODE_BLOCKS:
            # A comma hides a star or a number sign at the start of a line.
            code = [re.sub(r"^([ ]*),(?=,*[*]|,*#\+)", r"\1", line) for line in lines[at + 1 : end]]
            language = rest.split(" ")[0].lower() if name == "src" else ""
            self._document.add("code", verbatim(code), language=language or None)
        return end + 1

    def _end_of(self, lines: list[str], at: int, wanted: str) -> int | None:
        """The next line that matches; None if there is none."""
        if wanted in self._ends:
            known = self._ends[wanted]
            if known is None or known > at:
                return known
        after = range(at + 1, len(lines))
        found = next((number for number in after if lines[number].strip().lower() == wanted), None)
        self._ends[wanted] = found
        return found

    def _table(self, lines: list[str], at: int) -> int:
        self.end_paragraph()
        rows: list[list[str]] = []
        end = at
        while end < len(lines) and (body := lines[end].strip()).startswith("|"):
            if not _RULE_ROW.match(body):
                rows.append([_shown(cell.strip()) for cell in body[1:].removesuffix("|").split("|")])
            end += 1
        self._document.add("table", rows_to_text(rows))
        return end

    def _fixed_width(self, lines: list[str], at: int) -> int:
        self.end_paragraph()
        end = at
        while end < len(lines) and ((body := lines[end].strip()) == ":" or body.startswith(": ")):
            end += 1
        self._document.add("code", verbatim([line.strip()[2:] for line in lines[at:end]]))
        return end


def _shown(text: str) -> str:
    """Running text without marks; the address of a link stands behind its words."""
    return _INLINE.sub(_words, text)


def _words(match: re.Match[str]) -> str:
    target = match["target"]
    if target is not None:
        words = match["words"]
        if words is None:
            return target.removeprefix("file:").lstrip("*#")
        return f"{words} ({target})" if target.startswith(_ADDRESS) and words != target else words
    if match["said"] is not None:
        return f" ({match['said'].strip()})"
    if match["note"] is not None:
        return f"[{match['note']}]"
    return match["anchor"] or match["marked"] or match["literal"] or match["code"] or match[0]
