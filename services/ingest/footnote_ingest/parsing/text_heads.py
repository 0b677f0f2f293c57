"""The headings that blocks of a plain text begin with: lines with marks, releases, entries and capitals.

A block is what stands between blank lines.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from footnote_ingest.parsing.elements import Kind
from footnote_ingest.parsing.text_releases import (
    is_about_changes,
    is_dated_release,
    is_day,
    is_release,
    is_version_and_day,
)

LIST_ITEM = re.compile(r"\s*(?:[-*+•◦▪‣·–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+\S")
LEAST_ALIKE = 3
"""A text that names its sections in a way of its own has at least this many of them."""

_UNDERLINE = re.compile(r"([=\-~^\"#*+])\1{2,}\s*$")
_DOTS, _WORDS_UNDER = re.compile(r"(\.)\1{2,}"), re.compile(r"(\S)")
_SHORT_UNDERLINE = re.compile(r"([=~-])\1{1,79}")
"""Lines of few marks underline longer names, where a text has several of them."""

_ABOUT_AS_LONG = 1
_COUNTED_NAME = re.compile(r"(?:\d{1,3}|[A-Z])[.)]\s")
_DECORATION = "-=~*#_"
_MARKED = re.compile(r"\s*+[=\-~^\"#*+_.]")
_RULE_ENDS, _DIGIT = _DECORATION + " \t", re.compile(r"\d")
"""How the lines of a heading with marks begin, how a line of marks above one ends; a release has digits."""

_LEAST_DECORATION = 3
_LONGEST_UNDERLINED = 100
_UNDERLINE_SHARE = 0.6
"""A line of marks underlines a heading if it is at least this share of its length."""

_LEAST_FRAME = 2
"""A name in a frame of marks, as in `== Ships ==`, has so many on each side."""

_RULER, _RULED = re.compile(r"([=\-~*#_])\1{9,200}"), "ruled"
_WIDE_GAP = re.compile(r"[^\s\d.)] {2,}\S|\t")
"""Room between words, other than behind a number, is that of a table."""

_NAME_CHARS, _NAME_WORDS = range(3, 81), 10
_BEFORE_RELEASE = re.compile(r"(?:[*]{2,6}|[=]{2,6}|#{2,6})[ \t]{1,4}")
"""Marks before the name of a release; a single one is that of an item or of an outline."""

_NO_NAME = re.compile(
    r"(?:begin|end|start|stop|snip|cut here|original message|forwarded message"
    r"|note|warning|important|caution)\b",
    re.I,
)
"""How a line with marks begins that cuts something out, or that is a remark."""

_NOT_RULED = re.compile(r"(?:copyright|©|\(c\)|(?:table of )?contents\b)", re.I)
"""What stands below a line of marks on a title page."""

_STARS = re.compile(r"(\*{1,4})[ \t]+(?=[^\s*])")
_OUTLINE_MODE, _MODE_CHARS = re.compile(r"-\*-[^*\n]{0,40}\boutline\b"), 400
_LEAST_PARTS = 2
"""A text whose lines begin with stars is an outline if so many of them, alone, have two stars."""

_DEBIAN_ENTRY = re.compile(r"[a-z0-9][\w.+-]{1,60} \([^()\s]{1,60}\) [\w -]{1,60}; urgency=\w{1,20}")
_DATED_ENTRY = re.compile(
    r"(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{5,8} (?:[A-Z]{3,4} )?\d{4})[ \t]{1,4}"
    r"[^<>\n]{2,60}<[^<>\n]{3,80}>|\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?[ \t]{1,4}[\w.@-]{2,40}"
)
"""How the entries of logs of changes begin: those of Debian, and those of GNU and CVS."""

_CAPS_WORD = re.compile(r"[^\W\d_]{2,}")
_CAPITALS_WORDS = 8
_CAPITALS_LETTERS = 4
_CAPITALS_SHARE = 0.6
"""A heading in capitals has at most this many words and at least this many letters."""


class TextHead(NamedTuple):
    """The heading that a block begins with: how long it is, its name, and what the rest is if known.

    Headings of one `style` have one rank; those of none stand below all others. `depth` is that of an
    outline. `holds` says that names without a rank of their own stand below it, as in the changes of a
    release.
    """

    size: int
    name: str
    style: str = ""
    rest: Kind | None = None
    depth: int = 0
    holds: bool = False


def block_heads(text: str, blocks: Sequence[tuple[int, int]]) -> Mapping[int, TextHead]:
    """The headings that blocks begin with, by the places of the blocks."""
    found: dict[int, TextHead] = {}
    alike: dict[str, dict[int, TextHead]] = {}
    is_outline = _is_outline(text, blocks)
    for at, (start, end) in enumerate(blocks):
        block = text[start:end]
        line = block.partition("\n")[0]
        # Most blocks are text, which a look at its first signs tells.
        marked = _MARKED.match(block) is not None or _MARKED.match(block, len(line)) is not None
        counted = _DIGIT.search(line) is not None
        follower = text[slice(*blocks[at + 1])] if (counted or is_outline) and at + 1 < len(blocks) else ""
        head = _underlined(block) if marked else None
        if head is None and counted:
            head = _entry(line, block) or _release(line, block, follower)
        if head is None and is_outline:
            head = _outlined(line, block, follower)
        leads = head is None and _leads(line)
        if leads:
            head = _above_items(block)
        if head is not None:
            found[at] = head
        else:
            # What underlines a name is no line above the next one.
            ruled_above = at > 0 and at - 1 not in found and text[blocks[at - 1][1] - 1] in _RULE_ENDS
            before = text[slice(*blocks[at - 1])] if ruled_above else ""
            maybe = (_framed(line, block) or _barely_underlined(block)) if marked else None
            maybe = maybe or (_ruled(line, block, before) if marked or before else None)
            # Capitals and releases have no rank of their own where they stand alone, either.
            maybe = maybe or (_above_text(block) if leads else None)
            maybe = maybe or (_named_release(block, follower) if counted else None)
            if maybe is not None:
                group = maybe.style or (maybe.name.split()[0] if maybe.holds else "")
                alike.setdefault(group, {})[at] = maybe
    for heads in alike.values():
        found |= heads if len(heads) >= LEAST_ALIKE else {}
    return found


def in_capitals(line: str) -> bool:
    """Whether a line is in capitals, as a heading may be: it has words, and not only names and numbers."""
    if line != line.upper() or line == line.lower() or line[0].isspace():
        return False
    words = _CAPS_WORD.findall(line)
    if len(line.split()) > _CAPITALS_WORDS or sum(map(len, words)) < _CAPITALS_LETTERS:
        return False
    letters = sum(char.isalpha() for char in line)
    return letters >= _CAPITALS_SHARE * len(line.replace(" ", ""))


def _is_outline(text: str, blocks: Sequence[tuple[int, int]]) -> bool:
    """Whether lines that begin with stars are headings: the text tells editors so, or one has two stars."""
    if _OUTLINE_MODE.search(text, 0, _MODE_CHARS):
        return True
    depths = Counter(
        len(stars[1])
        for start, end in blocks
        if (stars := _STARS.match(text, start, end)) is not None and "\n" not in text[start:end]
    )
    return depths[1] > 0 and depths[2] >= _LEAST_PARTS


def _outlined(line: str, block: str, follower: str) -> TextHead | None:
    """A line that begins with stars, above text."""
    stars = _STARS.match(line)
    below = block[len(line) + 1 :]
    if stars is None or not (below or follower) or below[:1].isspace():
        return None
    name = line[stars.end() :].strip()
    if len(name) > _NAME_CHARS.stop or name[-1] in ".,;":
        return None
    depth = len(stars[1])
    return TextHead(len(line), name, f"{'*' * depth} ", depth=depth)


def is_entry(line: str) -> bool:
    """Whether a line is one that an entry of a log of changes begins with."""
    return (_DEBIAN_ENTRY.fullmatch(line) or _DATED_ENTRY.fullmatch(line.removesuffix(":"))) is not None


def _entry(line: str, block: str) -> TextHead | None:
    """The line that an entry of a log of changes begins with, alone or above what is set in."""
    said = line.strip()
    below = block[len(line) + 1 :]
    if (below.strip() and not below[0].isspace()) or not is_entry(said):
        return None
    return TextHead(len(line), said, holds=True)


def _release(line: str, block: str, follower: str) -> TextHead | None:
    """The name of a release above the list of its changes, or above whatever is said of them."""
    said = line.strip()
    if (before := _BEFORE_RELEASE.match(said)) is not None:
        said = said[before.end() :].rstrip(" \t*=#")
    below = block[len(line) + 1 :]
    changes = below or follower
    if not line[0].isspace() and below[:1].isspace() and is_version_and_day(said):
        return TextHead(len(line), said, rest="list" if LIST_ITEM.match(below) else None, holds=True)
    above_items = LIST_ITEM.match(changes) is not None
    names_changes = is_about_changes(said) or is_dated_release(said)
    if not said or not ((above_items and is_release(said)) or (changes and names_changes)):
        return None
    return TextHead(len(line), said, rest="list" if above_items else None, holds=True)


def _named_release(block: str, follower: str) -> TextHead | None:
    """The name of a release that stands alone above text; a text has several of one name."""
    said = block.strip()
    if "\n" in said or not said[:1].isalpha() or not follower or not is_release(said):
        return None
    return TextHead(len(block), said, holds=True)


def _underlined(block: str) -> TextHead | None:
    """A short line with a line of marks under it, and perhaps over it."""
    lines = block.split("\n", 3)
    first = 0
    if len(lines) >= 3 and _UNDERLINE.fullmatch(lines[0].strip()) and _UNDERLINE.fullmatch(lines[2].strip()):
        first = 1
    if len(lines) < first + 2:
        return None
    name, under = lines[first].strip(), lines[first + 1].strip()
    match = _UNDERLINE.fullmatch(under) or (_DOTS.fullmatch(under) if len(under) == len(name) else None)
    if match is None and _is_underlined_by_words(name, under):
        match = _WORDS_UNDER.match(under)
    if (
        not match
        or not name
        or len(name) > _LONGEST_UNDERLINED
        or len(under) < _UNDERLINE_SHARE * len(name)
        or _UNDERLINE.fullmatch(name)
    ):
        return None
    as_long = len(under) - len(name) in (0, _ABOUT_AS_LONG)
    is_version = as_long and name[:1].isdigit() and lines[first].startswith(name[0])
    if (
        not (any(char.isalpha() for char in name) or (is_version and (is_release(name) or is_day(name))))
        or (LIST_ITEM.match(name) and not _is_counted_name(name, under, between=bool(first)))
        or "|" in name
        or ("+" in under and "-" in under)
    ):
        return None
    size = sum(len(line) + 1 for line in lines[: first + 2]) - 1
    return TextHead(size, _without_decoration(name), f"{match.group(1)}{first}")


def _is_underlined_by_words(name: str, under: str) -> bool:
    """Whether each word has its own line of the same marks below it."""
    runs = under.split(" ")
    return (
        len(runs) > 1
        and under[0] in _DECORATION
        and set(under) == {under[0], " "}
        and list(map(len, runs)) == list(map(len, name.split(" ")))
    )


def _is_counted_name(name: str, under: str, *, between: bool) -> bool:
    """Whether a line that could be an item is a heading with a number.

    It stands between two lines of marks, or the one below it is about as long.
    """
    return _COUNTED_NAME.match(name) is not None and (
        between or abs(len(under) - len(name)) <= _ABOUT_AS_LONG
    )


def _without_decoration(name: str) -> str:
    """The name without the marks that fill its line on both sides."""
    mark = name[0]
    run = mark * _LEAST_DECORATION
    if mark not in _DECORATION or not (name.startswith(run) and name.endswith(run)):
        return name
    return name.strip(mark).strip() or name


def _barely_underlined(block: str) -> TextHead | None:
    """A name with a line of a few marks under it, however long it is: `Introduction` above `===`."""
    name, _, below = block.partition("\n")
    under = below.partition("\n")[0]
    marks = _SHORT_UNDERLINE.fullmatch(under.strip())
    is_name = _may_be_name(name.strip()) or is_release(name.strip())
    if marks is None or not is_name or LIST_ITEM.match(name):
        return None
    return TextHead(len(name) + 1 + len(under), name.strip(), f"{marks[1]}short")


def _framed(line: str, block: str) -> TextHead | None:
    """A name between marks, or behind three of them and more: `== Ships ==`, `### Ships`."""
    said = line.strip()
    mark = said[:1]
    if not mark or mark not in _DECORATION:
        return None
    left = len(said) - len(said.lstrip(mark))
    right = len(said) - len(said.rstrip(mark))
    name = said.strip(mark).strip()
    both = min(left, right) >= _LEAST_FRAME
    if not (both or (left >= _LEAST_DECORATION and not right)) or not _may_be_name(name):
        return None
    # Behind three dashes stands who said the words above.
    if not both and (block != line or mark == "-"):
        return None
    # A line that is filled with marks has as many of them as are left.
    style = f"{mark}{left}" if left <= _LEAST_DECORATION else f"{mark} filled"
    return TextHead(len(line), name, f"{style}{both}")


def _ruled(line: str, block: str, before: str) -> TextHead | None:
    """A name below a line of marks, in its own block or in the one `before`, and without one below it."""
    if _RULER.fullmatch(line.strip()):
        name = block[len(line) + 1 :].strip()
    else:
        name = block.strip() if _RULER.fullmatch(before.rpartition("\n")[2].strip()) else ""
    # What stands in several lines is text.
    is_one = "\n" not in name and _WIDE_GAP.search(name) is None and _NOT_RULED.match(name) is None
    return TextHead(len(block), name, _RULED) if is_one and _may_be_name(name) else None


def _may_be_name(name: str) -> bool:
    return (
        len(name) in _NAME_CHARS
        and len(name.split()) <= _NAME_WORDS
        and (name[0].isupper() or name[0].isdigit())
        and name[-1] not in ".,;"
        and any(char.isalpha() for char in name)
        and _NO_NAME.match(name) is None
    )


def _above_items(block: str) -> TextHead | None:
    """A line that leads, right above the items of a list."""
    line, _, below = block.partition("\n")
    return TextHead(len(line), line.strip(), rest="list") if LIST_ITEM.match(below) else None


def _above_text(block: str) -> TextHead | None:
    """A line that leads, right above text: it needs no blank line below it."""
    line, _, below = block.partition("\n")
    said = below.partition("\n")[0].strip()
    if not said or said == said.upper():
        return None
    is_text = said[0].isupper() or below[0].isspace()
    return TextHead(len(line), line.strip()) if is_text else None


def _leads(line: str) -> bool:
    """Whether a line in capitals may be the name of what stands right below it."""
    name = line.strip()
    if name != name.upper():
        return False
    return name[:1].isalnum() and name[-1] not in ".,;" and _NO_NAME.match(name) is None and in_capitals(name)
