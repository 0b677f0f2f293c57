"""Shared answers: their text for the whole workspace, their sources by the rights of each reader."""

from typing import Annotated

from fastapi import APIRouter, Path

from footnote_agent.api.dependencies import AgentResources, Resources
from footnote_agent.contracts.shared_messages import SharedMessage, Sharing
from footnote_agent.store.shared_messages import find_shared, set_shared
from footnote_agent.store.threads import message_view
from footnote_agent.turns.shared_answers import as_shared, without_foreign_sources
from footnote_agent.turns.shown_messages import as_readable
from footnote_shared.contracts.citations import HIGHEST_NUMBER, Pill
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import ThreadMessage
from footnote_shared.db.engine import ReadSession
from footnote_shared.kernel.errors import NotFound
from footnote_shared.web.dependencies import Edge, Reader, Writer

router = APIRouter(prefix="/v1", tags=["threads"])


@router.post(
    "/threads/{thread_id}/messages/{message_id}:share",
    response_model_exclude_none=True,
    summary="Share an answer with the workspace, or take it back",
)
async def share_message(
    thread_id: str,
    message_id: str,
    edge: Edge,
    resources: Resources,
    caller: Writer,
    body: Sharing | None = None,
) -> ThreadMessage:
    """Who has its address reads the answer and its question, and nothing else of the conversation."""
    wanted = (body or Sharing()).shared
    message = await edge.database.write_async(
        lambda session: message_view(set_shared(session, caller, thread_id, message_id, wanted))
    )
    (shown,) = await as_readable(resources.resolver, caller, thread_id, [message])
    return shown


@router.get("/shared/{message_id}", response_model_exclude_none=True, summary="An answer that was shared")
async def get_shared(message_id: str, edge: Edge, resources: Resources, caller: Reader) -> SharedMessage:
    """Of a source that the caller may not see at this moment, an entry holds nothing but a `status`."""

    def work(session: ReadSession) -> tuple[ThreadMessage, str, str]:
        row, question = find_shared(session, caller, message_id)
        return message_view(row), question, row.avatar_id

    message, question, owner = await edge.database.read_async(work)
    shown = await _as_shown(resources, caller, owner, message)
    mine = owner == caller.avatar_id
    return SharedMessage(
        question=question,
        message=as_shared(shown),
        mine=mine,
        thread_id=message.thread_id if mine else None,
    )


@router.get(
    "/shared/{message_id}/citations/{n}",
    response_model_exclude_none=True,
    summary="What a reader gets who opens a citation of a shared answer",
)
async def get_shared_citation(
    message_id: str,
    edge: Edge,
    resources: Resources,
    caller: Reader,
    n: Annotated[int, Path(ge=1, le=HIGHEST_NUMBER)],
) -> Pill:
    """As the answer was shown it. Numbers of the conversation that the answer does not name are not there."""

    def work(session: ReadSession) -> tuple[ThreadMessage, str]:
        row, _ = find_shared(session, caller, message_id)
        return message_view(row), row.avatar_id

    message, owner = await edge.database.read_async(work)
    entry = next((one for one in message.citations if one.n == n), None)
    if entry is None:
        raise NotFound
    alone = message.model_copy(update={"citations": [entry]})
    (shown,) = (await _as_shown(resources, caller, owner, alone)).citations
    if shown.status is not None:
        return Pill(n=n, status=shown.status)
    pill = await resources.resolver.pill(caller, message.thread_id, n, message.turn_id, owner=owner)
    # A pill that shows its source shows it by the names that the entry has for this reader.
    names = {} if pill.display is None else {"display": shown.display}
    return pill.model_copy(update={"first_turn_id": None, **names})


async def _as_shown(
    resources: AgentResources, caller: Principal, owner: str, message: ThreadMessage
) -> ThreadMessage:
    """The answer as the caller may read it, whose it is or not."""
    (shown,) = await as_readable(resources.resolver, caller, message.thread_id, [message], owner=owner)
    if owner == caller.avatar_id:
        return shown
    return await without_foreign_sources(resources.ingest, caller, shown)
