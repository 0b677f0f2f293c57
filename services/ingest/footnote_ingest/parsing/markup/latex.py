"""LaTeX by its commands: headings, items, tables, code and notes, as a reader of the page sees them.

The file's own macros are written out first. Of an unknown command, the arguments in braces are read. Other
files are named and not opened. The reader goes through the text once; only the term of an item is read ahead.
"""

import re
from collections import Counter
from collections.abc import Callable

from footnote_ingest.parsing.elements import Extracted, Kind, one_line
from footnote_ingest.parsing.markup import latex_code
from footnote_ingest.parsing.markup import latex_words as words
from footnote_ingest.parsing.markup.latex_code import NAME, CodeEnvironment, code_environments
from footnote_ingest.parsing.markup.latex_macros import write_out
from footnote_ingest.parsing.markup.latex_packages import Clauses, clause_title, without_overlays
from footnote_ingest.parsing.markup.latex_source import LatexSource, Opened, body, raised_written, typeset
from footnote_ingest.parsing.markup.latex_theorems import with_theorem_heads
from footnote_ingest.parsing.markup.markup_text import MarkupDocument
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.table_text import rows_to_text

_SPECIAL = re.compile(r"[\\{}%$&~]|\n[ \t]*+\n|^<<", re.M)
_COMMAND = re.compile(r"\\(?:([A-Za-z]++)(\*?)|(.))", re.S)
_ACCENTED = re.compile(r"[ \t]?(?:\{[ ]?\\?([A-Za-z]?)[ ]?\}|\\([ij])(?![A-Za-z])[ ]?|([A-Za-z]))")
_AHEAD = re.compile(r"\\(" + "|".join(sorted(words.FACTS | words.SAID_AHEAD)) + r")(?![A-Za-z])")
_LABEL = re.compile(r"\\(?:label|tag)\{[^{}]{0,200}\}|\\(?:nonumber|notag)(?![A-Za-z])")
_MOST_OPEN, _MOST_TABLES = 10_000, 8
"""So many are open at once; others are ignored, or have no rows: a cell writes a table in it once more."""

_VERB_CHARS = 500
_EQUATION_CHARS = 2_000
_PARAMETER_CHARS = 100
_MOST_COLUMNS = 100


def parse(given: ParserInput) -> Extracted:
    """Read the text. Its title is that of its command `\\title`."""
    document = MarkupDocument(given)
    reader = _LatexReader(document)
    reader.read_all()
    return document.to.finish(
        title=reader.facts.pop("title", None), metadata=document.metadata | reader.facts
    )


class _LatexReader:
    def __init__(self, document: MarkupDocument) -> None:
        self._document = document
        text = without_overlays(raised_written(document.text.replace("\r\n", "\n")))
        self._code = code_environments(text)
        text = latex_code.with_known_inline(text)
        self._text = write_out(with_theorem_heads(text, self._code), self._code)
        self._source = LatexSource(self._text)
        self._closing = self._source.closing
        self._open = [Opened(None, [], captured=False)]
        self._environments: Counter[str] = Counter()
        self._notes: list[str] = []
        self._in_option = False
        self._clauses = Clauses()
        self.facts: dict[str, str] = {}

    def read_all(self) -> None:
        """Read what the preamble says to the reader, and then the document."""
        preamble_end, begin = body(self._text)
        self._read_preamble(preamble_end)
        self._read(begin, len(self._text))
        while len(self._open) > 1:
            self._close()
        self._end_paragraph()
        self._add_notes()
        self._document.end_lead()

    def _read_preamble(self, end: int) -> None:
        done = 0
        for match in _AHEAD.finditer(self._text, 0, end):
            at = self._source.behind_option(self._source.behind_break(match.end()))
            close = self._closing.get(at, end)
            line = self._text.rfind("\n", max(0, match.start() - _VERB_CHARS), match.start()) + 1
            if match.start() < done or close >= end or "%" in self._text[line : match.start()]:
                continue
            done = close
            if match[1] in words.FACTS:
                self._capture(at, self._fact(match[1]))
                self._read(at + 1, close + 1)
            else:
                self._read(at + 1, close)
            while len(self._open) > 1:
                self._close()
            self._end_paragraph()

    def _read(self, at: int, end: int) -> None:
        text = self._text
        while at < end and (special := _SPECIAL.search(text, at, end)) is not None:
            self._say(typeset(text[at : special.start()]))
            at = special.start()
            sign = special[0]
            if sign == "\\":
                at = self._command(at)
                continue
            if sign == "%":
                at = self._source.behind_comment(at)
                continue
            if sign == "$":
                at = self._dollar(at)
                continue
            if sign == "<<":
                at = self._chunk(at)
                continue
            at = special.end()
            if sign == "{":
                self._push(Opened(None, self._top.pieces, self._top.captured))
            elif sign == "}":
                if self._top.environment is None and len(self._open) > 1:
                    self._close()
            elif sign == "&" and self._top.is_table:
                self._top.end_cell()
            elif sign in "&~":
                self._say(" ")
            else:
                self._end_paragraph()
                # The second line break may be the first one of another empty line.
                at -= 1
        self._say(typeset(text[at:end]))

    @property
    def _top(self) -> Opened:
        return self._open[-1]

    def _say(self, text: str) -> None:
        if text:
            self._top.pieces.append(text)

    def _emit(self, kind: Kind, text: str, level: int | None = None, language: str | None = None) -> None:
        """Add a piece to the document, or to the text that is captured."""
        if self._top.captured:
            self._say(f" {text} ")
            return
        self._end_paragraph()
        self._document.add(kind, text, level=level, language=language)

    def _end_paragraph(self) -> None:
        """Add the text so far, and then its notes."""
        if self._top.captured:
            self._say(" ")
            return
        text = one_line("".join(self._top.pieces))
        self._top.pieces.clear()
        if text:
            self._document.add("paragraph", text)
            self._add_notes()

    def _add_notes(self) -> None:
        for note in self._notes:
            self._document.add("paragraph", note)
        self._notes.clear()

    def _push(self, opened: Opened) -> bool:
        if len(self._open) >= _MOST_OPEN:
            return False
        self._open.append(opened)
        if opened.environment is not None:
            self._environments[opened.environment] += 1
        return True

    def _close(self) -> None:
        """Close what was opened last."""
        closed = self._open[-1]
        if closed.is_table:
            closed.end_row()
        elif closed.environment is not None:
            self._end_paragraph()
        self._open.pop()
        if closed.environment is not None:
            self._environments[closed.environment] -= 1
        if closed.is_table:
            self._emit("table", rows_to_text(closed.rows))
        elif closed.close is not None:
            closed.close(one_line("".join(closed.pieces)))

    def _capture(self, at: int, close: Callable[[str], None]) -> int:
        """Give the text of the argument that begins here to `close`. Return where reading goes on.

        A brace that nothing closes captures nothing.
        """
        if at in self._closing and self._push(Opened(None, [], captured=True, close=close)):
            return at + 1
        return at

    def _fact(self, name: str) -> Callable[[str], None]:
        def keep(text: str) -> None:
            if self.facts.setdefault(name, text) != text:
                self._emit("paragraph", text)

        return keep

    def _command(self, at: int) -> int:
        """A command; return where reading goes on."""
        match = _COMMAND.match(self._text, at)
        if match is None:
            return at + 1
        name, end = match[1] or match[3], match.end()
        if name in words.ACCENTS and (letter := _ACCENTED.match(self._text, end)) is not None:
            self._say(words.accented(name, letter[1] or letter[2] or letter[3] or ""))
            return letter.end()
        if name in words.SYMBOLS:
            self._say(words.SYMBOLS[name])
            return self._source.behind_blanks(end) if match[1] else end
        if match[3] is not None:
            return self._sign(name, end)
        if (shown := latex_code.plain(self._text, name, end)) is not None:
            self._emit("code", shown.text)
            return shown.end
        if name in ("begin", "end"):
            return self._begin(end) if name == "begin" else self._end(end)
        if name == "item" or name == "bibitem":
            return self._item(end, is_source=name == "bibitem")
        if name in latex_code.INLINE:
            code, end = latex_code.inline(self._source, name, end)
            self._say(code)
            return end
        if name == "par":
            self._end_paragraph()
            return end
        if name in ("def", "gdef", "edef"):
            return self._definition(end)
        if name == "tabularnewline":
            self._top.end_row()
            return end
        at = self._source.argument(end) if name in words.TAKE_TEXT else self._source.behind_option(end)
        return self._with_arguments(name, at)

    def _with_arguments(self, name: str, at: int) -> int:
        if (level := words.heading_level(name)) is not None:
            self._end_paragraph()
            return self._capture(at, lambda text: self._emit("title", text, level))
        if name in words.CLAUSES and (close := self._closing.get(at)) is not None:
            begin, end = clause_title(self._source, at, close)
            number = self._clauses.following(is_part=name != "Clause")
            self._end_paragraph()
            self._emit("title", f"{number} {self._shown(begin, end)}".rstrip(), words.CLAUSE_LEVEL)
            return close + 1
        if name in words.FACTS:
            return self._capture(at, self._fact(name))
        if name in words.NOTES:
            return self._capture(at, self._notes.append)
        if name == "caption" or name == "captionof":
            return self._capture(self._source.behind_arguments(at, int(name == "captionof")), self._caption)
        if name in words.OTHER_FILES and (close := self._closing.get(at)) is not None:
            self._emit("paragraph", self._text[at + 1 : close])
            return close + 1
        if name in ("url", "path", "nolinkurl"):
            address, behind = latex_code.address(self._source, at)
            self._say(address)
            return behind
        if name == "href" and (close := self._closing.get(at)) is not None:
            return self._link(close + 1, self._text[at + 1 : close].replace("\\", ""))
        if name == "multicolumn" and (close := self._closing.get(at)) is not None:
            count = self._text[at + 1 : close].strip()
            if self._top.is_table and count.isdecimal() and len(count) < len(str(_MOST_COLUMNS)):
                self._top.spanned = max(0, int(count) - 1)
            return self._source.behind_arguments(at, 2)
        skipped = words.SKIPPED.get(name)
        if skipped is not None and (part := skipped.match(self._text, at)) is not None:
            at = part.end()
        dropped = words.DROPPED.get(name, 0)
        if name in words.DEFINITIONS and (defined := _COMMAND.match(self._text, at)) is not None:
            # The name that is defined needs no braces around it.
            at, dropped = self._source.behind_option(defined.end()), dropped - 1
        return self._source.behind_arguments(at, dropped)

    def _link(self, at: int, address: str) -> int:
        """The words of a link, and its address behind them if it leads out of the document."""
        is_address = address.startswith(("http://", "https://", "ftp://", "mailto:"))

        def say(text: str) -> None:
            self._say(f"{text} ({address})" if is_address and text != address else text)

        return self._capture(at, say)

    def _caption(self, text: str) -> None:
        """A caption goes into the document before the rows of the table around it."""
        if not self._top.captured:
            self._end_paragraph()
        self._document.add("paragraph", text)

    def _sign(self, sign: str, at: int) -> int:
        """A command of one sign: an equation or the end of a line. Others are skipped."""
        if sign in "([":
            return self._equation(at, "\\)" if sign == "(" else "\\]")
        if sign == "\\":
            at = self._source.behind_option(at + self._text.startswith("*", at))
            if self._top.is_table:
                self._top.end_row()
            else:
                self._say(" ")
        return at

    def _dollar(self, at: int) -> int:
        mark = "$$" if self._text.startswith("$$", at) else "$"
        begin = at + len(mark)
        end = self._text.find(mark, begin, begin + _EQUATION_CHARS)
        while end > 0 and self._text[end - 1] == "\\":
            end = self._text.find(mark, end + 1, begin + _EQUATION_CHARS)
        if end < 0 or self._text.find("\n\n", begin, end) >= 0:
            self._say(mark)
            return begin
        self._say(self._text[begin:end])
        return end + len(mark)

    def _equation(self, at: int, mark: str) -> int:
        """An equation stays as it is written, without its label."""
        end = self._text.find(mark, at, at + _EQUATION_CHARS)
        if end < 0:
            return at
        self._say(f" {_LABEL.sub('', self._text[at:end])} ")
        return end + len(mark)

    def _begin(self, at: int) -> int:
        named = NAME.match(self._text, at)
        if named is None:
            return at
        name, at = named[1], named.end()
        if name in words.EQUATIONS:
            return self._equation(at, f"\\end{{{name}}}")
        if name in words.UNREAD or name in self._code:
            found = latex_code.block(self._source, name, at, self._code.get(name, CodeEnvironment()))
            if name not in words.UNREAD:
                self._emit("code", found.text, language=found.language or None)
            return found.end
        columns = words.TABLES.get(name)
        self._end_paragraph()
        at = self._source.behind_option(at)
        if columns is not None and sum(map(self._environments.__getitem__, words.TABLES)) < _MOST_TABLES:
            at = self._source.behind_arguments(at, columns)
            self._push(Opened(name, [], captured=True, is_table=True))
            return at
        self._push(Opened(name, self._top.pieces, self._top.captured))
        if name in words.FRAMES:
            return self._capture(at, lambda text: self._emit("title", text, words.FRAME_LEVEL))
        if name in words.BLOCKS:
            return self._capture(at, lambda text: self._emit("paragraph", text))
        return self._source.behind_arguments(at, words.DROPPED_AT_BEGIN.get(name, columns or 0))

    def _end(self, at: int) -> int:
        """Close an environment, and all that is open inside it. An end without a beginning is ignored."""
        named = NAME.match(self._text, at)
        if named is None:
            return at
        if self._environments[named[1]]:
            while self._top.environment != named[1]:
                self._close()
            self._close()
        return named.end()

    def _chunk(self, at: int) -> int:
        found = latex_code.chunk(self._text, at)
        if found is None:
            self._say("<<")
            return at + 2
        self._emit("code", found.text, language=found.language)
        return found.end

    def _definition(self, at: int) -> int:
        """A definition is no text: its name, its parameters and its body are left out."""
        brace = self._text.find("{", at, at + _PARAMETER_CHARS)
        return self._closing[brace] + 1 if brace in self._closing else at

    def _item(self, at: int, *, is_source: bool) -> int:
        """An item with its mark, its number or its term before it."""
        self._end_paragraph()
        end = self._source.behind_option(at)
        begin = self._text.find("[", at, end) + 1
        if is_source:
            end = self._source.behind_arguments(end, 1)
            begin = 0
        of = self._top
        of.items += 1
        lead = f"{of.items}. " if of.environment == "enumerate" else "- "
        if begin and not self._in_option:
            term = self._shown(begin, self._text.rfind("]", begin, end))
            lead = f"{term}\n" if any(sign.isalnum() for sign in term) else lead
        if of.captured:
            self._say(f" {lead}")
        else:
            self._document.lead(lead, "list")
        return end

    def _shown(self, begin: int, end: int) -> str:
        """What an option says."""
        shown: list[str] = []
        depth = len(self._open)
        if not self._push(Opened(None, [], captured=True, close=shown.append)):
            return ""
        self._in_option = True
        self._read(begin, end)
        self._in_option = False
        while len(self._open) > depth:
            self._close()
        return "".join(shown)
