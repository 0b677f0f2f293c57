"""AsciiDoc by its lines: headings, items, tables and code, without marks, as a reader sees them.

The language is that of https://docs.asciidoctor.org/asciidoc/latest/. Blocks within blocks are read one after
the other, so the work grows with the length of the text and not with its depth. Other files are named where
they would be included, and never opened.
"""

import re

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.markup import asciidoc_lines as told
from footnote_ingest.parsing.markup.asciidoc_inline import AsciiDocInline, first_words
from footnote_ingest.parsing.markup.asciidoc_tables import DELIMITER, table_rows
from footnote_ingest.parsing.markup.markup_text import MarkupDocument, lines_of, paragraphs, verbatim
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.table_text import rows_to_text

_MACRO = re.compile(r"(image|video|audio|include|toc|pagebreak)::([^\[\]]{0,1000})\[(.*)\]$")
_AUTHOR = re.compile(r"[^\W\d][\w.'-]*(?:[ ]+[\w.'-]{1,60}){0,3}(?:[ ]+<[^<>]{1,200}>)?(?:;|$)")
_REVISION = re.compile(r"(?:v?\d[\w.-]{0,30},?[ ]*)?(\d{4}-\d\d-\d\d|\w{3,12} \d{1,2}, \d{4})?(?:[,:].*)?$")
_TAG = re.compile(r"<[^<>]{1,500}>")
_CODE = frozenset(("source", "listing", "literal"))
_FORMULA = frozenset(("stem", "latexmath", "asciimath"))
_NOTES = frozenset(("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"))
_FACTS = {"author": "author", "revdate": "date"}
_MOST_OPEN = 12
"""Open blocks are tracked to this depth. Of deeper ones only the marks are removed."""

_HEADER_LINES = 200
_MOST_TERMS = 20
_MOST_COUNTED = 12


def parse(given: ParserInput) -> Extracted:
    """Read the text. Its title is the top-level heading at its beginning."""
    document = MarkupDocument(given)
    reader = _AsciiDocReader(document, told.without_conditionals(lines_of(document.text)))
    reader.read()
    return document.to.finish(title=reader.title, metadata=document.metadata)


class _AsciiDocReader:
    """Reads block by block."""

    def __init__(self, document: MarkupDocument, lines: list[str]) -> None:
        self._document = document
        self._lines = lines
        self._inline = AsciiDocInline()
        self._attributes: dict[str, str] = {}
        self._caption = ""
        self._terms: list[str] = []
        # The delimiters of the blocks that are open, each with what is said at its end.
        self._open: list[tuple[str, str]] = []
        # The marks of the numbered lists that are open, each with its last number.
        self._counts: list[tuple[str, int]] = []
        self._attached = False
        self._begun = False
        self.title: str | None = None

    def read(self) -> None:
        """Add what the lines say."""
        at = 0
        while at < len(self._lines):
            at = self._block(at) if self._lines[at] else at + 1
        self._show_caption()
        self._end_terms()
        self._close(0)
        self._document.end_lead()

    def _block(self, at: int) -> int:
        """Read what begins in this line; return the line after it."""
        line = self._lines[at]
        if told.COMMENT.match(line):
            return self._end_of(at) + 1
        if line.startswith("//") and not line.startswith("///"):
            return at + 1
        entry = told.entry(line)
        if entry is not None:
            return self._entry(at, *entry)
        if line == "+":
            self._attached = True
            return at + 1
        attributes = told.block_attributes(line) if line.startswith("[") else None
        if attributes is not None:
            self._attributes.update(attributes)
            return at + 1
        if line[0] == "." and line[1:2] not in ("", ".", " "):
            self._show_caption()
            self._caption = line[1:]
            return at + 1
        return self._content(at, line)

    def _content(self, at: int, line: str) -> int:
        attributes, self._attributes = self._attributes, {}
        item = told.item(line)
        heading = told.heading(self._lines, at) if not self._is_closed_by(at + 1) else None
        macro = _MACRO.match(line)
        if macro is None or macro[1] != "image":
            self._show_caption()
        if heading is not None:
            return self._heading(*heading)
        if item is None or item.is_term or item.said == "":
            self._leave_lists(item is not None)
        self._attached, self._begun = False, True
        if DELIMITER.match(line):
            return self._table(at, attributes)
        if told.RULE.match(line):
            return at + 1
        if told.FENCE.match(line) or (line == "--" and attributes.get("style") in _CODE):
            return self._fenced(at, attributes)
        if told.CONTAINER.match(line):
            return self._container(at, attributes)
        if macro is not None:
            return self._macro(at, macro)
        if item is not None and attributes.get("style") not in _CODE:
            return self._item(at, item)
        return self._paragraph(at, attributes)

    def _add(self, text: str) -> None:
        """Add running text, and the notes of it behind it."""
        self._document.add("paragraph", self._inline.read(text))
        self._add_notes()

    def _add_notes(self) -> None:
        for note in self._inline.notes():
            self._document.add("paragraph", note)

    def _show_caption(self) -> None:
        caption, self._caption = self._caption, ""
        if caption:
            self._end_terms()
            self._add(caption)

    def _leave_lists(self, in_list: bool) -> None:
        if not in_list and not self._attached and not self._open:
            self._counts = []

    def _is_closed_by(self, at: int) -> bool:
        return any(self._lines[at : at + 1] == [delimiter] for delimiter, _ in self._open)

    def _end_of(self, at: int) -> int:
        """The next line that equals this one and ends its block; the end of the text if there is none."""
        wanted = self._lines[at]
        wanted = "`" * (len(wanted) - len(wanted.lstrip("`"))) or wanted
        return next(
            (end for end in range(at + 1, len(self._lines)) if self._lines[end] == wanted), len(self._lines)
        )

    def _end_of_paragraph(self, at: int, *, in_item: bool = False) -> int:
        end = at + 1
        while end < len(self._lines) and (line := self._lines[end]) and not told.begins_block(line):
            if in_item and told.item(line) is not None:
                break
            end += 1
        return end

    def _entry(self, at: int, name: str, value: str | None) -> int:
        end = at + 1
        pieces = [value or ""]
        while pieces[-1].endswith(" \\") and end < len(self._lines):
            pieces[-1] = pieces[-1][:-2]
            pieces.append(self._lines[end].strip())
            end += 1
        self._inline.define(name, None if value is None else " ".join(pieces))
        if value and name in _FACTS:
            self._document.metadata[_FACTS[name]] = self._inline.substituted(value)
        return end

    def _heading(self, level: int, words: str, end: int) -> int:
        self._end_terms()
        self._counts, self._attached = [], False
        if level == 1 and not self._begun:
            self._define_header(end)
        shown = self._inline.read(words)
        self._document.add("title", shown, level=level)
        self._add_notes()
        if level == 1 and not self._begun:
            self.title = shown
            end = self._byline(end)
        self._begun = True
        return end

    def _define_header(self, at: int) -> None:
        """Define what the header defines below the title: the title may name it."""
        for line in self._lines[at : at + _HEADER_LINES]:
            entry = told.entry(line) if line else None
            if not line:
                return
            if entry is not None:
                self._inline.define(entry[0], entry[1])

    def _byline(self, at: int) -> int:
        """The lines of the author and of the revision right below the title."""
        lines = self._lines[at : at + 2]
        if not lines or _AUTHOR.match(lines[0]) is None or told.entry(lines[0]) is not None:
            return at
        self._document.metadata["author"] = _TAG.sub("", lines[0])
        revision = _REVISION.match(lines[1]) if lines[1:] and lines[1] else None
        if revision is not None and revision[1]:
            self._document.metadata["date"] = revision[1]
        shown = lines if revision is not None else lines[:1]
        self._document.add("paragraph", "\n".join(shown))
        return at + len(shown)

    def _item(self, at: int, item: told.Item) -> int:
        end = self._end_of_paragraph(at, in_item=True)
        text = self._joined([item.said, *self._lines[at + 1 : end]])
        if item.is_term:
            self._terms.append(self._inline.read(item.mark))
            if text or len(self._terms) >= _MOST_TERMS:
                self._lead_terms()
                self._add(text)
            return end
        self._end_terms()
        self._document.lead(f"{self._shown_mark(item.mark)} ", "list")
        self._add(text)
        return end

    def _lead_terms(self) -> None:
        terms, self._terms = self._terms, []
        if terms:
            self._document.lead(", ".join(terms) + "\n", "list")

    def _end_terms(self) -> None:
        """No text follows for the terms that are waiting: they stand alone."""
        if self._terms:
            self._lead_terms()
            self._document.end_lead()

    def _shown_mark(self, mark: str) -> str:
        """A dash, or the number of the item: dots stand for numbers that AsciiDoc counts."""
        if mark[0] not in "*-•.":
            return mark
        at = next((at for at, (known, _) in enumerate(self._counts) if known == mark), len(self._counts))
        count = self._counts[at][1] + 1 if at < len(self._counts) else 1
        self._counts = [*self._counts[: min(at, _MOST_COUNTED)], (mark, count)]
        return f"{count}." if mark[0] == "." else "-"

    def _table(self, at: int, attributes: dict[str, str]) -> int:
        self._end_terms()
        end = self._end_of(at)
        rows = table_rows(self._lines[at + 1 : end], self._lines[at], attributes)
        shown = [[self._inline.read(cell) for cell in row] for row in rows]
        self._document.add("table", rows_to_text(shown))
        self._add_notes()
        return end + 1

    def _fenced(self, at: int, attributes: dict[str, str]) -> int:
        """A block whose lines are kept as they are, a formula, or input for another program."""
        self._end_terms()
        end = self._end_of(at)
        lines = self._lines[at + 1 : end]
        fence = told.FENCE.match(self._lines[at])
        if self._lines[at].startswith("+"):
            text = "\n".join(lines)
            style = attributes.get("style")
            self._document.add("paragraph", text if style in _FORMULA else _TAG.sub(" ", text))
        elif attributes.get("style") != "comment":
            language = (fence[1] if fence is not None else None) or told.language_of(attributes)
            self._add_code(lines, attributes, language)
        return end + 1

    def _add_code(self, lines: list[str], attributes: dict[str, str], language: str | None) -> None:
        code = verbatim(lines)
        if "attributes" in attributes.get("subs", ""):
            code = self._inline.substituted(code)
        self._document.add("code", code, language=language)

    def _container(self, at: int, attributes: dict[str, str]) -> int:
        """The first or the last line of a block that holds others."""
        self._end_terms()
        delimiter, style = self._lines[at], attributes.get("style", "")
        depth = next((depth for depth, (name, _) in enumerate(self._open) if name == delimiter), None)
        if depth is not None:
            self._close(depth)
            return at + 1
        if style == "comment":
            return self._end_of(at) + 1
        if style == "verse":
            end = self._end_of(at)
            for stanza in paragraphs(self._lines[at + 1 : end]):
                self._add("\n".join(stanza))
            self._add(_attribution(attributes))
            return end + 1
        if style in _NOTES:
            self._document.lead(f"{style}: ", "paragraph")
        if len(self._open) < _MOST_OPEN:
            self._open.append((delimiter, _attribution(attributes)))
        return at + 1

    def _close(self, depth: int) -> None:
        """End the blocks below this depth."""
        while len(self._open) > depth:
            self._add(self._open.pop()[1])

    def _macro(self, at: int, macro: re.Match[str]) -> int:
        name, target, said = macro.groups()
        if name == "include":
            self._add_plain(target)
        elif name == "image":
            self._end_terms()
            caption, self._caption = self._caption, ""
            alt = first_words(said).partition(",")[0] if not said.startswith('"') else first_words(said)
            for text in dict.fromkeys((caption, alt)):
                self._document.add("image_caption", self._inline.read(text))
            self._add_notes()
        return at + 1

    def _add_plain(self, text: str) -> None:
        self._end_terms()
        self._document.add("paragraph", text)

    def _paragraph(self, at: int, attributes: dict[str, str]) -> int:
        style = attributes.get("style", "")
        end = self._end_of_paragraph(at)
        lines = self._lines[at:end]
        if style in _CODE or (lines[0].startswith(" ") and not self._terms and style == ""):
            self._end_terms()
            self._add_code(lines, attributes, told.language_of(attributes))
            return end
        if style == "comment":
            return end
        self._lead_terms()
        if style in _NOTES:
            self._document.lead(f"{style}: ", "paragraph")
        if style == "verse" or "hardbreaks" in attributes.get("1", ""):
            self._add("\n".join(line.strip() for line in lines))
        else:
            self._add(self._joined(lines))
        if style in ("quote", "verse"):
            self._add(_attribution(attributes))
        return end

    def _joined(self, lines: list[str]) -> str:
        """The lines of a paragraph as one, without comments. A plus at the end of a line breaks it."""
        shown = [line.strip() for line in lines if not line.startswith("//") or line.startswith("///")]
        return "".join(
            line[:-1].rstrip() + "\n" if line.endswith(" +") else f"{line} " for line in shown
        ).strip()


def _attribution(attributes: dict[str, str]) -> str:
    """The author and the source of a quotation."""
    if attributes.get("style") not in ("quote", "verse"):
        return ""
    said = ", ".join(filter(None, (attributes.get("2"), attributes.get("3"))))
    return f"— {said}" if said else ""
