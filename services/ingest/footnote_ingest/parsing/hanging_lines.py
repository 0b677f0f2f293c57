"""Headings of a plain text that begin at its edge while all other lines are indented, as in an RFC."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from footnote_ingest.parsing.text_lines import line_begin
from footnote_ingest.parsing.text_sections import is_question

_LEAST_BLOCKS = 8
_LEAST_SET_IN = 0.6
"""The indent of a text shows in at least this many blocks, of which this share has it or a deeper one."""

_LEAST_INDENT = 2
_LONGEST, _MOST_WORDS = 90, 14
_FIRST = re.compile(r"[^\W_]")
_BEFORE = re.compile(r"^[^\S\n]*+(?=\S)", re.M)
_COLUMNS = re.compile(r"\S {3,}\S|\t")
"""A line with such a gap is the head or the foot of a page, or a row."""


def hanging_headings(text: str, blocks: Sequence[tuple[int, int]]) -> Mapping[int, int]:
    """For the place of each block that is such a heading its rank, from 1: less room is a higher one.

    A heading is one line, or a question of a few, with less room before it than the text has, and such text
    follows.
    """
    rooms = [_room(text, start, end) for start, end in blocks]
    if len(blocks) < _LEAST_BLOCKS:
        return {}
    body = Counter(rooms).most_common(1)[0][0]
    # In a list of questions and answers, half of the blocks are questions.
    said = [
        room
        for room, block in zip(rooms, blocks, strict=True)
        if room >= body or not is_question(text[slice(*block)])
    ]
    if body < _LEAST_INDENT or sum(room >= body for room in said) < _LEAST_SET_IN * len(said):
        return {}
    found = [
        at
        for at, (start, end) in enumerate(blocks[:-1])
        if rooms[at] < body <= rooms[at + 1] and _may_be_heading(text[start:end])
    ]
    ranks = {room: rank for rank, room in enumerate(sorted({rooms[at] for at in found}), 1)}
    return {at: ranks[rooms[at]] for at in found}


def _room(text: str, start: int, end: int) -> int:
    """The least room before a line of a block."""
    block = text[line_begin(text, start) : end]
    if "\t" in block:
        block = block.expandtabs()
    return min(map(len, _BEFORE.findall(block)), default=0)


def _may_be_heading(block: str) -> bool:
    if is_question(block):
        return _FIRST.match(block) is not None
    return (
        "\n" not in block
        and len(block) <= _LONGEST
        and block[-1] not in ".,;"
        and len(block.split()) <= _MOST_WORDS
        and _FIRST.match(block) is not None
        and _COLUMNS.search(block) is None
    )
