"""From a question to numbered passages: the retriever finds them, the resolver numbers and renders them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.context.mentions import scopes_of
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.clients.retriever import RetrieverClient
from footnote_shared.contracts.evidence import (
    CitableType,
    Display,
    EvidenceItem,
    RegisterRequest,
    RegisterResult,
)
from footnote_shared.contracts.search import Passage, SearchRequest, SearchResult, SearchScope
from footnote_shared.contracts.turns import Mention
from footnote_shared.kernel.errors import NoAnswer, Unavailable
from footnote_shared.kernel.neutralise import one_line

Answer = TypeVar("Answer")

_PAUSES_S = (0.2, 0.6, 1.5)
_TITLE_CHARS = 80


@dataclass(frozen=True, slots=True)
class Found:
    """Passages by rank, and what the search says about them.

    `missing`: words of the query that no passage has, where the evidence is insufficient.
    """

    passages: list[Passage]
    sufficient: bool
    degraded: list[str]
    retrieval_ids: list[str]
    missing: list[str] = field(default_factory=list)


class EvidenceSearch:
    """The two neighbours that an engine gets its evidence from."""

    def __init__(self, retriever: RetrieverClient, resolver: ResolverClient) -> None:
        self._retriever = retriever
        self._resolver = resolver

    async def find(
        self,
        turn: AskedTurn,
        query: str,
        within: Sequence[Mention] | None = None,
        settings: Mapping[str, Any] | None = None,
        *,
        memory: bool = False,
    ) -> Found:
        """Search within what is mentioned, or `within` other bounds. Raises what the retriever raises.

        `settings` of this search stand over those of the turn. What it finds is evidence, or, with `memory`,
        what was remembered, which is not to be numbered.
        """
        session = None if memory else turn.caller.session_id
        scopes = scopes_of(turn.mentions if within is None else within, session)
        if memory:
            scopes = [(one or SearchScope()).model_copy(update={"memory": True}) for one in scopes]
        asked = {**turn.search_settings, **(settings or {})}
        results = await asyncio.gather(*(self._search(turn, query, scope, asked) for scope in scopes))
        passages = merge([result.passages for result in results])
        return Found(
            passages[: results[0].settings.top_k],
            any(result.sufficient for result in results),
            list(dict.fromkeys(part for result in results for part in result.degraded)),
            [result.retrieval_id for result in results],
            missing_of(results),
        )

    async def _search(
        self, turn: AskedTurn, query: str, scope: SearchScope | None, settings: dict[str, Any]
    ) -> SearchResult:
        request = SearchRequest(query=query, scope=scope, preset=turn.preset, settings=settings or None)
        return await _patiently(lambda: self._retriever.search(turn.caller, request))

    async def number(self, turn: AskedTurn, passages: Sequence[Passage]) -> RegisterResult:
        """The numbers of the passages, in their order, and the text for a model. Pass only what is shown."""
        request = RegisterRequest(
            items=[item_of(passage, turn.caller.session_id) for passage in passages],
            view="excerpt",
            wrap="retrieved_context",
            turn_id=turn.turn_id,
        )
        return await _patiently(lambda: self._resolver.register(turn.caller, turn.thread_id, request))


def unit_of(document_id: str, chunk_id: str, session_id: str | None) -> tuple[CitableType, dict[str, str]]:
    """What kind of unit a chunk is, and where it lies. Everyone who shows it asks here: it has one number."""
    place = {"document_id": document_id, "chunk_id": chunk_id}
    return ("kb_chunk", place) if session_id is None else ("anon_chunk", {"session_id": session_id, **place})


def item_of(passage: Passage, session_id: str | None) -> EvidenceItem:
    """A passage as the unit that a citation names, found by a caller who is in this session, or in none."""
    of = session_id if passage.source_type == "anonymous" else None
    citable, locator = unit_of(passage.document_id, passage.chunk_id, of)
    return EvidenceItem(
        source_type=citable,
        locator=locator,
        display=Display(
            title=passage.title,
            source=passage.source,
            url=web_address(passage.url),
            date=passage.created_at,
            heading_path=passage.heading_path,
            page_start=passage.page_start,
            page_end=passage.page_end,
            kind=passage.kind,
        ),
        text=passage.text,
        span=(passage.char_start, passage.char_end),
        source_version=passage.version,
    )


def web_address(url: str | None) -> str | None:
    """The address if a client may open it. A document whose own is of another kind is cited without."""
    return url if url is not None and url.lower().startswith(("http://", "https://")) else None


def missing_of(results: Sequence[SearchResult]) -> list[str]:
    """The words that are missing in each of the results. Where one suffices, none is."""
    first = results[0].missing
    return [word for word in first if all(word in result.missing for result in results)]


def weakness(found: Found | SearchResult) -> str:
    """What a model is told of evidence that is insufficient; empty where it suffices."""
    if found.sufficient:
        return ""
    missing = f" None of them has: {one_line(', '.join(found.missing))}." if found.missing else ""
    return f"None of these passages fits the query well.{missing}"


def merge(lists: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Ranked lists as one, from each in turn. A chunk that is in several lists keeps its best rank."""
    merged: dict[tuple[str, str], Passage] = {}
    for rank in range(max((len(passages) for passages in lists), default=0)):
        for passages in lists:
            if rank < len(passages):
                passage = passages[rank]
                merged.setdefault((passage.document_id, passage.chunk_id), passage)
    return list(merged.values())


def reading_order(passages: Sequence[Passage]) -> list[Passage]:
    """Passages in reading order: documents by their best passage, passages as they stand in them."""
    rank: dict[str, int] = {}
    for passage in passages:
        rank.setdefault(passage.document_id, len(rank))
    return sorted(
        passages, key=lambda passage: (rank[passage.document_id], passage.char_start, passage.chunk_id)
    )


def titles_of(passages: Sequence[Passage], count: int) -> list[str]:
    """The titles of the best documents, each fit for a line of Markdown."""
    titles = dict.fromkeys(_shortened(passage.title.replace("*", " ").split()) for passage in passages)
    return [title for title in titles if title][:count]


def _shortened(words: Sequence[str]) -> str:
    """The words as one line, cut behind a word where it grows too long."""
    line = " ".join(words)
    if len(line) <= _TITLE_CHARS:
        return line
    cut = line[: _TITLE_CHARS - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"


async def _patiently(call: Callable[[], Awaitable[Answer]]) -> Answer:
    """Call, and call again after a pause when a neighbour is away for a moment, as in a rolling upgrade."""
    for pause in _PAUSES_S:
        try:
            return await call()
        except NoAnswer:
            raise
        except Unavailable:
            await asyncio.sleep(pause)
    return await call()
