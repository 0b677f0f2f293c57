"""What came in from other systems, for the subagent of a kind of connector: search and read (spec 5.5)."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from footnote_agent.context.handles import HandleTarget
from footnote_agent.context.plain_name import plain_name
from footnote_agent.tools.file_reading import show_file
from footnote_agent.tools.knowledge import show_found
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext, ToolFailed
from footnote_shared.contracts.connector_acts import acts_allowed
from footnote_shared.contracts.connectors import Connector
from footnote_shared.contracts.turns import Mention
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics

OF_A_KIND = "connector"
"""The tools of this file are for the subagents of connectors, each of which is called as its kind."""

_AT_MOST = 50


async def search_items(
    context: ToolContext,
    query: Annotated[str, Field(min_length=1, max_length=2000, description="What to look for, in words.")],
    connector: Annotated[
        str | None, Field(max_length=20, description="Only in this one: its handle, such as C1.")
    ] = None,
) -> ToolAnswer:
    """Search the items that came in by the connectors of your kind."""
    ours = await connectors_of_kind(context)
    if connector is not None:
        target = await context.target(connector, "connector")
        ours = [one for one in ours if one.id == target.id]
        if not ours:
            raise ToolFailed("This connector is of another kind, or is gone. Search without it.")
    within = [Mention(type="connector", id=one.id) for one in ours]
    return await show_found(context, await context.resources.evidence.find(context.turn, query, within), True)


async def get_item(
    context: ToolContext,
    item: Annotated[str, Field(max_length=20, description="The handle of an item, such as D1.")],
    from_passage: Annotated[int, Field(ge=0, description="Where to go on, from 0.")] = 0,
) -> ToolAnswer:
    """Read one item as numbered passages, from its beginning or on from a passage."""
    target = await context.target(item, "document")
    document = await context.resources.ingest.document(context.turn.caller, target.id)
    if document.connector_id not in {one.id for one in await connectors_of_kind(context)}:
        raise ToolFailed("This is no item of your connectors.")
    return await show_file(context, document, from_passage)


async def connected(context: ToolContext) -> list[Connector]:
    """The newest connectors of the workspace. Raises what ingest raises."""
    return (await context.resources.ingest.connectors(context.turn.caller, _AT_MOST)).items


async def connector_notes(context: ToolContext) -> tuple[str, ...]:
    """A line for each connector with its handle. Without ingest the turn does without them."""
    try:
        found = await connected(context)
        handles = await context.name([HandleTarget("connector", one.id, one.name) for one in found])
    except FootnoteError:
        metrics.DEGRADED.labels("ingest").inc()
        return ()
    return tuple(
        f"{handle}: {plain_name(one.name)} ({one.kind}, {sum(one.documents.values())} documents{_may(one)})"
        for handle, one in zip(handles, found, strict=True)
    )


def _may(connector: Connector) -> str:
    allowed = acts_allowed(connector.kind, connector.config)
    return f"; its subagent can {', '.join(allowed)}" if allowed else ""


async def connectors_of_kind(context: ToolContext) -> Sequence[Connector]:
    """The connectors of the subagent's kind. Raises ToolFailed where there is none any more."""
    kind = context.agent.rpartition("/")[2]
    found = [one for one in await connected(context) if one.kind == kind]
    if not found:
        raise ToolFailed("There is no connector of this kind any more.")
    return found
