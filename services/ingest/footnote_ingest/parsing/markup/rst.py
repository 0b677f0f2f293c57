"""reStructuredText by its lines: sections, items, tables and code, without marks, as a reader sees them.

docutils is not used here. It takes the directives and roles of Sphinx, for which most of these texts are
written, for errors, and leaves their contents out; it opens other files; and the time that it takes for
hostile text has no bound. The grammar is that of its specification
(https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html).
"""

import re
from collections.abc import Callable

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.lone_commands import reads_as_command
from footnote_ingest.parsing.markup import rst_directives, rst_tables
from footnote_ingest.parsing.markup.markup_text import (
    MarkupDocument,
    dedented,
    indent_of,
    indented_end,
    lines_of,
    paragraphs,
    verbatim,
)
from footnote_ingest.parsing.markup.rst_directives import Directive, directive_at
from footnote_ingest.parsing.markup.rst_inline import RstInline
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.table_text import rows_to_text

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*$")
_BULLET = re.compile(r"([-*+•‣⁃])(?:[ ]+|$)")
_NUMBER = re.compile(r"\(?(?:\d{1,4}|[A-Za-z]|#|[ivxlcdm]{1,6}|[IVXLCDM]{1,6})[.)](?:[ ]+|$)")
_FIELD = re.compile(r":([^:`\s](?:[^:`]|:(?=\S)){0,100}):(?:[ ]+|$)")
_FOOTNOTE = re.compile(r"\.\.[ ]+\[([^\]]{1,60})\](?:[ ]+|$)")
_TARGET = re.compile(r"\.\.[ ]+_(?:`([^`]{1,200})`|([^:]{1,200})):")
_UNICODE = re.compile(r"\.\.[ ]+\|([^|]{1,80})\|[ ]+unicode::[ ]*(?:0x|U\+|\\x)([0-9A-Fa-f]{2,4})\b")
_PICTURE = re.compile(r"\.\. \|([^|\n]{1,100})\| image::")
_REPLACE = re.compile(r"\.\.[ ]+\|([^|]{1,80})\|[ ]+replace::[ ]*(.{0,200})")
_PREAMBLE = re.compile(r"([A-Z][\w-]{1,40}):[ ]+(\S.{0,300})$")
_LEAST_PREAMBLE = 3
_ALONE = re.compile(r"``([^`]{1,400})``")
"""A paragraph that shows a command and nothing else."""

_UNREAD_FIELDS = frozenset(["orphan", "tocdepth", "nocomments", "nosearch", "no-search"])
_SHORTEST_UNDERLINE = 4
"""A line of marks shorter than this underlines only a title that is no longer than the line."""

_DEEPEST = 12
"""Deeper nesting is read as paragraphs, so that the work does not grow with the depth."""

_LONGEST_TITLE = 250
_OF_SPHINX = re.compile(
    r"\.\. (?:toctree|currentmodule|currentlibrary|automodule|autoclass|autofunction|(?:py:)?module|highlight"
    r"|seealso|versionadded|versionchanged|only|index|literalinclude)::"
)
"""Directives of Sphinx. A page of it is called by its first heading, whatever rank the others have."""


def parse(given: ParserInput) -> Extracted:
    """Read the text. Its title is its first heading if no other has the same rank.

    In a read-me, and in a page of Sphinx, it is the first heading anyway.
    """
    document = MarkupDocument(given)
    lines = lines_of(document.text)
    plain = RstInline({}, frozenset())
    names: dict[str, str] = {}
    targets: set[str] = set()
    for line in lines:
        if line.startswith(".. "):
            if (target := _TARGET.match(line)) is not None:
                targets.add((target[1] or target[2]).lower())
            elif (name := _REPLACE.match(line)) is not None:
                names[name[1].lower()] = plain.read(name[2].strip())
            elif (name := _UNICODE.match(line)) is not None:
                names[name[1].lower()] = chr(int(name[2], 16))
            elif (name := _PICTURE.match(line)) is not None:
                names[name[1].lower()] = ""
    reader = _Reader(document, RstInline(names, targets))
    reader.read(lines, 0, sections=True)
    document.end_lead()
    leads = given.is_read_me or any(map(_OF_SPHINX.match, lines))
    title = _preamble_title(lines) or (document.to.leading_title() if leads else None)
    return document.to.finish(title=title, metadata=document.metadata)


def _named_picture(title: str) -> str:
    """The name of a picture that stands for a heading: what is shown in its place where it is missing."""
    name = title.strip().strip("|")
    return name if title.strip() == f"|{name}|" else ""


def _preamble_title(lines: list[str]) -> str | None:
    """The title among the fields that a proposal begins with, such as a PEP: `Title: On Ferries`."""
    fields: dict[str, str] = {}
    for line in lines:
        field = _PREAMBLE.match(line)
        if field is not None:
            fields[field[1]] = field[2]
        elif not line.startswith(" "):
            break
    return fields.get("Title") if len(fields) >= _LEAST_PREAMBLE else None


class _Reader:
    """Reads blocks of lines, the outer one and those that are indented in it."""

    def __init__(self, document: MarkupDocument, inline: RstInline) -> None:
        self._document = document
        self._inline = inline
        self._ranks: list[str] = []
        self._language: str | None = None
        # Lines from which no end of a table was found, so that the search is not repeated for each border.
        self._unended: list[str] | None = None
        # By depth: the lines and the end of the last item of a list that counts, and its number.
        self._counted: dict[int, tuple[list[str], int, int]] = {}
        self._blocks: tuple[Callable[[list[str], int, int], int | None], ...] = (
            self._explicit,
            self._table,
            self._item,
            self._field,
            self._option,
            self._line_block,
            self._doctest,
        )

    def read(self, lines: list[str], depth: int, *, sections: bool = False) -> None:
        """Add what the lines say. `sections`: whether headings can stand among them."""
        if depth > _DEEPEST:
            for group in paragraphs(lines):
                self._say(" ".join(group))
            return
        at = 0
        while at < len(lines):
            if not lines[at]:
                at += 1
            elif lines[at].startswith(" "):
                end = indented_end(lines, at)
                self.read(dedented(lines[at:end]), depth + 1)
                at = end
            else:
                at = (self._title(lines, at) if sections else None) or self._block(lines, at, depth)

    def _block(self, lines: list[str], at: int, depth: int) -> int:
        for block in self._blocks:
            end = block(lines, at, depth)
            if end is not None:
                return end
        return self._paragraph(lines, at, depth)

    def _say(self, text: str) -> None:
        self._document.add("paragraph", self._inline.read(text))

    def _title(self, lines: list[str], at: int) -> int | None:
        """A title with a line of marks below it, and perhaps above it. Ranks go by first appearance."""
        over = _ADORNMENT.match(lines[at])
        if over is not None and len(lines[at]) > 1:
            if at + 1 == len(lines) or not lines[at + 1]:
                # A line of marks alone parts two passages.
                return at + 1 if len(lines[at]) >= _SHORTEST_UNDERLINE else None
            title, under, end = lines[at + 1].strip(), "".join(lines[at + 2 : at + 3]), at + 3
            if under != lines[at]:
                return None
        else:
            title, under, end = lines[at], "".join(lines[at + 1 : at + 2]), at + 2
            over = None
        marks = _ADORNMENT.match(under)
        if marks is None or title.startswith(" ") or len(title) > _LONGEST_TITLE or _ADORNMENT.match(title):
            return None
        if len(under) < min(len(title), _SHORTEST_UNDERLINE) or (over and len(under) < _SHORTEST_UNDERLINE):
            return None
        style = f"{marks[1]}{over is not None}"
        if style not in self._ranks:
            self._ranks.append(style)
        said = self._inline.read(title) or _named_picture(title)
        self._document.add("title", said, level=self._ranks.index(style) + 1)
        return end

    def _explicit(self, lines: list[str], at: int, depth: int) -> int | None:
        """What begins with two dots: a directive, a footnote, a target or a comment."""
        line = lines[at]
        if line.startswith("__ "):
            return at + 1
        if line != ".." and not line.startswith(".. "):
            return None
        if line == ".." and lines[at + 1 : at + 2] == [""]:
            return at + 1
        found = directive_at(lines, at)
        if found is not None:
            directive, end = found
            if directive.name is None:
                self._directive(directive, depth)
            return end
        end = indented_end(lines, at + 1)
        note = _FOOTNOTE.match(line)
        if note is not None:
            label = note[1].lstrip("#") or "*"
            self._document.lead(f"[{label}] ", "paragraph")
            self.read([line[note.end() :], *dedented(lines[at + 1 : end])], depth + 1)
            self._document.end_lead()
        return end

    def _directive(self, directive: Directive, depth: int) -> None:
        kind, argument, content = directive.kind, directive.argument, directive.content
        if kind in rst_directives.CODE or rst_directives.shows_code(directive):
            self._code_directive(directive)
        elif kind in rst_directives.PICTURES:
            self._document.add("image_caption", self._inline.read(directive.options.get("alt", "")))
            self._document.lead("", "image_caption")
            self.read(content, depth + 1)
            self._document.end_lead()
        elif kind in ("table", "list-table", "csv-table"):
            self._say(argument)
            self._table_directive(directive, depth)
        elif kind in ("highlight", "highlightlang"):
            self._language = None if argument in rst_directives.NO_LANGUAGE else argument.lower() or None
        elif kind in rst_directives.DROPPED:
            return
        elif kind in rst_directives.NOTES:
            lead = rst_directives.NOTES[kind]
            if kind in rst_directives.OF_VERSIONS:
                version, _, argument = argument.partition(" ")
                lead = f"{lead}{version}: "
            self._document.lead(lead, "paragraph")
            self.read([argument, *content] if argument else content, depth + 1)
            self._document.end_lead()
        else:
            self._say(argument)
            self.read(content, depth + 1, sections=kind in rst_directives.WITH_SECTIONS)

    def _code_directive(self, directive: Directive) -> None:
        kind, content = directive.kind, directive.content
        self._say(directive.options.get("caption", ""))
        if kind == "math":
            self._say(" ".join([directive.argument, *content]).strip())
            return
        given = directive.argument.split(" ")[0].lower() if kind not in ("doctest", "literalinclude") else ""
        if kind in ("literalinclude", "command-output", "program-output"):
            return
        language = rst_directives.LANGUAGES.get(kind) or given or self._language
        if kind in rst_directives.NO_LANGUAGE or language in rst_directives.NO_LANGUAGE:
            language = None
        if kind in ("parsed-literal",):
            content = [self._inline.read(line) for line in content]
        self._document.add("code", verbatim(content), language=language)

    def _table_directive(self, directive: Directive, depth: int) -> None:
        if directive.kind == "table":
            self.read(directive.content, depth + 1)
            return
        if directive.kind == "list-table":
            rows: list[list[str]] | None = rst_tables.list_table_rows(directive.content)
        else:
            options = directive.options
            header, gap = options.get("header", ""), options.get("delim", ",")
            rows = rst_tables.csv_table_rows(directive.content, header, gap)
        if rows is None:
            self.read(directive.content, depth + 1)
        else:
            self._add_table(rows)

    def _add_table(self, rows: list[list[str]]) -> None:
        self._document.add("table", rows_to_text([[self._inline.read(cell) for cell in row] for row in rows]))

    def _table(self, lines: list[str], at: int, depth: int) -> int | None:
        if rst_tables.GRID.match(lines[at]):
            end = rst_tables.grid_end(lines, at)
            self._add_table(rst_tables.grid_rows(lines[at:end]))
            return end
        if rst_tables.BORDER.match(lines[at]):
            closed = rst_tables.simple_end(lines, at) if self._unended is not lines else None
            if closed is None:
                self._unended = lines
            else:
                self._add_table(rst_tables.simple_rows(lines[at:closed]))
            return closed
        return None

    def _item(self, lines: list[str], at: int, depth: int) -> int | None:
        """An item of a list with all that is indented below it."""
        line = lines[at]
        bullet = _BULLET.match(line)
        mark = bullet or _NUMBER.match(line)
        if mark is None:
            return None
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if bullet is None and following and not following.startswith(" ") and not _NUMBER.match(following):
            # A sentence can begin with `A.` or with a year.
            return None
        end = indented_end(lines, at + 1)
        shown = "- " if bullet else f"{self._numbered(lines, (at, end), depth, mark[0].strip())} "
        self._within(shown, line[mark.end() :], _hanging(lines, at, end, mark.end()), depth)
        return end

    def _numbered(self, lines: list[str], item: tuple[int, int], depth: int, mark: str) -> str:
        """The mark of an item, with the number that a page shows in the place of `#`."""
        of, end, number = self._counted.get(depth, (None, 0, 0))
        follows = of is lines and end <= item[0] and not any(lines[end : item[0]])
        told = mark.strip("().")
        number = int(told) if told.isdecimal() else number + 1 if follows else 1
        self._counted[depth] = (lines, item[1], number)
        return mark.replace("#", str(number))

    def _within(self, lead: str, first: str, below: list[str], depth: int) -> None:
        """Read a first line and the lines `below` it, after a lead."""
        self._document.lead(lead, "list")
        self.read([first.strip(), *below], depth + 1)
        self._document.end_lead()

    def _field(self, lines: list[str], at: int, depth: int) -> int | None:
        field = _FIELD.match(lines[at])
        if field is None:
            return None
        end = indented_end(lines, at + 1)
        if field[1] not in _UNREAD_FIELDS:
            name = self._inline.read(field[1])
            self._within(f"{name}: ", lines[at][field.end() :], _hanging(lines, at, end), depth)
        return end

    def _option(self, lines: list[str], at: int, depth: int) -> int | None:
        """An option of a program and, two blanks behind it, what it does."""
        line = lines[at]
        option, gap, told = line.partition("  ")
        if not (line[0] == "-" and gap and line.lstrip("-")[:1].isalnum()):
            return None
        end = indented_end(lines, at + 1)
        self._within(f"{option}\n", told, _hanging(lines, at, end), depth)
        return end

    def _line_block(self, lines: list[str], at: int, depth: int) -> int | None:
        if lines[at] != "|" and not lines[at].startswith("| "):
            return None
        end = at
        while end < len(lines) and (lines[end] == "|" or lines[end].startswith(("| ", " "))):
            end += 1
        self._say("\n".join(line[1:].strip() for line in lines[at:end]))
        return end

    def _doctest(self, lines: list[str], at: int, depth: int) -> int | None:
        if not lines[at].startswith(">>> "):
            return None
        end = at
        while end < len(lines) and lines[end]:
            end += 1
        self._document.add("code", verbatim(lines[at:end]), language="python")
        return end

    def _paragraph(self, lines: list[str], at: int, depth: int) -> int:
        end = at + 1
        while end < len(lines) and lines[end] and not lines[end].startswith(" "):
            end += 1
        is_term = end == at + 1 and end < len(lines) and indent_of(lines[end]) > 0
        text = "".join(f"\n{line}" if _BULLET.match(line) else f" {line}" for line in lines[at:end])[1:]
        if text.endswith("::"):
            return self._literal(text, lines, end)
        if is_term:
            below = indented_end(lines, end)
            self._document.lead(f"{self._inline.read(text)}\n", "list")
            self.read(dedented(lines[end:below]), depth + 1)
            self._document.end_lead()
            return below
        alone = _ALONE.fullmatch(text)
        if alone is not None and not self._document.leads and reads_as_command(alone[1]):
            self._document.add("code", alone[1].strip(), language=self._language)
        else:
            self._say(text)
        return end

    def _literal(self, text: str, lines: list[str], at: int) -> int:
        """The paragraph that announces a literal block, and the block if there is one."""
        shown = text[:-1] if not text.endswith(" ::") else text[:-3]
        self._say("" if text == "::" else shown)
        begin = next((number for number in range(at, len(lines)) if lines[number]), len(lines))
        end = indented_end(lines, begin)
        if end == begin and begin < len(lines) and begin > at and _ADORNMENT.match(lines[begin][0]):
            # A quoted literal block: each of its lines begins with the same mark.
            while end < len(lines) and lines[end][:1] == lines[begin][0]:
                end += 1
            if not lines[begin].startswith((">", "$ ", "% ")) and end == begin + 1:
                return at
        if end > begin:
            self._document.add("code", verbatim(lines[begin:end]), language=self._language)
            return end
        return at


def _hanging(lines: list[str], at: int, end: int, most: int | None = None) -> list[str]:
    """The lines below the first one of an item, with the empty line before them if the text has one."""
    if most is None and lines[at].endswith("::"):
        most = indent_of(next((line for line in lines[at + 1 : end] if line), "")) - 1
    below = dedented(lines[at + 1 : end], most)
    return ["", *below] if lines[at + 1 : at + 2] == [""] else below
