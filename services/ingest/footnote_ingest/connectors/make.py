"""Making, changing and deleting a connector."""

import json
from datetime import timedelta

from sqlmodel import col, select

from footnote_ingest.connectors.ending import begin_run, end_run, next_due, open_run
from footnote_ingest.connectors.kinds import (
    Asked,
    SourceResources,
    check_asked,
    check_credentials_stay,
    has_source,
    opened_credentials,
)
from footnote_ingest.connectors.run_lease import put_off
from footnote_ingest.connectors.sealed_places import credentials_place, hook_secret_place
from footnote_ingest.connectors.signatures import new_hook_secret
from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.documents.paths import has_controls, normalise, plain_name
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.store.connector_tables import ConnectorRow, ConnectorRunRow
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.contracts.connectors import ConnectorChanges, NewConnector
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.kernel.ids import is_id, new_id

_SECONDS = {"m": 60, "h": 3600, "d": 86400}


def make_connector(
    session: WriteSession,
    dispatcher: Dispatcher,
    resources: SourceResources,
    principal: Principal,
    asked: NewConnector,
) -> ConnectorRow:
    """Make a connector, and begin its first sync if its kind has any. It was checked (`check_asked`)."""
    name = _named(asked.name)
    folder = normalise(asked.folder) if asked.folder is not None else normalise(plain_name(name))
    connector_id = new_id()
    row = ConnectorRow(
        id=connector_id,
        workspace_id=principal.workspace_id,
        avatar_id=principal.avatar_id,
        kind=asked.kind,
        name=name,
        folder=folder,
        config=dict(asked.config),
        schedule_s=seconds_of(asked.schedule),
        credentials=_sealed(resources, connector_id, asked.credentials),
        hook_secret=_new_secret(resources, connector_id),
    )
    session.add(row)
    said = {"kind": row.kind, "name": row.name, "folder": row.folder}
    add_entry(session, principal, "connector.made", row.id, before=None, after=said)
    session.flush()
    if has_source(asked.kind):
        begin_run(session, dispatcher, row, "creation")
    return row


def change_connector(
    session: WriteSession,
    dispatcher: Dispatcher,
    resources: SourceResources,
    row: ConnectorRow,
    changes: ConnectorChanges,
    overlap: timedelta,
) -> None:
    """Change the connector, which is locked. Raises InvalidRequest for what it cannot work with."""
    config = changes.config if changes.config is not None else row.config
    if changes.credentials is None:
        check_credentials_stay(row, config)
    credentials = changes.credentials
    if credentials is None:
        credentials = opened_credentials(resources, row)
    check_asked(resources, row.kind, Asked(row.workspace_id, config, credentials))
    is_another = config != row.config
    if is_another:
        # What the cursor meant belonged to the configuration before.
        row.cursor = None
    row.config = dict(config)
    if changes.credentials is not None:
        row.credentials = _sealed(resources, row.id, changes.credentials)
    if is_another or changes.credentials is not None:
        # It was lent for the credentials, or for the place, before.
        row.access = None
    if changes.name is not None:
        row.name = _named(changes.name)
    if changes.schedule is not None:
        row.schedule_s = seconds_of(changes.schedule or None)
    was_paused = row.paused
    if changes.paused is not None:
        row.paused = changes.paused
    if changes.new_webhook_secret:
        row.hook_secret_before, row.hook_secret_before_until = row.hook_secret, now() + overlap
        row.hook_secret = _new_secret(resources, row.id)
    row.due_at = next_due(row)
    row.updated_at = now()
    session.add(row)
    if is_another:
        _begin_anew(session, dispatcher, row)
    if row.paused and not was_paused:
        _hold(session, row)
    elif was_paused and not row.paused:
        _go_on(session, dispatcher, row)


def _begin_anew(session: WriteSession, dispatcher: Dispatcher, row: ConnectorRow) -> None:
    """Put another run in the place of the open one, which has seen items of the configuration before."""
    run = open_run(session, row.id)
    if run is None:
        return
    row.asked_at = None
    end_run(session, dispatcher, row, run, "cancelled", "The configuration was changed.")
    row.problem = None
    if row.paused:
        row.asked_at = now()
    else:
        begin_run(session, dispatcher, row, "call")


def _hold(session: WriteSession, row: ConnectorRow) -> None:
    """Take the open run from its worker, whose next commit then finds that it is not its own."""
    run = open_run(session, row.id)
    if run is not None:
        put_off(run, None, "The connector is paused.")
        session.add(run)


def _go_on(session: WriteSession, dispatcher: Dispatcher, row: ConnectorRow) -> None:
    """Let the run go on that the pause has stopped, and do what was asked for meanwhile."""
    run = open_run(session, row.id)
    if run is not None:
        put_off(run, None, None)
        run.attempts = 0
        session.add(run)
        dispatcher.send_after_commit(session, Task.SYNC, [run.id])
    elif row.asked_at is not None:
        begin_run(session, dispatcher, row, "hook")


def delete_connector(
    session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, row: ConnectorRow
) -> int:
    """Delete the connector, which is locked, with all of its documents; return how many went with it."""
    run = open_run(session, row.id)
    # The end of a run begins the next one where something has asked for it meanwhile.
    row.asked_at = None
    if run is not None:
        end_run(session, dispatcher, row, run, "cancelled", "The connector was deleted.")
    row.deleted_at = row.updated_at = now()
    row.credentials = row.access = row.due_at = row.hook_secret_before = None
    row.offered_secret = row.told_secret = row.told_secret_before = None
    row.hook_secret = ""
    session.add(row)
    session.flush()
    owned = select(DocumentRow.id).where(
        col(DocumentRow.connector_id) == row.id,
        col(DocumentRow.parent_id).is_(None),
        col(DocumentRow.deleted_at).is_(None),
    )
    return delete_documents(session, dispatcher, policy, row.workspace_id, list(session.exec(owned)))


def confirmed_deletions(session: WriteSession, row: ConnectorRow, run_id: str | None) -> int | None:
    """How many documents a held run would have deleted. Raises InvalidRequest if it was not held."""
    if run_id is None:
        return None
    run = session.get(ConnectorRunRow, run_id) if is_id(run_id) else None
    if run is None or run.connector_id != row.id or run.status != "held":
        message = "is no run of this connector that was held"
        raise InvalidRequest(
            f"confirm_deletions_of {message}.", errors=[FieldError("confirm_deletions_of", message)]
        )
    return run.would_delete


def seconds_of(schedule: str | None) -> int | None:
    """The seconds of a time such as `15m`."""
    return None if schedule is None else int(schedule[:-1]) * _SECONDS[schedule[-1]]


def schedule_of(seconds: int | None) -> str | None:
    """The longest unit that says it in whole numbers."""
    if seconds is None:
        return None
    unit = next(unit for unit in ("d", "h", "m") if seconds % _SECONDS[unit] == 0)
    return f"{seconds // _SECONDS[unit]}{unit}"


def _named(written: str) -> str:
    """The name in one line. Raises InvalidRequest for one that no store keeps or no terminal may show."""
    name = " ".join(written.split())
    if not name or has_controls(name):
        message = "is empty or holds control characters"
        raise InvalidRequest(f"The name {message}.", errors=[FieldError("name", message)])
    return name


def _sealed(resources: SourceResources, connector_id: str, credentials: dict[str, str] | None) -> str | None:
    if not credentials:
        return None
    return resources.seals.seal(json.dumps(credentials), credentials_place(connector_id))


def _new_secret(resources: SourceResources, connector_id: str) -> str:
    """A secret in the form of Standard Webhooks, sealed."""
    return resources.seals.seal(new_hook_secret(), hook_secret_place(connector_id))
