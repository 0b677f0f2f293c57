"""Beginning a turn, following it and waiting for its answer, alike for every way in: rights, limits, keys."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from footnote_agent.api.dependencies import AgentResources
from footnote_agent.context.guidance import GUIDANCE_CHARS
from footnote_agent.context.mentions import check_mentions
from footnote_agent.engines.choose import EngineChoice, choose_engine
from footnote_agent.store.answer_records import record_of
from footnote_agent.store.approvals import unanswered_of
from footnote_agent.store.tables import TurnRow
from footnote_agent.store.threads import find_thread, mark_opened, message_view, storable
from footnote_agent.store.turns import answer_of, find_turn
from footnote_agent.tools.no_evidence import refuse_memory
from footnote_agent.turns.options import split_settings, with_flags, with_preset
from footnote_agent.turns.shown_messages import as_readable
from footnote_agent.turns.shown_record import with_readable_record
from footnote_agent.turns.start import Accepted, ThreadNotOpened, accept_turn, withdraw_turn
from footnote_agent.turns.wait import TurnGone, wait_for_end
from footnote_shared.contracts.conversations import NewConversation
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import Preset
from footnote_shared.contracts.turns import NewTurn, Turn
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.idempotency import KeyedRequest
from footnote_shared.kernel.errors import FieldError, InvalidRequest, NotFound, Unavailable
from footnote_shared.settings.flag_values import decided
from footnote_shared.web.resources import EdgeResources

_SLACK_S = 10.0
_LONGEST_PRESET = 200
"""Characters of a name that is looked up. It becomes a part of an address, which has a limit."""


async def checked_turn(
    edge: EdgeResources, resources: AgentResources, caller: Principal, body: NewTurn
) -> tuple[NewTurn, EngineChoice]:
    """The turn as it can be stored, and the engine that would answer it here, with the workspace's flags.

    Raises InvalidRequest.
    """
    settings = edge.settings
    if len(body.text) > settings.max_query_chars:
        raise InvalidRequest(
            f"The text is longer than {settings.max_query_chars} characters.",
            errors=[FieldError("text", "too long")],
        )
    guidance = storable(body.guidance)[:GUIDANCE_CHARS] if body.guidance else None
    body = body.model_copy(update={"text": storable(body.text), "guidance": guidance})
    if not body.text.strip():
        raise InvalidRequest("The text is empty.", errors=[FieldError("text", "empty")])
    turn_settings, _ = split_settings(body.settings)
    flags = await edge.flags.of(caller.workspace_id)
    choice = choose_engine(turn_settings, settings, tools=bool(flags["chat_tools"].value))
    check_mentions(body.mentions, choice.engine)
    await refuse_memory(resources.ingest, caller, body.mentions)
    return body, replace(choice, flags=flags)


async def begin_turn(
    edge: EdgeResources,
    resources: AgentResources,
    caller: Principal,
    thread_id: str,
    body: NewTurn,
    request: KeyedRequest | None,
    alongside: Callable[[WriteSession, str], None] | None = None,
) -> Accepted:
    """Check, commit, open the stream, start. Nothing is left of a turn whose stream could not be opened.

    `alongside` is called with the id of the turn in the transaction that makes it. What it raises undoes it.
    """
    settings, database = edge.settings, edge.database
    body, choice = await checked_turn(edge, resources, caller, body)
    preset = {} if body.preset is None else (await _preset(resources, caller, body.preset)).settings
    flags = decided(choice.flags, preset, body.settings or {})
    choice = replace(choice, flags=flags)
    body = body.model_copy(update={"settings": with_flags(with_preset(body.settings, preset), flags)})

    def accept(session: WriteSession) -> Accepted:
        accepted = accept_turn(
            session, settings, caller, thread_id, body, choice, resources.crew.owner, request
        )
        if not accepted.opened:
            raise ThreadNotOpened
        if alongside is not None:
            alongside(session, accepted.turn_id)
        return accepted

    # Turns that are asked for at once wait for one commit.
    try:
        accepted = await database.write_together_async(accept)
    except ThreadNotOpened:
        await _open_conversation(edge, resources, caller, thread_id)
        accepted = await database.write_together_async(accept)
    if accepted.leased is not None:
        try:
            await resources.journal.open(accepted.leased)
        except Unavailable:
            await database.write_async(
                lambda session: withdraw_turn(session, caller, accepted.turn_id, request)
            )
            raise
        resources.crew.start(accepted.leased)
    return accepted


async def ended_turn(edge: EdgeResources, resources: AgentResources, caller: Principal, turn_id: str) -> Turn:
    """The turn when it has ended, or as it is when its time limit is long over.

    Raises TurnGone: whoever repeats a request may wait for a turn whose stream cannot be opened.
    """
    patience_s = edge.settings.turn_timeout_s + _SLACK_S
    await wait_for_end(resources.crew, edge.database, caller, turn_id, patience_s)
    try:
        return await shown_turn(edge, resources, caller, turn_id)
    except NotFound as gone:
        raise TurnGone from gone


async def shown_turn(edge: EdgeResources, resources: AgentResources, caller: Principal, turn_id: str) -> Turn:
    """The turn, its answer as the caller may see it at this moment."""
    turn = await edge.database.read_async(lambda session: turn_view(session, caller, turn_id))
    turn = await with_readable_record(resources.resolver, caller, turn)
    if turn.message is None:
        return turn
    (message,) = await as_readable(resources.resolver, caller, turn.thread_id, [turn.message])
    return turn.model_copy(update={"message": message})


def turn_view(session: ReadSession, caller: Principal, turn_id: str) -> Turn:
    """The turn as the API shows it."""
    row: TurnRow = find_turn(session, caller, turn_id)
    answer = answer_of(session, caller, turn_id)
    record = record_of(session, caller, turn_id)
    return Turn.model_validate(
        {
            "turn_id": row.id,
            "status": row.status,
            "message": message_view(answer) if answer else None,
            "error": row.error,
            "thread_id": row.thread_id,
            "engine": row.engine,
            "model": row.model,
            "created_at": row.created_at,
            "ended_at": row.ended_at,
            "record": record.model_dump(mode="json", exclude_none=True) if record else {},
            "approvals": [
                {
                    "call_id": asked.call_id,
                    "tool": asked.tool,
                    "arguments": asked.arguments,
                    "asked_at": asked.asked_at,
                }
                for asked in (unanswered_of(session, caller, turn_id) if row.status == "running" else ())
            ],
        }
    )


async def _open_conversation(
    edge: EdgeResources, resources: AgentResources, caller: Principal, thread_id: str
) -> None:
    """Tell the resolver of the thread, since that failed when the thread was made. Raises NotFound."""
    thread = await edge.database.read_async(lambda session: find_thread(session, caller, thread_id))
    await resources.resolver.open_conversation(
        caller, NewConversation(id=thread_id, title=thread.title or None)
    )
    await edge.database.write_async(lambda session: mark_opened(session, caller, thread_id))


async def _preset(resources: AgentResources, caller: Principal, preset: str) -> Preset:
    try:
        if len(preset) > _LONGEST_PRESET:
            raise NotFound
        return await resources.retriever.preset(caller, preset)
    except NotFound as error:
        raise InvalidRequest(
            f"There is no preset `{preset[:_LONGEST_PRESET]}`.",
            errors=[FieldError("preset", "no such preset")],
        ) from error


def events_in(chunk: bytes) -> Iterator[dict[str, Any] | None]:
    """The events of whole frames of a stream; None for a heartbeat."""
    for frame in chunk.split(b"\n\n"):
        data = [line[5:] for line in frame.split(b"\n") if line.startswith(b"data:")]
        if data:
            yield json.loads(b"".join(data))
        elif frame.strip():
            yield None
