"""Accepting a turn: one transaction makes it durable, with its message, before anything else happens."""

from dataclasses import dataclass
from datetime import timedelta

from pydantic import BaseModel

from footnote_agent.engines.choose import EngineChoice
from footnote_agent.store.tables import MessageRow, ThreadRow, TurnRow
from footnote_agent.store.threads import TITLE_CHARS, find_thread
from footnote_agent.store.turns import (
    LeasedTurn,
    find_turn,
    forget_turn,
    leased_turn,
    running_beside,
)
from footnote_agent.turns.options import settings_hash
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import NewTurn
from footnote_shared.db.engine import WriteSession, lock_for_transaction
from footnote_shared.db.idempotency import KeyedRequest, answer_once, forget_answer
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, TooMany, Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.settings.base import Settings
from footnote_shared.telemetry import context


class ThreadBusy(Conflict):
    """Another turn of the thread runs, and this one was not to wait for it."""

    code = "thread_busy"
    title = "Another turn of the thread is running"

    def __init__(self) -> None:
        super().__init__("A turn of this thread is running. Ask when it has ended, or let this one wait.")


class ThreadNotOpened(Unavailable):
    """The resolver was not there when the thread was made. It has to be told before a turn is accepted."""

    def __init__(self) -> None:
        super().__init__("resolver", "The resolver does not know this thread yet.")


class _Begun(BaseModel):
    """What a repetition of the request is told of the turn."""

    turn_id: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """The turn; `leased` is None when the same request had started it before.

    `opened`: whether the resolver knows the thread. The turn may be committed only then.
    """

    turn_id: str
    leased: LeasedTurn | None
    engine: str
    opened: bool


def accept_turn(
    session: WriteSession,
    settings: Settings,
    caller: Principal,
    thread_id: str,
    body: NewTurn,
    choice: EngineChoice,
    owner: str,
    request: KeyedRequest | None,
) -> Accepted:
    """Make the turn and its message.

    Raises NotFound, TooMany, Conflict for a key used otherwise, and ThreadBusy where it was not to wait.
    """
    thread = find_thread(session, caller, thread_id)
    made: list[TurnRow] = []

    def begin() -> _Begun:
        made.append(_add_turn(session, settings, caller, thread, body, choice, owner))
        return _Begun(turn_id=made[0].id)

    begun, _ = answer_once(session, request, _Begun, begin)
    if made:
        return Accepted(begun.turn_id, leased_turn(made[0]), made[0].engine, thread.opened)
    return Accepted(begun.turn_id, None, find_turn(session, caller, begun.turn_id).engine, thread.opened)


def _add_turn(
    session: WriteSession,
    settings: Settings,
    caller: Principal,
    thread: ThreadRow,
    body: NewTurn,
    choice: EngineChoice,
    owner: str,
) -> TurnRow:
    lock_for_transaction(session, "turns", caller.workspace_id)
    in_flight, busy = running_beside(session, caller, thread.id)
    if in_flight >= settings.max_turns_in_flight:
        raise TooMany(
            f"{settings.max_turns_in_flight} turns of this workspace are running already.", retry_after=2.0
        )
    if busy and body.when_busy == "refuse":
        raise ThreadBusy
    moment = now()
    question_id = new_id()
    turn = TurnRow(
        workspace_id=caller.workspace_id,
        avatar_id=caller.avatar_id,
        thread_id=thread.id,
        engine=choice.engine,
        model=choice.model,
        caller=caller.model_dump(mode="json"),
        request=body.model_dump(mode="json", exclude_none=True),
        settings_hash=settings_hash(choice.engine, body.preset, body.settings, body.guidance),
        state={
            "trace_id": context.trace_id.get(),
            "span_id": context.span_id.get(),
            "waits": busy,
            "flags": {name: flag.model_dump() for name, flag in choice.flags.items()},
        },
        lease_owner=owner,
        lease_until=moment + timedelta(seconds=settings.turn_lease_s),
        created_at=moment,
    )
    session.add(turn)
    session.flush()
    session.add(
        MessageRow(
            id=question_id,
            workspace_id=caller.workspace_id,
            avatar_id=caller.avatar_id,
            thread_id=thread.id,
            turn_id=turn.id,
            role="user",
            text=body.text,
            created_at=moment,
        )
    )
    thread.title = thread.title or " ".join(body.text.split())[:TITLE_CHARS]
    thread.updated_at = moment
    session.add(thread)
    return turn


def withdraw_turn(
    session: WriteSession, caller: Principal, turn_id: str, request: KeyedRequest | None
) -> None:
    """Undo an acceptance whose stream could not be opened. The same request may then be sent again."""
    forget_turn(session, caller, turn_id)
    if request is not None:
        forget_answer(session, request)
