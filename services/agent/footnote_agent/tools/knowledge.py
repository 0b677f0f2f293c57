"""Searching the knowledge base, and reading again what was shown before (spec 5.5)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from footnote_agent.context.handles import HandleTarget
from footnote_agent.context.plain_name import plain_name
from footnote_agent.tools.being_read import not_found_yet
from footnote_agent.tools.evidence_search import Found, item_of, reading_order, weakness
from footnote_agent.tools.no_evidence import IS_MEMORY, memory_ids, memory_mentions
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext, ToolFailed
from footnote_shared.contracts.evidence import EvidenceItem
from footnote_shared.contracts.search import Passage
from footnote_shared.contracts.turns import Mention
from footnote_shared.kernel.counted import counted

_NAMED_AT_MOST = 10


async def search_knowledge_base(
    context: ToolContext,
    query: Annotated[str, Field(min_length=1, max_length=2000, description="What to look for, in words.")],
    scope: Annotated[
        list[str] | None,
        Field(
            max_length=50,
            description="Handles of documents, folders or connectors to search within, such as D1. "
            "Absent: everywhere.",
        ),
    ] = None,
) -> ToolAnswer:
    """Search the user's documents. Returns the best passages with their numbers, and handles of their
    documents."""
    within = [
        Mention.model_validate({"type": target.kind, "id": target.id})
        for target in [
            await context.target(handle, "document", "folder", "connector") for handle in scope or ()
        ]
    ]
    if memory := await memory_mentions(context.resources.ingest, context.turn.caller, within):
        handles = ", ".join((scope or [])[at] for at in memory)
        raise ToolFailed(f"{plain_name(handles)}: {IS_MEMORY} Use recall for it.")
    missing = await not_found_yet(context)
    found = await context.resources.evidence.find(context.turn, query, within)
    shown = await show_found(context, found, bool(within))
    return replace(shown, text=shown.text + missing)


async def show_found(context: ToolContext, found: Found, within: bool) -> ToolAnswer:
    """What a search has found, `within` a scope or everywhere, as numbered passages."""
    if not found.passages:
        where = "in this scope" if within else "in the user's documents"
        return ToolAnswer(
            f"No passage was found {where}. Try other words, or a wider scope.",
            "nothing found",
            retrieval_ids=tuple(found.retrieval_ids),
        )
    ordered = reading_order(found.passages)
    items = [item_of(passage, context.turn.caller.session_id) for passage in ordered]
    shown, handles = await asyncio.gather(
        context.show(items, "excerpt", "retrieved_context"), _handles_line(context, ordered)
    )
    weak = f"\n{said}" if (said := weakness(found)) else ""
    documents = len({passage.document_id for passage in ordered})
    return ToolAnswer(
        f"{shown.text}\n{handles}{weak}",
        f"{counted(len(ordered), 'passage')} from {counted(documents, 'document')}",
        shown.shown,
        tuple(found.retrieval_ids),
    )


async def read_passages(
    context: ToolContext,
    numbers: Annotated[
        list[Annotated[int, Field(ge=1)]],
        Field(min_length=1, max_length=30, description="Numbers of passages that were shown before."),
    ],
) -> ToolAnswer:
    """Show passages again that were shown earlier in this conversation, under the same numbers."""
    return await show_again(context, numbers)


async def show_again(context: ToolContext, numbers: Sequence[int]) -> ToolAnswer:
    """Passages of the conversation under their numbers, as they were shown last.

    Where a file was edited meanwhile, a claim must not be held against what stood there before. Raises
    ToolFailed where none of them can be shown.
    """
    turn = context.turn
    wanted = list(dict.fromkeys(numbers))
    entries = await context.resources.resolver.citations(turn.caller, turn.thread_id, wanted, shown_last=True)
    # A document that was cited may have become memory since.
    memory = await memory_ids(
        context.resources.ingest, turn.caller, (entry.locator.get("document_id", "") for entry in entries)
    )
    items = [
        EvidenceItem(
            source_type=entry.source_type,
            locator=entry.locator,
            display=entry.display,
            text=entry.quote,
            span=entry.span,
            source_version=entry.source_version,
        )
        for entry in entries
        if entry.status is None and entry.quote.strip() and entry.locator.get("document_id") not in memory
    ]
    if not items:
        raise ToolFailed("None of these numbers stands for a passage that can be shown. Search instead.")
    shown = await context.show(items, "excerpt", "retrieved_context")
    missing = len(wanted) - len(items)
    note = f"\n{missing} of the numbers stand for nothing that can be shown." if missing else ""
    return ToolAnswer(shown.text + note, counted(len(items), "passage"), shown.shown)


async def _handles_line(context: ToolContext, passages: list[Passage]) -> str:
    """Which handle each of the documents has, best first."""
    titles = dict[str, str]()
    for passage in passages:
        titles.setdefault(passage.document_id, passage.title)
    targets = [HandleTarget("document", key, title) for key, title in titles.items()][:_NAMED_AT_MOST]
    handles = await context.name(targets)
    named = (f"{handle} = {plain_name(target.name)}" for handle, target in zip(handles, targets, strict=True))
    return f"Handles: {'; '.join(named)}"
