"""Texinfo by its lines: headings, items, tables, code and notes, as the manual shows them.

The language is that of https://www.gnu.org/software/texinfo/manual/texinfo/. Menus, indexes and macros are no
part of the text, what is meant for one kind of output alone is left out, and other files are not opened.
"""

import re
from collections import Counter
from dataclasses import dataclass

from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.markup import texinfo_words as words
from footnote_ingest.parsing.markup.markup_text import MarkupDocument, verbatim
from footnote_ingest.parsing.markup.texinfo_inline import InlineText
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.table_text import rows_to_text

_COMMAND = re.compile(r"@([A-Za-z]++)(?![{])[ \t]*(.*)$", re.S)
_COMMENT = re.compile(r"(?<!@)@c(?:omment)?(?![A-Za-z{]).*$", re.S)
_DEFINITION = re.compile(
    r"def(?:type)?(?:fn|vr|tp|cv|op|un|mac|spec|var|opt|method|ivar|line)x?$|deftypefunx?$"
)
_WHOLE = ("\\input texinfo", "@setfilename", "@bye", "@set ", "@clear ")
"""A manual has one of these lines; a part of one, whose flags another file sets, has none."""

_DIRECTORY_BEGIN, _DIRECTORY_END = "START-INFO-DIR-ENTRY", "END-INFO-DIR-ENTRY"
_HEAD_LINES = 10
_NEXT_CELL = re.compile(r"@tab(?![A-Za-z])")


def parse(given: ParserInput) -> Extracted:
    """Read the text. Its title is that of `@settitle`, or else that of its title page."""
    document = MarkupDocument(given)
    reader = _TexinfoReader(document)
    reader.read_all(_without_directory(document.text.split("\n")))
    facts = reader.facts
    return document.to.finish(
        title=facts.pop("settitle", "") or facts.pop("title", "") or None,
        metadata=document.metadata | {"author": facts.get("author", "")},
    )


def _without_directory(lines: list[str]) -> list[str]:
    """The lines without those for TeX above the first command, and without entries of the directory.

    An entry goes to the list of all manuals; older manuals wrote it as text between two lines.
    """
    input_at = next((at for at, line in enumerate(lines[:_HEAD_LINES]) if line.startswith("\\input")), 0)
    found: list[str] = []
    opened = False
    last = max((at for at, line in enumerate(lines) if line.strip() == _DIRECTORY_END), default=-1)
    for at, line in enumerate(lines[input_at:], input_at):
        opened = opened or (line.strip() == _DIRECTORY_BEGIN and at < last)
        found.append("" if opened else line)
        opened = opened and line.strip() != _DIRECTORY_END
    return found


@dataclass(slots=True)
class _Block:
    """A block that is open, with the command that its terms are set in and the number of its items."""

    name: str
    term: str = ""
    items: int = 0


class _TexinfoReader:
    """Reads line by line, and collects the lines of a paragraph or an item."""

    def __init__(self, document: MarkupDocument) -> None:
        self._document = document
        self._lines: list[str] = []
        self._blocks: list[_Block] = []
        self._open: Counter[str] = Counter()
        # Names of blocks without an end, so that it is not searched for again.
        self._endless: set[str] = set()
        self._values: dict[str, str] = {}
        self._inline = InlineText(self._values)
        self._fragment = False
        self.facts: dict[str, str] = {}

    def read_all(self, lines: list[str]) -> None:
        """Read up to `@bye`, which ends a manual."""
        self._fragment = not any(line.startswith(_WHOLE) for line in lines)
        at = 0
        while at < len(lines) and lines[at].strip() != "@bye":
            at = self._read(lines, at)
        self._end_paragraph()
        self._document.end_lead()

    def _read(self, lines: list[str], at: int) -> int:
        """Read what begins in this line; return the line after it."""
        body = lines[at].strip()
        if not body:
            self._end_paragraph()
            return at + 1
        command = _COMMAND.match(body)
        if command is None:
            if not body.startswith("\\input"):
                self._lines.append(_COMMENT.sub("", body))
            return at + 1
        name, rest = command[1], _COMMENT.sub("", command[2]).strip()
        if name in words.CODE or name in words.LAID_OUT:
            return self._verbatim(lines, at, name, rest)
        if name in words.UNREAD or (name in ("ifset", "ifclear") and not self._holds(name, rest)):
            end = self._end_of(lines, at, name)
            return at + 1 if end is None else end + 1
        if name == words.ROWS:
            return self._table(lines, at)
        if _DEFINITION.match(name):
            return self._definition(lines, at, name, rest)
        self._line(name, rest, body)
        return at + 1

    def _line(self, name: str, rest: str, body: str) -> None:
        """A command that rules one line."""
        if name in words.HEADINGS:
            self._end_paragraph()
            self._document.add("title", self._shown(rest), level=words.HEADINGS[name])
        elif name in ("settitle", "title", "author"):
            self._fact(name, self._shown(rest))
        elif name in ("set", "clear"):
            flag, _, value = rest.partition(" ")
            self._values[flag] = value.strip()
            if name == "clear":
                del self._values[flag]
        elif name == "end":
            self._end(rest.split(" ")[0])
        elif name in words.ITEMS:
            self._item(name, rest)
        elif name in ("center", "subtitle", "exdent"):
            self._end_paragraph()
            self._lines.append(rest)
            self._end_paragraph()
        elif name in ("quotation", "smallquotation"):
            self._begin(name)
            if rest:
                self._document.lead(f"{self._shown(rest)}: ", "paragraph")
        elif name in words.TERMS or name in ("itemize", words.NUMBERED):
            self._begin(name, rest)
        elif name not in words.SILENT:
            self._lines.append(body if name in words.SYMBOLS else rest)

    def _fact(self, name: str, value: str) -> None:
        """What the head or the title page says of the manual. Several authors are named with commas."""
        before = self.facts.get(name)
        if name == "author" and before:
            value = f"{before}, {value}"
        self.facts[name] = value if name == "author" or not before else before

    def _holds(self, name: str, flag: str) -> bool:
        """Whether a condition holds. Of a part of a manual, what another file may set holds both ways."""
        if self._fragment:
            return True
        return (flag in self._values) == (name == "ifset")

    def _shown(self, text: str) -> str:
        return one_line(self._inline.shown(text))

    def _end_paragraph(self) -> None:
        """Add what was collected, and then its notes."""
        if self._lines:
            self._document.add("paragraph", self._shown("\n".join(self._lines)))
            self._lines = []
        if self._inline.notes:
            for note in self._inline.notes:
                self._document.add("paragraph", note)
            self._inline.notes.clear()

    def _begin(self, name: str, term: str = "") -> None:
        self._end_paragraph()
        self._document.end_lead()
        self._blocks.append(_Block(name, term))
        self._open[name] += 1

    def _end(self, name: str) -> None:
        """End a block, and all that is open inside it. An end without a beginning is ignored."""
        self._end_paragraph()
        if not self._open[name]:
            return
        self._document.end_lead()
        while self._blocks:
            closed = self._blocks.pop()
            self._open[closed.name] -= 1
            if closed.name == name:
                return

    def _item(self, command: str, rest: str) -> None:
        """An item with its mark, its number or its term. A second term stands on a line of its own."""
        self._end_paragraph()
        if not self._blocks:
            self._lines.append(rest)
            return
        block = self._blocks[-1]
        block.items += 1
        if block.name in words.TERMS:
            marked = f"{block.term}{{{rest}}}" if block.term.startswith("@") else rest
            self._document.lead(f"{self._shown(marked)}\n", "list")
            return
        number = f"{block.items}. " if block.name == words.NUMBERED else "- "
        self._document.lead(number, "list")
        if rest:
            self._lines.append(rest)

    def _definition(self, lines: list[str], at: int, name: str, rest: str) -> int:
        """What is defined, as a term. It goes on in the next line if its own ends with `@`."""
        while rest.endswith("@") and at + 1 < len(lines):
            at += 1
            rest = f"{rest[:-1].rstrip()} {lines[at].strip()}"
        first = name.removesuffix("x")
        said = self._shown(rest)
        self._end_paragraph()
        if name == first:
            self._begin(name)
        category = words.DEFINED_AS.get(first)
        self._document.lead(f"{category}: {said}\n" if category else f"{said}\n", "list")
        return at + 1

    def _end_of(self, lines: list[str], at: int, name: str) -> int | None:
        """The line that ends the block which begins here, with equal blocks inside it; None if none does."""
        if name in self._endless:
            return None
        depth = 0
        for number in range(at, len(lines)):
            body = lines[number].strip()
            if body == f"@end {name}":
                depth -= 1
                if depth == 0 or name == "verbatim":
                    return number
            elif body == f"@{name}" or body.startswith(f"@{name} "):
                depth += 1
        self._endless.add(name)
        return None

    def _verbatim(self, lines: list[str], at: int, name: str, rest: str) -> int:
        """A block whose lines stay as they are: code, or prose that is laid out by hand."""
        self._end_paragraph()
        end = self._end_of(lines, at, name)
        if end is None:
            return at + 1
        inside = lines[at + 1 : end]
        if name != "verbatim":
            inside = self._inline.shown("\n".join(_kept(inside)), literal=name in words.CODE).split("\n")
        if name in words.LAID_OUT:
            self._document.add("paragraph", verbatim(inside))
        else:
            language = rest.partition(",")[0].strip().lower() if name == "example" else ""
            self._document.add("code", verbatim(inside), language=language or words.CODE[name])
        self._end_paragraph()
        return end + 1

    def _table(self, lines: list[str], at: int) -> int:
        """A table of rows and cells. A cell that holds blocks is read as one line."""
        self._end_paragraph()
        end = self._end_of(lines, at, words.ROWS)
        if end is None:
            return at + 1
        rows: list[list[list[str]]] = []
        for line in _kept(lines[at + 1 : end]):
            command = _COMMAND.match(line.strip())
            if command is not None and command[1] in words.ITEMS:
                rows.append([[]])
                line = command[2]
            if rows:
                first, *others = _NEXT_CELL.split(line)
                rows[-1][-1].append(first)
                rows[-1].extend([cell] for cell in others)
        self._document.add(
            "table", rows_to_text([[self._shown(" ".join(cell)) for cell in row] for row in rows])
        )
        self._end_paragraph()
        return end + 1


def _kept(lines: list[str]) -> list[str]:
    """The lines without those of commands that no reader sees, and without comments."""
    kept = []
    for line in lines:
        command = _COMMAND.match(line.strip())
        if command is None or command[1] in words.ITEMS or command[1] == "tab":
            kept.append(_COMMENT.sub("", line))
        elif command[1] not in words.SILENT and command[1] != "end":
            kept.append(_COMMENT.sub("", command[2]))
    return kept
