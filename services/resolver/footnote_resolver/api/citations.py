"""Citations: register with rendering in one round trip, list, and what a pill gets."""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import Response
from pydantic import Field

from footnote_resolver.api.dependencies import ConversationId, ResolverResources, Resources, known_form
from footnote_resolver.evidence.envelope import Numbered, render
from footnote_resolver.pills.withheld import as_readable
from footnote_resolver.registry.register import register, units_of
from footnote_resolver.store.conversations import issued_numbers
from footnote_resolver.store.entries import entries_of, registered_moments
from footnote_shared.clients.in_process import DirectCallOf
from footnote_shared.clients.resolver import CITATIONS
from footnote_shared.contracts.citations import (
    HIGHEST_NUMBER,
    MOST_NUMBERS,
    CitationEntries,
    CitationEntry,
    Pill,
)
from footnote_shared.contracts.evidence import EvidenceItem, RegisterRequest, RegisterResult
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import NotFound
from footnote_shared.telemetry import metrics
from footnote_shared.web.body_limits import LARGE_BODY, body_limit
from footnote_shared.web.dependencies import FromNeighbour, Reader, Writer, require
from footnote_shared.web.paging import MAX_LIMIT, Cursor, cut_page, key_of
from footnote_shared.web.problems import valid_body

router = APIRouter(prefix=CITATIONS, tags=["citations"])

_ON_THE_LOOP_CHARS, _WITH_PLACES_CHARS = 8_000, 16_000
"""Evidence up to this many characters, and as many with what tells its places (titles, headings, addresses),
is read and rendered on the event loop, in a third of a millisecond. To hand it to a thread and back takes as
long.
"""

Numbers = Annotated[
    list[Annotated[int, Field(ge=1, le=HIGHEST_NUMBER)]] | None,
    Query(max_length=MOST_NUMBERS, description="These numbers alone"),
]


async def _holder(
    caller: Reader,
    from_neighbour: FromNeighbour,
    owner: Annotated[str | None, Query(max_length=200, include_in_schema=False)] = None,
) -> Principal:
    """Whose conversation is read. Of its sources the caller is shown what the caller may see.

    `owner` is the avatar that has shared a message of it. The agent alone may say so.
    """
    if owner is None:
        return caller
    if not from_neighbour:
        raise NotFound
    return caller.model_copy(update={"avatar_id": owner})


Holder = Annotated[Principal, Depends(_holder)]


@router.post("", summary="Number passages and render them for a model")
@body_limit(LARGE_BODY)
async def post_citations(
    conversation_id: ConversationId, request: RegisterRequest, caller: Writer, resources: Resources
) -> RegisterResult:
    return await _numbered(resources, caller, conversation_id, request)


def direct_citations(resources: ResolverResources) -> DirectCallOf:
    """The same for a service of this process, which has the caller from its own door."""

    async def answer(conversation_id: str, caller: Principal, body: bytes) -> bytes:
        require(caller, "write")
        known = known_form(conversation_id)
        asked = valid_body(RegisterRequest, body)
        return (await _numbered(resources, caller, known, asked)).model_dump_json().encode()

    return answer


async def _numbered(
    resources: ResolverResources, caller: Principal, conversation_id: str, request: RegisterRequest
) -> RegisterResult:
    started = time.perf_counter()
    short = _is_short(request.items)
    units = units_of(request.items) if short else await to_thread.run_sync(units_of, request.items)

    def work(session: WriteSession) -> list[int]:
        return register(session, caller, conversation_id, units, turn_id=request.turn_id, agent=request.agent)

    numbers = await resources.database.write_together_async(work)
    numbered = [Numbered(n, item) for n, item in zip(numbers, request.items, strict=True)]
    asked = numbered, request.view, request.wrap
    rendered = render(*asked) if short else await to_thread.run_sync(render, *asked)
    metrics.REGISTER_SECONDS.observe(time.perf_counter() - started)
    return RegisterResult(numbers=numbers, rendered=rendered)


def _is_short(items: Sequence[EvidenceItem]) -> bool:
    """Whether these are worked on at once. Their titles and headings are, too, and may be long or many."""
    if sum(len(item.text) for item in items) > _ON_THE_LOOP_CHARS:
        return False
    return sum(len(item.model_dump_json()) for item in items) <= _WITH_PLACES_CHARS


@router.get("", response_model_exclude_none=True, summary="The entries of a conversation, by number")
async def get_citations(
    conversation_id: ConversationId,
    caller: Reader,
    holder: Holder,
    resources: Resources,
    limit: int | None = Query(
        None, ge=1, le=MAX_LIMIT, description="Entries of one page; all of them when absent"
    ),
    cursor: Cursor = None,
    n: Numbers = None,
    shown_last: bool = Query(False, description="Give quotes as they were shown last, and not first"),
) -> CitationEntries:
    """Of a source that the caller may not see at this moment, an entry holds nothing but a `status`."""
    after = key_of(cursor, int) or 0

    def work(session: ReadSession) -> tuple[list[CitationEntry], dict[int, datetime]]:
        issued_numbers(session, holder, conversation_id)
        most = None if limit is None else limit + 1
        found = entries_of(
            session,
            conversation_id,
            numbers=n,
            after=after,
            limit=most,
            shown_last=shown_last,
            workspace_id=caller.workspace_id,
        )
        return found, registered_moments(session, conversation_id, [entry.n for entry in found])

    found, moments = await resources.database.read_async(work)
    page, next_cursor = cut_page(found, len(found) if limit is None else limit, lambda entry: (entry.n,))
    hidden = await resources.rights.hidden(page, moments, caller)
    return CitationEntries(items=as_readable(page, hidden), next_cursor=next_cursor)


@router.get("/{n}", response_model=Pill, summary="What a reader gets who opens the citation")
async def get_citation(
    conversation_id: ConversationId,
    caller: Reader,
    holder: Holder,
    resources: Resources,
    n: int = Path(ge=1, le=HIGHEST_NUMBER),
    turn_id: str | None = Query(None, max_length=200, description="Give the quote as this turn was shown it"),
) -> Response:
    """The answer does not depend on the service that knows the source.

    While that is away, the status is `unknown`, `degraded` names the service, and nothing of a document is
    shown.
    """

    def work(session: ReadSession) -> tuple[CitationEntry, datetime]:
        issued_numbers(session, holder, conversation_id)
        found = entries_of(
            session, conversation_id, numbers=[n], as_of_turn=turn_id, workspace_id=caller.workspace_id
        )
        if not found:
            raise NotFound
        return found[0], registered_moments(session, conversation_id, [n])[n]

    entry, shown_at = await resources.database.read_async(work)
    pill = await resources.sources.pill(entry, shown_at, caller)
    return Response(pill.model_dump_json(exclude_none=True), media_type="application/json")
