"""A model's text without its citations, for documents: a number means something in its conversation alone.

Pure. Code is left as it is, as the normaliser of answers leaves it: `[1]` is an index there. So are footnotes
(`[^1]`), which a document has of its own.
"""

import re
import unicodedata

from footnote_shared.kernel.citation_tokens import NUMBER

_ONE = rf"(?:citation:)?{NUMBER}"
_LIST = re.compile(rf"{_ONE}(?: ?[,;–-] ?{_ONE}){{0,20}}")
_BRACKETED = re.compile(r" ?([\[［【])([^\[\]［］【】\n]{1,120})[\]］】]")
_OF_OTHERS = re.compile(rf"({NUMBER})(?::\d{{1,4}})?(?:†.*)?")
"""What other systems write between full-width brackets: a number, its place, the name of the source."""

_ROUND = str.maketrans("[]【】［］", "()()()")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_PASSES = 4


def without_numbers(markdown: str) -> str:
    """The text in which no citation stands outside of code."""
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1] == fence else fence
            lines.append(line)
        elif mark:
            fence = mark[1]
            lines.append(line)
        else:
            lines.append(_line(line))
    return "\n".join(lines)


def numbers_in(markdown: str) -> int:
    """How many citations stand in a text outside of code."""
    count, fence = 0, ""
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1] == fence else fence
        elif mark:
            fence = mark[1]
        else:
            pieces = line.split("`")
            code = range(1, len(pieces) - 1, 2)
            prose = (piece for at, piece in enumerate(pieces) if at not in code)
            count += sum(_is_citation(found) for piece in prose for found in _BRACKETED.finditer(piece))
    return count


def _line(line: str) -> str:
    """A line of prose. What stands between two backticks is code."""
    pieces = line.split("`")
    code = range(1, len(pieces) - 1, 2)
    return "`".join(piece if at in code else _prose(piece) for at, piece in enumerate(pieces))


def _prose(text: str) -> str:
    for _ in range(_PASSES):
        left = _BRACKETED.sub(lambda found: "" if _is_citation(found) else found[0], text)
        if left == text:
            return text
        text = left
    # What is still there was nested in itself, to become a marker by the removal of another.
    return _BRACKETED.sub(lambda found: found[0].translate(_ROUND) if _is_citation(found) else found[0], text)


def _is_citation(found: re.Match[str]) -> bool:
    """Whether the normaliser of answers would take it for one, whatever digits and spaces it has."""
    plain = found[2]
    if not plain.isascii():
        seen = (char for char in plain if unicodedata.category(char) != "Cf")
        plain = unicodedata.normalize("NFKC", "".join(seen))
    plain = plain.strip()
    if found[1] != "[" and (of_others := _OF_OTHERS.fullmatch(plain)):
        plain = of_others[1]
    return _LIST.fullmatch(plain) is not None
