"""Manual pages in roff, by the macros of man(7) and mdoc(7): what a reader of the page sees.

Neither groff nor mandoc can be called, because a parser starts no programs.
"""

import re
from dataclasses import dataclass, field

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.markup.mdoc_words import INLINE, MdocLine
from footnote_ingest.parsing.markup.roff_escapes import arguments, raw_arguments, unescaped
from footnote_ingest.parsing.markup.roff_macros import LEFT_OUT, PageMacros
from footnote_ingest.parsing.markup.roff_tables import table_rows
from footnote_ingest.parsing.office.bold_headings import reads_as_heading
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.table_text import rows_to_text

_REQUEST = re.compile(r"[.'][ \t]*+([^\s\\]{1,20}|\\\}|\\\")?[ \t]*+(.*)")
_FONTS = frozenset({"B", "I", "R", "BI", "BR", "IB", "IR", "RB", "RI", "SM", "SB"})
_PARAGRAPHS = frozenset({"PP", "LP", "P", "HP", "Pp", "sp", "br", "RS", "RE", "El", "Lp"})
_CODE_BEGINS = frozenset({"nf", "EX", "Vb", "DS"})
_CODE_ENDS = frozenset({"fi", "EE", "Ve", "DE", "Ed"})
_CORE = frozenset(
    {
        "TP",
        "TQ",
        "IP",
        "SH",
        "SS",
        "TH",
        "TS",
        "TE",
        "EQ",
        "EN",
        "UR",
        "URL",
        "UE",
        "MT",
        "ME",
        "SY",
        "YS",
        "OP",
    }
    | {"if", "ie", "el", "ds"}
)
_OURS = _CORE | _FONTS | _PARAGRAPHS | _CODE_BEGINS | _CODE_ENDS
"""What a page may define anew without a change of its meaning."""

_DEEPEST = 5
"""A macro may call another one, and so on, up to this depth."""

_ABOUT_EQUATIONS = ("delim", "define", "gsize", "gfont")
_STRING_CHARS = 200
"""A string that a page defines is cut after this many characters."""

_MOST_STRINGS = 1_000
_COLUMNS = re.compile(r"[^\s.!?:;,] {2,}\S")
_LEAST_LAID_OUT = 2
"""Two lines that begin with blanks, and have gaps in them, are drawn or stand in columns."""

_STANDS_OUT = re.compile(
    r"((?:\\f(?:[IB234]|\(BI|\[BI?\]))+)[^\\\s](?:[^\\]|\\[-&.])*(?:\\f(?:[PR1]|\[[PR]?\]))+\s*"
)
"""A line that is wholly in bold or slanted letters, with the marks before it."""

_SLANTED_ONLY = re.compile(r"(?:\\f(?:[I2]|\[I\]))+")
_WORDS_ONLY = re.compile(r"[A-Z\d][\w,'&()/ -]*+")
"""What a heading in bold letters says: several words, the first with a capital, and no command."""

_NOT_HEADED = frozenset({"NAME", "SYNOPSIS", "EXAMPLE", "EXAMPLES", "USAGE"})
"""What is bold in these sections is typed or is the page's own name."""

_NAMES_CHARS = 300
_BOLD_LEVEL = 3
"""Bold lines that stand alone are headings below those of sections and their parts."""

_CONDITIONS = 8
"""At most this many conditions of one line are looked at."""


@dataclass(slots=True)
class _Page:
    """The state of the reading: what is being collected, and what is left out."""

    to: Assembler
    strings: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    tag: str | None = None
    wants_tag: bool = False
    code: bool = False
    set_in: list[str] = field(default_factory=list)
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

    def say(self, text: str, *, bold: bool = False) -> None:
        """A piece of text: the tag of an item if one is due, or else a line of what is collected."""
        if self.wants_tag and text.strip():
            self.tag, self.wants_tag = text.strip(), False
        elif self.code or text.strip():
            self.is_bold = bold and not self.lines
            self.lines.append(text)

    def shows_command(self) -> bool:
        """Whether what is set in is one line that begins with the name of the page."""
        name = self.title.partition("(")[0].lower()
        return (
            bool(name) and self.tag is None and [line[: len(name) + 1] for line in self.lines] == [f"{name} "]
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

    def flush(self) -> None:
        """End the paragraph, item or piece of code."""
        if self.set_in:
            self.end_set_in()
        if self.code:
            self.to.add("code", "\n".join(self.lines))
        else:
            body = " ".join(line.strip() for line in self.lines)
            if self.tag is not None:
                self.to.add("list", f"{self.tag}\n{body}" if body else self.tag)
            elif self.is_bold and self.section not in _NOT_HEADED and _is_heading(body):
                self.to.add("title", body, level=_BOLD_LEVEL)
            else:
                self.to.add("paragraph", body)
        self.lines, self.tag, self.wants_tag, self.is_bold = [], None, False, False


def _is_heading(line: str) -> bool:
    """Whether a bold line that stands alone is a heading."""
    says_words = " " in line and " -" not in line and _WORDS_ONLY.fullmatch(line) is not None
    return says_words and reads_as_heading(line)


def _cased(page: _Page) -> str:
    """The title with the name as the page's first section writes it, or in small letters, as in `man ls`.

    Most pages have their name in capitals in their head, whatever it is called.
    """
    name, opened, section = page.title.partition("(")
    said = next((e.text for e in page.to.elements if e.kind != "title"), "")
    words = {word.strip(",").casefold(): word.strip(",") for word in reversed(said[:_NAMES_CHARS].split())}
    shown = words.get(name.casefold(), name.lower() if name.isupper() else name)
    return shown + opened + section


def parse(given: ParserInput) -> Extracted:
    """Sections are headings; tagged paragraphs are items; what is not filled is code."""
    decoded = decode(given.data, given.sniffed.encoding)
    to = given.assembler()
    if decoded.warning:
        to.warnings.append(decoded.warning)
    page = _Page(to)
    for line in decoded.text.split("\n"):
        _read(page, line)
    page.flush()
    if page.equations:
        to.warnings.append(f"Equations stand as their source for `eqn`: {page.equations:,}.")
    return to.finish(title=_cased(page) or None, metadata={"encoding": decoded.encoding})


def _read(page: _Page, line: str) -> None:
    if page.macros.take(line):
        return
    if page.skip_depth:
        page.skip_depth = max(0, page.skip_depth + line.count("\\{") - line.count("\\}"))
        return
    if page.table is not None:
        _read_row(page, line)
        return
    if not line.startswith((".", "'")):
        if page.equation and line.startswith(_ABOUT_EQUATIONS):
            return
        if line.startswith("\\{"):
            # It begins what a condition of the line before is about.
            return
        if line.startswith(" ") and line.strip() and not page.code and not page.wants_tag:
            page.set_in.append(unescaped(line, page.strings))
            return
        if page.set_in:
            page.end_set_in()
        if not line.strip() and not page.code:
            page.flush()
        else:
            page.say(unescaped(line, page.strings), bold=_is_bold(line))
        return
    if page.set_in:
        page.end_set_in()
    request = _REQUEST.match(line)
    if request is None or request[1] is None or request[1].startswith("\\"):
        return
    _obey(page, request[1], request[2])


def _is_bold(line: str) -> bool:
    found = _STANDS_OUT.fullmatch(line) if line.startswith("\\f") else None
    return found is not None and not _SLANTED_ONLY.fullmatch(found[1])


def _obey(page: _Page, name: str, rest: str) -> None:
    """What a request or macro does. Those of layout alone do nothing."""
    # A macro behind a condition stands in the same line, and can be a condition again.
    for _ in range(_CONDITIONS):
        if name not in ("if", "ie", "el"):
            break
        following = _condition(page, name, rest)
        if following is None:
            return
        name, rest = following
    if name in LEFT_OUT:
        page.macros.begin(name, rest)
    elif name not in _OURS and _call(page, name, rest):
        return
    elif name == "ds":
        _define(page, rest)
    elif name in ("TP", "TQ", "IP", "It"):
        _begin_item(page, name, rest)
    elif name in _PARAGRAPHS:
        if page.code:
            page.say("")
        elif name == "RE" and page.shows_command():
            page.to.add("code", page.lines.pop())
        elif name not in ("br", "RS", "sp") or page.tag is None:
            page.flush()
    elif not _heads(page, name, rest) and not _blocks(page, name, rest):
        _inline(page, name, rest)


def _call(page: _Page, name: str, rest: str) -> bool:
    """Read the lines of a macro that the page defines. Returns False for other names."""
    if name not in page.macros.lines:
        return False
    if page.depth < _DEEPEST:
        page.depth += 1
        for line in page.macros.written(name, raw_arguments(rest)) or ():
            _read(page, line)
        page.depth -= 1
    return True


def _define(page: _Page, rest: str) -> None:
    key, _, value = rest.partition(" ")
    if len(page.strings) < _MOST_STRINGS:
        page.strings[key] = unescaped(value.lstrip().removeprefix('"'), page.strings)[:_STRING_CHARS]


def _heads(page: _Page, name: str, rest: str) -> bool:
    """Take the title of the page or of a section. Returns False for other macros."""
    if name not in ("SH", "Sh", "SS", "Ss", "TH", "Dt"):
        return False
    words = arguments(rest, page.strings)
    if name in ("TH", "Dt"):
        named = "".join(words[:1])
        page.title = f"{named}({words[1]})" if len(words) > 1 else named
        return True
    page.flush()
    page.code = False
    said = _spoken(page, words)
    page.section = said if name in ("SH", "Sh") else page.section
    page.to.add("title", said, level=1 if name in ("SH", "Sh") else 2)
    return True


def _blocks(page: _Page, name: str, rest: str) -> bool:
    """Begin or end a piece of code or a table. Returns False for other macros."""
    if name in _CODE_BEGINS or (name == "Bd" and ("literal" in rest or "unfilled" in rest)):
        page.flush()
        page.code = True
    elif name in _CODE_ENDS:
        page.flush()
        page.code = False
    elif name in ("Dl", "D1"):
        page.flush()
        page.to.add("code", _spoken(page, arguments(rest, page.strings)))
    elif name in ("EQ", "EN"):
        page.equation = name == "EQ"
        page.equations += name == "EQ"
    elif name == "TS":
        page.flush()
        page.table = []
    else:
        return False
    return True


def _condition(page: _Page, name: str, rest: str) -> tuple[str, str] | None:
    """The request behind a condition; None if the condition does not hold, or no request follows it.

    A page is read as for a terminal (`n`). Tests of registers count as not met.
    """
    if name == "el":
        holds = not page.last_condition
    else:
        holds, rest = _met(page, rest)
        page.last_condition = holds
    rest = rest.lstrip()
    if not holds:
        page.skip_depth = max(0, rest.count("\\{") - rest.count("\\}"))
        return None
    inner = rest.removeprefix("\\{").removeprefix("\\").lstrip()
    request = _REQUEST.match(inner) if inner.startswith((".", "'")) else None
    if request is None or request[1] is None or request[1].startswith("\\"):
        if inner.strip("\\") and request is None:
            page.say(unescaped(inner, page.strings))
        return None
    return request[1], request[2]


def _met(page: _Page, told: str) -> tuple[bool, str]:
    """Whether a condition is met, and what stands behind it. One of a number is met if it is 1."""
    negated = told.startswith("!")
    told = told.removeprefix("!")
    if told[:1] in ('"', "'"):
        first, second, rest = (*told[1:].split(told[0], 2), "", "")[:3]
        same = unescaped(first, page.strings) == unescaped(second, page.strings)
        return same is not negated, rest
    condition, _, rest = told.partition(" ")
    return condition == ("t" if negated else "n") or (condition == "1" and not negated), rest


def _begin_item(page: _Page, name: str, rest: str) -> None:
    tag = page.tag
    if name == "TQ" and tag is not None:
        # One more tag of the same item.
        page.lines.clear()
    page.flush()
    words = arguments(rest, page.strings)
    if name == "IP":
        page.tag = words[0] if words else None
    elif name == "It":
        page.tag = _spoken(page, words) or "•"
    else:
        page.wants_tag = True


def _inline(page: _Page, name: str, rest: str) -> None:
    """A macro that puts words into the running text. An unknown one is left out."""
    words = arguments(rest, page.strings)
    if name in _FONTS:
        whole = name not in ("B", "SB", "SM", "I", "R")
        page.say("".join(words) if whole else " ".join(words), bold=name in ("B", "SB"))
    elif name == "Nd":
        page.say("- " + _spoken(page, words))
    elif name in INLINE:
        if name == "Nm" and not page.name and words:
            page.name = words[0]
        page.say(_spoken(page, [name, *words]))
    elif name.startswith("%"):
        # A part of a reference: its author, its title and so on (mdoc(7), `Rs`).
        page.say(_spoken(page, words) + ",")
    elif name == "Re" and page.lines:
        page.lines[-1] = page.lines[-1].removesuffix(",") + "."
    elif name in ("SY", "YS"):
        page.flush()
        page.say(" ".join(words))
    elif name == "OP":
        page.say(f"[{' '.join(words)}]")
    elif name in ("URL", "MTO"):
        address, label, behind = (*words, "", "", "")[:3]
        page.say((f"{label} <{address}>" if label else address) + behind)
    elif name in ("UR", "MT"):
        page.say(words[0] if words else "")


def _spoken(page: _Page, words: list[str]) -> str:
    return one_line(MdocLine(page.name).read(words))


def _read_row(page: _Page, line: str) -> None:
    """A line of a table, which is put together at its end."""
    rows = page.table
    assert rows is not None
    if line.startswith(".TE"):
        page.to.add("table", rows_to_text(table_rows(rows, lambda text: unescaped(text, page.strings))))
        page.table = None
    else:
        rows.append(line)
