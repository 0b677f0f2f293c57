"""Acting in another system through a connector: a comment, an issue, a message (spec 5.5).

Ingest does it with the connector's credentials, which nothing here sees, and only what whoever administers
the connector has allowed. A person is asked first, and is shown all of what is sent.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from pydantic import Field

from footnote_agent.context.plain_name import plain_name
from footnote_agent.tools.call_target import CallTarget, target_of_call
from footnote_agent.tools.connector_items import connectors_of_kind
from footnote_agent.tools.tool import ASKED_CHARS
from footnote_agent.tools.tool_context import EndUnknown, ToolAnswer, ToolContext, ToolFailed
from footnote_shared.contracts.connector_acts import ActName, ConnectorAct, ConnectorActed
from footnote_shared.kernel.errors import TooMany, Unavailable
from footnote_shared.kernel.without_numbers import without_numbers

Answer = TypeVar("Answer")

_PAUSES_S = (2.0, 10.0, 25.0)
"""Between two tries of one act: a run that has died may have left one that is not known to have ended."""


async def act(
    context: ToolContext,
    action: Annotated[
        ActName,
        Field(
            description="`comment` under an item, `create_issue` with a title, or `post_message` into a "
            "channel or as a reply to an item that is a thread."
        ),
    ],
    text: Annotated[
        str,
        Field(min_length=1, max_length=ASKED_CHARS, description="What is written there, without citations."),
    ],
    title: Annotated[
        str | None, Field(min_length=1, max_length=200, description="The title of a new issue.")
    ] = None,
    item: Annotated[
        str | None, Field(max_length=20, description="The handle of the item that is meant, such as D1.")
    ] = None,
    connector: Annotated[
        str | None,
        Field(max_length=20, description="The connector's handle, such as C1, where no item is meant."),
    ] = None,
    channel: Annotated[
        str | None, Field(min_length=1, max_length=100, description="The name of a channel.")
    ] = None,
) -> ToolAnswer:
    """Write into the other system, when the user asks for that. The user is asked first."""
    document_id = None if item is None else (await context.target(item, "document")).id
    found = await target_of_call(
        context, "act", f"{connector} {item}", lambda: _meant(context, connector, document_id)
    )
    said = _sendable(text)
    if not said.strip():
        raise ToolFailed("The text would hold nothing but citations. Write what it is to say.")
    wanted = ConnectorAct(
        action=action,
        text=said,
        title=_sendable(title).replace("\n", " ") if title else None,
        document_id=document_id,
        channel=channel,
    )
    done = await _acted(context, found.target, wanted)
    where = f"{plain_name(done.reference)} in {plain_name(found.target.path)}"
    at = f" at {plain_name(done.url)}" if done.url else ""
    return ToolAnswer(f"Done: {where}{at}. It can be searched after the next sync.", f"{action}: {where}")


async def _meant(context: ToolContext, connector: str | None, document_id: str | None) -> CallTarget:
    """The connector that is meant. Raises ToolFailed for one that is not of this kind, and for none."""
    ours = {one.id: one for one in await _patiently(context, lambda: connectors_of_kind(context))}
    if document_id is not None:
        document = await context.resources.ingest.document(context.turn.caller, document_id)
        wanted = document.connector_id or ""
    elif connector is not None:
        wanted = (await context.target(connector, "connector")).id
    else:
        raise ToolFailed("Say by `item` or by `connector` where it is to be done.")
    if wanted not in ours:
        raise ToolFailed("This is no connector of your kind, and no item of one.")
    return CallTarget(id=wanted, path=ours[wanted].name)


async def _acted(context: ToolContext, target: CallTarget, wanted: ConnectorAct) -> ConnectorActed:
    """What was done, once that is known. The same call does it once, however often it is tried."""
    ingest, caller, key = context.resources.ingest, context.turn.caller, context.call_key
    try:
        return await _patiently(context, lambda: ingest.act(caller, target.id, wanted, key=key))
    except Unavailable as unknown:
        raise EndUnknown(
            "It is not known whether this was done. Do not try again. Tell the user to look there."
        ) from unknown


async def _patiently(context: ToolContext, ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """What ingest answers. Where it is away or busy for a while, the call takes as much longer."""
    for pause_s in _PAUSES_S:
        try:
            return await ask()
        except (Unavailable, TooMany):
            context.stretch(pause_s)
            await asyncio.sleep(pause_s)
    return await ask()


def _sendable(text: str) -> str:
    """The text as a person was shown it: without numbers of ours, and without what cannot be seen."""
    kept = "".join(char for char in without_numbers(text) if char.isprintable() or char in "\n\t")
    return kept.strip()
