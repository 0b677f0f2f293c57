"""Rows of plain files: records with as many colons or tabs each, and lines that count. Pure."""

import re
from collections.abc import Sequence

FEWEST_RECORDS = 4
"""Lines with as many colons or tabs each that are records, or that count, at least."""

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


def behind_counted(lines: Sequence[str], at: int) -> int:
    """The line behind those that begin with a number each, one more than that above; `at` where none do."""
    first = _COUNTED.match(lines[at])
    if first is None:
        return at
    behind, count = at, int(first[1])
    while behind < len(lines) and (mark := _COUNTED.match(lines[behind])) and int(mark[1]) == count:
        behind, count = behind + 1, count + 1
    return behind if behind - at >= FEWEST_RECORDS else at
