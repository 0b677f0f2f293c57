"""The tools that other people's models may call over MCP: `search`, `read`, `ask` (spec 5.8, 9.4).

Each acts for the caller of its request, with that caller's rights and under the limits of all other ways in.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from footnote_agent.api.asking import begin_turn, ended_turn, events_in
from footnote_agent.api.dependencies import AgentResources
from footnote_agent.api.mcp.arguments import AskArguments, ReadArguments, SearchArguments
from footnote_agent.api.mcp.texts import answer_text, found_text, part_text
from footnote_agent.store.threads import add_thread
from footnote_agent.tools.no_evidence import IS_MEMORY, memory_ids
from footnote_agent.turns.cancel import request_cancel
from footnote_agent.turns.follow import follow
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.memory import is_memory
from footnote_shared.contracts.search import SearchRequest, SearchScope
from footnote_shared.contracts.turns import NewTurn
from footnote_shared.kernel.errors import FootnoteError, InvalidRequest
from footnote_shared.web.resources import EdgeResources

_CHUNKS_OF_A_PART = 20

Tell = Callable[[str], Awaitable[None]]
"""Tells the client what is being done."""


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a call is answered. `failed` tells the model that it has to act otherwise."""

    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything that a call needs, with its caller."""

    edge: EdgeResources
    resources: AgentResources
    caller: Principal


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as it is offered. `work` gets arguments that were checked."""

    name: str
    description: str
    arguments: type[BaseModel]
    changes: bool
    work: Callable[[Desk, Any, Tell], Awaitable[str]]


async def call_tool(desk: Desk, name: str, given: dict[str, Any], tell: Tell) -> ToolReply:
    """Run a call. A wrong one, or one that fails, is answered with a sentence that says why."""
    tool = TOOLS.get(name)
    if tool is None:
        return ToolReply(f"There is no such tool. There are: {', '.join(TOOLS)}.", failed=True)
    if tool.changes and not desk.caller.may("write"):
        return ToolReply(f"`{name}` needs a key with the scope `write`.", failed=True)
    try:
        arguments = tool.arguments.model_validate(given)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5])
        return ToolReply(f"Wrong arguments: {wrong[:1000]}", failed=True)
    try:
        return ToolReply(await tool.work(desk, arguments, tell))
    except FootnoteError as error:
        return ToolReply(error.detail, failed=True)


async def _search(desk: Desk, wanted: SearchArguments, tell: Tell) -> str:
    scope = SearchScope(document_ids=wanted.documents) if wanted.documents is not None else None
    if await memory_ids(desk.resources.ingest, desk.caller, wanted.documents or ()):
        raise InvalidRequest(IS_MEMORY)
    request = SearchRequest(query=wanted.query, scope=scope, settings={"top_k": wanted.top_k})
    return found_text(await desk.resources.retriever.search(desk.caller, request))


async def _read(desk: Desk, wanted: ReadArguments, tell: Tell) -> str:
    ingest = desk.resources.ingest
    document = await ingest.document(desk.caller, wanted.document)
    if is_memory(document.folder):
        raise InvalidRequest(IS_MEMORY)
    page = await ingest.chunks(desk.caller, document.id, limit=_CHUNKS_OF_A_PART, cursor=wanted.cursor)
    return part_text(document, page)


async def _ask(desk: Desk, wanted: AskArguments, tell: Tell) -> str:
    edge, resources, caller = desk.edge, desk.resources, desk.caller
    thread_id = wanted.thread
    if thread_id is None:
        thread_id = await edge.database.write_async(lambda session: add_thread(session, caller, None).id)
    turn = NewTurn(text=wanted.question, stream=False, when_asked="refuse")
    accepted = await begin_turn(edge, resources, caller, thread_id, turn, None)
    try:
        await _tell_progress(desk, accepted.turn_id, tell)
        return answer_text(await ended_turn(edge, resources, caller, accepted.turn_id))
    except asyncio.CancelledError:
        # The client has withdrawn its call or is gone.
        resources.crew.stop(accepted.turn_id)
        await request_cancel(resources.streams, accepted.turn_id)
        raise


async def _tell_progress(desk: Desk, turn_id: str, tell: Tell) -> None:
    resources = desk.resources
    frames = follow(resources.resolver, resources.crew, desk.edge.database, desk.caller, turn_id)
    async with aclosing(frames):
        async for chunk in frames:
            for event in events_in(chunk):
                if event is not None and event["type"] == "progress":
                    await tell(event["data"]["label"])


TOOLS: dict[str, OfferedTool] = {
    tool.name: tool
    for tool in (
        OfferedTool(
            "search",
            "Search the documents of the workspace. Returns the best passages with the ids of their "
            "documents.",
            SearchArguments,
            False,
            _search,
        ),
        OfferedTool(
            "read", "Read a document, part by part, from its beginning.", ReadArguments, False, _read
        ),
        OfferedTool(
            "ask",
            "Ask a question of the documents. Returns an answer in which every claim carries the number of "
            "its source, with the list of sources.",
            AskArguments,
            True,
            _ask,
        ),
    )
}
