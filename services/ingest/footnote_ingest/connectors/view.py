"""From rows to the messages of the API."""

from collections.abc import Mapping

from footnote_ingest.connectors.make import schedule_of
from footnote_ingest.store.connector_tables import ConnectorRow, ConnectorRunRow
from footnote_shared.contracts.connectors import Connector, ConnectorRun, ConnectorStatus, ItemNote
from footnote_shared.contracts.identity import Principal


def connector_view(
    row: ConnectorRow,
    last: ConnectorRunRow | None,
    documents: Mapping[str, int],
    url: str,
    secret: str | None = None,
) -> Connector:
    """The connector as clients see it. `url` is where Footnote answers."""
    return Connector.model_validate(
        {
            "id": row.id,
            "workspace_id": row.workspace_id,
            "avatar_id": row.avatar_id,
            "kind": row.kind,
            "name": row.name,
            "folder": row.folder,
            "config": row.config,
            "has_credentials": row.credentials is not None,
            "schedule": schedule_of(row.schedule_s),
            "status": _status(row, last),
            "problem": row.problem,
            "webhook_url": f"{url}/v1/webhooks/{row.id}",
            "webhook_secret": secret,
            "documents": documents,
            "next_sync_at": row.due_at,
            "created_at": row.created_at,
            "updated_at": row.updated_at,
        }
    )


def run_view(row: ConnectorRunRow, connector: ConnectorRow, principal: Principal) -> ConnectorRun:
    """The report of a run as the caller sees it: it names no item that the caller may not read.

    Its counts are of all items.
    """
    mine = connector.avatar_id == principal.avatar_id
    readable = [
        ItemNote(item=note["item"], outcome=note["outcome"], reason=note["reason"])
        for note in row.notes
        if mine or note.get("readers") is None or set(note["readers"]) & set(principal.groups)
    ]
    return ConnectorRun.model_validate({**row.model_dump(), "errors": readable})


def _status(row: ConnectorRow, last: ConnectorRunRow | None) -> ConnectorStatus:
    if row.paused:
        return "paused"
    if last is not None and last.status == "held":
        return "held"
    return "failing" if row.failures else "active"
