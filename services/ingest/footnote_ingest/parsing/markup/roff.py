"""Manual pages in roff, by the macros of man(7) and mdoc(7): what a reader of the page sees.

Neither groff nor mandoc can be called, because a parser starts no programs.
"""

import re
from collections.abc import Iterable, Iterator

from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.markup.mdoc_page import obey_mdoc, spoken
from footnote_ingest.parsing.markup.roff_conditions import behind_condition, request_of
from footnote_ingest.parsing.markup.roff_escapes import arguments, raw_arguments, unescaped, words_of
from footnote_ingest.parsing.markup.roff_macros import LEFT_OUT
from footnote_ingest.parsing.markup.roff_page import ManualPage
from footnote_ingest.parsing.markup.roff_tables import table_rows
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.table_text import rows_to_text

_FONTS = frozenset({"B", "I", "R", "BI", "BR", "IB", "IR", "RB", "RI", "SM", "SB"})
_PARAGRAPHS = frozenset({"PP", "LP", "P", "HP", "Pp", "sp", "br", "RS", "RE", "Lp"})
_CODE_BEGINS = frozenset({"nf", "EX", "Vb", "DS"})
_CODE_ENDS = frozenset({"fi", "EE", "Ve", "DE"})
_CORE = frozenset(
    {
        *("TP", "TQ", "IP", "SH", "SS", "TH", "TS", "TE", "EQ", "EN", "UR", "URL", "UE", "MT", "ME", "SY"),
        *("YS", "OP", "if", "ie", "el", "ds"),
    }
)
_OURS = _CORE | _FONTS | _PARAGRAPHS | _CODE_BEGINS | _CODE_ENDS
"""What a page may define anew without a change of its meaning."""

_ASCIIDOCTOR, _MAKER_CHARS = "Generator: Asciidoctor", 2_000
"""How Asciidoctor says in the first lines that it made a page. Its headings have requests of their own."""

_NAMING = frozenset({"ds", "als", "rn", "char", "tr"})
_DEEPEST = 5
"""A macro may call another one, and so on, up to this depth."""

_ABOUT_EQUATIONS = ("delim", "define", "gsize", "gfont")
_STRING_CHARS = 200
"""A string that a page defines is cut after this many characters."""

_MOST_STRINGS = 1_000
_STANDS_OUT = re.compile(
    r"((?:\\f(?:[IB234]|\(BI|\[BI?\]))+)[^\\\s](?:[^\\]|\\[-&.])*(?:\\f(?:[PR1]|\[[PR]?\]))+\s*"
)
"""A line that is wholly in bold or slanted letters, with the marks before it."""

_TYPED_ONLY = re.compile(
    r"\\f(?:\[(?:V|C|CR|CW)\]|\(C[WR])[^\\\s](?:[^\\]|\\[-&.e])*\\f(?:[PR1]|\[[PR]?\])\s*"
)
"""A line that is wholly in letters of a typewriter: pandoc writes a command that stands alone like this."""

_SLANTED_ONLY = re.compile(r"(?:\\f(?:[I2]|\[I\]))+")
_NAMES_CHARS = 300
_CONDITIONS = 8
"""At most this many conditions of one line are looked at."""


def _cased(page: ManualPage) -> str:
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
    page = ManualPage(to, has_bold_terms=_ASCIIDOCTOR in decoded.text[:_MAKER_CHARS])
    for line in _whole_lines(decoded.text.split("\n")):
        _read(page, line)
        if line.endswith("\\c"):
            page.joins_next = True
    page.flush()
    if page.equations:
        to.warnings.append(f"Equations stand as their source for `eqn`: {page.equations:,}.")
    return to.finish(title=_cased(page) or None, metadata={"encoding": decoded.encoding})


def _whole_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines, each with those that a backslash at its end joins to it."""
    parts: list[str] = []
    for line in lines:
        slashes = len(line) - len(line.rstrip("\\"))
        if slashes % 2 and '\\"' not in line:
            parts.append(line[:-1])
            continue
        yield "".join((*parts, line)) if parts else line
        parts.clear()
    if parts:
        yield "".join(parts)


def _read(page: ManualPage, line: str) -> None:
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
        _read_text(page, line)
        return
    if page.set_in:
        page.end_set_in()
    request = request_of(line)
    if request is not None:
        _obey(page, *request)


def _read_text(page: ManualPage, line: str) -> None:
    if page.set_in:
        page.end_set_in()
    if page.wants_heading and line.strip():
        _head(page, page.wants_heading, unescaped(line, page.strings).strip())
    elif not line.strip() and not page.code:
        page.flush()
    else:
        page.say(
            unescaped(line, page.strings),
            bold=_is_bold(line),
            stands_out=line.startswith("\\f"),
            typed=line.startswith("\\f") and _TYPED_ONLY.fullmatch(line) is not None,
        )


def _is_bold(line: str) -> bool:
    found = _STANDS_OUT.fullmatch(line) if line.startswith("\\f") else None
    return found is not None and not _SLANTED_ONLY.fullmatch(found[1])


def _obey(page: ManualPage, name: str, rest: str) -> None:
    """What a request or macro does. Those of layout alone do nothing."""
    # A macro behind a condition stands in the same line, and can be a condition again.
    for _ in range(_CONDITIONS):
        if name not in ("if", "ie", "el"):
            break
        following = behind_condition(page, name, rest)
        if following is None:
            return
        name, rest = following
    if name in LEFT_OUT:
        page.macros.begin(name, rest)
    elif name not in _OURS and _call(page, name, rest):
        return
    elif name in _NAMING:
        _name(page, name, rest)
    elif name in ("TP", "TQ", "IP"):
        _begin_item(page, name, rest)
    elif name in _PARAGRAPHS and (filled := page.macros.fills(name)) is not None:
        page.flush()
        page.code = not filled
    elif name in _PARAGRAPHS:
        _begin_paragraph(page, name, rest)
    elif not _heads(page, name, rest) and not _blocks(page, name, rest) and not obey_mdoc(page, name, rest):
        _inline(page, name, rest)


def _begin_paragraph(page: ManualPage, name: str, rest: str) -> None:
    if page.code:
        page.say("")
    elif name == "RE" and page.shows_command():
        page.to.add("code", page.lines.pop())
    elif name == "RS" and page.tag is None:
        page.set_in_follows(as_docbook=rest.strip() == "4")
    elif name not in ("br", "RS", "sp") or page.tag is None:
        page.flush()


def _name(page: ManualPage, name: str, rest: str) -> None:
    """Give a string, a sign or a macro its name, or have a character printed for another."""
    if name == "ds":
        _define(page, rest)
    elif name == "tr":
        page.strings.print_instead(rest.partition('\\"')[0].strip())
    elif name == "char":
        _define_character(page, rest)
    else:
        _rename(page, rest.split(), aliased=name == "als")


def _call(page: ManualPage, name: str, rest: str) -> bool:
    """Read the lines of a macro that the page defines. Returns False for other names."""
    if name not in page.macros.lines:
        return False
    if page.depth < _DEEPEST:
        page.depth += 1
        for line in page.macros.written(name, raw_arguments(rest)) or ():
            _read(page, line)
        page.depth -= 1
    return True


def _define(page: ManualPage, rest: str) -> None:
    key, _, value = rest.partition(" ")
    if len(page.strings) < _MOST_STRINGS:
        # A definition is copied first, in which two backslashes become one.
        copied = value.lstrip().removeprefix('"').replace("\\\\", "\\")
        said = unescaped(copied, page.strings, printed=False)
        page.strings[key] = said[:_STRING_CHARS]


def _rename(page: ManualPage, words: list[str], *, aliased: bool) -> None:
    """Give a macro or a string another name: `.als NEW OLD` keeps the old one, `.rn OLD NEW` does not."""
    if len(words) < 2:
        return
    new, old = words[:2] if aliased else words[1::-1]
    page.macros.call_by(new, old)
    if old in page.strings and len(page.strings) < _MOST_STRINGS:
        page.strings[new] = page.strings[old]


def _define_character(page: ManualPage, rest: str) -> None:
    """What a page prints for a sign of its own, as in `.char \\[arrow] ->`."""
    name, _, shown = rest.partition(" ")
    if name.startswith("\\[") and name.endswith("]") and len(page.strings) < _MOST_STRINGS:
        page.strings[name[1:]] = unescaped(shown.strip().removeprefix('"'), page.strings)[:_STRING_CHARS]


def _heads(page: ManualPage, name: str, rest: str) -> bool:
    """Take the title of the page or of a section. Returns False for other macros."""
    if name not in ("SH", "Sh", "SS", "Ss", "TH", "Dt"):
        return False
    if name in ("TH", "Dt"):
        words = arguments(rest, page.strings)
        named = "".join(words[:1])
        page.title = f"{named}({words[1]})" if len(words) > 1 else named
        return True
    said = (
        spoken(page, words_of(rest, page.strings)).text
        if name in ("Sh", "Ss")
        else one_line(" ".join(arguments(rest, page.strings)))
    )
    if said:
        _head(page, name, said)
    else:
        page.flush()
        page.wants_heading = name
    return True


def _head(page: ManualPage, name: str, said: str) -> None:
    page.flush()
    page.code = False
    page.wants_heading = ""
    is_section = name in ("SH", "Sh")
    page.section = said if is_section else page.section
    page.head(said, level=1 if is_section else 2)


def _blocks(page: ManualPage, name: str, rest: str) -> bool:
    """Begin or end a piece of code or a table. Returns False for other macros."""
    if name in _CODE_BEGINS:
        page.flush()
        page.code = True
    elif name in _CODE_ENDS:
        page.flush()
        page.code = False
    elif name in ("EQ", "EN"):
        page.equation = name == "EQ"
        page.equations += name == "EQ"
    elif name == "TS":
        page.flush()
        page.table = []
    else:
        return False
    return True


def _begin_item(page: ManualPage, name: str, rest: str) -> None:
    page.flush()
    page.wants_heading = ""
    words = arguments(rest, page.strings)
    if name == "IP":
        page.tag = words[0] if words else None
    else:
        page.wants_tag = True


def _inline(page: ManualPage, name: str, rest: str) -> None:
    """A macro that puts words into the running text. An unknown one is left out."""
    words = arguments(rest, page.strings)
    if name in _FONTS:
        whole = name not in ("B", "SB", "SM", "I", "R")
        said = "".join(words) if whole else " ".join(words)
        if page.wants_heading and said.strip():
            _head(page, page.wants_heading, one_line(said))
            return
        page.say(said, bold=name in ("B", "SB"), stands_out=name not in ("R", "SM"))
    elif name in ("SY", "YS"):
        page.flush()
        page.say(" ".join(words))
    elif name == "OP":
        page.say(f"[{' '.join(words)}]")
    elif name in ("URL", "MTO"):
        address, label, behind = (*words, "", "", "")[:3]
        page.say((f"{label} <{address}>" if label else address) + behind)
    elif name in ("UR", "MT"):
        page.begin_link("".join(words[:1]))
    elif name in ("UE", "ME"):
        page.end_link("".join(words[:1]))


def _read_row(page: ManualPage, line: str) -> None:
    """A line of a table, which is put together at its end."""
    rows = page.table
    assert rows is not None
    if line.startswith(".TE"):
        page.to.add("table", rows_to_text(table_rows(rows, lambda text: unescaped(text, page.strings))))
        page.table = None
    else:
        rows.append(line)
