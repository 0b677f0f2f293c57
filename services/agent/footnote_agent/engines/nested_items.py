"""The items of a list below which another one stands further in: without them it says little. Pure."""

from collections.abc import Sequence

from footnote_agent.engines.quotable import Quotable


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


def indent_of(text: str) -> int:
    """By how many blanks a text stands in."""
    return len(text) - len(text.lstrip(" \t"))
