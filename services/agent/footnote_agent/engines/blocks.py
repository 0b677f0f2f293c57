"""The blocks of a passage: lists, lines of fields, tables and code, apart from its prose. Pure.

A passage is a piece of its document's own text. What is no prose is quoted in the form that it has: a list
behind the sentence that introduces it, rows below the head of their table, code character by character.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from footnote_agent.engines.block import Block, Part
from footnote_agent.engines.code_blocks import bare_code, fenced_code, led_code, opens_fence, whole_code
from footnote_agent.engines.leads import ITEM, SENTENCE_END, PassageLine, lead_above, lines_of
from footnote_agent.engines.plain_rows import behind_columns, behind_counted, behind_ragged, behind_records
from footnote_agent.engines.prose import is_underline
from footnote_agent.engines.table_rows import cells_of, is_row, is_rule, row_of
from footnote_agent.engines.term_entries import columns_of, entries_at

MAX_KEY_CHARS = 40
"""Longest key of a line `Key: value`. A longer one is the beginning of a sentence."""

WRAPPED = 60
"""Characters of a line without an end mark from which on the next one is of the same item."""

_ENDS = tuple(".!?:;。！？：")

FEWEST_OPTIONS, OF_OPTIONS = 3, 0.6
"""Options in a row, and the share of the lines of a usage message that they have, at least."""

_NEXT_PARAGRAPH = 2
"""Ends of lines between a paragraph and the next one: one blank line."""

_BARE_MARK = re.compile(r"[ \t]*[•·▪◦][ \t]*")
"""The mark of an item that stands below it, as converters of manual pages write it."""

_STEP = re.compile(r"[ \t]*(\d{1,3})[.)][ \t]")
_FIELD = re.compile(rf"((?:\d{{1,3}}[ \t]+)?[^\W\d_][^:|\n]{{0,{MAX_KEY_CHARS - 1}}}):[ \t]+(?=\S)")


def blocks_of(
    text: str, kind: str = "text", code_language: str | None = None, headings: Sequence[str] = ()
) -> list[Block]:
    """The blocks of a passage, in order.

    `kind` and `code_language` are those of the chunk, as ingest recorded them; a text of several chunks of
    which one at least is code is `mixed`. `headings`: those above the passage, which may stand at its
    beginning once more.
    """
    lines = list(lines_of(text))
    if kind == "code":
        known = {" ".join(heading.split()) for heading in headings}
        at = 0
        while at < len(lines) and (
            lines[at].is_blank or " ".join(lines[at].text.lstrip("# ").split()) in known
        ):
            at += 1
        return _options(lines[at:]) or whole_code(lines[at:], code_language)
    if kind == "table":
        return _tables(lines)
    texts = [line.text for line in lines]
    found: list[Block] = []
    at = step = 0
    while at < len(lines):
        if lines[at].is_blank:
            at += 1
            continue
        block, behind = _block_at(lines, texts, at, code_language, step)
        if block is None:
            block, behind = bare_code(lines, at, code_language, is_known=kind == "mixed")
        if block is not None:
            if found and _is_one_with(found[-1], block, lines[at].text, text):
                block = _joined(found.pop(), block)
            found.append(block)
            # Behind a step only its code may stand before the next one.
            step = step_of(block) or (step if block.kind == "code" else 0)
        at = behind
    return found


def _is_one_with(before: Block, block: Block, opening: str, text: str) -> bool:
    """Whether code stands right behind other code, apart by one blank line, and none of it has a fence."""
    both = before.kind == block.kind == "code" and len(before.parts) == len(block.parts) == 1
    return (
        both
        and not opens_fence(opening)
        and not opens_fence(text[before.start : before.start + len(opening)].partition("\n")[0])
        and text[before.end : block.start].count("\n") == _NEXT_PARAGRAPH
        and not text[before.end : block.start].strip()
    )


def _joined(before: Block, block: Block) -> Block:
    """The code of both. Commands that each stand as a paragraph are lines that follow each other."""
    first, second = before.parts[0], block.parts[0]
    single = "\n" not in second.text and "\n\n" not in first.text
    whole = Part(f"{first.text}{'' if single else chr(10)}\n{second.text}", first.start)
    return replace(before, end=block.end, parts=(whole,))


def step_of(block: Block) -> int:
    """The number of the last step that a list holds, or of that whose code it is; 0 of what has none."""
    said = block.parts[-1].text if block.kind == "list" else block.lead if block.kind == "code" else ""
    found = _STEP.match(said)
    return int(found[1]) if found else 0


def without_blocks(text: str, blocks: Sequence[Block]) -> str:
    """The text with spaces in place of each character of a block, so that all places stay what they were."""
    kept = list(text)
    for block in blocks:
        for place in range(block.start, block.end):
            if kept[place] != "\n":
                kept[place] = " "
    return "".join(kept)


def _block_at(
    lines: Sequence[PassageLine], texts: Sequence[str], at: int, code_language: str | None, step: int
) -> tuple[Block | None, int]:
    """The block that begins with this line, if one does, and the number of the line behind it.

    `step`: the number of the step before it.
    """
    if opens_fence(lines[at].text) and not is_underline(texts, at):
        return fenced_code(lines, at, code_language)
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
        return Block("list", lines[at].start, lines[behind - 1].end, lead_above(lines, at), parts), behind
    if entries := entries_at(texts, at, texts[at - 1] if at else ""):
        return _entries(lines, at, entries)
    if _opens_item(lines, at):
        return _list(lines, at, step)
    if (behind := max(behind_columns(texts, at), behind_ragged(texts, at))) > at:
        parts = tuple(Part(line.text, line.start) for line in lines[at:behind])
        return Block("fields", lines[at].start, lines[behind - 1].end, lead_above(lines, at), parts), behind
    fields, behind = _fields(lines, at)
    return (fields, behind) if fields is not None else led_code(lines, at)


def _options(lines: Sequence[PassageLine]) -> list[Block]:
    """The options of a usage message, where it is mostly of them; the lines above and below are its code."""
    texts = [line.text for line in lines]
    found: list[Block] = []
    at = plain = 0
    while at < len(lines):
        entries = entries_at(texts, at) if columns_of(texts[at]) else []
        if len(entries) < FEWEST_OPTIONS:
            at += 1
            continue
        found += whole_code(lines[plain:at], None)
        block, at = _entries(lines, at, entries)
        found.append(block)
        plain = at
    options = [part for block in found if block.kind == "entries" for part in block.parts]
    listed = sum(len(part.text.split("\n")) for part in options)
    if listed < OF_OPTIONS * sum(not line.is_blank for line in lines):
        return []
    return [*found, *whole_code(lines[plain:], None)]


def _tables(lines: Sequence[PassageLine]) -> list[Block]:
    """A chunk of a table: a caption perhaps, the head with its rule, rows."""
    rows = [number for number, line in enumerate(lines) if is_row(line.text) or is_rule(line.text)]
    if not rows:
        return []
    caption = " ".join(line.text.strip() for line in lines[: rows[0]] if not line.is_blank)
    return [_table([line for line in lines[rows[0] :] if not line.is_blank], caption)]


def _table(lines: Sequence[PassageLine], lead: str) -> Block:
    head: tuple[str, ...] = ()
    if len(lines) > 1 and is_rule(lines[1].text):
        head = (lines[0].text, lines[1].text)
    body = [line for line in lines[len(head) :] if not is_rule(line.text)]
    parts = tuple(Part(line.text, line.start) for line in body)
    return Block("table", lines[0].start, lines[-1].end, lead, parts, head)


def _list(lines: Sequence[PassageLine], at: int, step: int) -> tuple[Block | None, int]:
    """Items with their further lines. A blank line ends the list, unless another item is behind it.

    One item alone is a list where something leads in it, or where it is a step. Else it is a line that begins
    with a dash.
    """
    items: list[list[PassageLine]] = []
    number = at
    while number < len(lines):
        line = lines[number]
        if _opens_item(lines, number):
            items.append([line])
        elif line.is_blank:
            behind = number
            while behind < len(lines) and lines[behind].is_blank:
                behind += 1
            if behind == len(lines) or not _opens_item(lines, behind):
                break
            number = behind
            continue
        elif _STEP.match(items[-1][0].text) and opens_fence(line.text):
            break
        elif _BARE_MARK.fullmatch(lines[number - 1].text) or _goes_on(line, lines[number - 1]):
            items[-1].append(line)
        else:
            break
        number += 1
    lead = lead_above(lines, at)
    if len(items) < 2 and not lead and not _is_step(lines, at, number, step):
        return None, at + 1
    parts = tuple(Part("\n".join(line.text for line in item), item[0].start) for item in items)
    return Block("list", lines[at].start, lines[number - 1].end, lead, parts), number


def _opens_item(lines: Sequence[PassageLine], at: int) -> bool:
    below = lines[at + 1] if at + 1 < len(lines) else None
    bare = below is not None and not below.is_blank and _BARE_MARK.fullmatch(lines[at].text) is not None
    return bare or ITEM.match(lines[at].text) is not None


def _is_step(lines: Sequence[PassageLine], at: int, behind: int, step: int) -> bool:
    """Whether an item alone counts on from the step before it, or has code of its own behind it.

    One that ends with a colon leads in its code.
    """
    found = _STEP.match(lines[at].text)
    if found is None or lines[behind - 1].text.rstrip().endswith((":", "：")):
        return False
    while behind < len(lines) and lines[behind].is_blank:
        behind += 1
    code = lines[behind].text if behind < len(lines) else ""
    return (step > 0 and int(found[1]) == step + 1) or (code[:1].isspace() and opens_fence(code))


def _goes_on(line: PassageLine, before: PassageLine) -> bool:
    """Whether a line belongs to the item above it: indented, in small letters, or wrapped."""
    if before.is_blank:
        return False
    wraps = len(before.text) >= WRAPPED and not before.text.rstrip().endswith(_ENDS)
    return line.text[:1].isspace() or line.text[:1].islower() or wraps


def _fields(lines: Sequence[PassageLine], at: int) -> tuple[Block | None, int]:
    """Two lines `Key: value` and more, each by itself."""
    behind = at
    while behind < len(lines) and _is_field(lines[behind].text):
        behind += 1
    if behind - at < 2:
        return None, at + 1
    parts = tuple(Part(line.text, line.start) for line in lines[at:behind])
    return Block("fields", lines[at].start, lines[behind - 1].end, lead_above(lines, at), parts), behind


def _records(lines: Sequence[PassageLine]) -> Block:
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


def _entries(lines: Sequence[PassageLine], at: int, ranges: Sequence[tuple[int, int]]) -> tuple[Block, int]:
    """What a manual says of some options, each with its name."""
    parts = tuple(
        Part("\n".join(line.text for line in lines[first:behind]), lines[first].start)
        for first, behind in ranges
    )
    behind = ranges[-1][1]
    return Block("entries", lines[at].start, lines[behind - 1].end, lead_above(lines, at), parts), behind


def _is_field(line: str) -> bool:
    key = _FIELD.match(line)
    return key is not None and not SENTENCE_END.search(key[1] + " ") and len(key[1].split()) <= 4
