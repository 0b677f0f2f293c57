"""The same text once, and where it is asked for, nearly the same once and few passages of one document. Pure.

Neighbours stay apart until all that has room is known (`neighbours.py`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from footnote_retriever.funnel.candidates import Live

_WORDS = 3
"""Words that are compared together. Single words are alike in all texts of one subject."""


def same_text_once(found: Sequence[Live]) -> list[Live]:
    """The first candidate of each text, in the order given. White space makes no text different."""
    seen: set[str] = set()
    kept: list[Live] = []
    for live in found:
        content = live.chunk.content_hash or live.chunk.text_hash
        if content not in seen:
            seen.add(content)
            kept.append(live)
    return kept


def similar_once(found: Sequence[Live], share: float) -> list[Live]:
    """The first of those that have nearly the same text, in the order given.

    Two texts count as the same if at least `share` of their word triples are common to both (Jaccard), and
    their numbers are the same: a form filled in with another amount is another fact.
    """
    kept: list[Live] = []
    shapes: list[_Shape] = []
    for live in found:
        shape = _Shape(live.chunk.text)
        if not any(shape.resembles(other, share) for other in shapes):
            kept.append(live)
            shapes.append(shape)
    return kept


def at_most(found: Sequence[Live], most: int) -> list[Live]:
    """The first `most` candidates of each document, in the order given."""
    return list(_first(found, most))


def _first(found: Sequence[Live], most: int) -> Iterator[Live]:
    taken: Counter[str] = Counter()
    for live in found:
        taken[live.chunk.document_id] += 1
        if taken[live.chunk.document_id] <= most:
            yield live


class _Shape:
    """What two texts are compared by."""

    def __init__(self, text: str) -> None:
        words = text.casefold().split()
        self.numbers = Counter(word for word in words if any(map(str.isdigit, word)))
        triples = zip(*(islice(words, skip, None) for skip in range(_WORDS)), strict=False)
        # A text that is too short for a triple is compared as a whole.
        self.triples: set[tuple[str, ...]] = set(triples) or {tuple(words)}

    def resembles(self, other: "_Shape", share: float) -> bool:
        fewer, more = sorted((len(self.triples), len(other.triples)))
        if fewer < share * more or self.numbers != other.numbers:
            return False
        common = len(self.triples & other.triples)
        return common >= share * (fewer + more - common)
