"""The records of JSON: what of it is one answer. Pure.

Of a file of data one value is asked for, and not the block of lines that it happens to stand in.
"""

from collections.abc import Iterator, Sequence

MOST_LINES = 16
"""Lines of an object that is one record. Of a longer one each line is."""

_OPENS, _CLOSES = ("{", "["), ("}", "]")


def records_in(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The half-open ranges of the records, in order.

    An object on one line is one, an object without objects in it on a few lines, and any other line with a
    value. Lines of brackets alone belong to none.
    """
    at = 0
    while at < len(lines):
        if behind := _behind_object(lines, at):
            yield at, behind
            at = behind
            continue
        if any(char.isalnum() for char in lines[at]):
            yield at, at + 1
        at += 1


def _behind_object(lines: Sequence[str], at: int) -> int:
    """The line behind the object that opens at the end of this line; 0 if it is long or holds others."""
    if not lines[at].rstrip().endswith("{"):
        return 0
    for number in range(at + 1, min(len(lines), at + MOST_LINES)):
        bare = lines[number].strip().rstrip(",")
        if bare == "}":
            return number + 1 if number > at + 1 else 0
        if bare.endswith(_OPENS) or bare in _CLOSES:
            return 0
    return 0
