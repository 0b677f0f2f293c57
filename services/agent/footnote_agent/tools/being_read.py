"""Documents whose text is still being read in: a tool waits for them a while, and says what is missing.

What a turn writes is searchable in the same turn (spec 5.5). Where the workers are busy, that takes longer
than one call may wait, and whoever reads or searches next must not take the text of before for the new one.
"""

import asyncio

from footnote_agent.context.plain_name import plain_name
from footnote_agent.tools.tool_context import ToolContext, Written
from footnote_shared.contracts.documents import ENDED, Document
from footnote_shared.kernel.errors import NotFound

_ONE_CALL_S = 12.0
_ALL_CALLS_S = 30.0
"""Time for which all calls of a turn together wait for what it has written."""

_PAUSES_S = (0.1, 0.2, 0.4, 0.8)


async def searchable(context: ToolContext, document: Document, within_s: float = _ONE_CALL_S) -> Document:
    """The document once it has ended, or as it is after this time."""
    caller, looks = context.turn.caller, 0
    try:
        async with asyncio.timeout(within_s):
            while document.status not in ENDED:
                await asyncio.sleep(_PAUSES_S[min(looks, len(_PAUSES_S) - 1)])
                looks += 1
                document = await context.resources.ingest.document(caller, document.id)
    except TimeoutError:
        pass
    return document


async def searchable_as_written(context: ToolContext, document: Document) -> Document:
    """Like `searchable`, for a document that this call has written. The turn remembers what is not ready."""
    document = await searchable(context, document)
    if document.status in ENDED:
        context.written.pop(document.id, None)
    else:
        context.written[document.id] = Written(document.filename, _now_s() + _ALL_CALLS_S)
    return document


async def not_found_yet(context: ToolContext) -> str:
    """What a search has to say of what the turn has written and nobody can find yet; as a rule nothing."""
    await asyncio.gather(*(_look(context, key, one) for key, one in list(context.written.items())))
    if not context.written:
        return ""
    names = ", ".join(plain_name(one.name) for one in context.written.values())
    return f"\nNot looked through, because what was written is still being read in: {names}. Search later."


async def _look(context: ToolContext, document_id: str, written: Written) -> None:
    try:
        document: Document = await context.resources.ingest.document(context.turn.caller, document_id)
        left_s = written.waited_until - _now_s()
        document = await searchable(context, document, max(0.0, min(left_s, _ONE_CALL_S)))
    except NotFound:
        context.written.pop(document_id, None)
        return
    if document.status in ENDED:
        context.written.pop(document_id, None)


def before_its_change(document: Document) -> str:
    """What is to be said beside the text of a document that is not its newest; as a rule nothing."""
    if document.status == "failed":
        return "\nThe newest version of it could not be read: this is the one before."
    if document.status not in ENDED:
        return "\nIt is being read in anew: this is its text as it was before. Look again later."
    return ""


def _now_s() -> float:
    return asyncio.get_running_loop().time()
