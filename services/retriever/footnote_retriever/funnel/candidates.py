"""What travels through the funnel."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from footnote_retriever.funnel.search import LegHits
from footnote_shared.contracts.documents import ChunkRef, LiveChunk
from footnote_shared.contracts.place import place_fields
from footnote_shared.contracts.search import Passage, Ranks
from footnote_shared.vectors.protocol import Hit

_SCORED = 4
"""Fields of a candidate up to its score and rank."""


class Candidate(NamedTuple):
    """A vector point that a leg found. A score or rank is None where that leg does not know the point.

    `hit` has what is stored with it. `weight` is that of its metadata, and `facts` are the ids of its facts
    that are near the query.
    """

    id: str
    hit: Hit
    score: float
    fused_rank: int
    dense: float | None = None
    sparse: float | None = None
    dense_rank: int | None = None
    sparse_rank: int | None = None
    weight: float = 1.0
    facts: tuple[str, ...] = ()

    @property
    def ref(self) -> ChunkRef:
        """The chunk that the point is of. It is read for the few that ingest is asked about (`Hit.ref`)."""
        return self.hit.ref

    def scored(self, score: float, fused_rank: int) -> "Candidate":
        """The same with another score and rank."""
        return Candidate._make((self.id, self.hit, score, fused_rank, *self[_SCORED:]))


@dataclass(frozen=True, slots=True)
class Live:
    """A candidate whose text is that of a live version which the caller may see."""

    candidate: Candidate
    chunk: LiveChunk
    reranked: int | None = None
    rerank_score: float | None = None


def candidates_of(fused: Iterable[tuple[str, float]], hits: LegHits) -> list[Candidate]:
    """What the legs found, in fused order: points with their fused scores, best first."""
    return [
        Candidate(
            point,
            hits.points[point],
            score,
            rank,
            hits.dense.get(point),
            hits.sparse.get(point),
            hits.dense_ranks.get(point),
            hits.sparse_ranks.get(point),
            facts=tuple(hits.facts.get(point, ())),
        )
        for rank, (point, score) in enumerate(fused, 1)
    ]


def is_plain(chunk: LiveChunk) -> bool:
    """Whether the text of the chunk is a slice of its document. A table with its header repeated is not."""
    return chunk.char_end - chunk.char_start == len(chunk.text)


def passage_of(live: Live, text: str, start: int = 0) -> Passage:
    """The passage as returned, with `text` being the chunk's text or its part that begins at `start`."""
    chunk, candidate = live.chunk, live.candidate
    clipped = len(text) < len(chunk.text)
    place = place_fields(chunk)
    # The place moves with the text only where the chunk is a plain slice of its document.
    if clipped and is_plain(chunk):
        place["char_start"] = chunk.char_start + start
        place["char_end"] = place["char_start"] + len(text)
    return Passage(
        chunk_id=chunk.chunk_id,
        document_id=chunk.document_id,
        title=chunk.title,
        text=text,
        source=chunk.source,
        **place,
        kind=chunk.kind,
        language=chunk.language,
        code_language=chunk.code_language,
        source_type=chunk.source_type,
        ordinal=chunk.ordinal,
        url=chunk.url,
        created_at=chunk.created_at,
        score=candidate.score,
        similarity=candidate.dense,
        clipped=clipped,
        ranks=ranks_of(live),
    )


def ranks_of(live: Live) -> Ranks:
    """Where the candidate stood after each step."""
    return Ranks(
        dense=live.candidate.dense_rank,
        sparse=live.candidate.sparse_rank,
        fused=live.candidate.fused_rank,
        reranked=live.reranked,
    )


def scores_of(live: Live) -> dict[str, Any]:
    """The scores of a candidate, for an explanation."""
    candidate = live.candidate
    return {
        "chunk_id": candidate.ref.chunk_id,
        "dense": candidate.dense,
        "sparse": candidate.sparse,
        "fused": candidate.score,
    }
