"""What a manual page consists of while it is read: the paragraph, item or code that is being collected."""

import re
from dataclasses import dataclass, field

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import MAX_TITLE_CHARS
from footnote_ingest.parsing.markup.roff_escapes import PageStrings
from footnote_ingest.parsing.markup.roff_macros import PageMacros
from footnote_ingest.parsing.office.bold_headings import reads_as_heading
from footnote_ingest.parsing.table_text import rows_to_text

_COLUMNS = re.compile(r"[^\s.!?:;,] {2,}\S")
_LEAST_LAID_OUT = 2
"""Two lines that begin with blanks, and have gaps in them, are drawn or stand in columns."""

_WORDS_ONLY = re.compile(r"[A-Z\d][\w,'&()/ -]*+")
"""What a heading in bold letters says: the first word with a capital, and no command."""

_NOT_HEADED = frozenset({"NAME", "SYNOPSIS", "EXAMPLE", "EXAMPLES", "USAGE"})
"""What is bold in these sections is typed or is the page's own name."""

_OF_PEOPLE = frozenset(
    (
        *("author", "authors", "maintainer", "maintainers", "contributor", "contributors", "contact"),
        *("copyright", "copyrights", "license", "licence", "licensing", "copying", "trademark", "trademarks"),
        *("credits", "thanks", "acknowledgements", "acknowledgments", "disclaimer", "warranty", "legal"),
    )
)
"""A section whose name has one of these words says whose the program is: nothing in it is typed."""

_WORD = re.compile(r"[a-z]+")

_BOLD_LEVEL = 3
"""Bold lines that stand alone are headings below those of sections and their parts."""

_TERM_CHARS = 200
"""A longer line above text that is set in is no term but a paragraph."""

_MOST_LISTS = 100
_TYPED = re.compile(r"[\"=$|{}\\]|(?:^|\s)--?[a-zA-Z]|^[~.]?/")
"""Signs of a line that is typed."""


@dataclass(slots=True)
class OpenList:
    """A list of mdoc that is open: how its items are marked, and its rows if it has columns."""

    form: str
    items: int = 0
    rows: list[list[str]] | None = None


@dataclass(frozen=True, slots=True)
class OpenLink:
    """A link whose words are read: its address, and the line that they begin at or the tag that they are."""

    address: str
    begin: int
    in_tag: bool


@dataclass(slots=True)
class ManualPage:
    """The state of the reading: what is being collected, and what is left out."""

    to: Assembler
    strings: PageStrings = field(default_factory=PageStrings)
    lines: list[str] = field(default_factory=list)
    joined: set[int] = field(default_factory=set)
    """Lines that join the one before them without a space."""

    joins_next: bool = False
    tag: str | None = None
    wants_tag: bool = False
    wants_heading: str = ""
    head_open: bool = False
    """The lines are the head of an item, which goes on over several lines (mdoc(7), `Xo`)."""

    code: bool = False
    set_in: list[str] = field(default_factory=list)
    link: OpenLink | None = None

    lists: list[OpenList] = field(default_factory=list)
    declared: list[str] = field(default_factory=list)
    returns: str = ""
    function: list[str] | None = None
    reference: list[tuple[str, str]] | None = None
    spaced: bool = True
    macros: PageMacros = field(default_factory=PageMacros)
    depth: int = 0
    skip_depth: int = 0
    last_condition: bool = True
    table: list[str] | None = None
    equation: bool = False
    equations: int = 0
    name: str = ""
    title: str = ""
    section: str = ""
    is_bold: bool = False
    has_bold_terms: bool = False
    """Whether what is bold above text that is set in is a term on this page, and never a heading."""
    stands_out: bool = False
    is_typed: bool = False

    def say(
        self,
        text: str,
        *,
        bold: bool = False,
        stands_out: bool = False,
        joins: bool = False,
        typed: bool = False,
    ) -> None:
        """A piece of text: the tag of an item if one is due, or else a line of what is collected."""
        joins, self.joins_next = joins or self.joins_next, False
        if self.declared:
            self.end_declared()
        if self.wants_tag and text.strip():
            self.tag, self.wants_tag = text.strip(), False
        elif joins and not self.lines and self.tag is not None and len(self.tag) < _TERM_CHARS:
            self.tag += text.strip()
        elif self.code or text.strip():
            self.is_bold = bold and not self.lines
            self.stands_out = (stands_out or bold) and not self.lines
            self.is_typed = typed and not self.lines
            if joins and self.lines:
                self.joined.add(len(self.lines))
            self.lines.append(text)

    def declare(self, line: str) -> None:
        """A line of C in the synopsis: declarations that follow each other are one piece of code."""
        if self.lines or self.tag is not None:
            self.flush()
        self.declared.append(line)

    def end_declared(self) -> None:
        """Add the declarations so far."""
        lines, self.declared = self.declared, []
        self.to.add("code", "\n".join(lines), language="c")

    def columns(self) -> OpenList | None:
        """The list that is open, if it has columns."""
        return self.lists[-1] if self.lists and self.lists[-1].rows is not None else None

    def open_list(self, form: str) -> None:
        """Begin a list. One in too many others has the form of the one around it."""
        self.flush()
        if len(self.lists) < _MOST_LISTS:
            self.lists.append(OpenList(form, rows=[] if form == "column" else None))

    def end_cell(self) -> None:
        """The lines so far belong to the last cell of the row that is open."""
        open_list = self.columns()
        if open_list is not None and open_list.rows:
            row = open_list.rows[-1]
            row[-1] = f"{row[-1]} {self._collected()}".strip()
            self.lines, self.joined = [], set()

    def close_list(self) -> None:
        """End the list that is open."""
        self.end_cell()
        ended = self.lists.pop() if self.lists else None
        self.flush()
        if ended is not None and ended.rows:
            self.to.add("table", rows_to_text(ended.rows))

    def shows_command(self) -> bool:
        """Whether what is set in is one line that begins with the name of the page, or is typed.

        A typed one has a sign of commands and ends no sentence, and the paragraph above leads to it.
        """
        if self.tag is not None or len(self.lines) != 1:
            return False
        line = self.lines[0].strip()
        name = self.title.partition("(")[0].lower()
        if name and line.startswith(f"{name} "):
            return True
        above = self.to.last
        return (
            above is not None
            and above.kind == "paragraph"
            and above.text[-1] not in ".!?;"
            and line[-1:] not in tuple(".!?;,")
            and _TYPED.search(line) is not None
        )

    def end_set_in(self) -> None:
        """Add the lines that begin with blanks, and have lines of their own: as code if they are laid out."""
        lines, self.set_in = self.set_in, []
        if sum(_COLUMNS.search(line) is not None for line in lines) < _LEAST_LAID_OUT:
            for line in lines:
                self.say(line)
            return
        self.flush()
        self.to.add("code", "\n".join(lines))

    def set_in_follows(self, *, as_docbook: bool) -> None:
        """A line that stands out above text that is set in: its heading or its term.

        `as_docbook` says that it is set in as far as pages made from DocBook do it, which set terms in plain
        letters too.
        """
        body = self._collected()
        is_term = as_docbook and body[-1:] not in (".", ":", ";", ",", "!", "?")
        stands_above = (
            len(self.lines) == 1 and (self.stands_out or is_term) and not self.code and self.tag is None
        )
        if not stands_above or self.section in _NOT_HEADED or len(body) > _TERM_CHARS:
            self.flush()
        elif self.is_bold and not self.has_bold_terms and _is_heading(body) and not body.isupper():
            self.lines.clear()
            self.head(body, _BOLD_LEVEL)
        else:
            self.lines.clear()
            self.tag = body

    def head(self, text: str, level: int) -> None:
        """Add a heading. The declaration of a function that is too long for one is headed by its name."""
        if len(text) <= MAX_TITLE_CHARS:
            self.to.add("title", text, level=level)
            return
        name = text.partition("(")[0].strip()
        self.to.add(
            "title", name if len(name) <= MAX_TITLE_CHARS else f"{text[: MAX_TITLE_CHARS - 1]}…", level=level
        )
        self.to.add("paragraph", text)

    def _collected(self) -> str:
        """The lines as running text."""
        return " ".join(line.strip() for line in self._whole_lines())

    def _whole_lines(self) -> list[str]:
        """The lines, each with those that join it."""
        whole: list[list[str]] = []
        for at, line in enumerate(self.lines):
            if at in self.joined and whole:
                whole[-1].append(line)
            else:
                whole.append([line])
        return ["".join(pieces) for pieces in whole]

    def close_head(self) -> None:
        """The lines so far are the head of the item that is open."""
        self.head_open = False
        self.tag = self._collected() or "•"
        self.lines, self.joined = [], set()

    def flush(self) -> None:
        """End the paragraph, item or piece of code."""
        if self.columns() is not None:
            return
        if self.set_in:
            self.end_set_in()
        if self.returns:
            self.declared.append(self.returns)
            self.returns = ""
        if self.declared:
            self.end_declared()
        if self.link is not None:
            self.end_link("")
        if self.head_open:
            self.close_head()
        if self.code:
            said = not _OF_PEOPLE.isdisjoint(_WORD.findall(self.section.lower()))
            self.to.add("paragraph" if said else "code", "\n".join(self._whole_lines()))
        else:
            body = self._collected()
            if self.tag is not None:
                self.to.add("list", f"{self.tag}\n{body}" if body else self.tag)
            elif self.is_bold and self.section not in _NOT_HEADED and " " in body and _is_heading(body):
                self.to.add("title", body, level=_BOLD_LEVEL)
            else:
                self.to.add("code" if self.is_typed else "paragraph", body)
        self.lines, self.joined = [], set()
        self.tag, self.wants_tag = None, False
        self.is_bold = self.stands_out = self.is_typed = self.joins_next = False

    def begin_link(self, address: str) -> None:
        """Words follow that lead to this address."""
        if self.link is not None:
            self.end_link("")
        self.link = OpenLink(address, len(self.lines), in_tag=self.wants_tag)

    def end_link(self, behind: str) -> None:
        """The words of the link have ended; its address stands behind them, and then what follows at once."""
        link, self.link = self.link, None
        if link is None:
            return
        in_tag = link.in_tag and self.tag is not None and not self.lines and len(self.tag) < _TERM_CHARS
        named = in_tag or len(self.lines) > link.begin
        # A mark in the page itself is no address.
        outside = bool(link.address) and not link.address.startswith("#")
        shown = (f"<{link.address}>" if named else link.address) if outside else ""
        if in_tag and self.tag is not None:
            self.tag += f" {shown}".rstrip() + behind
        elif shown + behind:
            self.say(shown + behind, joins=named and not shown)


def _is_heading(line: str) -> bool:
    """Whether a bold line that stands alone is a heading."""
    return " -" not in line and _WORDS_ONLY.fullmatch(line) is not None and reads_as_heading(line)
