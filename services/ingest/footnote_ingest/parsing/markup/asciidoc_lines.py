"""What a line of AsciiDoc is: an entry, the attributes of a block, a heading, an item or a delimiter."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from footnote_ingest.parsing.markup.asciidoc_tables import DELIMITER as TABLE

_CONDITIONAL = re.compile(r"(?:ifn?def|ifeval|endif)::[^\s\[\]]{0,200}\[(.*)\]$")
_ENTRY = re.compile(r":(!?)([A-Za-z_][\w-]{0,60}(?: [\w-]{1,30}){0,2})(!?):(?:[ ]++(.*))?$")
"""A value that the text names. Manual pages have names of two words, such as `man source`."""

_BLOCK_ATTRIBUTES = re.compile(
    r"\[(?:\[[^\[\]]{1,300}\]|((?:[A-Za-z_][\w-]{0,60})?(?:[=#.%,\"'].{0,2000})?))\]$"
)
_PIECE = re.compile(r"(?:[^,\"']|\"[^\"]{0,500}\"|'[^']{0,500}')+")
_NAMED = re.compile(r"([\w-]{1,60})=(.*)$", re.S)
_BULLET = re.compile(r"(\*{1,6}|-|•)[ ]+(?=\S)")
_DOTS = re.compile(r"(\.{1,6})[ ]+(?=\S)")
_NUMBER = re.compile(r"((?:\d{1,4}|[A-Za-z])\.|[ivxIVX]{1,6}\))[ ]+(?=\S)")
_CALLOUT = re.compile(r"(<(?:\d{1,3}|\.)>)[ ]+(?=\S)")
_TERM = re.compile(r"(?<![:;\s])(?::{2,4}|;;)(?=[ ]|$)")
_UNDERLINE = re.compile(r"([=\-~^+])\1+$")
_RANKS = "=-~^+"
_LONGEST_TITLE = 250
_LONGEST_TERM = 500

FENCE = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|`{3,}[ ]*([\w+#.-]{0,40})[^`]{0,100})$")
CONTAINER = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--)$")
COMMENT = re.compile(r"/{4,}$")
RULE = re.compile(r"(?:'{3,}|<{3,}|---|- - -|\*\*\*|\* \* \*)$")


@dataclass(frozen=True, slots=True)
class Item:
    """The first line of an item: its mark and the words after it. `term` says that it explains a term."""

    mark: str
    said: str
    is_term: bool = False


def without_conditionals(lines: list[str]) -> list[str]:
    """The lines of all branches of a condition, since nobody knows here which one holds."""
    kept: list[str] = []
    for line in lines:
        conditional = _CONDITIONAL.match(line)
        if conditional is None:
            kept.append(line)
        elif conditional[1] and not line.startswith("ifeval"):
            kept.append(conditional[1])
    return kept


def entry(line: str) -> tuple[str, str | None] | None:
    """The name and the value of an entry. The value is None if the entry removes the attribute."""
    found = _ENTRY.match(line)
    if found is None:
        return None
    return found[2], None if found[1] or found[3] else (found[4] or "")


def block_attributes(line: str) -> dict[str, str] | None:
    """The attributes in the line before a block. Those without a name are numbered from `1`.

    The first of them is also called `style`.
    """
    found = _BLOCK_ATTRIBUTES.match(line)
    if found is None:
        return None
    attributes: dict[str, str] = {}
    place = 0
    written = found[1] or ""
    # An empty place counts too: `[,java]` has its language in the second.
    for piece in _PIECE.findall(written.replace(",,", ", ,").removeprefix(",")):
        named = _NAMED.match(piece.strip())
        if named is not None:
            attributes[named[1]] = named[2].strip("\"' ")
        else:
            place += 1
            attributes[str(place + written.startswith(","))] = piece.strip("\"' ")
    attributes["style"] = re.split(r"[#.%]", attributes.get("1", ""), maxsplit=1)[0]
    return attributes


def heading(lines: list[str], at: int) -> tuple[int, str, int] | None:
    """The level and the words of a heading, and the line behind it."""
    line = lines[at]
    words = line.lstrip("=") if line[0] == "=" else line.lstrip("#")
    level = len(line) - len(words)
    if 0 < level <= 6 and words.startswith(" ") and words.strip():
        return level, words.strip().removesuffix(" " + line[:level]).rstrip(), at + 1
    below = lines[at + 1] if at + 1 < len(lines) else ""
    under = _UNDERLINE.match(below)
    if under is None or line.startswith((" ", ".", "* ", "- ")) or len(line) > _LONGEST_TITLE:
        return None
    if abs(len(line) - len(below)) > 1 or not any(char.isalnum() for char in line):
        return None
    return _RANKS.index(under[1]) + 1, line, at + 2


def item(line: str) -> Item | None:
    """The item that begins in this line."""
    body = line.strip()
    for marks in (_BULLET, _DOTS, _NUMBER, _CALLOUT):
        found = marks.match(body)
        if found is not None:
            return Item(found[1], body[found.end() :])
    term = _TERM.search(body, 1, _LONGEST_TERM)
    if term is None or body.startswith("//"):
        return None
    return Item(body[: term.start()], body[term.end() :].strip(), is_term=True)


def begins_block(line: str) -> bool:
    """Whether a paragraph ends above this line although it is not empty."""
    if line == "+" or line.startswith("include::"):
        return True
    return any(kind(line) for kind in (FENCE.match, CONTAINER.match, COMMENT.match, TABLE.match)) or (
        line.startswith("[") and block_attributes(line) is not None
    )


def language_of(attributes: Mapping[str, str]) -> str | None:
    """The language of a block of code."""
    return (attributes.get("language") or attributes.get("2", "")).lower() or None
