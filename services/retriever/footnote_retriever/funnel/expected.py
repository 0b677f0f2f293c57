"""Why a document is not found: what the search did with it, step by step (`expect`).

It says nothing of a document that the caller may not see, not even that it is there.
"""

import asyncio
from collections.abc import Iterator
from typing import NamedTuple

from footnote_retriever.funnel.enrich import look_up
from footnote_retriever.funnel.fates import Fates
from footnote_retriever.funnel.look import IndexLooks, SearchQuery
from footnote_retriever.funnel.resources import SearchResources
from footnote_shared.contracts.documents import ChunkRef, Document
from footnote_shared.contracts.memory import MEMORY_FOLDER, is_memory
from footnote_shared.contracts.search import ExpectedDocument, SearchResult, SearchScope
from footnote_shared.kernel.errors import NoAnswer
from footnote_shared.vectors.filters import All, Any, Filter
from footnote_shared.vectors.protocol import HybridQuery
from footnote_shared.vectors.visibility import visible_to, within

_PARTS = (
    (("document_ids",), "title:"),
    (("folder_ids",), "folder:"),
    (("source_types", "document_types"), "type:"),
    (("created_from",), "after:"),
    (("created_to",), "before:"),
    (("connector_ids",), ""),
    (("kinds",), ""),
)
"""Fields of a scope that leave something out, and the operator by which a query names them."""


async def expected_document(
    funnel: SearchResources, query: SearchQuery, looks: IndexLooks, fates: Fates, result: SearchResult
) -> ExpectedDocument:
    """What became of the document. Raises Unavailable where ingest or the index does not answer."""
    document_id = query.expect or ""
    known = await funnel.ingest.documents_of(query.caller, [document_id])
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
        return _not_live(document)
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
    return await _Unseen(funnel, query, looks, fates, document).told()


def _not_live(document: Document) -> ExpectedDocument:
    said = f"No version of it can be searched yet. Its status is {document.status}"
    said += f": {document.error.reason}" if document.error is not None else "."
    return ExpectedDocument(document_id=document.id, outcome="not_indexed", detail=said)


class _Nearest(NamedTuple):
    """A live passage was found, with this cosine where that is known."""

    value: float | None


class _Unseen:
    """A document with a live version, of which the search has confirmed no passage."""

    def __init__(
        self,
        funnel: SearchResources,
        query: SearchQuery,
        looks: IndexLooks,
        fates: Fates,
        document: Document,
    ) -> None:
        self._funnel = funnel
        self._query = query
        self._looks = looks
        self._fates = fates
        self._document = document
        self._only = SearchScope(document_ids=[document.id], memory=looks.in_memory or None)
        self._session = None if query.scope is None else query.scope.session_id

    async def told(self) -> ExpectedDocument:
        if is_memory(self._document.folder) != self._looks.in_memory:
            return await self._outside()
        candidates = self._fates.candidates
        own = [at for at, one in enumerate(candidates) if one.ref.document_id == self._document.id]
        if not own:
            return await self._no_candidate()
        rank = own[0] + 1
        if rank > self._fates.asked:
            said = f"It has fused rank {rank}, and enough came before it: {self._fates.asked} were looked up."
            return ExpectedDocument(
                document_id=self._document.id, outcome="not_reached", rank=rank, detail=said
            )
        said = await self._why_not_confirmed(candidates[own[0]].ref)
        return ExpectedDocument(
            document_id=self._document.id, outcome="dropped", step="enrich", rank=rank, detail=said
        )

    async def _why_not_confirmed(self, ref: ChunkRef) -> str:
        """The best of its candidates was looked up, and was not live or had other words."""
        where = self._looks.where
        now = await look_up(
            self._funnel.ingest, self._query.caller, [ref], where.memory, folders=bool(where.folders)
        )
        for chunk in now.items:
            if not where.has(chunk):
                return "It was moved out of the folder that is searched, and the index does not know it yet."
            against = self._looks.wording.against(chunk)
            if against is not None:
                return f"Its best passages {against}."
        return "The index has a version of it that has been replaced since."

    async def _no_candidate(self) -> ExpectedDocument:
        """No leg brought it: the scope leaves it out, others are nearer, or it has no points."""
        similarity = await self._nearest(All((self._looks.population.visible, *within(self._only))))
        if similarity is not None:
            count = len(self._fates.candidates)
            return ExpectedDocument(
                document_id=self._document.id,
                outcome="no_candidate",
                step="search",
                similarity=similarity.value,
                detail=f"It is inside the scope, and {count} other passages are nearer to the query.",
            )
        if await self._nearest(self._anywhere) is not None:
            return await self._outside()
        said = "The index has no passage of it yet, or it has no text."
        return ExpectedDocument(document_id=self._document.id, outcome="not_indexed", detail=said)

    async def _outside(self) -> ExpectedDocument:
        said = await self._left_out_by()
        return ExpectedDocument(
            document_id=self._document.id, outcome="outside_scope", step="search", detail=said
        )

    async def _left_out_by(self) -> str:
        """Which part of which scope leaves it out."""
        if is_memory(self._document.folder) != self._looks.in_memory:
            kind = "is" if is_memory(self._document.folder) else "is not"
            where = "nothing but memory" if self._looks.in_memory else "everything but memory"
            return f"It {kind} memory, the folder {MEMORY_FOLDER}, and this search looks in {where}."
        asked, named = self._looks.scopes
        if self._session is not None and await self._nearest(self._in_session) is None:
            return "The scope of the request holds what was uploaded into a session, and nothing else."
        by_request = [name for name, part in _parts(asked) if await self._is_left_out_by(part)]
        by_query = [name for name, part in _parts(named, named=True) if await self._is_left_out_by(part)]
        said = []
        if by_request:
            said.append(f"The scope of the request leaves it out: {', '.join(by_request)}.")
        if by_query:
            said.append(f"What the query names leaves it out: {', '.join(by_query)}.")
        return " ".join(said) or "The scope leaves it out."

    async def _is_left_out_by(self, part: SearchScope) -> bool:
        return await self._nearest(All((self._anywhere, *within(part)))) is None

    @property
    def _in_session(self) -> Filter:
        """The document, where it lies in the session of the search or that names none."""
        return visible_to(self._query.caller, self._only.model_copy(update={"session_id": self._session}))

    @property
    def _anywhere(self) -> Filter:
        """The document, in the session of the search or outside of it."""
        return Any((self._in_session, visible_to(self._query.caller, self._only)))

    async def _nearest(self, wanted: Filter) -> _Nearest | None:
        """The nearest live passage within a filter that holds what the caller may see."""
        funnel, caller = self._funnel, self._query.caller
        vectors, _ = await funnel.model.vectors(caller, self._query.text)
        asked = HybridQuery(vectors.dense, None, 1, wanted, self._looks.population.corpus)
        try:
            async with asyncio.timeout(funnel.limits.search_s):
                hits = await funnel.lane.index.search(funnel.lane.name, asked)
        except TimeoutError as error:
            raise NoAnswer("qdrant", "The vector store did not answer in time.") from error
        for hit in hits.dense:
            if (await look_up(funnel.ingest, caller, [hit.ref], self._looks.in_memory)).items:
                return _Nearest(hit.score)
        return None


def _parts(scope: SearchScope | None, *, named: bool = False) -> Iterator[tuple[str, SearchScope]]:
    """Each part of a scope by itself, with its name: the operator of the query, or fields of the request."""
    for fields, operator in _PARTS:
        own = {name: getattr(scope, name, None) for name in fields}
        given = {name: value for name, value in own.items() if value is not None}
        if given:
            yield operator if named else ", ".join(given), SearchScope(**given)
