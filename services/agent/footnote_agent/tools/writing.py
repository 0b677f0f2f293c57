"""Writing a document, which goes the way of every document and is found from then on (spec 5.5)."""

from typing import Annotated

from pydantic import Field

from footnote_agent.context.handles import HandleTarget
from footnote_agent.context.plain_name import plain_name
from footnote_agent.tools.being_read import searchable_as_written
from footnote_agent.tools.documents import path_of
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext, ToolFailed
from footnote_shared.contracts.documents import Document, TextDocument
from footnote_shared.kernel.without_numbers import without_numbers


async def create_document(
    context: ToolContext,
    title: Annotated[str, Field(min_length=1, max_length=200, description="What it is called.")],
    markdown: Annotated[
        str, Field(min_length=1, max_length=18_000, description="The whole text, without citations.")
    ],
    folder: Annotated[
        str | None, Field(max_length=1000, description="Where to file it: a handle, or a path.")
    ] = None,
) -> ToolAnswer:
    """Write a new document for the user, when the user wants one. Only the user sees it at first."""
    text = without_numbers(markdown)
    if not text.strip():
        raise ToolFailed("The document would hold nothing but citations. Write what it is to say.")
    name = plain_name(title)
    document = await write_document(
        context,
        TextDocument(
            title=name,
            text=text,
            folder=(folder if folder.startswith("/") else await path_of(context, folder)) if folder else None,
            mime="text/markdown",
            visibility="private",
        ),
    )
    document = await searchable_as_written(context, document)
    if document.status == "failed":
        reason = plain_name(document.error.reason) if document.error else "its reason is not known"
        raise ToolFailed(f"The document was stored and could not be read: {reason}.")
    (handle,) = await context.name([HandleTarget("document", document.id, name)])
    found = "It can be searched now." if document.status == "indexed" else "It can be searched in a while."
    return ToolAnswer(f"{handle}: {name} (in {plain_name(document.folder)}). {found}", f"wrote {name}")


async def write_document(context: ToolContext, document: TextDocument) -> Document:
    """Hand in what a model wrote, with where it comes from.

    The call is its identity: a run that takes the turn over and makes the call again makes no second one, and
    no document of anybody is overwritten.
    """
    return await context.resources.ingest.add_text(
        context.turn.caller,
        document.model_copy(
            update={
                "source_type": "generated",
                "external_id": key_of_call(context),
                "metadata": {**document.metadata, **provenance_of(context)},
            }
        ),
    )


def key_of_call(context: ToolContext) -> str:
    """The identity of the document that this call writes."""
    return f"turn:{context.call_key}"


def provenance_of(context: ToolContext) -> dict[str, str]:
    """Where a text comes from that a model has written."""
    return {"thread_id": context.turn.thread_id, "turn_id": context.turn.turn_id}
