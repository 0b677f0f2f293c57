"""Small to big: a passage grows to the section that it stands in, as far as there is room. Pure.

A section is what stands under the same headings, without a gap, in one version of one document. The number of
the passage stays that of the chunk that was found (docs/adr/0073).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from footnote_retriever.funnel.budget import CountTokens
from footnote_retriever.funnel.candidates import Live, is_plain
from footnote_shared.contracts.documents import LiveChunk
from footnote_shared.contracts.search import Passage

_GAP = 4
"""Characters between two chunks that are white space. What is longer was cut out: it is in no chunk."""


@dataclass(frozen=True, slots=True)
class Section:
    """A run of chunks around the one that was found, as one text with its range in the document."""

    chunks: tuple[LiveChunk, ...]

    @property
    def start(self) -> int:
        return self.chunks[0].char_start

    @property
    def end(self) -> int:
        return self.chunks[-1].char_end

    @property
    def pages(self) -> dict[str, int | None]:
        """From the first page of its chunks to the last one, as fields of a place."""
        return {
            "page_start": min((one.page_start for one in self.chunks if one.page_start), default=None),
            "page_end": max((one.page_end for one in self.chunks if one.page_end), default=None),
        }

    @property
    def text(self) -> str:
        """The text of the document from `start` to `end`: what two chunks share is in it once."""
        parts: list[str] = []
        at = self.start
        for chunk in self.chunks:
            # Only white space lies between two chunks of a section.
            parts.append("\n" * (chunk.char_start - at) + chunk.text[max(0, at - chunk.char_start) :])
            at = max(at, chunk.char_end)
        return "".join(parts)


def grown(
    found: Sequence[Live], around: Iterable[LiveChunk], budget: int, count: CountTokens
) -> dict[int, Section]:
    """The sections by the rank of the passage that they grew from; `budget` tokens or fewer together.

    All of `found` has room. A passage in the section of a better one goes up in it, and has none of its own.
    `around` is what ingest says is live, and the caller's to see, near the passages.
    """
    beside = {(chunk.document_id, chunk.version, chunk.ordinal): chunk for chunk in around}
    return _Growth(found, beside, budget, count).run()


class _Growth:
    def __init__(
        self,
        found: Sequence[Live],
        beside: dict[tuple[str, int, int], LiveChunk],
        budget: int,
        count: CountTokens,
    ) -> None:
        self._beside = beside
        self._count = count
        self._sections = {rank: Section((one.chunk,)) for rank, one in enumerate(found)}
        self._tokens = {rank: count(one.chunk.text) for rank, one in enumerate(found)}
        self._of = {_place(one.chunk): rank for rank, one in enumerate(found)}
        self._room = budget - sum(self._tokens.values())

    def run(self) -> dict[int, Section]:
        for rank in range(len(self._sections)):
            if rank in self._sections:
                self._grow(rank)
        return self._sections

    def _grow(self, rank: int) -> None:
        """Behind and before in turn, until the section ends on both sides or the budget does."""
        sides = [1, -1]
        while sides:
            side = sides.pop(0)
            if self._add(rank, side):
                sides.append(side)

    def _add(self, rank: int, side: int) -> bool:
        own = self._sections[rank]
        edge = own.chunks[-1 if side > 0 else 0]
        document, version, ordinal = _place(edge)
        next_ = self._beside.get((document, version, ordinal + side))
        if next_ is None or not joins(*((edge, next_) if side > 0 else (next_, edge))):
            return False
        absorbed = self._of.get(_place(next_))
        if absorbed is not None and absorbed not in self._sections:
            return False
        more = (next_,) if absorbed is None else self._sections[absorbed].chunks
        if absorbed is not None and absorbed < rank:
            return False
        wider = Section((*own.chunks, *more) if side > 0 else (*more, *own.chunks))
        tokens = self._count(wider.text)
        freed = self._tokens[rank] + (self._tokens[absorbed] if absorbed is not None else 0)
        if tokens > self._room + freed:
            return False
        self._room += freed - tokens
        self._sections[rank], self._tokens[rank] = wider, tokens
        if absorbed is not None:
            del self._sections[absorbed]
        for chunk in more:
            self._of[_place(chunk)] = rank
        return True


def joins(first: LiveChunk, second: LiveChunk) -> bool:
    """Whether one stands right behind the other, under the same headings."""
    return (
        first.heading_path == second.heading_path
        and is_plain(first)
        and is_plain(second)
        and first.char_start <= second.char_start
        and first.char_end <= second.char_end
        and second.char_start - first.char_end <= _GAP
    )


def _place(chunk: LiveChunk) -> tuple[str, int, int]:
    return chunk.document_id, chunk.version, chunk.ordinal


def in_section(passage: Passage, section: Section | None) -> Passage:
    """The passage with the text of its section. It stays the same unit, with its headings."""
    if section is None or len(section.chunks) < 2:
        return passage
    return passage.model_copy(
        update={
            "text": section.text,
            "char_start": section.start,
            "char_end": section.end,
            **section.pages,
            "section": [chunk.chunk_id for chunk in section.chunks],
        }
    )
