"""Boxes of HTML in Markdown: their tags say where something stands on a page, and nothing to a reader."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from markdown_it.token import Token

_BOX = re.compile(
    r"<(/?)(div|span|p|center|section|article|aside|main|header|footer|details|summary|figure|figcaption|br|hr"
    r"|font|small|big|blockquote|picture|source|ul|ol|li|dl|dt|dd)(?=[\s/>])[^<>]{0,1000}>",
    re.I,
)
_PARTING = frozenset({"div", "p", "summary", "center", "section", "figcaption", "dt", "dd", "blockquote"})
"""Boxes whose end parts what stands in them from what follows."""

_LEFT_ALONE = re.compile(r"<(?:pre|table|svg|textarea)\b|^\s{0,3}(?:<!--|<\?|<!)", re.I)
"""Blocks that hold lines as they are, or that others read."""

_BACK = re.compile(
    r"\(?<a\s[^<>]{0,60}href=[\"']#[^<>]{0,100}>\s?(?:(?:back )?to (?:the )?top|top|[↑⬆▲⇧].{0,20})\s?</a>\)?",
    re.I,
)
"""A line that only leads back to the top of the page."""

_HEADING = re.compile(r"(?<=\S)\s{0,9}(<h[1-6][\s>])", re.I)
_UNSHOWN_END = re.compile(r"</(style|script)[ \t]{0,9}>", re.I)
_UNSHOWN = re.compile(r"<(style|script)\b[^<>]{0,1000}>", re.I)


def without_boxes(text: str, blocks_of: Callable[[str], list[Token]]) -> str:
    """The text without the tags of boxes, and without styles and scripts. Code stays as it is.

    `blocks_of` gives the blocks of a Markdown text.
    """
    if _BOX.search(text) is None and _UNSHOWN.search(text) is None:
        return text
    lines = text.split("\n")
    found: list[str] = []
    done = 0
    for token in blocks_of(text):
        if token.type != "html_block" or token.level or token.map is None or token.map[0] < done:
            continue
        first, last = token.map
        found += lines[done:first]
        done = last
        block = lines[first:last]
        found += block if _LEFT_ALONE.search("\n".join(block)) else _unboxed(list(_shown(block)))
    shown = "\n".join(itertools.chain(found, lines[done:]))
    return shown if shown.strip() else text


def _shown(lines: Sequence[str]) -> Iterator[str]:
    """The lines outside styles and scripts."""
    inside = ""
    for line in lines:
        begun = _UNSHOWN.search(line) if not inside else None
        before = line[: begun.start()] if begun is not None else "" if inside else line
        inside = begun[1].lower() if begun is not None else inside
        end = _UNSHOWN_END.search(line) if inside else None
        if end is not None and end[1].lower() == inside:
            before += line[end.end() :]
            inside = ""
        yield before


def _unboxed(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        tags = list(_BOX.finditer(line))
        if not tags:
            yield line.strip()
            continue
        said = _BOX.sub(lambda tag: "- " if (tag[1], tag[2].lower()) == ("", "li") else " ", line).strip()
        said = "" if _BACK.fullmatch(said) else said
        # A heading begins a block of its own, which it is no longer beside what stood before its box.
        yield _HEADING.sub(r"\n\n\1", said) if said != "-" else ""
        if said and any(tag[1] and tag[2].lower() in _PARTING for tag in tags):
            yield ""
