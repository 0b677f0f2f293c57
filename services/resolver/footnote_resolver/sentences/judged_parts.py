"""What of an answer gets a verdict of its own: each sentence, and each row of a table (spec 2.6). Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footnote_resolver.sentences.claims import (
    AnswerSentence,
    answer_sentences,
    numbers_beside_code,
    plain,
    without_fences,
)

_DELIMITERS = re.compile(r"[\s|:-]+")
"""The characters of the line below the head of a table (GitHub Flavored Markdown 4.10)."""
_FEWEST_DASHES = 3
_LONGEST_VALUE = 4
"""Words of a cell that is a value or a name. A longer one is a sentence under its head."""

_LONGEST_NAME = 200
"""Characters of a first cell or a head at most that each cell of its row or column is judged with."""
_MOST_CELLS = 1000
"""Cells of a text that are judged one by one. Behind them each row is judged as a whole."""

Wording = tuple[str, tuple[int, ...]]
"""What has to hold, as it is compared, and the numbers that it cites."""
_Line = tuple[int, int]


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """A sentence of an answer, or a row of a table, which holds if all of its wordings hold."""

    sentence: AnswerSentence
    wordings: tuple[Wording, ...]
    in_table: bool = False


def judged_parts(text: str) -> list[JudgedPart]:
    """The sentences outside of fenced code and tables, and the rows of the tables, in order.

    A row says of its first cell what each other cell has under its head. So a value that stands in the wrong
    row or column is as wrong as in a sentence. A cell is judged by its own numbers, or else by those of its
    head, or else by all of its row. Beyond so many cells a row is judged as a whole.
    """
    visible = without_fences(text)
    rows: list[JudgedPart] = []
    cells = 0
    prose = list(text)
    for head, lines in _tables(visible):
        heads = [
            _Head(plain(cell)[:_LONGEST_NAME], numbers_beside_code(cell))
            for cell in _cells(visible[slice(*head)])
        ]
        for start, end in lines:
            row = _row(text[start:end], start, heads, whole=cells >= _MOST_CELLS)
            if row is not None:
                rows.append(row)
                cells += len(row.wordings)
        begin, over = head[0], lines[-1][1]
        prose[begin:over] = [char if char == "\n" else " " for char in text[begin:over]]
    sentences = [
        JudgedPart(sentence, ((plain(sentence.text), sentence.citations),))
        for sentence in answer_sentences("".join(prose) if rows else text)
    ]
    return sorted([*sentences, *rows], key=lambda one: one.sentence.start)


@dataclass(frozen=True, slots=True)
class _Head:
    """The head of a column as each of its cells is judged with it, and the numbers that it cites."""

    name: str
    numbers: tuple[int, ...]


def _row(line: str, start: int, heads: Sequence[_Head], *, whole: bool) -> JudgedPart | None:
    first, *others = _cells(line)
    if whole or len(others) > _MOST_CELLS:
        first, others = " ".join((first, *others)), []
    said = plain(first)
    subject = said[:_LONGEST_NAME]
    cited = numbers_beside_code(line)
    wordings: list[Wording] = []
    for place, cell in enumerate(others, 1):
        head = heads[place] if place < len(heads) else _Head("", ())
        if words := plain(cell):
            wordings.append(
                (_worded(subject, head.name, words), numbers_beside_code(cell) or head.numbers or cited)
            )
    if not wordings and said:
        wordings = [(said, cited)]
    if not wordings:
        return None
    numbers = tuple(dict.fromkeys(n for _, by in wordings for n in by))
    return JudgedPart(
        AnswerSentence(line, start, start + len(line), numbers, False), tuple(wordings), in_table=True
    )


def _worded(subject: str, head: str, cell: str) -> str:
    """The cell as words behind its subject; behind a colon the first word of a sentence is no name."""
    mark = ":" if len(cell.split()) > _LONGEST_VALUE else ""
    small = head[:1].lower() + head[1:] if head[1:].islower() else head
    return ", ".join(part for part in (subject, f"{small}{mark} {cell}".strip()) if part)


def _tables(text: str) -> Iterator[tuple[_Line, list[_Line]]]:
    """The line of the head of each table, and the lines of its rows."""
    lines = list(_lines(text))
    place = 0
    while place + 2 < len(lines):
        head, rule = (text[slice(*line)] for line in lines[place : place + 2])
        if not ("|" in head and _is_rule(rule)):
            place += 1
            continue
        end = place + 2
        while end < len(lines) and "|" in text[slice(*lines[end])]:
            end += 1
        if end > place + 2:
            yield lines[place], lines[place + 2 : end]
        place = end


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _is_rule(line: str) -> bool:
    return "|" in line and line.count("-") >= _FEWEST_DASHES and _DELIMITERS.fullmatch(line) is not None


def _cells(line: str) -> list[str]:
    inner = line.strip().replace("\\|", "/")
    return [cell.strip() for cell in inner.removeprefix("|").removesuffix("|").split("|")]
