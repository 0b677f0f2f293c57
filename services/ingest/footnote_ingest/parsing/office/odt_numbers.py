"""The numbers of list items in an OpenDocument text: the file holds them as styles and not as text."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from lxml import etree

from footnote_ingest.parsing.office.open_document import TEXT
from footnote_ingest.parsing.page_lists import counted

_STYLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_FORMS: Final = frozenset("1aAiI")
_XML_ID: Final = "{http://www.w3.org/XML/1998/namespace}id"
_LONGEST_AFFIX: Final = 10
_DEEPEST: Final = 10
"""A list style tells at most so many levels (ODF 1.3 part 3, 19.872)."""


@dataclass(frozen=True, slots=True)
class _Level:
    """How the items of a level are numbered: `shown` of its outer levels' numbers stand before its own."""

    form: str
    before: str
    behind: str
    shown: int
    start: int


@dataclass(slots=True)
class _OpenList:
    """A list with its style, its level from 1, and the numbers of the items around it."""

    style: str
    level: int
    outer: tuple[str, ...]


def item_numbers(body: etree._Element, style_parts: Iterable[etree._Element]) -> Mapping[etree._Element, str]:
    """What stands before the first paragraph of each item of a numbered list, such as `2.` or `(a)`."""
    levels = _levels(style_parts)
    if not levels:
        return {}
    found: dict[etree._Element, str] = {}
    lists: dict[etree._Element, _OpenList] = {}
    said: dict[etree._Element, tuple[str, ...]] = {}
    last_of: dict[tuple[str, int], int] = {}
    last_by_id: dict[str, int] = {}
    for listed in body.iter(f"{TEXT}list"):
        around = next(listed.iterancestors(f"{TEXT}list-item", f"{TEXT}list-header"), None)
        within = lists.get(around.getparent()) if around is not None else None
        style = listed.get(f"{TEXT}style-name") or (within.style if within is not None else "")
        level = within.level + 1 if within is not None else 1
        outer = said.get(around, ()) if around is not None else ()
        own = lists[listed] = _OpenList(style, level, outer)
        told = levels.get((style, level))
        if told is None:
            continue
        number = told.start - 1
        continued = listed.get(f"{TEXT}continue-list")
        if listed.get(f"{TEXT}continue-numbering") == "true":
            number = last_of.get((style, level), number)
        elif continued in last_by_id and level == 1:
            number = last_by_id[continued]
        for item in listed.iterchildren(f"{TEXT}list-item"):
            first = next(iter(item), None)
            if first is not None and first.tag == f"{TEXT}list":
                # An item that only holds an inner list shows no number of its own.
                said[item] = (*own.outer, counted(max(number, told.start), told.form))[-_DEEPEST:]
                continue
            begins = item.get(f"{TEXT}start-value", "")
            number = int(begins) if begins.isdecimal() and len(begins) < _LONGEST_AFFIX else number + 1
            path = said[item] = (*own.outer, counted(number, told.form))[-_DEEPEST:]
            if first is not None and first.tag == f"{TEXT}p":
                found[first] = f"{told.before}{'.'.join(path[-told.shown :])}{told.behind}"
        last_of[style, level] = number
        if (name := listed.get(_XML_ID)) is not None:
            last_by_id[name] = number
    return found


def _levels(parts: Iterable[etree._Element]) -> dict[tuple[str, int], _Level]:
    found: dict[tuple[str, int], _Level] = {}
    for part in parts:
        for style in part.iter(f"{TEXT}list-style"):
            for told in style.iterchildren(f"{TEXT}list-level-style-number"):
                form = told.get(f"{_STYLE}num-format", "")
                if form in _FORMS and form:
                    level = _small(told.get(f"{TEXT}level"), 1)
                    found[style.get(f"{_STYLE}name", ""), level] = _Level(
                        form,
                        told.get(f"{_STYLE}num-prefix", "").strip()[:_LONGEST_AFFIX],
                        told.get(f"{_STYLE}num-suffix", "").strip()[:_LONGEST_AFFIX],
                        max(1, min(_DEEPEST, _small(told.get(f"{TEXT}display-levels"), 1))),
                        _small(told.get(f"{TEXT}start-value"), 1),
                    )
    return found


def _small(said: str | None, otherwise: int) -> int:
    return int(said) if said is not None and said.isdecimal() and len(said) < _LONGEST_AFFIX else otherwise
