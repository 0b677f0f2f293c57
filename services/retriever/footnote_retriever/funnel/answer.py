"""A search as it is answered: from the cache if nothing that it depends on has changed, else anew."""

from collections.abc import Awaitable, Callable
from typing import Any

from footnote_retriever.funnel.enrich import look_up
from footnote_retriever.funnel.expected import expected_document
from footnote_retriever.funnel.look import SearchQuery
from footnote_retriever.funnel.one_search import OneSearch
from footnote_retriever.funnel.resources import SearchResources
from footnote_retriever.funnel.retrieval_cache import RetrievalCache
from footnote_retriever.funnel.weigh import today
from footnote_shared.contracts.search import SearchResult

_FORMAT = 4
"""Raise this when a search is to give another result for the same query, documents and settings."""


async def answer(funnel: SearchResources, query: SearchQuery) -> SearchResult:
    """The result. One that explains something is always made anew, because it tells of one search."""

    async def search() -> SearchResult:
        one = OneSearch(funnel, query)
        result = await one.run()
        if funnel.cache is not None and one.generation is not None:
            funnel.cache.see_generation(query.caller.workspace_id, one.generation)
        if query.expect is None:
            return result
        expected = await expected_document(funnel, query, one.looks, one.fates, result)
        return result.model_copy(update={"expected": expected})

    if funnel.cache is None or query.explain or query.expect is not None:
        return await search()
    if query.caller.session_id is not None:
        # What lies in a session ends at a moment, which raises no generation.
        return await search()
    if funnel.lane.number is None:
        # The first search of a process opens the lane. Until then nobody knows which version it looks into,
        # and a result must not be kept for another one.
        return await search()
    return await _kept_or_made(funnel, funnel.cache, query, search)


async def _kept_or_made(
    funnel: SearchResources,
    cache: RetrievalCache,
    query: SearchQuery,
    search: Callable[[], Awaitable[SearchResult]],
) -> SearchResult:
    """A result under a generation that was read before its search.

    If documents change meanwhile, it is kept under the generation of before, which nobody is given any more.
    That holds for any generation of before. So the one that was seen last need not be asked for again, unless
    there is a result to give that this caller has not searched for.
    """
    workspace_id = query.caller.workspace_id
    depends_on = await _depends_on(funnel, query)
    seen = cache.seen_generation(workspace_id)
    if seen is not None:

        async def holds() -> bool:
            return await _generation(funnel, cache, query) == seen

        result = await cache.result(workspace_id, [seen, *depends_on], search, holds)
        if result is not None:
            return result
    generation = await _generation(funnel, cache, query)
    if generation is None:
        return await search()
    result = await cache.result(workspace_id, [generation, *depends_on], search)
    assert result is not None, "there was no condition"
    return result


async def _generation(funnel: SearchResources, cache: RetrievalCache, query: SearchQuery) -> int | None:
    """The generation as ingest says it now."""
    generation = (await look_up(funnel.ingest, query.caller, [], False)).generation
    if generation is not None:
        cache.see_generation(query.caller.workspace_id, generation)
    return generation


async def _depends_on(funnel: SearchResources, query: SearchQuery) -> list[Any]:
    caller, plan = query.caller, query.plan
    rewritten = "rewrite" in plan.settings.expand
    return [
        _FORMAT,
        caller.workspace_id,
        caller.avatar_id,
        sorted(caller.groups),
        funnel.lane.name,
        (await funnel.model.fingerprint()).digest,
        plan.whole,
        query.text,
        query.scope.model_dump(mode="json") if query.scope is not None else None,
        [message.model_dump() for message in query.history] if rewritten else [],
        today().isoformat() if plan.settings.half_life_days is not None else None,
    ]
