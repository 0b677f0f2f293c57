"""Reading connectors and their runs as a caller sees them."""

from collections import Counter

from sqlalchemy import func
from sqlmodel import col, select

from footnote_ingest.store.connector_tables import ConnectorRow, ConnectorRunRow
from footnote_ingest.store.scope import visible_connectors, visible_documents
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.ids import is_id


def get(
    session: ReadSession | WriteSession, principal: Principal, connector_id: str, *, lock: bool = False
) -> ConnectorRow:
    """The connector.

    Raises NotFound if it is not there, deleted or not the caller's, and for what is no id.
    """
    if not is_id(connector_id):
        raise NotFound
    statement = select(ConnectorRow).where(
        col(ConnectorRow.id) == connector_id, visible_connectors(principal)
    )
    row = session.exec(statement.with_for_update() if lock else statement).first()
    if row is None:
        raise NotFound
    return row


def page(session: ReadSession, principal: Principal, limit: int, after: str | None) -> list[ConnectorRow]:
    """A page of connectors, newest first. `after` is the last id of the page before."""
    statement = select(ConnectorRow).where(visible_connectors(principal))
    if after is not None:
        statement = statement.where(col(ConnectorRow.id) < after)
    return list(session.exec(statement.order_by(col(ConnectorRow.id).desc()).limit(limit)))


def runs(
    session: ReadSession, connector: ConnectorRow, limit: int, after: str | None
) -> list[ConnectorRunRow]:
    """A page of a connector's runs, newest first."""
    statement = select(ConnectorRunRow).where(col(ConnectorRunRow.connector_id) == connector.id)
    if after is not None:
        statement = statement.where(col(ConnectorRunRow.id) < after)
    return list(session.exec(statement.order_by(col(ConnectorRunRow.id).desc()).limit(limit)))


def last_runs(session: ReadSession | WriteSession, ids: list[str]) -> dict[str, ConnectorRunRow]:
    """The newest run of each of the connectors that has any."""
    newest = (
        select(func.max(ConnectorRunRow.id))
        .where(col(ConnectorRunRow.connector_id).in_(ids))
        .group_by(col(ConnectorRunRow.connector_id))
    )
    found = session.exec(select(ConnectorRunRow).where(col(ConnectorRunRow.id).in_(newest)))
    return {run.connector_id: run for run in found}


def documents_by_status(
    session: ReadSession | WriteSession, principal: Principal, ids: list[str]
) -> dict[str, Counter[str]]:
    """How many documents the caller sees of each of the connectors, by status."""
    statement = (
        select(DocumentRow.connector_id, DocumentRow.status, func.count())
        .where(col(DocumentRow.connector_id).in_(ids), visible_documents(principal))
        .group_by(col(DocumentRow.connector_id), col(DocumentRow.status))
    )
    found: dict[str, Counter[str]] = {one: Counter() for one in ids}
    for connector_id, status, count in session.exec(statement):
        if connector_id is not None:
            found[connector_id][str(status)] = count
    return found
