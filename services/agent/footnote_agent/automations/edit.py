"""Making an automation, changing it, and asking for a run of it now."""

from datetime import datetime, timedelta
from typing import Any

from footnote_agent.automations.schedule import Schedule, check_pace, read_schedule
from footnote_agent.contracts.automations import AutomationChanges, NewAutomation
from footnote_agent.store.automation_tables import AutomationRow, AutomationRunRow
from footnote_agent.store.automations import count_automations, find_automation, is_busy
from footnote_agent.store.threads import find_thread, storable
from footnote_shared.contracts.base import from_any_release
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import NewTurn
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import WriteSession, lock_for_transaction
from footnote_shared.kernel.errors import Conflict, FieldError, InvalidRequest, NotFound
from footnote_shared.kernel.ids import new_id
from footnote_shared.settings.services import AgentSettings


class TooManyAutomations(Conflict):
    """The avatar has as many automations as it may have."""

    code = "automation_limit"
    title = "There are as many automations as are allowed"


class AutomationChanged(Conflict):
    """Somebody has changed the automation since it was read."""

    code = "automation_changed"
    title = "The automation was changed meanwhile"


class RunGoesOn(Conflict):
    """A run of the automation has not ended, and two never go side by side."""

    code = "automation_busy"
    title = "A run of the automation goes on"

    def __init__(self) -> None:
        super().__init__("A run of this automation has not ended. Ask again when it has.")


def asked_turn(asked: NewAutomation) -> NewTurn:
    """What its runs ask. Nobody waits for them, and nobody is there who could be asked about a tool."""
    return NewTurn(
        text=asked.text,
        mentions=asked.mentions,
        preset=asked.preset or None,
        settings=asked.settings,
        stream=False,
        when_asked="refuse",
    )


def changed_turn(row: AutomationRow, changes: AutomationChanges) -> NewTurn:
    """What its runs ask when it is changed in this way."""
    given = changes.model_dump(
        mode="json", include={"text", "mentions", "preset", "settings"}, exclude_none=True
    )
    request = {**row.request, **given}
    return from_any_release(NewTurn, {**request, "preset": request.get("preset") or None})


def make_automation(
    session: WriteSession,
    settings: AgentSettings,
    caller: Principal,
    asked: NewAutomation,
    turn: NewTurn,
    moment: datetime,
) -> AutomationRow:
    """Make an automation of the caller. `turn` is what its runs ask, which was checked.

    Raises InvalidRequest for a schedule or a thread that cannot be, and TooManyAutomations.
    """
    schedule = _checked(settings, asked.schedule, asked.time_zone, moment)
    lock_for_transaction(session, "automations", caller.workspace_id, caller.avatar_id)
    if count_automations(session, caller) >= settings.automations_per_avatar:
        raise TooManyAutomations(
            f"There are {settings.automations_per_avatar} automations, which is the limit. Delete one first."
        )
    if asked.thread_id is not None:
        _check_thread(session, caller, asked.thread_id)
    row = AutomationRow(
        workspace_id=caller.workspace_id,
        avatar_id=caller.avatar_id,
        name=_name(asked.name),
        request=turn.model_dump(mode="json", exclude_none=True),
        schedule=schedule.expression,
        time_zone=asked.time_zone,
        missed=asked.missed,
        thread_id=asked.thread_id,
        own_thread=asked.thread_id is None,
        scopes=sorted(caller.scopes),
        groups=list(caller.groups),
        paused=asked.paused,
        next_due_at=None if asked.paused else schedule.next_after(moment),
        created_at=moment,
        updated_at=moment,
    )
    session.add(row)
    # Its question and its name are its owner's, and the log is not.
    add_entry(session, caller, "automation.made", row.id, before=None, after=_said(row))
    session.flush()
    return row


def change_automation(
    session: WriteSession,
    settings: AgentSettings,
    caller: Principal,
    automation_id: str,
    changes: AutomationChanges,
    turn: NewTurn | None,
    moment: datetime,
) -> AutomationRow:
    """Change the caller's automation. `turn` is what its runs ask from now on; None: as before.

    From then on a run gets no more rights than the key of this change has: whoever writes what runs cannot
    lend it rights that they lack. Raises what `make_automation` raises, NotFound, and AutomationChanged.
    """
    row = find_automation(session, caller, automation_id, lock=True)
    before = _said(row)
    if changes.if_version is not None and changes.if_version != row.version:
        raise AutomationChanged(f"It is at version {row.version} by now. Read it, and change it again.")
    was_at = (row.schedule, row.time_zone, row.paused)
    if changes.schedule is not None or changes.time_zone is not None:
        row.time_zone = changes.time_zone or row.time_zone
        row.schedule = _checked(settings, changes.schedule or row.schedule, row.time_zone, moment).expression
    if changes.paused is not None:
        row.paused = changes.paused
    if was_at != (row.schedule, row.time_zone, row.paused):
        schedule = read_schedule(row.schedule, row.time_zone)
        row.next_due_at = None if row.paused else schedule.next_after(moment)
    if changes.thread_id is not None:
        if changes.thread_id:
            _check_thread(session, caller, changes.thread_id)
        row.thread_id, row.own_thread = changes.thread_id or None, not changes.thread_id
    if changes.name is not None:
        row.name = _name(changes.name)
    row.missed = changes.missed or row.missed
    if turn is not None:
        row.request = turn.model_dump(mode="json", exclude_none=True)
    row.scopes, row.groups = sorted(caller.scopes), list(caller.groups)
    row.version += 1
    row.updated_at = moment
    session.add(row)
    add_entry(session, caller, "automation.changed", row.id, before=before, after=_said(row))
    return row


def delete_automation(session: WriteSession, caller: Principal, automation_id: str) -> None:
    """Delete the caller's automation with the list of its runs. Raises NotFound."""
    row = find_automation(session, caller, automation_id, lock=True)
    add_entry(session, caller, "automation.deleted", row.id, before=_said(row), after=None)
    session.delete(row)


def _said(row: AutomationRow) -> dict[str, Any]:
    return {"schedule": row.schedule, "time_zone": row.time_zone, "paused": row.paused, "scopes": row.scopes}


def ask_for_run(
    session: WriteSession, caller: Principal, automation_id: str, moment: datetime
) -> AutomationRunRow:
    """A run of the caller's automation that waits to be begun. Raises RunGoesOn beside another one."""
    automation = find_automation(session, caller, automation_id, lock=True)
    if is_busy(session, automation.id):
        raise RunGoesOn
    run_id = new_id()
    run = AutomationRunRow(
        id=run_id,
        workspace_id=automation.workspace_id,
        avatar_id=automation.avatar_id,
        automation_id=automation.id,
        version=automation.version,
        trigger="call",
        due_key=run_id,
        due_at=moment,
        lease_until=moment,
        created_at=moment,
    )
    session.add(run)
    session.flush()
    return run


def _checked(settings: AgentSettings, expression: str, time_zone: str, moment: datetime) -> Schedule:
    schedule = read_schedule(expression, time_zone)
    check_pace(schedule, moment, timedelta(seconds=settings.automation_interval_s))
    return schedule


def _check_thread(session: WriteSession, caller: Principal, thread_id: str) -> None:
    try:
        find_thread(session, caller, thread_id)
    except NotFound as error:
        raise InvalidRequest(
            "There is no such thread.", errors=[FieldError("thread_id", "no such thread")]
        ) from error


def _name(given: str) -> str:
    name = " ".join(storable(given).split())
    if not name:
        raise InvalidRequest("The name is empty.", errors=[FieldError("name", "empty")])
    return name
