"""Names of sections in a plain text that only their number, their letter or the room around them tells.

`2. Monitoring` above a paragraph that is set in, `II. Ships`, and lines with more room above than below.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from footnote_ingest.parsing.text_heads import LEAST_ALIKE, LIST_ITEM
from footnote_ingest.parsing.text_lines import line_begin
from footnote_ingest.parsing.text_sections import is_question

_COUNT = re.compile(r"[ \t]{0,8}(\d{1,3})[.)][ \t]{1,8}(?=\S)")
_LETTER = re.compile(r"([A-Z]|[IVX]{1,5})[.)][ \t]{1,4}(?=[A-Z])")
_NUMERALS = {"I": 1, "V": 5, "X": 10}
_NAME_CHARS, _NAME_WORDS = range(3, 71), 9
"""The name of a section has so many characters and words."""

_SHORT_WORD = 4
_SENTENCES = re.compile(r"[a-z]{2}[.!?:][\"')]?(?:\s|$)")
_FILLED = 0.8
"""A line is broken on purpose if the next word had fit within this share of the width of the block."""

_NO_NAME = re.compile(r"[=|<>{}\\@;\t]|\S {2,}\S|://|::|\.\.\.")
_SAYS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|should|must|may|we|you|i|it|this|these|there|please)\b", re.I
)
_DETAIL = re.compile(
    r"(?:copyright|version|revision|release|date|by|from|to|dear|hello|hi|regards|thanks|author|note|warning"
    r"|important|(?:fig(?:ure)?|tab(?:le)?|listing|plate|exhibit|example)\.?\s\d[\d.]{0,8})\b",
    re.I,
)
"""How a line begins that says something of the text, greets, or is a caption."""

_LEAST_TEXT = 60
"""Below a name that nothing but room tells, or the letter before it, stands text of so many characters."""

_WIDE_GAP, _LEAST_APART = 3, 2
"""So many line breaks stand above a name with more room above than below; a text has so many of these."""


class Entry(NamedTuple):
    """Where a name ends with which a block begins, and where a name ends that stands in a line above it.

    That one, of what the names are parts of, may be empty and then ends where the block begins.
    """

    lead: int
    name: int


def entries(text: str, blocks: Sequence[tuple[int, int]]) -> Mapping[int, Entry]:
    """The blocks that begin with a number, which rises from 1 or 0, and a name that stands above text."""
    found: dict[int, Entry] = {}
    run: dict[int, Entry] = {}
    last = 0
    for at in range(len(blocks)):
        told = _entry(text, blocks, at)
        if told is None:
            continue
        number, entry = told
        if not run or number != last + 1:
            found |= run if len(run) >= LEAST_ALIKE else {}
            run = {}
        if run or number <= 1:
            run[at] = entry
        last = number
    return found | (run if len(run) >= LEAST_ALIKE else {})


def _entry(text: str, blocks: Sequence[tuple[int, int]], at: int) -> tuple[int, Entry] | None:
    """The number that a block begins with, perhaps below a line that names the list, and its name."""
    start, end = blocks[at]
    below = text.find("\n", start, end) + 1
    if not any(_COUNT.match(text, begin, end) for begin in (start, below or start)):
        return None
    lines = text[start:end].split("\n")
    lead = start
    number = _COUNT.match(lines[0])
    if number is None and len(lines) > 2 and _may_be_name(lines[0].strip()):
        lead, lines = start + len(lines[0]), lines[1:]
        number = _COUNT.match(lines[0])
    if number is None:
        return None
    name = lines[0].strip()
    if len(name) not in _NAME_CHARS or len(name.split()) > _NAME_WORDS:
        return None
    if name[-1] in ":,;" or _NO_NAME.search(name):
        return None
    name_end = lead + (lead > start) + len(lines[0])
    if len(lines) > 1:
        is_name = _is_broken_off(lines) and name[-1] not in ".!"
    else:
        follower = blocks[at + 1] if at + 1 < len(blocks) else (end, end)
        is_title = name[-1] == "." and _is_title(lines[0][number.end() :])
        is_name = (is_title and _is_text(text[slice(*follower)])) or _stands_above(
            text, (start, end), follower
        )
    return (int(number[1]), Entry(lead, name_end)) if is_name else None


def _is_broken_off(lines: Sequence[str]) -> bool:
    """Whether the first line of an item ends though a word more had fit, and what is below it is set in."""
    first, *below = (line.expandtabs().rstrip() for line in lines)
    edge = len(first) - len(first.lstrip())
    said = [line for line in below if line.strip()]
    if not said or min(len(line) - len(line.lstrip()) for line in said) <= edge:
        return False
    opening = said[0].strip()
    room = len(first) + 1 + len(opening.split(" ", 1)[0])
    return (
        (opening[0].isupper() or opening[0].isdigit())
        and LIST_ITEM.match(opening) is None
        and room <= _FILLED * max(map(len, said))
    )


def _stands_above(text: str, name: tuple[int, int], follower: tuple[int, int]) -> bool:
    """Whether the block below a single line is set in further, and is made of sentences."""
    below = text[slice(*follower)]
    return _room(text, *follower) > _room(text, *name) and _SENTENCES.search(below) is not None


def _is_title(name: str) -> bool:
    """Whether all words of a name but short ones begin with capitals, as those of a licence do."""
    return all(word[0].isupper() or len(word) <= _SHORT_WORD for word in name.split())


def lettered_names(text: str, blocks: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The blocks that are one line with a letter or a Roman number, which rise from the first one."""
    found: list[int] = []
    lettered = [at for at, (start, _) in enumerate(blocks[:-1]) if _LETTER.match(text, start) is not None]
    for value_of in (_roman, _letter):
        run: list[int] = []
        for at in lettered:
            start, end = blocks[at]
            line = text[start:end].rstrip()
            value = value_of(line)
            if value == len(run) + 1 and _may_be_name(line) and _is_text(text[slice(*blocks[at + 1])]):
                run.append(at)
        found += run if len(run) >= LEAST_ALIKE else []
    return frozenset(found)


def _roman(line: str) -> int:
    told = _LETTER.match(line)
    numbers = [_NUMERALS.get(letter, 0) for letter in told[1]] if told is not None else []
    if not numbers or not all(numbers):
        return 0
    pairs = zip(numbers, [*numbers[1:], 0], strict=True)
    return sum(-number if number < behind else number for number, behind in pairs)


def _letter(line: str) -> int:
    told = _LETTER.match(line)
    return ord(told[1]) - ord("A") + 1 if told is not None and len(told[1]) == 1 else 0


def lone_names(text: str, blocks: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The blocks that are the name of a section or a question, which nothing but the room around tells.

    They are short lines above text, with more room above than below, or several of them alike.
    """
    names: list[int] = []
    questions: list[int] = []
    apart: list[int] = []
    for at, (start, end) in _single_lines(text, blocks):
        line, below = text[start:end].rstrip(), text[slice(*blocks[at + 1])]
        if not line[0].isupper() or not _is_text(below):
            continue
        if is_question(line) and not is_question(below.rstrip()):
            questions.append(at)
        elif _may_be_name(line) and not (_SAYS.search(line) or _DETAIL.match(line)):
            names.append(at)
            gaps = text.count("\n", blocks[at - 1][1], start), text.count("\n", end, blocks[at + 1][0])
            if gaps[0] >= _WIDE_GAP > gaps[1]:
                apart.append(at)
    if len(apart) >= _LEAST_APART:
        names = apart
    elif len(names) < LEAST_ALIKE:
        names = []
    return frozenset([*names, *(questions if len(questions) >= LEAST_ALIKE else ())])


def _single_lines(text: str, blocks: Sequence[tuple[int, int]]) -> Iterator[tuple[int, tuple[int, int]]]:
    """The blocks behind the first that are one line at the edge of the text, and have one behind them."""
    for at in range(1, len(blocks) - 1):
        start, end = blocks[at]
        if text[start - 1] == "\n" and text.find("\n", start, end) < 0:
            yield at, (start, end)


def _may_be_name(line: str) -> bool:
    return (
        len(line) in _NAME_CHARS
        and len(line.split()) <= _NAME_WORDS
        and line[0].isupper()
        and line[-1] not in ".,;:!?"
        and _NO_NAME.search(line) is None
    )


def _is_text(block: str) -> bool:
    is_item = LIST_ITEM.match(block) is not None
    return len(block) >= _LEAST_TEXT and not is_item and _SENTENCES.search(block) is not None


def _room(text: str, start: int, end: int) -> int:
    """The room before the first line of a block."""
    before = text[line_begin(text, start) : start].expandtabs()
    first = text[start:end].partition("\n")[0].expandtabs()
    return len(before) + len(first) - len(first.lstrip())
