"""Rows of plain files: records with as many colons or tabs each, and lines that count. Pure."""

import re
from collections.abc import Sequence

FEWEST_RECORDS = 4
"""Lines with as many colons or tabs each that are records, or that count, at least."""

MOST_OF_ROW = 120
"""Characters of a row of columns at most."""

LONGEST_RAGGED = 70
"""Characters of the longest of lines that are rows by themselves, at most."""

FULL_ROW, SHORT_ROWS = 0.7, 0.4
"""Share of the longest line below which one was not wrapped, and the share of such lines, at least."""

_STOPS = tuple(".,;:!?-")
_GAP = re.compile(r"[^\s.!?:;,](?: {2,}|\t+ *)\S")
_COUNTED = re.compile(r"[ \t]*(\d{1,3})[ \t]+[^\W\d_]")


def behind_records(lines: Sequence[str], at: int) -> int:
    """The line behind the records that begin here, each with as many colons or tabs; `at` where none do."""
    for mark, fewest in (("\t", 1), (":", 2)):
        count, behind = lines[at].strip().count(mark), at
        while (
            behind < len(lines)
            and lines[behind].strip().count(mark) == count >= fewest
            and f"{mark} " not in lines[behind]
        ):
            behind += 1
        if behind - at >= FEWEST_RECORDS:
            return behind
    return at


def behind_columns(lines: Sequence[str], at: int) -> int:
    """The line behind rows of columns that begin here, apart by two blanks at least; `at` where none do.

    Two blanks behind the end of a sentence make no columns of it.
    """
    behind = at
    while behind < len(lines) and len(lines[behind]) <= MOST_OF_ROW and _GAP.search(lines[behind].strip()):
        behind += 1
    return behind if behind - at >= FEWEST_RECORDS else at


def behind_ragged(lines: Sequence[str], at: int) -> int:
    """The line behind a paragraph of short lines that are no sentences; `at` where it is none.

    Lines that were wrapped are about as long as each other, and those of a table of commands are not.
    """
    if at > 0 and lines[at - 1].strip():
        return at
    behind = at
    while behind < len(lines) and lines[behind].strip():
        behind += 1
    rows = [line.strip() for line in lines[at:behind]]
    longest = max((len(row) for row in rows), default=0)
    if len(rows) < FEWEST_RECORDS or longest > LONGEST_RAGGED:
        return at
    if any(row.endswith(_STOPS) or len(row.split()) < 2 for row in rows):
        return at
    short = sum(len(row) < FULL_ROW * longest for row in rows[:-1])
    return behind if short >= SHORT_ROWS * (len(rows) - 1) else at


def behind_counted(lines: Sequence[str], at: int) -> int:
    """The line behind those that begin with a number each, one more than that above; `at` where none do."""
    first = _COUNTED.match(lines[at])
    if first is None:
        return at
    behind, count = at, int(first[1])
    while behind < len(lines) and (mark := _COUNTED.match(lines[behind])) and int(mark[1]) == count:
        behind, count = behind + 1, count + 1
    return behind if behind - at >= FEWEST_RECORDS else at
