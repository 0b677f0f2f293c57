"""Plain text and source code. The text stays as it is, and elements are ranges of it.

`unstructured` is not used here, because it rewrites white space and drops list marks. So a citation can point
into the file itself.
"""

import re
from typing import NamedTuple

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, Kind, one_line
from footnote_ingest.parsing.encodings import decode, without_terminal_codes
from footnote_ingest.parsing.first_lines import first_line_title, says_nothing
from footnote_ingest.parsing.hanging_lines import hanging_headings
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.text_sections import (
    asked,
    commands_within,
    counted_questions,
    digest_subjects,
    is_session,
    section_names,
    shows_commands,
)
from footnote_ingest.parsing.timed_lines import timed_kind, timed_passages

_BLOCK_GAP = re.compile(r"\n[ \t\f\v]*\n\s*|\f\s*")
_UNDERLINE = re.compile(r"([=\-~^\"#*+])\1{2,}\s*$")
_NUMBERED = re.compile(
    r"(?:(?:chapter|section|part|appendix|article)\s+[\dA-Z]+\b[.:]?"
    r"|(\d{1,3}(?:\.\d{1,3}){0,4}|(?-i:[A-Z])(?:\.\d{1,2}){1,4})"
    r"(?:[.)]|(?<=\.\d):|(?<=\.\d\d):)?)\s+\S",
    re.I,
)
_NUMBERED_DEEP = re.compile(r"\d{1,3}\.\d{1,3}\.?[\d.]{0,12}\s")
"""A question that is numbered like this is a heading, as in lists of questions and answers."""

_NUMBERED_NAME = re.compile(r"\d{1,3}\.\d{1,3}\.\d{1,3}\.?\s+[^\W\d_][\w-]*")
"""The name of a command or a function in small letters is a heading below a number of three levels."""

_LIST_ITEM = re.compile(r"\s*(?:[-*+•◦▪‣·–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+\S")
_RELEASE = re.compile(
    r"(?:(?:(?:what's\s)?(?:new|news|changes|changed)\s(?:in|from|since|for)\s)?(?:version|release)?\s?v?)"
    r"\d{1,4}(?:[.-]\d{1,4}){1,4}[a-z]{0,3}\d{0,3}(?:\s(?!\s)(?:[^.;]|\.(?=\d)){1,40})?",
    re.I,
)
"""A release, or from which to which, above the list of its changes."""

_COUNTED_NAME = re.compile(r"(?:\d{1,3}|[A-Z])[.)]\s")
_DECORATION = "-=~*#_"
_LEAST_DECORATION = 3

_CAPS_WORD = re.compile(r"[^\W\d_]{2,}")
_LONGEST_UNDERLINED = 100
_UNDERLINE_SHARE = 0.6
"""A line of marks underlines a heading if it is at least this share of its length."""

_HEADING_CHARS = range(3, 81)
_HEADING_WORDS = 10
_CAPITALS_WORDS = 8
_CAPITALS_LETTERS = 4
_CAPITALS_SHARE = 0.6
"""A heading in capitals has at most this many words and at least this many letters."""

_TITLED_BLOCKS = 3
_CENTRED_BY = 8
_MIDDLE = 36
_OFF_MIDDLE = 6
"""A title is centred that begins at least 8 columns in, and whose middle is that of a page of 60 to 84."""

_SECTION_CHARS = 40
_SENTENCE_WORDS = 5
"""A single line below a heading has at least this many characters, or is a sentence of this many words.

Or else both are a list or an address.
"""


def parse(given: ParserInput) -> Extracted:
    """Paragraphs are parted by blank lines, unless each line begins with its time.

    A heading is underlined, or a line of its own with a number, in capitals, with less room before it or in
    the middle.
    """
    decoded = decode(given.data, given.sniffed.encoding)
    text = without_terminal_codes(decoded.text)
    to = given.assembler(text)
    if decoded.warning:
        to.warnings.append(decoded.warning)
    timed = timed_kind(text, given.filename.rpartition(".")[2].lower())
    if timed is not None:
        for passage in timed_passages(text):
            to.enter([passage.heading])
            to.mark(timed, passage.start, passage.end)
        return to.finish(metadata={"encoding": decoded.encoding})
    blocks = _blocks(text)
    hanging = hanging_headings(text, blocks)
    named, questions = section_names(text, blocks), counted_questions(text, blocks)
    subjects = digest_subjects(text, blocks)
    paged = text.count("\f") > 0
    page = 1
    underlines: dict[str, int] = {}
    at = 0
    for index, (start, end) in enumerate(blocks):
        page += text.count("\f", at, start)
        at = start
        where = page if paged else None
        block = text[start:end]
        follower = text[slice(*blocks[index + 1])] if index + 1 < len(blocks) else ""
        name_chars = named.get(index) or asked(text, (start, end))
        begun = _begun(block, follower, name_chars, underlines)
        if begun is not None:
            name = start + begun.size
            to.mark("title", start, name, page=where, level=begun.level, title=begun.name)
            if name < end:
                to.mark(begun.rest or _kind(text[name:end]), name, end, page=where)
            continue
        pair = _section_and_part(block, follower, len(underlines))
        if pair is not None:
            size = block.index("\n")
            to.mark("title", start, start + size, page=where, level=pair[0])
            to.mark("title", start + size + 1, end, page=where, level=pair[1])
            continue
        level = _heading_level(block, follower, len(underlines))
        if not level and (index in hanging or index in questions):
            level = len(underlines) + hanging.get(index, 1)
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        if not level and index and _is_centred_heading(text, (start, end), following):
            level = len(underlines) + 1
        if index in subjects:
            to.mark("title", start, end, page=where, level=len(underlines) + 1, title=subjects[index])
        elif level:
            to.mark("title", start, end, page=where, level=level, title=one_line(block))
        elif is_session(block) or (index and shows_commands(text, blocks[index - 1], (start, end))):
            to.mark("code", start, end, page=where)
        elif shown := commands_within(text, (start, end)):
            to.mark(_kind(text[start:shown]), start, shown - 1, page=where)
            to.mark("code", shown, end, page=where)
        else:
            to.mark(_kind(block), start, end, page=where)
    title = _centred_title(text, blocks) or _underlined_title(to) or first_line_title(text, blocks)
    return to.finish(title=title, pages=page if paged else 0, metadata={"encoding": decoded.encoding})


def _centred_title(text: str, blocks: list[tuple[int, int]]) -> str | None:
    """The first line of the text, if it stands alone and in the middle of a page."""
    while blocks and says_nothing(text[slice(*blocks[0])].strip()):
        blocks = blocks[1:]
    if len(blocks) < _TITLED_BLOCKS:
        return None
    return _in_the_middle(text, *blocks[0])


def _in_the_middle(text: str, start: int, end: int) -> str | None:
    """A block that is one short line in the middle of a page, which is a name."""
    line = text[text.rfind("\n", 0, start) + 1 : end].lstrip("\n").rstrip()
    name = line.strip()
    indent = _indent(line)
    if "\n" in name or len(name) not in _HEADING_CHARS or indent < _CENTRED_BY:
        return None
    if abs(_MIDDLE - indent - len(name) / 2) > _OFF_MIDDLE or not name[0].isalnum() or name[-1] in ".,;:":
        return None
    return name


def _indent(line: str) -> int:
    wide = line.expandtabs()
    return len(wide) - len(wide.lstrip())


def _is_centred_heading(text: str, block: tuple[int, int], follower: tuple[int, int] | None) -> bool:
    """Whether a line in the middle of a page names the text below, which begins further to the left."""
    name = _in_the_middle(text, *block)
    if name is None or follower is None or not name[0].isupper() or len(name.split()) > _HEADING_WORDS:
        return False
    start, end = follower
    below = text[text.rfind("\n", 0, start) + 1 : end]
    return _indent(below) < _CENTRED_BY and len(below.strip()) >= _SECTION_CHARS


def _underlined_title(to: Assembler) -> str | None:
    """The underlined line that the text begins with, if the other headings of its rank have numbers."""
    titles = [e for e in to.elements if e.kind == "title"]
    if not titles or titles[0] is not to.elements[0] or "\n" not in titles[0].text:
        return None
    first, *others = titles
    same = [e for e in others if (e.level or 1) <= (first.level or 1)]
    numbered = all(_NUMBERED.match(e.heading_path[-1]) for e in same)
    return first.heading_path[-1] if numbered and not _NUMBERED.match(first.heading_path[-1]) else None


def parse_code(given: ParserInput) -> Extracted:
    """The file is one piece of code."""
    decoded = decode(given.data, given.sniffed.encoding)
    text = decoded.text
    to = given.assembler(text)
    if decoded.warning:
        to.warnings.append(decoded.warning)
    to.mark("code", 0, len(text), language=given.sniffed.language)
    return to.finish(metadata={"encoding": decoded.encoding, "code_language": given.sniffed.language or ""})


def _blocks(text: str) -> list[tuple[int, int]]:
    blocks: list[tuple[int, int]] = []
    start = len(text) - len(text.lstrip("\n"))
    for gap in _BLOCK_GAP.finditer(text):
        if gap.start() > start:
            blocks.append((start, gap.start()))
        start = gap.end()
    if start < len(text):
        blocks.append((start, len(text)))
    return blocks


def _kind(block: str) -> Kind:
    lines = [line for line in block.split("\n") if line.strip()]
    marked = sum(_LIST_ITEM.match(line) is not None for line in lines)
    return "list" if lines and _LIST_ITEM.match(lines[0]) and marked * 3 >= len(lines) else "paragraph"


def _underlined(block: str) -> tuple[str, str, int] | None:
    """A short line with a line of marks under it, and perhaps over it.

    Returns the mark, the name and the length of all lines; None if the block does not begin like that.
    """
    lines = block.split("\n", 3)
    first = 0
    if len(lines) >= 3 and _UNDERLINE.fullmatch(lines[0].strip()) and _UNDERLINE.fullmatch(lines[2].strip()):
        first = 1
    if len(lines) < first + 2:
        return None
    name, under = lines[first].strip(), lines[first + 1].strip()
    match = _UNDERLINE.fullmatch(under)
    if (
        not match
        or not name
        or len(name) > _LONGEST_UNDERLINED
        or len(under) < _UNDERLINE_SHARE * len(name)
        or _UNDERLINE.fullmatch(name)
    ):
        return None
    if (
        not any(char.isalpha() for char in name)
        or (_LIST_ITEM.match(name) and not _is_counted_name(name, under))
        or "|" in name
        or ("+" in under and "-" in under)
    ):
        return None
    size = sum(len(line) + 1 for line in lines[: first + 2]) - 1
    return f"{match.group(1)}{first}", _without_decoration(name), size


def _is_counted_name(name: str, under: str) -> bool:
    """Whether a line that could be an item is a heading with a number: its line of marks is as long."""
    return _COUNTED_NAME.match(name) is not None and len(under) == len(name)


def _without_decoration(name: str) -> str:
    """The name without the marks that fill its line on both sides."""
    mark = name[0]
    run = mark * _LEAST_DECORATION
    if mark not in _DECORATION or not (name.startswith(run) and name.endswith(run)):
        return name
    return name.strip(mark).strip() or name


class _Begun(NamedTuple):
    """The heading that a block begins with: how long it is, and what the rest of the block is if known."""

    size: int
    level: int
    name: str
    rest: Kind | None = None


def _begun(block: str, follower: str, named: int, underlines: dict[str, int]) -> _Begun | None:
    """The heading of a block that begins with one: underlined, a release, or `named` by that many signs."""
    underlined = _underlined(block)
    if underlined is not None:
        mark, name, size = underlined
        return _Begun(size, underlines.setdefault(mark, len(underlines) + 1), name)
    if release := _release_chars(block, follower):
        return _Begun(release, len(underlines) + 1, block[:release].strip(), "list")
    return _Begun(named, len(underlines) + 1, one_line(block[:named])) if named else None


def _section_and_part(block: str, follower: str, deepest: int) -> tuple[int, int] | None:
    """The levels of two lines that are headings of a section and of its part: "2. Why", "2.1 Costs"."""
    lines = block.split("\n")
    if len(lines) != 2:
        return None
    numbers = [_NUMBERED.match(line.strip()) for line in lines]
    section, part = (number.group(1) or "" if number is not None else "" for number in numbers)
    if not section or not part.startswith(f"{section}."):
        return None
    upper, lower = (_heading_level(line, follower, deepest) for line in lines)
    return (upper, lower) if upper and lower else None


def _release_chars(block: str, follower: str) -> int:
    """How long the line is that names a release above the list of its changes; 0 if the block has none."""
    line, _, changes = block.partition("\n")
    if not _RELEASE.fullmatch(line.strip().removesuffix(":")):
        return 0
    return len(line) if _LIST_ITEM.match(changes or follower) else 0


def _is_text(block: str) -> bool:
    """Whether a block below a line is text: several lines, a long one, or a short sentence."""
    if "\n" in block or len(block) >= _SECTION_CHARS:
        return True
    return len(block.split()) >= _SENTENCE_WORDS and block[0].isupper() and block[-1] in ".:"


def _is_part(section: str | None, follower: str) -> bool:
    """Whether a single line has a number below that of a section, as 2.1 is below 2."""
    part = _NUMBERED.match(follower.strip())
    return bool(section) and part is not None and (part[1] or "").startswith(f"{section}.")


def _heading_level(block: str, follower: str, deepest: int) -> int:
    """The level, if the block is a line that can only be a heading and has text below it; otherwise 0."""
    line = block.strip()
    if "\n" in line or len(line) not in _HEADING_CHARS or line[-1] in ".,;":
        return 0
    asks_in_capitals = line[-1] == "?" and line == line.upper()
    if line[-1] in "!?" and not (_NUMBERED_DEEP.match(line) or asks_in_capitals):
        return 0
    if len(line.split()) > _HEADING_WORDS:
        return 0
    numbered = _NUMBERED.match(line)
    if not _is_text(follower.strip()) and not (numbered and _is_part(numbered[1], follower)):
        return 0
    if numbered:
        rest = line[numbered.end() - 1 :]
        named = rest[0].isupper() or _NUMBERED_NAME.fullmatch(line)
        if not named or (_LIST_ITEM.match(line) and _LIST_ITEM.match(follower)):
            return 0
        digits = numbered.group(1)
        return deepest + (digits.count(".") + 1 if digits else 1)
    words = _CAPS_WORD.findall(line)
    if (
        len(line.split()) <= _CAPITALS_WORDS
        and sum(map(len, words)) >= _CAPITALS_LETTERS
        and line == line.upper()
        and line != line.lower()
        and not line[0].isspace()
    ):
        letters = sum(char.isalpha() for char in line)
        return deepest + 1 if letters >= _CAPITALS_SHARE * len(line.replace(" ", "")) else 0
    return 0
