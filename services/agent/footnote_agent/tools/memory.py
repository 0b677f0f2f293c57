"""What is remembered across conversations: documents of one folder, with where each comes from (spec 5.5).

So a person reads, edits and deletes a memory like any document. A model writes for its user alone, because
what it read could have told it to; a person who wants the workspace to know makes that document visible.
"""

from typing import Annotated

from pydantic import Field

from footnote_agent.context.handles import HandleTarget
from footnote_agent.context.plain_name import plain_name, plain_text
from footnote_agent.tools.being_read import searchable
from footnote_agent.tools.recalled_facts import HINTS, facts_about
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext, ToolFailed
from footnote_agent.tools.writing import write_document
from footnote_shared.contracts.documents import ENDED, TextDocument
from footnote_shared.contracts.memory import MEMORY_FOLDER
from footnote_shared.contracts.turns import Mention
from footnote_shared.kernel.counted import counted
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.kernel.without_numbers import without_numbers
from footnote_shared.telemetry import metrics

_NOTED_AT_MOST = 20
_SEARCHED_AT_MOST = 100
_TOLD = {"top_k": 8, "context_tokens": 1500}
_TEXT_CHARS = 1000
_TITLE_CHARS = 100
_PENDING_AT_MOST = 10


async def update_memory(
    context: ToolContext,
    text: Annotated[
        str,
        Field(
            min_length=1, max_length=_TEXT_CHARS, description="One thing to remember, in a sentence or two."
        ),
    ],
) -> ToolAnswer:
    """Remember something about the user or the work for later conversations, when the user asks for it."""
    kept = without_numbers(text).strip()
    if not kept:
        raise ToolFailed("There is nothing to remember. Write what it is to say.")
    title = plain_name(kept)[:_TITLE_CHARS]
    document = await write_document(
        context,
        TextDocument(
            title=title, text=kept, folder=MEMORY_FOLDER, mime="text/markdown", visibility="private"
        ),
    )
    document = await searchable(context, document)
    (handle,) = await context.name([HandleTarget("document", document.id, title)])
    found = "" if document.status == "indexed" else " It is not searchable yet; recall shows how it begins."
    return ToolAnswer(f"Remembered as {handle}. The user finds it in {MEMORY_FOLDER}.{found}", title)


async def recall(
    context: ToolContext,
    query: Annotated[str, Field(min_length=1, max_length=1000, description="What to remember, in words.")],
    about: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=200,
            description="A name: what documents state about this person, organisation, place or thing.",
        ),
    ] = None,
) -> ToolAnswer:
    """Look up what was remembered in earlier conversations, and facts about a name. It is no evidence and has
    no numbers."""
    remembered, retrieval_ids = await _remembered(context, query)
    lines = remembered or ["Nothing about that is remembered."]
    summary = counted(len(remembered), "memory", "memories")
    if about is not None:
        facts = await facts_about(context, about)
        lines += [HINTS, *facts] if facts else [f"No facts are known about {plain_name(about)}."]
        summary += f", {counted(len(facts), 'fact')}"
    return ToolAnswer("\n".join(lines), summary, retrieval_ids=retrieval_ids)


async def _remembered(context: ToolContext, query: str) -> tuple[list[str], tuple[str, ...]]:
    """A line for each memory about that, and the searches that found them.

    A memory whose text is not searchable yet is told by its title, which is how it begins.
    """
    caller = context.turn.caller
    params: dict[str, str | int] = {"folder": MEMORY_FOLDER, "limit": _SEARCHED_AT_MOST}
    page = await context.resources.ingest.documents(caller, params)
    if not page.items:
        return [], ()
    within = [Mention(type="document", id=document.id) for document in page.items]
    found = await context.resources.evidence.find(context.turn, query, within, _TOLD, memory=True)
    told = {one.document_id for one in found.passages}
    pending = [one for one in page.items if one.status not in ENDED and one.id not in told][:_PENDING_AT_MOST]
    targets = [HandleTarget("document", one.document_id, one.title) for one in found.passages]
    targets += [HandleTarget("document", one.id, one.title) for one in pending]
    handles = await context.name(targets)
    lines = [
        f"{handle} (of {passage.created_at.date().isoformat()}): {plain_text(passage.text, _TEXT_CHARS)}"
        for handle, passage in zip(handles, found.passages, strict=False)
    ]
    lines += [
        f"{handle} (not searchable yet; it begins): {plain_text(one.title, _TITLE_CHARS)}"
        for handle, one in zip(handles[len(lines) :], pending, strict=True)
    ]
    return lines, tuple(found.retrieval_ids)


async def memory_notes(context: ToolContext) -> tuple[str, ...]:
    """The newest memories by their first words. Without ingest the turn does without them."""
    params: dict[str, str | int] = {"folder": MEMORY_FOLDER, "limit": _NOTED_AT_MOST}
    try:
        page = await context.resources.ingest.documents(context.turn.caller, params)
    except FootnoteError:
        metrics.DEGRADED.labels("ingest").inc()
        return ()
    return tuple(plain_name(document.title) for document in page.items)
