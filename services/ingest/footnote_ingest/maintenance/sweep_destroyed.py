"""The sweeper's part of destroyed workspaces: what nobody can read any more is deleted (spec 7.3).

Destroying a key makes content unreadable at once. What lies beside it goes here: credentials of connectors,
names, vectors, and blobs.
"""

from sqlalchemy import update
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from footnote_ingest.connectors.make import delete_connector
from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.db.engine import Database
from footnote_shared.db.key_tables import WorkspaceKeyRow

_AT_ONCE = 500


def sweep_destroyed(database: Database, dispatcher: Dispatcher, policy: WorkPolicy) -> int:
    """Delete connectors and documents of workspaces whose key was destroyed; return how many documents.

    A legal hold ends with the key: what it held cannot be read by anybody. Safe to repeat and to race.
    """
    with database.read() as session:
        documents = (
            select(DocumentRow.workspace_id, DocumentRow.id)
            .where(col(DocumentRow.workspace_id).in_(_destroyed()), col(DocumentRow.deleted_at).is_(None))
            .limit(_AT_ONCE)
        )
        of_workspace: dict[str, list[str]] = {}
        for workspace_id, document_id in session.exec(documents):
            of_workspace.setdefault(workspace_id, []).append(document_id)
        connectors = select(ConnectorRow.id).where(
            col(ConnectorRow.workspace_id).in_(_destroyed()), col(ConnectorRow.deleted_at).is_(None)
        )
        connector_ids = list(session.exec(connectors.limit(_AT_ONCE)))
    if not of_workspace and not connector_ids:
        return 0
    with database.write() as session:
        held = col(DocumentRow.workspace_id).in_(_destroyed()), col(DocumentRow.legal_hold).is_(True)
        lifted = update(DocumentRow).where(*held).values(legal_hold=False)
        session.exec(lifted.execution_options(synchronize_session=False))
    deleted = 0
    for connector_id in connector_ids:
        with database.write() as session:
            row = session.get(ConnectorRow, connector_id, with_for_update=True)
            if row is not None and row.deleted_at is None:
                deleted += delete_connector(session, dispatcher, policy, row)
    for workspace_id, ids in of_workspace.items():
        with database.write() as session:
            deleted += delete_documents(session, dispatcher, policy, workspace_id, ids)
    return deleted


def _destroyed() -> SelectOfScalar[str]:
    return select(WorkspaceKeyRow.workspace_id).where(col(WorkspaceKeyRow.destroyed_at).is_not(None))
