"""Where a way is asked for: the numbered steps to which the best part leads, or that are named so. Pure.

"You can reset the password yourself" is what has the words of the question. The steps below it are the
answer, and none of them has such a word. Code may stand between them: then its lead has the number.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from footnote_agent.engines.nested_items import indent_of
from footnote_agent.engines.quotable import PassageText, Quotable
from footnote_shared.kernel.stems import stem

NAMED_BY = 0.6
"""Share of the question's weight in the lead and the heading of steps that are the way which is asked for."""

STEP = stem("steps")
NAMED_STEPS = 0.3
"""The same where both the question and what stands above them call them steps."""

BEHIND = 24
"""Characters between the best part and the steps that it leads to: white space, or a line with a mark."""

MOST_STEPS, MOST_CHARS = 12, 1600
"""Steps with all that belongs to them, and characters of these, that are quoted at most."""

SHORT_RUN = 600
"""Characters of steps that are quoted whole for one of them, at most."""

_NUMBERED = re.compile(r"[ \t]*(\d{1,3})[.)][ \t]")
_NO_WAY = ("code", "table", "entries")


def with_steps(
    chosen: Sequence[Quotable],
    fit: Sequence[Quotable],
    passages: Sequence[PassageText],
    weights: Mapping[str, float],
) -> list[Quotable]:
    """The chosen parts; or the steps that are the way, with the best part where it stands before them.

    `weights`: of the words of the question. Code that is no step shows the way by itself.
    """
    if not chosen:
        return []
    best = chosen[0]
    shown = any(one.kind in _NO_WAY for one in chosen)
    for steps in _runs(fit, passages):
        first = steps[0]
        if first.rejected or first.document != best.document:
            continue
        held = sum(weight for term, weight in weights.items() if term in first.context)
        led = best.block is None and 0 <= first.start - best.end <= BEHIND
        told = STEP in weights and STEP in first.context
        named = held >= (NAMED_STEPS if told else NAMED_BY) * sum(weights.values())
        under = passages[best.passage].headings == passages[first.passage].headings
        chosen_too = best in steps or (under and any(one in steps for one in chosen))
        if chosen_too or ((led or named) and not shown):
            return [best, *steps] if under and best.block is None and best.start < first.start else steps
    return _with_rest(chosen, fit, passages)


def _with_rest(
    chosen: Sequence[Quotable], fit: Sequence[Quotable], passages: Sequence[PassageText]
) -> list[Quotable]:
    """The chosen parts, and behind a step of a short run the others: one step alone is no way."""
    kept = list(chosen)
    for steps in _runs(fit, passages):
        if sum(len(one.text) for one in steps) <= SHORT_RUN and any(one in chosen for one in steps):
            kept += [one for one in steps if one not in kept]
    return kept


def _runs(fit: Sequence[Quotable], passages: Sequence[PassageText]) -> Iterator[list[Quotable]]:
    """Steps that count on from one another under the same headings, those of the best passage first.

    Code right behind a step belongs to it, and so do items further in. What else is said between two steps is
    left out.
    """
    sections: dict[tuple[str, tuple[str, ...]], list[Quotable]] = {}
    for one in fit:
        if one.kind in ("list", "code"):
            sections.setdefault((one.document, passages[one.passage].headings), []).append(one)
    for parts in sections.values():
        run: list[Quotable] = []
        steps = last = indent = 0
        for one in sorted(parts, key=lambda part: part.start):
            within = bool(run) and one.kind == "list" and indent_of(one.text) > indent
            number = 0 if within else _number(one)
            if number and number != last + 1:
                yield from _whole(run, steps)
                run, steps = [], 0
            if number:
                indent = indent_of(one.text) if one.kind == "list" else indent
                steps, last = steps + 1, number
            if number or within or (run and one.kind == "code" and one.start - run[-1].end <= BEHIND):
                run.append(one)
        yield from _whole(run, steps)


def _whole(run: list[Quotable], steps: int) -> Iterator[list[Quotable]]:
    if steps > 1 and len(run) <= MOST_STEPS and sum(len(one.text) for one in run) <= MOST_CHARS:
        yield run


def _number(one: Quotable) -> int:
    """The number of a step; 0 of what is none. Code has that of its lead."""
    if one.block is None or one.kind not in ("list", "code"):
        return 0
    found = _NUMBERED.match(one.text if one.kind == "list" else one.block.lead)
    return int(found[1]) if found else 0
