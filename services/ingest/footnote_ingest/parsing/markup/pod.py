"""Pod, the markup of Perl's manuals: headings, items, code that is set in, and words without their marks.

The syntax is that of perlpodspec (https://perldoc.perl.org/perlpodspec). What is meant for one formatter only
is left out.
"""

import re

from footnote_ingest.parsing.character_references import without_references
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.markup.markup_text import MarkupDocument, lines_of, verbatim
from footnote_ingest.parsing.parser_input import ParserInput

_COMMAND = re.compile(r"=([a-zA-Z]\w{0,20})(?:[ \t]++(.*))?$", re.S)
_HEAD = re.compile(r"head([1-6])$")
_MARK = re.compile(r"[A-Z](?:<{2,10}(?=[ \n])|<)|>")
_BULLET = re.compile(r"(?:[*o·•-])?$")
_ADDRESS = re.compile(r"[a-z]{2,10}:[^:\s]")
_ESCAPES = {"lt": "<", "gt": ">", "sol": "/", "verbar": "|"}
_DEEPEST = 20
_NAME = re.compile(r"\S[^\n]{0,80} --? \S[^\n]{0,150}")
"""What a manual is about, as its first section says it."""

_READ_FORMATS = frozenset((":", "text"))


def parse(given: ParserInput) -> Extracted:
    """Read the text behind its first command. Its title is what the section of its name says."""
    document = MarkupDocument(given)
    reader = _PodReader(document)
    for paragraph in _paragraphs(lines_of(document.text)):
        reader.read(paragraph)
    reader.end()
    return document.to.finish(title=reader.title or document.to.highest_title(), metadata=document.metadata)


def _paragraphs(lines: list[str]) -> list[list[str]]:
    """The lines between blank ones."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line:
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [lines for lines in found if lines]


class _PodReader:
    """Reads paragraph by paragraph, and collects those that are set in: they are one piece of code."""

    def __init__(self, document: MarkupDocument) -> None:
        self._document = document
        self._code: list[str] = []
        self._reads = False
        # The format that nothing is read of until its end.
        self._unread = ""
        self._of_name = False
        self.title: str | None = None

    def read(self, lines: list[str]) -> None:
        """Read one paragraph: a command, code or text."""
        command = _COMMAND.match("\n".join(lines)) if lines[0].startswith("=") else None
        if command is not None:
            self._command(command[1], (command[2] or "").strip())
        elif not self._reads or self._unread:
            return
        elif lines[0].startswith(" "):
            self._code += [*([""] if self._code else []), *lines]
        else:
            self._end_code()
            said = one_line(shown(" ".join(lines)))
            if self._of_name and self.title is None and _NAME.fullmatch(said):
                self.title = said
            self._document.add("paragraph", said)

    def end(self) -> None:
        """Add what was collected."""
        self._end_code()
        self._document.end_lead()

    def _command(self, name: str, rest: str) -> None:
        if self._unread:
            if name == "end" and rest.split(" ", 1)[0] == self._unread:
                self._unread = ""
            return
        self._end_code()
        self._reads = name != "cut"
        head = _HEAD.match(name)
        if head is not None:
            words = one_line(shown(rest))
            self._of_name = head[1] == "1" and words.upper() == "NAME"
            self._document.add("title", words, level=int(head[1]))
        elif name == "item":
            words = one_line(shown(rest))
            self._document.lead(_lead(words), "list")
        elif name == "back":
            self._document.end_lead()
        elif name in ("begin", "for"):
            format_, _, text = rest.partition(" ")
            reads = format_.startswith(":") or format_ in _READ_FORMATS
            if name == "begin" and not reads:
                self._unread = format_
            elif name == "for" and reads:
                self._document.add("paragraph", one_line(shown(text)))

    def _end_code(self) -> None:
        if self._code:
            self._document.add("code", verbatim(self._code))
            self._code = []


def _lead(words: str) -> str:
    """What stands before the text of an item: its bullet, its number, or the words in a line of their own."""
    if _BULLET.match(words):
        return "- "
    if words.rstrip(".").isdigit():
        return f"{words} "
    return f"- {words[2:]}\n" if words.startswith("* ") else f"{words}\n"


def shown(text: str) -> str:
    """Running text without its codes; the address of a link stands behind its words.

    Each mark is looked at once, and codes within codes are read up to 20 deep.
    """
    parts: list[list[str]] = [[]]
    opened: list[tuple[str, int]] = []
    at = 0
    while (mark := _MARK.search(text, at)) is not None:
        begin, end = mark.span()
        parts[-1].append(text[at:begin])
        at = end
        if mark[0] != ">":
            if len(opened) < _DEEPEST:
                opened.append((mark[0][0], len(mark[0]) - 1))
                parts.append([])
            else:
                parts[-1].append(mark[0])
            continue
        if not opened:
            parts[-1].append(">")
            continue
        letter, brackets = opened[-1]
        if brackets > 1 and not (text.startswith(">" * brackets, begin) and text[begin - 1] in " \n"):
            parts[-1].append(">")
            continue
        at = begin + brackets
        opened.pop()
        said = "".join(parts.pop())
        parts[-1].append(_words(letter, said.strip() if brackets > 1 else said))
    parts[-1].append(text[at:])
    return "".join("".join(part) for part in parts)


def _words(letter: str, said: str) -> str:
    match letter:
        case "X" | "Z":
            return ""
        case "E":
            return _character(said)
        case "L":
            return _link(said)
        case "S":
            return said.replace("\n", " ")
    return said


def _character(name: str) -> str:
    if name in _ESCAPES:
        return _ESCAPES[name]
    number = f"&#{name};" if name.isdigit() else f"&#{name[1:]};" if name[:2] in ("0x", "x0") else f"&{name};"
    character = without_references(number)
    return character if character != number else name


def _link(said: str) -> str:
    words, bar, target = said.partition("|")
    if bar:
        return f"{words} ({target})" if _ADDRESS.match(target) else words
    page, slash, section = said.partition("/")
    if not slash or _ADDRESS.match(said):
        return said
    section = section.strip('"')
    return f"{section} in {page}" if page else section
