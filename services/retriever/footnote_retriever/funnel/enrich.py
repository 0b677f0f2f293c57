"""Fresh metadata from ingest: what is not live, or not visible to the caller, ends here (spec 4.2.5).

The vector index follows SQL with a delay: a deleted or replaced chunk keeps its point for a while. So
everything that a passage shows is read anew, and a candidate that ingest does not confirm is dropped.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from anyio import to_thread

from footnote_retriever.funnel.candidates import Candidate, Live
from footnote_retriever.funnel.diversify import same_text_once
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.documents import ChunkRef, LiveChunk, LiveChunks
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import Unavailable

MAX_REFS = 1000
"""Chunks that ingest looks up in one call."""

_RETRY_AFTER_S = 0.1
_READ_ON_THE_LOOP = 16


class LookedIn(NamedTuple):
    """Where a document has to lie now: in memory or outside of it, and in one of each of these folders.

    What lies below a folder lies in it. A point says where its document lay when the point was written.
    """

    memory: bool = False
    folders: Sequence[frozenset[str]] = ()

    def has(self, chunk: LiveChunk) -> bool:
        own = chunk.folder_ids
        return own is None or all(not wanted.isdisjoint(own) for wanted in self.folders)


OUTSIDE_MEMORY = LookedIn()
"""Where a search looks whose scope names no place."""


Seen = dict[str, LiveChunk | None]
"""What ingest has said of points in this search: their chunk, or that it is not live for this caller."""


class Enriched(NamedTuple):
    """Live candidates in their order, how many were asked about, and how many of the live were unwanted.

    `generation` is that of the workspace at the last look, if there was one. `seen` is what was said.
    """

    live: list[Live]
    asked: int
    unwanted: int
    generation: int | None = None
    seen: Seen | None = None


async def enrich(
    ingest: IngestClient,
    caller: Principal,
    candidates: Sequence[Candidate],
    want: int,
    wanted: Callable[[LiveChunk], bool] | None = None,
    *,
    distinct: Callable[[Sequence[Live]], list[Live]] = same_text_once,
    where: LookedIn = OUTSIDE_MEMORY,
    seen: Seen | None = None,
) -> Enriched:
    """Candidates that are live and wanted.

    The first call asks about half as many again as are wanted. Further calls follow only while fewer than
    `want` of the live are left by `distinct`. What does not lie `where` it has to counts as not live. What
    was `seen` in this search is not asked for again. Raises `Unavailable("ingest")` when ingest does not
    answer the second time either.
    """
    found: list[Live] = []
    known: Seen = dict(seen or {})
    unwanted = 0
    generation = None
    start, size = 0, at_first(want)
    if known:
        # After a first look most of the best are known. To ask about a few more costs as much as that look.
        first = next((at for at, one in enumerate(candidates) if one.id not in known), len(candidates))
        size = max(want, first)
    while start < len(candidates) and len(distinct(found)) < want:
        batch = candidates[start : start + min(size, MAX_REFS)]
        unknown = [candidate for candidate in batch if candidate.id not in known]
        if unknown:
            told, generation = await said(ingest, caller, unknown, where)
            known |= told
        live = [Live(one, chunk) for one in batch if (chunk := known[one.id]) is not None]
        kept = live if wanted is None else await _only(live, wanted)
        found += kept
        unwanted += len(live) - len(kept)
        start += len(batch)
        size *= 2
    return Enriched(found, start, unwanted, generation, known)


async def _only(live: list[Live], wanted: Callable[[LiveChunk], bool]) -> list[Live]:
    """Those that are wanted. To read the words of many takes milliseconds that the loop has not."""

    def work() -> list[Live]:
        return [one for one in live if wanted(one.chunk)]

    return work() if len(live) <= _READ_ON_THE_LOOP else await to_thread.run_sync(work)


def at_first(want: int) -> int:
    """How many candidates the first call asks about."""
    return want + max(want // 2, 8)


async def said(
    ingest: IngestClient, caller: Principal, candidates: Sequence[Candidate], where: LookedIn
) -> tuple[Seen, int | None]:
    """What ingest says of the candidates in one call, `MAX_REFS` at most, and the generation."""
    refs = [candidate.ref for candidate in candidates]
    answer = await look_up(ingest, caller, refs, where.memory, folders=bool(where.folders))
    items = [chunk for chunk in answer.items if where.has(chunk)]
    by_ref = {(chunk.document_id, chunk.chunk_id, chunk.text_hash): chunk for chunk in items}
    return {
        one.id: by_ref.get((ref.document_id, ref.chunk_id, ref.text_hash))
        for one, ref in zip(candidates, refs, strict=True)
    }, answer.generation


async def look_up(
    ingest: IngestClient,
    caller: Principal,
    refs: list[ChunkRef],
    memory: bool,
    around: int | None = None,
    *,
    folders: bool = False,
) -> LiveChunks:
    """What ingest says of the chunks, and the generation. Raises Unavailable at the second failure."""
    try:
        return await ingest.lookup_chunks(caller, refs, memory=memory, around=around, folders=folders)
    except Unavailable:
        # A connection that was kept and that the other side has closed fails once; the next one is new.
        await asyncio.sleep(_RETRY_AFTER_S)
        return await ingest.lookup_chunks(caller, refs, memory=memory, around=around, folders=folders)
