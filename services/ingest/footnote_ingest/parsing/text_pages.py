"""Texts that are laid out for pages, such as RFCs: heads and feet of pages are no part of what they say."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

_LEAST_PAGES, _LEAST_SHARE = 3, 0.4
"""What stands at the edge of so many pages, and of this share of them, is the head or the foot of a page."""

_NUMBER = re.compile(
    r"(?:^|(?<=\s\s\s)|\b(?:page|pages|seite|blatt|p\.|pag\.)\s{0,3})[(\[-]?[ ]?(?P<number>\d{1,6})"
    r"(?=[ ]?[)\]-]?(?:\s{3}|$))",
    re.I,
)
_OF_ALL = re.compile(r"\b(?:page|seite)\s{0,3}(?P<number>\d{1,6})(?=\s?(?:of|von|/)\s?\d)", re.I)
"""A page's number is named so, or stands apart: `Chapter 2` on the second page is no head of it."""

_MOST_NUMBERS = 4
_WORD, _OF_NUMBERS = re.compile(r"[^\W\d_]+"), frozenset({"page", "seite", "p", "of", "von"})
_LONGEST = 200


class PageEdges(NamedTuple):
    """A text with blanks in the place of the heads and feet of its pages, and the first of each."""

    text: str
    left_out: frozenset[str]


def without_page_edges(text: str) -> PageEdges:
    """The text without such lines; all else keeps its place.

    They are the same on each page, or but for a number that counts with the pages. One that says what stands
    nowhere else is kept once.
    """
    if text.count("\f") < _LEAST_PAGES - 1:
        return PageEdges(text, frozenset())
    edges: list[tuple[int, int, list[str]]] = []
    pages = 0
    for start, end in _pages(text):
        pages += 1
        edges += [(*line, _keys(text[slice(*line)], pages)) for line in _edges(text, start, end)]
    seen = Counter(key for _, _, keys in edges for key in keys)
    least = max(_LEAST_PAGES, _LEAST_SHARE * pages)
    gone = [
        (start, end, next(key for key in keys if seen[key] >= least))
        for start, end, keys in edges
        if any(seen[key] >= least for key in keys)
    ]
    said = _blanked(text, ((start, end) for start, end, _ in gone))
    elsewhere = said.lower()
    own = {key for key in {key for _, _, key in gone} if not _says(elsewhere, key)}
    kept = {key: start for start, _, key in reversed(gone) if key in own}
    left_out = [(start, end, key) for start, end, key in gone if kept.get(key) != start]
    if kept:
        said = _blanked(text, ((start, end) for start, end, _ in left_out))
    named = {key: " ".join(text[start:end].split()) for start, end, key in reversed(left_out)}
    return PageEdges(said, frozenset(named.values()))


def _says(lowered: str, key: str) -> bool:
    """Whether each word of a line stands elsewhere in the text, but for those that only name its number.

    Of figures without a word nobody knows it, unless one of them counts the pages.
    """
    words = {word.lower() for word in _WORD.findall(key)}
    return all(word in lowered for word in words - _OF_NUMBERS) if words else "\x00" in key


def _blanked(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end in ranges:
        parts += [text[done:start], " " * (end - start)]
        done = end
    return "".join((*parts, text[done:]))


def _pages(text: str) -> Iterator[tuple[int, int]]:
    """Where each page begins and ends that says something."""
    start = 0
    for page in text.split("\f"):
        if page.strip():
            yield start, start + len(page)
        start += len(page) + 1


def _edges(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The first and the last line of a page that say something, unless they are long."""
    page = text[start:end]
    top, bottom = start + len(page) - len(page.lstrip()), start + len(page.rstrip())
    behind = text.find("\n", top, bottom)
    first = top, behind if behind > 0 else bottom
    last = max(start, text.rfind("\n", start, bottom) + 1), bottom
    for line in (first, last) if last > first else (first,):
        if line[1] - line[0] <= _LONGEST:
            yield line


def _keys(line: str, page: int) -> list[str]:
    """The line, and for each number that may be the page's the line with it relative to that."""
    said = line.strip()
    found = islice(chain(_NUMBER.finditer(said), _OF_ALL.finditer(said)), _MOST_NUMBERS)
    counted = (
        f"{said[: number.start('number')]}\x00{int(number['number']) - page}{said[number.end('number') :]}"
        for number in found
    )
    return [" ".join(key.split()) for key in (said, *counted)]
