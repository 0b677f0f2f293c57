"""In which order the chosen parts are written: what answers first, then what stands around it. Pure."""

from collections.abc import Sequence

from footnote_agent.engines.openings import leans_back
from footnote_agent.engines.quotable import Quotable

NEAR_BLOCK = 2
"""How many parts behind a sentence a block begins that belongs to it, at most: one more may stand between."""


def in_order(chosen: Sequence[Quotable]) -> list[Quotable]:
    """The parts as they are written, given best first: documents by their best part, passages too.

    A sentence that is the best part opens the answer, with what it leans on and what is said right behind it.
    All else of each passage stands in the order of the text. So does all of it where a part is said not to be
    so.
    """
    documents = {document: n for n, document in enumerate(dict.fromkeys(one.document for one in chosen))}
    passages = {passage: n for n, passage in enumerate(dict.fromkeys(one.passage for one in chosen))}
    placed = sorted(
        chosen, key=lambda one: (documents[one.document], passages[one.passage], one.start, one.index)
    )
    if not placed or chosen[0].block is not None:
        return placed
    of_best = [one for one in placed if one.passage == chosen[0].passage]
    if any(one.rejected for one in of_best):
        return placed
    return [*_best_first(of_best, of_best.index(chosen[0])), *placed[len(of_best) :]]


def _best_first(parts: Sequence[Quotable], at: int) -> list[Quotable]:
    """The parts of a passage in the order of its text, those with the best one (`at`) before all others."""
    first = last = at
    while first and _is_behind(parts[first], parts[first - 1]) and leans_back(parts[first].text):
        first -= 1
    while last + 1 < len(parts) and _is_behind(parts[last + 1], parts[last]):
        last += 1
    return [*parts[first : last + 1], *parts[:first], *parts[last + 1 :]]


def _is_behind(one: Quotable, before: Quotable) -> bool:
    """Whether a part stands right behind another one, or is a block to which that leads."""
    return one.index - before.index <= (NEAR_BLOCK if one.kind != before.kind else 1)
