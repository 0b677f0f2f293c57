"""What documents state of somebody or something by name, as a model recalls it: hints, and no evidence."""

from footnote_agent.context.handles import HandleTarget
from footnote_agent.context.plain_name import plain_name, plain_text
from footnote_agent.tools.tool_context import ToolContext
from footnote_shared.contracts.facts import Entity

_BEARERS = 4
"""Who bears the name: people of one name are told apart."""

_FACTS = 5
_FACT_CHARS = 300

HINTS = "What a model has read about it in documents. It is no evidence: search before you state it."


async def facts_about(context: ToolContext, name: str) -> list[str]:
    """A line for each of the latest facts about whoever bears the name, with the handle of its document."""
    found = await context.resources.ingest.entities(context.turn.caller, name)
    told = [(one, fact) for one in found.items[:_BEARERS] for fact in one.facts[:_FACTS]]
    sources = [fact.source_ref for _, fact in told]
    handles = await context.name([HandleTarget("document", one.document_id, one.title) for one in sources])
    return [
        f"{_bearer(one)}: {plain_text(fact.text, _FACT_CHARS)} ({handle})"
        for (one, fact), handle in zip(told, handles, strict=True)
    ]


def _bearer(entity: Entity) -> str:
    """The name with what tells its bearer from others."""
    more = [*entity.roles[:1], *entity.organisations[:1]]
    known = f" ({plain_name(', '.join(more))})" if more else ""
    return f"{plain_name(entity.names[0]) if entity.names else 'It'}{known}"
