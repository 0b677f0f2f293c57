"""A model's text without its citations, for documents: a number means something in its conversation alone.

Pure. Code is left as it is, as the normaliser of answers leaves it: `[1]` is an index there.
"""

import re

from footnote_shared.kernel.citation_tokens import NUMBER

_ONE = rf"(?:citation:)?{NUMBER}"
_MARKER = re.compile(rf" ?[\[【](?:{_ONE})(?: ?[,;–-] ?(?:{_ONE})){{0,20}}[\]】]")
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
            count += sum(len(_MARKER.findall(piece)) for at, piece in enumerate(pieces) if at not in code)
    return count


def _line(line: str) -> str:
    """A line of prose. What stands between two backticks is code."""
    pieces = line.split("`")
    code = range(1, len(pieces) - 1, 2)
    return "`".join(piece if at in code else _prose(piece) for at, piece in enumerate(pieces))


def _prose(text: str) -> str:
    for _ in range(_PASSES):
        text, found = _MARKER.subn("", text)
        if not found:
            return text
    # What is still there was nested in itself, to become a marker by the removal of another.
    return _MARKER.sub(lambda match: match[0].translate(str.maketrans("[]【】", "()()")), text)
