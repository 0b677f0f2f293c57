"""The items of a list that stand further in than others, and those that they stand below. Pure.

What stands further in says little without what it stands below. A name that others stand below says little
without these.
"""

from collections.abc import Sequence

from footnote_agent.engines.quotable import Quotable
from footnote_agent.engines.terms import words_of

WORDS_OF_NAME = 4
"""An item of so many words at most only names what the items below it are."""

MOST_BELOW = 8
"""Items that are quoted below a name, at most."""


def with_parents(chosen: Sequence[Quotable], fit: Sequence[Quotable]) -> list[Quotable]:
    """The chosen parts, and of each item of a list those above it that it stands further in than."""
    kept = list(chosen)
    for one in chosen:
        indent = indent_of(one.text)
        if one.kind != "list" or not indent:
            continue
        above = [
            other
            for other in fit
            if (other.passage, other.block) == (one.passage, one.block) and other.start < one.start
        ]
        for other in sorted(above, key=lambda part: part.start, reverse=True):
            if indent_of(other.text) < indent:
                indent = indent_of(other.text)
                kept += [other] if other not in kept else []
    return kept


def with_named(chosen: Sequence[Quotable], fit: Sequence[Quotable]) -> list[Quotable]:
    """The chosen parts, and below each item that only names what stands below it a few such items."""
    kept = list(chosen)
    for one in chosen:
        if one.kind != "list" or len(words_of(one.text)) > WORDS_OF_NAME:
            continue
        below = items_below(one, fit)
        if len(below) <= MOST_BELOW and not any(item in kept for item in below):
            kept += below
    return kept


def items_below(one: Quotable, fit: Sequence[Quotable]) -> list[Quotable]:
    """The items behind an item that stand further in than it does."""
    items = [other for other in fit if (other.passage, other.block) == (one.passage, one.block)]
    below: list[Quotable] = []
    for item in sorted(items, key=lambda part: part.start):
        if item.start > one.start:
            if indent_of(item.text) <= indent_of(one.text):
                break
            below.append(item)
    return below


def indent_of(text: str) -> int:
    """By how many blanks a text stands in."""
    return len(text) - len(text.lstrip(" \t"))
