"""Lines that are code where nothing marks them as such: commands, settings, programs. Pure."""

import re
from collections.abc import Sequence

MOST_LED, MAX_LED_CHARS = 6, 120
"""Lines of a command behind a sentence with a colon, and characters of each, at most."""

FEWEST_SHAPED, SHAPED = 3, 0.7
"""Lines of a paragraph at least, and the share of them with the form of code, that make it code."""

_PROMPT = re.compile(r"[ \t]*(?:\([\w.-]{1,40}\) )?(?:\$|>>>) \S")
"""What a shell or Python writes before what is typed: a paragraph that opens so is shown as it was typed."""

_ROOT = re.compile(r"[ \t]*# [a-z][\w.-]{1,39}(?: \S|\Z)")
"""The same for what root types. It may as well be a heading of Markdown, or a comment."""

_PATTERN = re.compile(r"[\w<>{}$*]{1,40}(?:[-./:][\w<>{}$*]{1,40}){2,12}")

_SYNTAX = re.compile(r"[=/$~<>|]|(?<!\S)-{1,2}\w|\w\.\w|\w_\w")
_SHAPED = re.compile(
    r"[{};]\Z|\A[#$%]|\A//|\w\([^()]{0,80}\)\Z|\A[\w.$-]{1,40} ?[-+]?= ?\S|&&|\|\||\$\w|>>|\A</?\w|:\Z"
)
"""What lines of code have: a brace or a call at the end, a comment or a prompt in front, an assignment."""


_SETTING = re.compile(r"[A-Z][A-Z0-9_]{1,40}=\S")
"""A variable of the environment that is set for the command behind it: `LANG=C sort`."""


def is_code(lines: Sequence[str]) -> bool:
    """Whether most lines of a paragraph have the form of code, or its first and last embrace the others."""
    if lines and (_PROMPT.match(lines[0]) or _goes_on(lines)):
        return True
    if len(lines) < FEWEST_SHAPED:
        return False
    if lines[0].rstrip().endswith("{") and lines[-1].strip() == "}":
        return True
    return sum(_is_shaped(line.strip()) for line in lines) >= SHAPED * len(lines)


def _goes_on(lines: Sequence[str]) -> bool:
    """Whether it is one command over several lines: each but the last ends with a backslash."""
    return len(lines) > 1 and all(line.rstrip().endswith("\\") for line in lines[:-1])


def _is_shaped(line: str) -> bool:
    return len(line) <= MAX_LED_CHARS and _SHAPED.search(line) is not None


def is_typed_by_root(line: str) -> bool:
    """Whether a line may be a command behind the prompt of root: `# dpkg-reconfigure kettle`."""
    return (
        _ROOT.match(line) is not None
        and len(line) <= MAX_LED_CHARS
        and not line.rstrip().endswith((".", ":"))
    )


def may_be_code(line: str) -> bool:
    """Whether a line may be code, where it is known that there is some: it is no sentence."""
    opens = line[:1].islower() or line[:1] in "$./~-#{}()[]" or _SETTING.match(line) is not None
    return opens and not line.endswith((".", "!", "?", ":", ","))


def is_pattern(line: str) -> bool:
    """Whether a line is one word of several parts, such as the name of a file: `YEAR-MONTH-title.EXT`."""
    return _PATTERN.fullmatch(line) is not None


AND_MORE = " ..."
"""What stands for the rest of a command: `kettle --boil ...`. It ends no sentence."""


def is_command(line: str) -> bool:
    """Whether a line has the form of a command or a setting: no end of a sentence, and signs of syntax."""
    line = line.removesuffix(AND_MORE)
    opens = line[:1].islower() or line[:1] in "$%./~-" or _SETTING.match(line) is not None
    opens = opens and not line.startswith(("http:", "https:"))
    return opens and not line.endswith((".", "!", "?", ":", ";", ",")) and _SYNTAX.search(line) is not None
