"""The YAML block at the head of a Markdown file: its title, and the lines that say something to a reader.

Programs that make sites and papers read the rest of it (https://jekyllrb.com/docs/front-matter/).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_BLOCK = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_KEY = re.compile(r"([A-Za-z_-]{1,40}):(?=\s|\Z)[ \t]*")
_FOLDED = frozenset({">", "|", ">-", "|-", ">+", "|+"})
_SAID = frozenset({"abstract", "description", "excerpt", "subtitle", "summary"})


class FrontMatter(NamedTuple):
    """`end` is where the text after the block begins. `said` holds the texts that a reader would read."""

    end: int
    title: str | None
    said: list[str]


class _Entry(NamedTuple):
    key: str
    value: str


def front_matter(text: str) -> FrontMatter:
    """What the block says; `end` is 0 if the text begins with none."""
    block = _BLOCK.match(text)
    if block is None:
        return FrontMatter(0, None, [])
    entries = list(_entries(block[1]))
    title = next((entry.value for entry in entries if entry.key == "title" and entry.value), None)
    said = [entry.value for entry in entries if entry.key in _SAID and entry.value]
    return FrontMatter(block.end(), title, said)


def _entries(block: str) -> Iterator[_Entry]:
    """The entries of the outermost mapping."""
    key, lines = "", list[str]()
    for line in [*block.splitlines(), "end:"]:
        found = _KEY.match(line)
        if found is None:
            lines.append(line)
            continue
        if key:
            yield _Entry(key, _joined(lines))
        key, lines = found[1].lower(), [line[found.end() :]]


def _joined(lines: list[str]) -> str:
    first, *rest = (line.strip() for line in lines)
    value = " ".join([*([] if first in _FOLDED else [first]), *rest]).strip()
    quote = value[:1]
    if quote in ("'", '"') and len(value) > 1 and value.endswith(quote):
        value = value[1:-1].replace(quote * 2, quote)
    return value
