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

_ASKED = re.compile(r"(?:(?:\d{1,3}[.)]\s?)?Q(?:uestion)?\s?(?:\d{1,3}(?:\.\d{1,3})?)?[.:)])\s+\S", re.I)
_ANSWERED = re.compile(
    r"[ \t]{0,8}(?:(?:\d{1,3}[.)]\s?)?A(?:nswer)?\s?(?:\d{1,3}(?:\.\d{1,3})?)?[.:)])(?=\s)", re.I
)
_SUBJECT = re.compile(r"Subject:[ \t]+([^\n]{2,200})")
_DASHES = re.compile(r"-{20,80}")
"""How a question and its answer begin in a list of them, and a part of a digest, between lines of dashes."""

_PROMPT = re.compile(r"[a-z]{2,12}(?:\([\w#-]{1,20}\))?>[ \t]\S")
_TYPED = re.compile(r"[ \t]{0,80}(?:\$[ \t]\S|\./[\w.-]{1,60}(?:\s|$))")
"""What a program writes in front of what is typed, and how a line begins that is typed beyond doubt."""

_SHELL = re.compile(
    r"^[ \t]{0,80}(?:[$%#>][ \t]{1,8}\S|\.?/\S)|\s(?:[|>]|>>|&&)\s|\s--?[a-zA-Z]"
    r"|^[ \t]{1,80}(?:sudo|cd|tar|make|mkdir|cp|mv|rm|git|pip3?|npm|apt|apt-get|export|python3?|cmake)[ ]\S"
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


def asked(text: str, block: tuple[int, int]) -> int:
    """How long the question is that a block begins with, as `Q: What is it?` above `A: ...`; 0 for none.

    A block of the question alone counts if it is one. The answer may begin in the block or behind it.
    """
    start, end = block
    if _ASKED.match(text, start, end) is None:
        return 0
    at = start
    for _ in range(_QUESTION_LINES):
        line_end = text.find("\n", at, end)
        if line_end < 0:
            return end - start if is_question(text[start:end].rstrip()) else 0
        if _ANSWERED.match(text, line_end + 1, end) is not None:
            return line_end - start
        at = line_end + 1
    return 0


def digest_subjects(text: str, blocks: Sequence[tuple[int, int]]) -> dict[int, str]:
    """The names of the parts of a digest, by the places of the blocks that say nothing else."""
    found = {
        at: told[1].strip()
        for at, (start, end) in enumerate(blocks[:-1])
        if at
        and _DASHES.fullmatch(text[slice(*blocks[at - 1])].strip())
        and (told := _SUBJECT.fullmatch(text[start:end].strip()))
    }
    return found if len(found) >= _LEAST_ALIKE else {}


def is_session(block: str) -> bool:
    """Whether a block shows what is typed, behind the prompt of a program or as commands in each line."""
    if len(block) > _COMMANDS_CHARS or _SENTENCE_END.search(block) is not None:
        return False
    lines = block.strip("\n").split("\n")
    return any(map(_PROMPT.match, lines)) or all(map(_TYPED.match, lines))


def commands_within(text: str, block: tuple[int, int]) -> int:
    """Where, in a block, what is typed begins below a line that ends with a colon; 0 for none."""
    start, end = block
    colon = text.find(":\n", start, end)
    if colon < 0 or end - start > _COMMANDS_CHARS:
        return 0
    shown = colon + 2
    return shown if shows_commands(text, (start, colon + 1), (shown, end)) else 0


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
