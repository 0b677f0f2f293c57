"""Beginning the turn of a run: in its owner's name, with what the owner may do at this moment."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol, get_args

from footnote_agent.automations.take import LeasedRun, fail, mark_begun, postpone
from footnote_agent.store.automation_tables import AutomationRow
from footnote_agent.store.threads import add_thread
from footnote_shared.contracts.base import from_any_release
from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.contracts.turns import NewTurn
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.kernel.errors import Conflict, FootnoteError, Forbidden, TryLater
from footnote_shared.security.api_keys import rights_of_avatar
from footnote_shared.telemetry.logs import logger

PATIENCE = timedelta(hours=1)
"""How long a run waits for what stands in its way, such as a store that is away. Then it fails."""

_LEAST_PAUSE_S = 10.0
_log = logger(__name__)

Alongside = Callable[[WriteSession, str], None]
"""What is done with the id of a turn in the transaction that makes it."""


class BeginTurn(Protocol):
    """Begins a turn as its route does."""

    async def __call__(
        self, caller: Principal, thread_id: str, body: NewTurn, alongside: Alongside
    ) -> object: ...


class RunTaken(Conflict):
    """Another process has the run by now, or it is gone with its automation."""

    code = "run_taken"
    title = "The run is not ours any more"

    def __init__(self) -> None:
        super().__init__("Another process has taken this run, or it was deleted.")


class OwnerWithoutRights(Forbidden):
    """The owner of an automation may not ask at this moment."""


class ThreadGone(Conflict):
    """The thread in which the answer was to land is not there any more."""

    code = "thread_gone"
    title = "The thread was deleted"

    def __init__(self) -> None:
        super().__init__("Its thread was deleted. Give it another one, or one of its own.")


@dataclass(frozen=True, slots=True)
class _Ready:
    caller: Principal
    thread_id: str
    turn: NewTurn
    version: int


async def begin_run(
    database: Database, begin_turn: BeginTurn, taken: LeasedRun, clock: Callable[[WriteSession], datetime]
) -> None:
    """Begin the turn of a run, or note why there is none. What can pass is tried again for an hour.

    Raises Unavailable where SQL is away; the lease of the run then runs out by itself.
    """
    try:
        ready = await database.write_async(lambda session: _prepare(session, taken))

        def alongside(session: WriteSession, turn_id: str) -> None:
            if not mark_begun(session, taken, ready.version, ready.thread_id, turn_id):
                raise RunTaken

        await begin_turn(ready.caller, ready.thread_id, ready.turn, alongside)
    except RunTaken:
        _log.info("automation.run_taken", run=taken.id)
    except FootnoteError as error:
        await database.write_async(partial(_put_off, taken=taken, error=error, clock=clock))


def _put_off(
    session: WriteSession, taken: LeasedRun, error: FootnoteError, clock: Callable[[WriteSession], datetime]
) -> None:
    """Let the run wait for another try, or end it if waiting does not help or has lasted too long."""
    moment = clock(session)
    if isinstance(error, TryLater) and moment - taken.created_at < PATIENCE:
        pause = timedelta(seconds=max(error.retry_after or 0.0, _LEAST_PAUSE_S))
        postpone(session, taken, moment + min(PATIENCE, pause))
    else:
        _log.warning("automation.run_failed", run=taken.id, reason=type(error).__name__)
        fail(session, taken, moment, error.detail)


def rights_now(session: ReadSession | WriteSession, automation: AutomationRow) -> Principal:
    """Who a run acts as: its owner, with what both the owner's keys and the automation allow at this moment.

    Raises OwnerWithoutRights where that is not enough to ask.
    """
    owner = rights_of_avatar(session, automation.workspace_id, automation.avatar_id)
    scopes: tuple[Scope, ...] = get_args(Scope)
    given = Principal(
        workspace_id=owner.workspace_id,
        avatar_id=owner.avatar_id,
        scopes=frozenset(scope for scope in scopes if scope in automation.scopes),
    )
    both = frozenset(scope for scope in scopes if owner.may(scope) and given.may(scope))
    groups = tuple(group for group in owner.groups if group in (automation.groups or ()))
    caller = owner.model_copy(update={"scopes": both, "groups": groups})
    if not caller.may("write"):
        raise OwnerWithoutRights(
            "Its owner has no key any more that may `write`. Make one, or delete the automation."
        )
    return caller


def _prepare(session: WriteSession, taken: LeasedRun) -> _Ready:
    """What the turn is begun with. A thread of the automation's own is made where it has none."""
    automation = session.get(AutomationRow, taken.automation_id, with_for_update=True)
    if automation is None:
        raise RunTaken
    caller = rights_now(session, automation)
    if automation.thread_id is None:
        if not automation.own_thread:
            raise ThreadGone
        automation.thread_id = add_thread(session, caller, automation.name).id
        session.add(automation)
    turn = from_any_release(NewTurn, automation.request)
    return _Ready(caller, automation.thread_id, turn, automation.version)
