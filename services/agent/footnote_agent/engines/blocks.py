"""The blocks of a passage: lists, lines of fields, tables and code, apart from its prose. Pure.

A passage is a piece of its document's own text. What is no prose is quoted in the form that it has: a list
behind the sentence that introduces it, rows below the head of their table, code character by character.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from footnote_agent.engines.code_lines import (
    MAX_LED_CHARS,
    MOST_LED,
    is_code,
    is_command,
    may_be_code,
)
from footnote_agent.engines.data_records import records_in
from footnote_agent.engines.headlines import in_bold
from footnote_agent.engines.plain_rows import behind_counted, behind_records
from footnote_agent.engines.prose import is_of_manual, is_underline, underlines
from footnote_agent.engines.term_entries import entries_at

BlockKind = Literal["list", "fields", "entries", "table", "code"]

MAX_KEY_CHARS = 40
"""Longest key of a line `Key: value`. A longer one is the beginning of a sentence."""

_LEAD_LINES = 12
"""Lines above a block in which the sentence that introduces it begins, at most."""

_DATA = frozenset({"json", "jsonc", "json5"})
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)")
_ITEM = re.compile(r"[ \t]*(?:[-*•‣◦+]|\d{1,3}[.)]|\(?[a-z][.)])[ \t]+(?=\S)")
_FIELD = re.compile(rf"([^\W\d_][^:|\n]{{0,{MAX_KEY_CHARS - 1}}}):[ \t]+(?=\S)")
_RULE = re.compile(r"\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{3,}:?[ \t]*)*\|?")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)]*(?=\s)")


@dataclass(frozen=True, slots=True)
class Part:
    """An item, a field, a row, or all lines of code, with its place in the passage."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines of one kind, and its half-open range in the passage.

    `lead`: the sentence that introduces a list or code, or the caption of a table; empty if there is none.
    `head`: the head of a table and the rule under it. `language`: the programming language of code.
    """

    kind: BlockKind
    start: int
    end: int
    lead: str
    parts: tuple[Part, ...]
    head: tuple[str, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


def blocks_of(
    text: str, kind: str = "text", code_language: str | None = None, headings: Sequence[str] = ()
) -> list[Block]:
    """The blocks of a passage, in order.

    `kind` and `code_language` are those of the chunk, as ingest recorded them; a text of several chunks of
    which one at least is code is `mixed`. `headings`: those above the
    passage, which may stand at its beginning once more.
    """
    lines = list(_lines(text))
    if kind == "code":
        known = {" ".join(heading.split()) for heading in headings}
        at = 0
        while at < len(lines) and (
            lines[at].is_blank or " ".join(lines[at].text.lstrip("# ").split()) in known
        ):
            at += 1
        return _whole_code(lines[at:], code_language)
    if kind == "table":
        return _tables(lines)
    texts = [line.text for line in lines]
    found: list[Block] = []
    at = 0
    while at < len(lines):
        block, behind = _block_at(lines, texts, at, code_language)
        if block is None:
            block, behind = _bare_code(lines, at, code_language, is_known=kind == "mixed")
        if block is not None:
            found.append(block)
        at = behind
    return found


def without_blocks(text: str, blocks: Sequence[Block]) -> str:
    """The text with spaces in place of each character of a block, so that all places stay what they were."""
    kept = list(text)
    for block in blocks:
        for place in range(block.start, block.end):
            if kept[place] != "\n":
                kept[place] = " "
    return "".join(kept)


def lead_of(text: str) -> str:
    """The last sentence of a text, if it introduces what comes: it ends with a colon."""
    lines = list(_lines(text.rstrip()))
    return _lead(lines, len(lines))


def is_row(line: str) -> bool:
    """Whether a line has the form of a row of a Markdown table."""
    return _CELL_BORDER.search(line) is not None


def cells_of(row: str) -> list[str]:
    """The cells of a row, with their bars where these are part of the text."""
    if "|" in row:
        return [cell.strip().replace("\\|", "|") for cell in _CELL_BORDER.split(row.strip())]
    return [cell.strip() for cell in row.split("\t" if "\t" in row else ":")]


def row_of(cells: Sequence[str]) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def is_rule(line: str) -> bool:
    """Whether a line is the rule under the head of a table."""
    return "-" in line and _RULE.fullmatch(line.strip()) is not None


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(line.rstrip("\r"), start)
        start += len(line) + 1


def _block_at(
    lines: Sequence[_Line], texts: Sequence[str], at: int, code_language: str | None
) -> tuple[Block | None, int]:
    """The block that begins with this line, if one does, and the number of the line behind it."""
    fence = _FENCE.match(lines[at].text)
    if fence and not is_underline(texts, at):
        behind = _end_of_fence(lines, at, fence[1])
        closed = behind > at + 1 and _closes(lines[behind - 1].text, fence[1])
        inner = lines[at + 1 : behind - 1 if closed else behind]
        return _code(lines, at, behind, inner, fence[2] or code_language or ""), behind
    if at + 1 < len(lines) and is_row(lines[at].text) and is_rule(lines[at + 1].text):
        behind = at + 2
        while behind < len(lines) and is_row(lines[behind].text):
            behind += 1
        return _table(lines[at:behind], lead=""), behind
    if all(_is_bare_row(line.text) for line in lines[at : at + 2]) and at + 1 < len(lines):
        behind = at
        while behind < len(lines) and _is_bare_row(lines[behind].text):
            behind += 1
        return _table(lines[at:behind], lead=""), behind
    if (behind := behind_records(texts, at)) > at:
        return _records(lines[at:behind]), behind
    if (behind := behind_counted(texts, at)) > at:
        parts = tuple(Part(line.text, line.start) for line in lines[at:behind])
        return Block("list", lines[at].start, lines[behind - 1].end, _lead(lines, at), parts), behind
    if entries := entries_at(texts, at, texts[at - 1] if at else ""):
        return _entries(lines, at, entries)
    if _ITEM.match(lines[at].text):
        return _list(lines, at)
    fields, behind = _fields(lines, at)
    return (fields, behind) if fields is not None else _led(lines, at)


def _whole_code(lines: Sequence[_Line], language: str | None) -> list[Block]:
    """A chunk of code, with the fences that Markdown puts around it or without."""
    full = [number for number, line in enumerate(lines) if not line.is_blank]
    if not full:
        return []
    first, last = full[0], full[-1]
    fence = _FENCE.match(lines[first].text)
    if fence:
        closed = last > first and _closes(lines[last].text, fence[1])
        inner = lines[first + 1 : last if closed else last + 1]
        return [_code(lines, first, last + 1, inner, fence[2] or language or "")]
    return [_code(lines, first, last + 1, lines[first : last + 1], language or "")]


def _code(lines: Sequence[_Line], at: int, behind: int, inner: Sequence[_Line], language: str) -> Block:
    if language in _DATA:
        ranges = records_in([line.text for line in inner])
    else:
        ranges = iter([(0, len(inner))] if any(not line.is_blank for line in inner) else [])
    parts = tuple(
        Part("\n".join(line.text for line in inner[first:behind]), inner[first].start)
        for first, behind in ranges
    )
    return Block("code", lines[at].start, lines[behind - 1].end, _lead(lines, at), parts, language=language)


def _end_of_fence(lines: Sequence[_Line], at: int, fence: str) -> int:
    for number in range(at + 1, len(lines)):
        if _closes(lines[number].text, fence):
            return number + 1
    return len(lines)


def _closes(line: str, fence: str) -> bool:
    mark = _FENCE.match(line)
    return mark is not None and mark[1].startswith(fence) and not line[mark.end(1) :].strip()


def _tables(lines: Sequence[_Line]) -> list[Block]:
    """A chunk of a table: a caption perhaps, the head with its rule, rows."""
    rows = [number for number, line in enumerate(lines) if is_row(line.text) or is_rule(line.text)]
    if not rows:
        return []
    caption = " ".join(line.text.strip() for line in lines[: rows[0]] if not line.is_blank)
    return [_table([line for line in lines[rows[0] :] if not line.is_blank], caption)]


def _table(lines: Sequence[_Line], lead: str) -> Block:
    head: tuple[str, ...] = ()
    if len(lines) > 1 and is_rule(lines[1].text):
        head = (lines[0].text, lines[1].text)
    body = [line for line in lines[len(head) :] if not is_rule(line.text)]
    parts = tuple(Part(line.text, line.start) for line in body)
    return Block("table", lines[0].start, lines[-1].end, lead, parts, head)


def _list(lines: Sequence[_Line], at: int) -> tuple[Block | None, int]:
    """Items with their further lines. A blank line ends the list, unless another item is behind it."""
    items: list[list[_Line]] = []
    number = at
    while number < len(lines):
        line = lines[number]
        if _ITEM.match(line.text):
            items.append([line])
        elif line.is_blank:
            behind = number
            while behind < len(lines) and lines[behind].is_blank:
                behind += 1
            if behind == len(lines) or not _ITEM.match(lines[behind].text):
                break
            number = behind
            continue
        elif _goes_on(line, lines[number - 1]):
            items[-1].append(line)
        else:
            break
        number += 1
    if len(items) < 2:
        return None, at + 1
    parts = tuple(Part("\n".join(line.text for line in item), item[0].start) for item in items)
    return Block("list", lines[at].start, lines[number - 1].end, _lead(lines, at), parts), number


def _goes_on(line: _Line, before: _Line) -> bool:
    """Whether a line belongs to the item above it: it is indented, or goes on in small letters."""
    if before.is_blank:
        return False
    return line.text[:1].isspace() or line.text[:1].islower()


def _fields(lines: Sequence[_Line], at: int) -> tuple[Block | None, int]:
    """Two lines `Key: value` and more, each by itself."""
    behind = at
    while behind < len(lines) and _is_field(lines[behind].text):
        behind += 1
    if behind - at < 2:
        return None, at + 1
    parts = tuple(Part(line.text, line.start) for line in lines[at:behind])
    return Block("fields", lines[at].start, lines[behind - 1].end, _lead(lines, at), parts), behind


def _led(lines: Sequence[_Line], at: int) -> tuple[Block | None, int]:
    """What stands behind a sentence with a colon as a paragraph of its own and is no prose: a command."""
    behind = at
    while behind < min(len(lines), at + MOST_LED + 1) and not lines[behind].is_blank:
        behind += 1
    led = lines[at:behind]
    drawn = at > 1 and underlines(lines[at - 1].text, lines[at - 2].text)
    opens = at == 0 or lines[at - 1].is_blank or drawn
    if not 0 < len(led) <= MOST_LED or not opens or not (_lead(lines, at) or _all_indented(led)):
        return None, at + 1
    said = [line for line in led if not line.text.lstrip().startswith("#")]
    if not said or any(len(line.text) > MAX_LED_CHARS or not is_command(line.text.strip()) for line in said):
        return None, at + 1
    return _code(lines, at, behind, led, ""), behind


def _bare_code(
    lines: Sequence[_Line], at: int, language: str | None, *, is_known: bool
) -> tuple[Block | None, int]:
    """A paragraph that is code, without a mark of it.

    Where it is known that there is some (`is_known`), none of its lines is a sentence; else most of them have
    the form of code.
    """
    first = at - 1 if _is_below_heading(lines, at) else at
    if (first > 0 and not lines[first - 1].is_blank) or _is_below_heading(lines, at + 1):
        return None, at + 1
    behind = at
    while behind < len(lines) and not lines[behind].is_blank:
        behind += 1
    full = lines[at:behind]
    if not full:
        return None, at + 1
    of_code = is_known and all(may_be_code(line.text.strip()) for line in full)
    if of_code or is_code([line.text for line in full]):
        return _code(lines, at, behind, full, language or ""), behind
    return None, at + 1


def _is_below_heading(lines: Sequence[_Line], at: int) -> bool:
    return 0 < at < len(lines) and is_of_manual(lines[at - 1].text, lines[at].text)


def _all_indented(lines: Sequence[_Line]) -> bool:
    return all(line.text.startswith(("  ", "\t")) for line in lines)


def _records(lines: Sequence[_Line]) -> Block:
    """A table of records; a comment above them is its head."""
    names = lines[0].text.strip()
    head: tuple[str, ...] = ()
    if names.startswith("#"):
        cells = cells_of(names.lstrip("# "))
        head = (row_of(cells), row_of(["---"] * len(cells)))
    body = [line for line in lines if not line.text.lstrip().startswith("#")]
    parts = tuple(Part(line.text, line.start) for line in body)
    return Block("table", lines[0].start, lines[-1].end, "", parts, head)


def _is_bare_row(line: str) -> bool:
    bare = line.strip()
    return len(bare) > 1 and bare[0] == "|" and bare[-1] == "|"


def _entries(lines: Sequence[_Line], at: int, ranges: Sequence[tuple[int, int]]) -> tuple[Block, int]:
    """What a manual says of some options, each with its name."""
    parts = tuple(
        Part("\n".join(line.text for line in lines[first:behind]), lines[first].start)
        for first, behind in ranges
    )
    behind = ranges[-1][1]
    return Block("entries", lines[at].start, lines[behind - 1].end, _lead(lines, at), parts), behind


def _is_field(line: str) -> bool:
    key = _FIELD.match(line)
    return key is not None and not _SENTENCE_END.search(key[1] + " ") and len(key[1].split()) <= 4


def _lead(lines: Sequence[_Line], at: int) -> str:
    """The end of the paragraph above, if it ends with a colon: its last sentence. Or a line in bold alone."""
    above = at - 1
    if above >= 0 and lines[above].is_blank:
        above -= 1
    if above < 0:
        return ""
    if bold := in_bold(lines[above].text):
        return bold
    if not lines[above].text.rstrip().endswith((":", "：")):
        return ""
    first = above
    while first > max(0, above - _LEAD_LINES) and not lines[first - 1].is_blank:
        if _ITEM.match(lines[first].text) or _is_below_heading(lines, first):
            break
        first -= 1
    paragraph = " ".join(line.text.strip() for line in lines[first : above + 1])
    ends = [
        mark.end()
        for mark in _SENTENCE_END.finditer(paragraph)
        # A stop within brackets ends no sentence: "(e.g. this)".
        if paragraph.count("(", 0, mark.end()) <= paragraph.count(")", 0, mark.end())
    ]
    return paragraph[ends[-1] :].strip() if ends else paragraph.strip()
