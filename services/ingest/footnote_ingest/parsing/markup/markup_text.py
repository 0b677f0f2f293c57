"""What the readers of text markups share: the lines of a text, and the document that is put together."""

import re
import textwrap
from collections.abc import Iterator

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Kind
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.parser_input import ParserInput

_MOST_TABS = 40
"""The indentation of a line is read up to this many tabs; nobody indents further on purpose."""

_WORD = re.compile(r"\w")


class MarkupDocument:
    """The document that a reader puts together, with what waits for the next piece of it.

    A *lead* is what stands before the next paragraph in the same element: the mark of an item, a term, or the
    name of a note.
    """

    def __init__(self, given: ParserInput) -> None:
        """Decode the text. Raises ParseFailed if it is too long or no text."""
        decoded = decode(given.data, given.sniffed.encoding)
        # The size is checked as for a text that stays as it is.
        given.assembler(decoded.text)
        self.to: Assembler = given.assembler()
        if decoded.warning:
            self.to.warnings.append(decoded.warning)
        self.text = decoded.text.removeprefix("\ufeff")
        self.metadata: dict[str, str] = {"encoding": decoded.encoding}
        self._lead: tuple[str, Kind] | None = None

    def lead(self, text: str, kind: Kind) -> None:
        """Put this before the next paragraph. A lead that is already waiting becomes a piece of its own."""
        self.end_lead()
        self._lead = (text, kind)

    @property
    def leads(self) -> bool:
        """Whether a lead waits for the next paragraph."""
        return self._lead is not None

    def end_lead(self) -> None:
        """No paragraph follows: a lead of words stands alone, and the mark of an item is dropped."""
        if self._lead is not None:
            text, kind = self._lead
            self._lead = None
            if _WORD.search(text):
                self.to.add(kind, text.rstrip(": \n"))

    def add(self, kind: Kind, text: str, *, level: int | None = None, language: str | None = None) -> None:
        """Add a piece behind its lead."""
        if not text.strip():
            return
        if self._lead is not None and kind == "paragraph":
            mark, kind = self._lead
            text = mark + text.strip()
            self._lead = None
        self.end_lead()
        self.to.add(kind, text, level=level, language=language)


def indent_of(line: str) -> int:
    """The number of blanks at the start of a line."""
    return len(line) - len(line.lstrip(" "))


def lines_of(text: str) -> list[str]:
    """The lines without blanks at their ends, and with blanks for the tabs at their starts."""
    lines = []
    for line in text.split("\n"):
        stripped = line.rstrip()
        body = stripped.lstrip(" \t")
        space = stripped[: len(stripped) - len(body)]
        if "\t" in space:
            space = space.expandtabs(8) if space.count("\t") <= _MOST_TABS else ""
        lines.append(space + body)
    return lines


def dedented(lines: list[str], most: int | None = None) -> list[str]:
    """The lines without empty ones around them, and without the indentation that they share.

    No more than `most` blanks are taken away.
    """
    first = next((at for at, line in enumerate(lines) if line), len(lines))
    last = next((at for at in range(len(lines), first, -1) if lines[at - 1]), first)
    least = min((indent_of(line) for line in lines[first:last] if line), default=0)
    if most is not None:
        least = min(least, most)
    return [line[least:] for line in lines[first:last]]


def verbatim(lines: list[str]) -> str:
    """A piece of code without the indentation that all its lines share."""
    return textwrap.dedent("\n".join(lines)).strip("\n")


def indented_end(lines: list[str], at: int, least: int = 1) -> int:
    """The line after those from `at` on that are indented by `least` blanks, with empty ones between."""
    end = at
    for number in range(at, len(lines)):
        line = lines[number]
        if line:
            if indent_of(line) < least:
                break
            end = number + 1
    return end


def paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """The lines in groups, with empty lines between the groups."""
    group: list[str] = []
    for line in lines:
        if line.strip():
            group.append(line.strip())
        elif group:
            yield group
            group = []
    if group:
        yield group
