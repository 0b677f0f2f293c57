"""The text of a LaTeX file, where its arguments, options and comments end, and what is open in it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from footnote_ingest.parsing.raised_text import lowered, raised

_BRACE = re.compile(r"\\.|[{}%]", re.S)
_IN_OPTION = re.compile(r"[\\{\]]|\n[ \t]*+\n")
_RAISED = re.compile(r"(?<=[\w.,%)])\\text(?P<up>super|sub)script\{(?P<text>[^{}\\\n]{1,40})\}")
_LOOKED_AT = 48
"""This many characters before raised text tell how it is written."""

_TAKE_ADDRESS = ("\\url", "\\href", "\\path", "\\nolinkurl")
_ADDRESS_CHARS = max(map(len, _TAKE_ADDRESS))
"""Commands whose argument is an address, and may have `%20` in it."""

_OPTION_CHARS = 500
"""No option is longer than this; a bracket that is still open then is only a bracket."""


@dataclass(slots=True)
class Opened:
    """A brace or an environment that is open, and where the text inside it goes.

    `captured` text is no paragraph of the document: `close` gets it. A table has `cells` and
    `rows`; `spanned` are the columns that the next cell fills besides its own.
    """

    environment: str | None
    pieces: list[str]
    captured: bool
    close: Callable[[str], None] | None = None
    items: int = 0
    spanned: int = 0
    is_table: bool = False
    cells: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)

    def end_cell(self) -> None:
        """End a cell of the table; one over several columns fills the first of them."""
        self.cells.append("".join(self.pieces))
        self.pieces.clear()
        self.cells.extend([""] * self.spanned)
        self.spanned = 0

    def end_row(self) -> None:
        """End a row of the table. Text in which no table is open has no rows."""
        if self.is_table:
            self.end_cell()
            self.rows.append(self.cells)
            self.cells = []


def raised_written(text: str) -> str:
    """The text with raised and lowered numbers written so that they join no number before them."""
    return _RAISED.sub(_written, text) if "script{" in text else text


def _written(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - _LOOKED_AT) : match.start()].replace("\\", "")
    write = raised if match["up"] == "super" else lowered
    return write(match["text"], before, match.string[match.end() : match.end() + 3])


_BEGIN = re.compile(r"(?<!\\)\\begin\{document\}")
_BEGINS_LINE = re.compile(r"^[ \t]{0,40}\\begin\{document\}", re.M)
_CLASS = re.compile(r"^[ \t]{0,40}\\document(?:class|style)\b", re.M)


class LatexSource:
    """The text, with the place where each brace is closed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.closing = _closing_braces(text)

    def behind_blanks(self, at: int) -> int:
        """The position after the blanks that begin here."""
        while self.text[at : at + 1] in (" ", "\t"):
            at += 1
        return at

    def behind_break(self, at: int) -> int:
        """The position after the blanks that begin here, over the end of a line at most."""
        after = self.behind_blanks(at)
        if self.text.startswith("\n", after):
            after = self.behind_blanks(after + 1)
        return at if self.text.startswith("\n", after) else after

    def argument(self, at: int) -> int:
        """Where the argument of a command begins, which may stand behind an option, blanks and a break."""
        option = self.behind_break(at)
        option = self.behind_option(option if self.text.startswith("[", option) else at)
        after = self.behind_break(option)
        return after if self.text.startswith("{", after) else option

    def behind_comment(self, at: int) -> int:
        """The next line continues where the comment began, without indentation. An empty line stays empty."""
        end = self.text.find("\n", at)
        if end < 0:
            return len(self.text)
        after = self.behind_blanks(end + 1)
        return end if self.text[after : after + 1] == "\n" else after

    def behind_option(self, at: int) -> int:
        """The position after the options in brackets that begin here; this one if there are none."""
        while self.text.startswith("[", at):
            inside, most = at + 1, at + _OPTION_CHARS
            if self.text.find("]", inside, most) < 0:
                return at
            while (sign := _IN_OPTION.search(self.text, inside, most)) is not None:
                if sign[0] == "\\":
                    inside = sign.end() + 1
                elif sign[0] == "{":
                    inside = self.closing.get(sign.start(), sign.start()) + 1
                else:
                    break
            if sign is None or sign[0] != "]":
                return at
            at = sign.end()
        return at

    def behind_arguments(self, at: int, count: int) -> int:
        """The position after at most this many arguments in braces, and the options between them."""
        for _ in range(count):
            after = self.behind_blanks(at)
            close = self.closing.get(after)
            if close is None:
                break
            at = self.behind_option(close + 1)
        return at


def typeset(text: str) -> str:
    """Running text with the dashes and quotes that are printed for it."""
    for written, printed in (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("`", "'")):
        text = text.replace(written, printed)
    return text


def _closing_braces(text: str) -> dict[int, int]:
    """For each opened brace, where it is closed. A brace that nothing closes is left out."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    at = 0
    while (brace := _BRACE.search(text, at)) is not None:
        at = brace.end()
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            closing[opened.pop()] = brace.start()
        elif brace[0] == "%" and not (opened and _is_in_address(text, opened[-1], at)):
            line = text.find("\n", at)
            at = line if line >= 0 else len(text)
    return closing


def _is_in_address(text: str, brace: int, after: int) -> bool:
    """Whether a per cent sign belongs to an address, where it begins no comment unless it ends the line."""
    named = text[max(0, brace - _ADDRESS_CHARS) : brace].endswith(_TAKE_ADDRESS)
    return named and not text.startswith("\n", after)


def body(text: str) -> tuple[int, int]:
    """Where the mark stands and ends that begins the text behind the preamble; twice 0 for a part of one.

    In a part, those words may stand within a line: a program that it shows may write them.
    """
    found = _BEGINS_LINE.search(text) or (_BEGIN.search(text) if _CLASS.search(text) is not None else None)
    return found.span() if found is not None else (0, 0)
