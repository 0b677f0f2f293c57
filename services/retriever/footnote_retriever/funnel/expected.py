"""Why a document is not found: what the search did with it, step by step (`expect`).

It says nothing of a document that the caller may not see, not even that it is there.
"""

import asyncio
from typing import NamedTuple

from footnote_retriever.funnel.enrich import look_up
from footnote_retriever.funnel.fates import Fates
from footnote_retriever.funnel.resources import SearchResources
from footnote_retriever.funnel.search import Population
from footnote_shared.contracts.documents import ChunkRef, Document
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.memory import is_memory
from footnote_shared.contracts.search import ExpectedDocument, SearchResult, SearchScope
from footnote_shared.kernel.errors import NoAnswer
from footnote_shared.vectors.filters import All, Filter
from footnote_shared.vectors.protocol import HybridQuery
from footnote_shared.vectors.visibility import visible_to, within


async def expected_document(
    funnel: SearchResources,
    caller: Principal,
    document_id: str,
    query: str,
    population: Population,
    fates: Fates,
    result: SearchResult,
) -> ExpectedDocument:
    """What became of the document. Raises Unavailable where ingest or the index does not answer."""
    known = await funnel.ingest.documents_of(caller, [document_id])
    if not known:
        return ExpectedDocument(
            document_id=document_id,
            outcome="not_visible",
            detail="There is no such document that you may see.",
        )
    document = known[0]
    for rank, passage in enumerate(result.passages, 1):
        if passage.document_id == document_id:
            return ExpectedDocument(
                document_id=document_id,
                outcome="found",
                rank=rank,
                similarity=passage.similarity,
                detail=f"Its best passage is number {rank} of the result.",
            )
    if document.live_version is None:
        return ExpectedDocument(
            document_id=document_id,
            outcome="not_indexed",
            detail=f"No version of it can be searched yet. Its status is {document.status}.",
        )
    left = fates.of_document(document_id)
    if left:
        rank = left[0].ranks.fused
        return ExpectedDocument(
            document_id=document_id,
            outcome="dropped",
            step=left[0].left_at,
            why=left[0].why,
            rank=rank,
            similarity=left[0].similarity,
            detail=f"It was a candidate with fused rank {rank}, and left at {left[0].left_at}.",
        )
    at = next((at for at, one in enumerate(fates.candidates) if one.ref.document_id == document_id), None)
    if at is not None:
        return _confirmed_by_nobody(document_id, at + 1, fates)
    return await _no_candidate(funnel, caller, document, query, population, fates)


def _confirmed_by_nobody(document_id: str, rank: int, fates: Fates) -> ExpectedDocument:
    """The best of its candidates was not looked up, or ingest did not confirm what it says."""
    if rank > fates.asked:
        said = f"It has fused rank {rank}, and enough came before it: {fates.asked} were looked up."
        return ExpectedDocument(document_id=document_id, outcome="not_reached", rank=rank, detail=said)
    said = (
        "Its passages do not have the words that the query asks for, or have those that it leaves out; or "
        "they are of a version that has been replaced since."
    )
    return ExpectedDocument(document_id=document_id, outcome="dropped", step="enrich", rank=rank, detail=said)


async def _no_candidate(
    funnel: SearchResources,
    caller: Principal,
    document: Document,
    query: str,
    population: Population,
    fates: Fates,
) -> ExpectedDocument:
    """No leg brought it: because the scope leaves it out, because others are nearer, or it has no points."""
    only = SearchScope(document_ids=[document.id])
    similarity = await _nearest(funnel, caller, query, All((population.visible, *within(only))), population)
    if similarity is not None:
        said = f"It is inside the scope, and {len(fates.candidates)} other passages are nearer to the query."
        return ExpectedDocument(
            document_id=document.id,
            outcome="no_candidate",
            step="search",
            similarity=similarity.value,
            detail=said,
        )
    anywhere = await _nearest(funnel, caller, query, visible_to(caller, only), population)
    if anywhere is not None or is_memory(document.folder):
        said = "The scope leaves it out: that of the request, or what the query names."
        return ExpectedDocument(document_id=document.id, outcome="outside_scope", step="search", detail=said)
    said = "The index has no passage of it yet, or it has no text."
    return ExpectedDocument(document_id=document.id, outcome="not_indexed", detail=said)


class _Nearest(NamedTuple):
    """A live passage was found, with this cosine where that is known."""

    value: float | None


async def _nearest(
    funnel: SearchResources, caller: Principal, query: str, wanted: Filter, population: Population
) -> _Nearest | None:
    """The nearest live passage within a filter that holds what the caller may see."""
    vectors, _ = await funnel.model.vectors(caller, query)
    asked = HybridQuery(vectors.dense, None, 1, wanted, population.corpus)
    try:
        async with asyncio.timeout(funnel.limits.search_s):
            hits = await funnel.lane.index.search(funnel.lane.name, asked)
    except TimeoutError as error:
        raise NoAnswer("qdrant", "The vector store did not answer in time.") from error
    for hit in hits.dense:
        of = hit.payload
        ref = ChunkRef(document_id=of.document_id, chunk_id=of.chunk_id, text_hash=of.text_hash)
        if (await look_up(funnel.ingest, caller, [ref], False)).items:
            return _Nearest(hit.score)
    return None
