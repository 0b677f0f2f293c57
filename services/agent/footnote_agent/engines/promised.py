"""What a part leads to: the list, the table or the entries directly behind it. Pure.

"There are the following three." and "The options are:" say nothing without what stands behind them.
"""

from collections.abc import Sequence

from footnote_agent.engines.cues import promises
from footnote_agent.engines.nested_items import items_below
from footnote_agent.engines.quotable import Quotable

MOST_PROMISED = 12
"""Parts that are quoted behind what leads to them, at most. Of more, those are that were chosen."""

_BEHIND, _BEYOND = 24, 140
"""Characters between a sentence and the block that it leads to: white space, or one more sentence."""

_COLON = (":", "：")


def with_promised(
    chosen: Sequence[Quotable], fit: Sequence[Quotable], language: str | None
) -> list[Quotable]:
    """The chosen parts, and behind each that leads to a short block the parts of that block.

    One that leads to nothing which is known is left out, where something else was chosen. A sentence that
    breaks off before code goes on in it.
    """
    kept: list[Quotable] = []
    empty: list[Quotable] = []
    for one in chosen:
        if one not in kept:
            kept.append(one)
        ends_open = one.text.rstrip().endswith(_COLON)
        if one.kind is None and one.text[-1:].islower():
            kept += [part for part in _behind(one, fit) if part.kind == "code" and part not in kept]
        if one.kind in ("code", "table") or not (ends_open or promises(one.text, language)):
            continue
        near = _BEHIND if ends_open else _BEYOND
        below = items_below(one, fit) if one.kind == "list" else []
        behind = below or _behind(one, fit, _BEHIND if one.kind == "list" else near)
        if len(behind) <= MOST_PROMISED:
            kept += [part for part in behind if part not in kept]
        if ends_open and not behind:
            empty.append(one)
    return [one for one in kept if one not in empty] or kept


def _behind(one: Quotable, fit: Sequence[Quotable], near: int = _BEHIND) -> list[Quotable]:
    """The parts of the block that begins directly behind a part."""
    parts = [
        other
        for other in fit
        if other.document == one.document
        and other.block is not None
        and other.block != one.block
        and other.start >= one.end
    ]
    first = min(parts, key=lambda part: part.start, default=None)
    if first is None or first.block is None or first.start - one.end > near:
        return []
    return [part for part in parts if (part.passage, part.block) == (first.passage, first.block)]
