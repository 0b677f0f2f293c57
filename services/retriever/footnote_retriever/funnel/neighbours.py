"""Passages that stand side by side in one document become one, under the number of the best of them. Pure.

Two chunks of a section share some sentences, which a reader would be shown twice. Nothing is fetched: what
was found and has room is joined, whole or cut. That of a better passage is never taken away, and a number
still opens at one place, so only a few are joined (docs/adr/0079).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from footnote_retriever.funnel.candidates import Live
from footnote_retriever.funnel.parent import Section, joins
from footnote_shared.contracts.search import Passage

MOST = 3
"""Chunks that are shown under one number, half a page. More would hide where the answer stands."""

Shown = list[tuple[Live, Passage]]
"""Passages as they are shown, each with the candidate that it was made of."""


@dataclass(slots=True)
class _Run:
    """Passages side by side, in the order of their document. `rank` is that of the best one."""

    rank: int
    members: list[tuple[Live, Passage]]


def joined(shown: Shown, most: int = MOST) -> Shown:
    """The passages by rank, each with those that stand beside it and come later by rank."""
    places = {_place(live): rank for rank, (live, _) in enumerate(shown)}
    taken: set[int] = set()
    runs: list[_Run] = []
    for rank, one in enumerate(shown):
        if rank in taken:
            continue
        taken.add(rank)
        run = _Run(rank, [one])
        for side in (1, -1):
            while len(run.members) < most:
                edge = run.members[-1 if side > 0 else 0]
                document, version, ordinal = _place(edge[0])
                next_ = places.get((document, version, ordinal + side))
                if next_ is None or next_ in taken:
                    break
                pair = (edge, shown[next_]) if side > 0 else (shown[next_], edge)
                if not _touch(*pair):
                    break
                taken.add(next_)
                run.members.insert(len(run.members) if side > 0 else 0, shown[next_])
        runs.append(run)
    return [(shown[run.rank][0], _as_one(shown[run.rank][1], run.members)) for run in runs]


def _touch(first: tuple[Live, Passage], second: tuple[Live, Passage]) -> bool:
    """Whether what is shown of the second goes on where that of the first ends, under the same headings.

    Facts are shown beside the passage that states them, which therefore stays by itself.
    """
    (one, before), (other, behind) = first, second
    if one.candidate.facts or other.candidate.facts or not joins(one.chunk, other.chunk):
        return False
    if before.char_start > behind.char_start or before.char_end > behind.char_end:
        return False
    both = Section((one.chunk, other.chunk))
    end, start = before.char_end - both.start, behind.char_start - both.start
    # A word that neither of them has might have more tokens than its parts, and the budget is kept already.
    whole_words = not (both.text[end - 1 : end].isalnum() and both.text[end : end + 1].isalnum())
    return whole_words and not both.text[end : max(0, start)].strip()


def _as_one(best: Passage, members: Sequence[tuple[Live, Passage]]) -> Passage:
    """The best passage with the text of all: from where the first begins to where the last one ends."""
    if len(members) < 2:
        return best
    whole = Section(tuple(live.chunk for live, _ in members))
    start, end = members[0][1].char_start, members[-1][1].char_end
    return best.model_copy(
        update={
            "text": whole.text[start - whole.start : end - whole.start],
            "char_start": start,
            "char_end": end,
            **whole.pages,
            "clipped": (start, end) != (whole.start, whole.end),
            "section": [live.chunk.chunk_id for live, _ in members],
        }
    )


def _place(live: Live) -> tuple[str, int, int]:
    return live.chunk.document_id, live.chunk.version, live.chunk.ordinal
