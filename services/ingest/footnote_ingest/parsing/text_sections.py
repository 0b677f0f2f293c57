"""Headings of a plain text that only show when all of its blocks are looked at together."""

import re
from collections import Counter
from collections.abc import Sequence

_LEAST_ALIKE = 3
"""A text that names its sections in a way of its own has at least this many of them."""

_NAMED = re.compile(r"[^\W\d_][^:.;!?\n]{0,39}:")
_NAMED_WORDS = 4
"""The name of a section in front of a colon, such as "What:", has at most this many words."""

_COUNTED_QUESTION = re.compile(r"(\d{1,3})[.)]\s")
_QUESTION_CHARS, _QUESTION_LINES = 240, 3
"""A question that goes over several lines is a heading up to this length."""

_SHELL = re.compile(
    r"^[ \t]{0,80}(?:[$%#>][ \t]{1,8}\S|\.?/\S)|\s(?:[|>]|>>|&&)\s|\s--?[a-zA-Z]"
    r"|[\w.-]=[\"'$\w/]|\$\(|[;{}]$",
    re.M,
)
_SENTENCE_END = re.compile(r"[a-z]{2}[.!?]\s*$", re.M)
_ADDRESS = re.compile(r"\s*<?[a-z]{2,8}://\S{1,2000}\s*")
_DEEPER = 2
_MOST_COMMANDS, _COMMANDS_CHARS = 20, 2_000
"""What is shown below a colon is set in by 2 columns more, and has at most this many lines and signs."""


def is_question(block: str) -> bool:
    """Whether a block is one question, which may go over a few lines."""
    return block.endswith("?") and len(block) <= _QUESTION_CHARS and block.count("\n") < _QUESTION_LINES


def section_names(text: str, blocks: Sequence[tuple[int, int]]) -> dict[int, int]:
    """For the place of each block that begins with the name of a section, how long that name is.

    It is a line at the edge that ends with a colon, as `What:`, with text set in below it or a blank line. A
    line that comes again is none, and one of a few is none.
    """
    found: dict[int, int] = {}
    for at, (start, end) in enumerate(blocks):
        name, _, below = text[start:end].partition("\n")
        stands_alone = at + 1 < len(blocks) if not below else below[:1].isspace()
        if (
            stands_alone
            and (start == 0 or text[start - 1] == "\n")
            and name[:1].isupper()
            and _NAMED.fullmatch(name.rstrip())
            and len(name.split()) <= _NAMED_WORDS
        ):
            found[at] = len(name.rstrip())
    names = Counter(text[blocks[at][0] : blocks[at][0] + size] for at, size in found.items())
    once = {at: size for at, size in found.items() if names[text[blocks[at][0] : blocks[at][0] + size]] == 1}
    return once if len(once) >= _LEAST_ALIKE else {}


def counted_questions(text: str, blocks: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The places of blocks that are questions with numbers which rise, as in a list of frequent ones."""
    found: list[int] = []
    last = 0
    for at, (start, end) in enumerate(blocks[:-1]):
        number = _COUNTED_QUESTION.match(text, start, end)
        if number is not None and int(number[1]) > last and is_question(text[start:end].rstrip()):
            found.append(at)
            last = int(number[1])
    return frozenset(found if len(found) >= _LEAST_ALIKE else ())


def shows_commands(text: str, lead: tuple[int, int], block: tuple[int, int]) -> bool:
    """Whether a block is typed: it is set in below a line that ends with a colon, and no sentence."""
    if block[1] - block[0] > _COMMANDS_CHARS or text[lead[1] - 1] != ":":
        return False
    shown = text[text.rfind("\n", 0, block[0]) + 1 : block[1]].rstrip()
    above = text[text.rfind("\n", 0, lead[0]) + 1 : lead[1]].rstrip()
    lines = [line for line in shown.split("\n") if line.strip()]
    if not above.endswith(":") or not lines or len(lines) > _MOST_COMMANDS:
        return False
    room = min(_room(line) for line in above.split("\n") if line.strip())
    return (
        min(map(_room, lines)) >= room + _DEEPER
        and _SENTENCE_END.search(shown) is None
        and not any(_ADDRESS.fullmatch(line) for line in lines)
        and _SHELL.search(shown) is not None
    )


def _room(line: str) -> int:
    wide = line.expandtabs()
    return len(wide) - len(wide.lstrip())
