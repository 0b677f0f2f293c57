"""What goes with a dropped citation: a space, a separating comma, an empty pair of parentheses (spec 2.4)."""

import re
from typing import Literal

Left = Literal["line", "token", "syntax", "url", "text"]
"""What stands before: only indentation, a citation, a lone mark of syntax, a bare url, or other text."""

CITATION = "\x00citation"
"""Stands for the next character where another citation follows."""

OPENING = "(（"
SHUTTING = ")）"
# Every beginning of a gap is a gap, so what is held back at the end of a delta does not depend on the cut.
_GAP = re.compile(r"(?: ?[,;，、；] ?| )?(?:[(（] ?)?\Z")
GAP_CHARACTERS = frozenset(" ,;，、；(（")
_LONGEST_GAP = 5
_SEPARATOR = re.compile(r"(?: ?[,;，、；] ?| )?")
_COMMA = re.compile(r"[,;，、；]")
_CLOSING = frozenset(".,;:!?)]}\"'*_|%…»”’。，、；：！？）】」』")
_RUNS = "`~$"


def gap_start(text: str) -> int:
    """Where the gap begins that a citation dropped behind the text would take along."""
    if text[-1:] not in GAP_CHARACTERS:
        return len(text)
    if len(text) > 1 and text[-2] not in GAP_CHARACTERS:
        return len(text) - 1
    found = _GAP.search(text, max(0, len(text) - _LONGEST_GAP))
    return found.start() if found else len(text)


def is_separator(text: str) -> bool:
    """Whether two citations with only this between them are in a row."""
    return _SEPARATOR.fullmatch(text) is not None


def closes_empty(before: str, right: str) -> bool:
    """Whether the character closes a parenthesis in the gap, which holds nothing now."""
    return right in SHUTTING and any(mark in before for mark in OPENING)


def without_opening(before: str) -> str:
    """The gap without the parenthesis at its end."""
    return re.sub(r"[(（] ?\Z", "", before)


def settle(before: str, after: str, *, left: Left, last: str, right: str) -> str:
    """What is left of the gaps before and after a dropped citation.

    `last` is the character before the gap. `right` is the one behind it, `CITATION`, or "" at the end of the
    text.
    """
    kept = _between(before, after, left) if right == CITATION else _before_text(before, after, left, right)
    if left == "syntax" and before[:1] == " " and kept[:1] != " ":
        kept = " " + kept
    if left == "url" and " " not in kept and right and not right.isspace():
        return " " + kept
    return kept or (" " if _would_join(last, right) else "")


def _between(before: str, after: str, left: Left) -> str:
    """One separator stays between two citations, and none at the beginning of a line or a parenthesis."""
    if left == "line" or any(mark in before for mark in OPENING):
        return before
    if left == "token":
        return max(
            before, after, key=lambda gap: (_COMMA.search(gap) is not None, gap is before and bool(gap))
        )
    return before or (" " if after else "")


def _before_text(before: str, after: str, left: Left, right: str) -> str:
    closing = right == "" or right in _CLOSING or right.isspace()
    if any(mark in before for mark in OPENING):
        return before
    if left == "line":
        return "" if closing else before
    if _COMMA.search(after):
        return after.lstrip(" ")
    if _COMMA.search(before):
        if left == "token" or closing:
            return after or (" " if " " in before and not closing else "")
        return before if before.endswith(" ") else before + after
    if before and after:
        return " "
    return "" if closing and not after else before or after


def _would_join(last: str, right: str) -> bool:
    """Whether the two characters would make something new: a longer run, a link, an image or a price."""
    return (
        (last == right != "" and last in _RUNS)
        or (last == "]" and right == "(")
        or (last == "!" and right == "[")
        or (last == "$" and "0" <= right <= "9")
    )
