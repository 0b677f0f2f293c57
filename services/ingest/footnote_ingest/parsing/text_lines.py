"""Lines of a plain text that stand alone and are headings by their number, their capitals or their middle."""

import re

from footnote_ingest.parsing.text_heads import LIST_ITEM, in_capitals

NUMBERED = re.compile(
    r"(?:(?:chapter|section|part|appendix|article)\s+[\dA-Z]+\b[.:]?"
    r"|(\d{1,3}(?:\.\d{1,3}){0,4}|(?-i:[A-Z])(?:\.\d{1,2}){1,4})"
    r"(?:[.)]|(?<=\.\d):|(?<=\.\d\d):)?)\s+\S",
    re.I,
)
_IN_PARENTHESES = re.compile(r"\(\d{1,2}\)\s")
_NUMBERED_DEEP = re.compile(r"\d{1,3}\.\d{1,3}\.?[\d.]{0,12}\s")
"""A question that is numbered like this is a heading, as in lists of questions and answers."""

_STOPPED_WORDS = 6
"""A heading that is numbered like this may end with a full stop if it has at most so many words."""

_NUMBERED_NAME = re.compile(r"\d{1,3}\.\d{1,3}\.\d{1,3}\.?\s+[^\W\d_][\w.-]*(?<!\.)")
"""The name of a command, function or file in small letters is a heading below a number of three levels."""

_ASIDE = re.compile(r"(?<=\w) \([^()]{1,60}\)$")
"""What a heading in capitals says in parentheses need not be in capitals: `PLANS (for later ships)`."""

_HEADING_CHARS = range(3, 81)
_HEADING_WORDS = 10
_CENTRED_BY = 8
_MIDDLE = 36
_OFF_MIDDLE = 6
"""A title is centred that begins at least 8 columns in, and whose middle is that of a page of 60 to 84."""

_MOST_ROOM = 500
"""The room before a word in its line has at most this many characters."""

_SECTION_CHARS = 40
_SENTENCE_WORDS = 5
"""A single line below a heading has at least this many characters, or is a sentence of this many words.

Or else both are a list or an address.
"""


def line_begin(text: str, at: int) -> int:
    """Where the line begins in which a place stands, and what stands there may be set in.

    Pages without a line break may be one line, whose beginning is as far away as that of the text.
    """
    first = max(0, at - _MOST_ROOM)
    return max(first, text.rfind("\n", first, at) + 1)


def heading_depth(block: str, follower: str) -> int:
    """How deep a block stands below other ranks that is a line which can only be a heading; 0 for others."""
    line = block.strip()
    if "\n" in line or len(line) > _HEADING_CHARS.stop:
        return 0
    if _IN_PARENTHESES.match(line):
        line = line[1:]
    if _NUMBERED_DEEP.match(line) and len(line.split()) <= _STOPPED_WORDS:
        # Of clauses that are counted, a short one is a sentence as the next one is.
        line = line if NUMBERED.match(follower.strip()) else line.removesuffix(".")
    if len(line) not in _HEADING_CHARS or line[-1] in ".,;":
        return 0
    asks_in_capitals = line[-1] == "?" and line == line.upper()
    if line[-1] in "!?" and not (_NUMBERED_DEEP.match(line) or asks_in_capitals):
        return 0
    if len(line.split()) > _HEADING_WORDS:
        return 0
    numbered = NUMBERED.match(line)
    if not _is_text(follower.strip()) and not (numbered and _is_part(numbered[1], follower)):
        return 0
    if numbered:
        rest = line[numbered.end() - 1 :]
        named = rest[0].isupper() or _NUMBERED_NAME.fullmatch(line)
        if not named or (LIST_ITEM.match(line) and LIST_ITEM.match(follower)):
            return 0
        digits = numbered.group(1)
        return digits.count(".") + 1 if digits else 1
    return int(in_capitals(_ASIDE.sub("", line)))


def section_and_part(block: str, follower: str) -> tuple[int, int] | None:
    """The depths of two lines that are headings of a section and of its part: "2. Why", "2.1 Costs"."""
    if block.count("\n") != 1:
        return None
    lines = block.split("\n")
    number = NUMBERED.match(lines[0].strip())
    section = number.group(1) if number is not None else None
    number = NUMBERED.match(lines[1].strip()) if section else None
    if number is None or not (number.group(1) or "").startswith(f"{section}."):
        return None
    upper, lower = (heading_depth(line, follower) for line in lines)
    return (upper, lower) if upper and lower else None


def in_the_middle(text: str, start: int, end: int) -> str | None:
    """A block that is one short line in the middle of a page, which is a name."""
    if start == 0 or text[start - 1] == "\n":
        # What begins at the edge is set in only if its own first line is.
        if not text[start].isspace():
            return None
    elif text.find("\n", start, end) >= 0:
        return None
    line = text[line_begin(text, start) : end].lstrip("\n").rstrip()
    name = line.strip()
    indent = _indent(line)
    if "\n" in name or len(name) not in _HEADING_CHARS or indent < _CENTRED_BY:
        return None
    if abs(_MIDDLE - indent - len(name) / 2) > _OFF_MIDDLE or not name[0].isalnum() or name[-1] in ".,;:":
        return None
    if "://" in name:
        return None
    return name


def is_centred_heading(text: str, block: tuple[int, int], follower: tuple[int, int] | None) -> bool:
    """Whether a line in the middle of a page names the text below, which begins further to the left."""
    name = in_the_middle(text, *block)
    if name is None or follower is None or not name[0].isupper() or len(name.split()) > _HEADING_WORDS:
        return False
    start, end = follower
    below = text[line_begin(text, start) : end]
    return _indent(below) < _CENTRED_BY and len(below.strip()) >= _SECTION_CHARS


def _indent(line: str) -> int:
    wide = line.expandtabs() if "\t" in line else line
    return len(wide) - len(wide.lstrip())


def _is_text(block: str) -> bool:
    """Whether a block below a line is text: several lines, a long one, or a short sentence."""
    if "\n" in block or len(block) >= _SECTION_CHARS:
        return True
    return len(block.split()) >= _SENTENCE_WORDS and block[0].isupper() and block[-1] in ".:"


def _is_part(section: str | None, follower: str) -> bool:
    """Whether a single line has a number below that of a section, as 2.1 is below 2."""
    part = NUMBERED.match(follower.strip())
    return bool(section) and part is not None and (part[1] or "").startswith(f"{section}.")
