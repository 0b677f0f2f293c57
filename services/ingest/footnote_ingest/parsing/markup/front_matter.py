"""The head of a Markdown file: its title, and the lines that say something to a reader.

Programs that make sites and papers read the rest of it (https://jekyllrb.com/docs/front-matter/). It is a
block of YAML, or of TOML between plus signs as Hugo has it, fields as Pelican and MultiMarkdown have them, or
the three lines of Pandoc that begin with a percent sign.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_BLOCK = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?\n)\+\+\+[ \t]*(?:\n|\Z)", re.S)
_TOML_ENTRY = re.compile(r"([A-Za-z_-]{1,40})[ \t]*=[ \t]*(\S.*)")
_FIELD = re.compile(r"([A-Za-z][\w -]{0,30}):[ \t]+(\S.*)")
_LEAST_FIELDS, _MOST_FIELDS = 2, 20
_FIELDS = frozenset(
    (
        *("title", "subtitle", "author", "authors", "email", "affiliation", "date", "modified", "category"),
        *("tags", "keywords", "slug", "summary", "description", "abstract", "lang", "language", "status"),
        *("template", "save_as", "url", "copyright", "revision", "version", "css", "latex input"),
        *("base header level", "format", "series", "image"),
    )
)
"""The fields of Pelican and MultiMarkdown: a person's name and title are text."""

_PERCENT = re.compile(r"%(?:[ \t]++(\S.*+))?+[ \t]*+")
_PERCENT_LINES = 3
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
    toml = _TOML.match(text) if block is None else None
    if block is not None:
        end, entries = block.end(), list(_entries(block[1]))
    elif toml is not None:
        end, entries = toml.end(), list(_toml_entries(toml[1]))
    else:
        end, entries = _fields(text) or _percent_lines(text) or (0, [])
    title = next((entry.value for entry in entries if entry.key == "title" and entry.value), None)
    said = [entry.value for entry in entries if entry.key in _SAID and entry.value]
    return FrontMatter(end, title, said)


def _toml_entries(block: str) -> Iterator[_Entry]:
    """The entries above the first table."""
    for line in block.splitlines():
        if line.startswith("["):
            return
        if (found := _TOML_ENTRY.match(line)) is not None:
            yield _Entry(found[1].lower(), _joined([found[2]]))


def _fields(text: str) -> tuple[int, list[_Entry]] | None:
    """Where the fields end that the text begins with, one of which is a title, and what they are."""
    entries: list[_Entry] = []
    at = 0
    while len(entries) <= _MOST_FIELDS:
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else len(text)]
        if not line.strip():
            break
        found = _FIELD.fullmatch(line.rstrip())
        if found is None or found[1].lower() not in _FIELDS:
            return None
        entries.append(_Entry(found[1].lower(), found[2].strip()))
        at = end + 1 if end >= 0 else len(text)
    named = any(entry.key == "title" for entry in entries)
    return (at, entries) if named and _LEAST_FIELDS <= len(entries) <= _MOST_FIELDS else None


def _percent_lines(text: str) -> tuple[int, list[_Entry]] | None:
    """Where the lines end that tell the title, the author and the date, each behind a percent sign."""
    title, at = None, 0
    for _ in range(_PERCENT_LINES):
        end = text.find("\n", at)
        found = _PERCENT.fullmatch(text[at:end]) if end >= 0 else None
        if found is None:
            break
        title, at = (found[1] or "").strip() if title is None else title, end + 1
    return (at, [_Entry("title", title)]) if title else None


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
